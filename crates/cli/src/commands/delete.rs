//! `cpb delete`: away with saved runs.

use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
use crate::{output, saved};
use clap::Args;

/// Delete saved runs
///
/// Deletes all that are named, or none where one is not there. A number is
/// never used again.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which runs, by number, label, or as latest.
    #[arg(value_name = "RUN", required = true)]
    runs: Vec<String>,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let mut store = saved::open(&arguments.store)?;
    let mut numbers = Vec::with_capacity(arguments.runs.len());
    for name in &arguments.runs {
        let number = saved::find(&store, name)?;
        if !numbers.contains(&number) {
            numbers.push(number);
        }
    }
    store.delete(&numbers)?;
    numbers.iter().for_each(|number| output::inform(&format!("deleted run {number}")));
    Ok(0)
}
