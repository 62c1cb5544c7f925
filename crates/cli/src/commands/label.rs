//! `cpb label`: names for saved runs.

use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
use crate::{output, saved};
use clap::Args;

/// Name a saved run
///
/// The name then stands for the run wherever one is named. A name belongs to
/// one run, and a run has one.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which run, by number, label, or as latest.
    #[arg(value_name = "RUN")]
    run: String,
    /// The label.
    #[arg(value_name = "NAME", required_unless_present = "remove")]
    label: Option<String>,
    /// Take the label from the run that has it.
    #[arg(long = "move")]
    take: bool,
    /// Take the run's label away.
    #[arg(long, conflicts_with_all = ["label", "take"])]
    remove: bool,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let mut store = saved::open(&arguments.store)?;
    let number = saved::find(&store, &arguments.run)?;
    match &arguments.label {
        Some(label) => {
            store.label(number, label, arguments.take)?;
            output::inform(&format!("run {number} is '{label}'"));
        }
        None => {
            store.unlabel(number)?;
            output::inform(&format!("run {number} has no label"));
        }
    }
    Ok(0)
}
