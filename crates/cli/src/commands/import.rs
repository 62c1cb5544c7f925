//! `cpb import`: runs from elsewhere.

use crate::arguments::StoreArgument;
use crate::fault::{Fault, WRONG_USE, store_status};
use crate::{output, saved};
use clap::Args;
use cpb_model::harmless;
use std::path::PathBuf;

/// Save runs from files, such as those of another machine
///
/// Takes what cpb export or --format json wrote, and prints the number that
/// each run has here. A run that is here already is refused.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The files.
    #[arg(value_name = "FILE", required = true)]
    files: Vec<PathBuf>,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    // Opened with the first run that is one, so that nothing is made in vain.
    let mut store = None;
    let mut status = 0;
    for path in &arguments.files {
        let run = match saved::read(path) {
            Ok(run) => run,
            Err(fault) => {
                output::complain(&fault.to_string());
                status = status.max(WRONG_USE);
                continue;
            }
        };
        let store = match &mut store {
            Some(store) => store,
            none => none.insert(saved::open_or_create(&arguments.store)?),
        };
        let name = path.display().to_string();
        match store.save(&run) {
            Ok(number) => output::print(&format!("{number} {}\n", harmless(&name)))?,
            Err(error) => {
                output::complain(&format!("'{name}': {error}"));
                status = status.max(store_status(&error));
                // What is wrong with the store is wrong for every file.
                if error.is_of_the_machine() {
                    break;
                }
            }
        }
    }
    Ok(status)
}
