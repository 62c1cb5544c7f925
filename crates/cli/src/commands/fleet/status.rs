//! `cpb fleet status`.

use super::look::{look, states};
use super::root::Named;
use crate::cli_error::{CliError, NOT_MEASURED};
use crate::export::{Exporting, Format};
use crate::interrupt::{self, Interrupt};
use crate::output;
use crate::views::fleet::Status;
use clap::Args;
use cpb_fleet::{Fleet, State};
use std::path::Path;
use std::sync::atomic::Ordering;
use std::time::Duration;

/// The interval of asking Slurm while waiting.
const PATIENCE: Duration = Duration::from_secs(5);

/// Tell how far each node of a fleet run is, and why where it has no figures
///
/// A node is done, waits, runs, or has ended without a run: unfit, timed out, node failed, out
/// of memory, cancelled, failed, absent. Where Slurm keeps no accounts (sacct), it tells for
/// some minutes only why a job ended; after that, unknown is said where the node's own files do
/// not tell. Runs that are not in the store yet are saved now.
///
/// Exit status: 0 where all nodes are done or at it, 1 where one has ended without a run.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    named: Named,
    /// Wait until no node waits or runs.
    #[arg(long)]
    wait: bool,
    #[command(flatten)]
    exporting: Exporting,
}

pub(super) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let (fleet, folder) = arguments.named.find()?;
    let stop = interrupt::flag();
    if arguments.wait {
        wait(&fleet, &folder, &stop)?;
    }
    let nodes = look(&fleet, &folder)?;
    let is_lost = |state: State| state != State::Done && !state.is_going_on();
    let lost = nodes.iter().any(|node| is_lost(node.became.state));
    exporter.write(&Status { fleet: &fleet, folder: &folder, nodes: &nodes })?;
    Ok(stop.status().unwrap_or(if lost { NOT_MEASURED } else { 0 }))
}

fn wait(fleet: &Fleet, folder: &Path, stop: &Interrupt) -> Result<(), CliError> {
    const STEP: Duration = Duration::from_millis(100);
    let mut told = None;
    loop {
        let states = states(fleet, folder)?;
        let left = states.iter().filter(|it| it.state.is_going_on()).count();
        if left == 0 || stop.load(Ordering::Relaxed) {
            return Ok(());
        }
        if told.replace(left) != Some(left) {
            output::inform(&format!("{left} of {} nodes wait or run", states.len()));
        }
        let mut waited = Duration::ZERO;
        while waited < PATIENCE && !stop.load(Ordering::Relaxed) {
            std::thread::sleep(STEP);
            waited += STEP;
        }
    }
}
