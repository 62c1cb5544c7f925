//! `cpb fleet report`.

use super::look::look;
use super::root::Named;
use crate::cli_error::{CliError, NOT_MEASURED};
use crate::export::{Exporting, Format};
use crate::output;
use crate::views::fleet::Report;
use clap::Args;

/// Show the figures of a fleet run, node by node
///
/// A table for each kind of machine, with a column for each node and how far they lie apart;
/// and every node that has no figures, with the reason. With --output fleet.html, a page of all
/// runs, compared with the first.
#[derive(Debug, Args)]
pub(super) struct Arguments {
    #[command(flatten)]
    named: Named,
    #[command(flatten)]
    exporting: Exporting,
}

pub(super) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let (fleet, folder) = arguments.named.find()?;
    let nodes = look(&fleet, &folder)?;
    if nodes.iter().all(|node| node.measured.is_none()) {
        return Err(not_measured!(
            "no node of {} has figures yet; cpb fleet status tells why",
            fleet.name
        ));
    }
    // The page and the lists of figures have no row for a node without figures.
    if !exporter.is_on_screen() {
        for node in nodes.iter().filter(|node| node.measured.is_none()) {
            output::warn(&format!("{} has no figures: {}", node.node, node.became));
        }
    }
    let whole = nodes.iter().all(|node| node.measured.is_some());
    exporter.write(&Report::of(&fleet, &nodes))?;
    Ok(if whole { 0 } else { NOT_MEASURED })
}
