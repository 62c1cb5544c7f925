//! `cpb machines`: the machines that runs are of.

use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
use crate::export::{Exporting, Format};
use crate::{output, saved};
use clap::Args;
use cpb_history::SavedMachines;

/// List the machines of the saved runs
///
/// A machine is a kind of CPU under a hypervisor or none: that decides the cycles of
/// a call. Kernel, microcode and the CPUs that cpb was allowed are states of it, one
/// a line. cpb history keeps the figures of machines apart; its --machine takes the
/// name that stands here, or the start of it.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(flatten)]
    exporting: Exporting,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let machines = saved::open(&arguments.store)?.machines()?;
    if machines.is_empty() {
        output::inform("no runs are saved yet");
    }
    exporter.write(&SavedMachines(&machines))?;
    Ok(0)
}
