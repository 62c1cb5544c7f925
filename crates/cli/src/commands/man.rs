//! `cpb man`: manual pages.

use crate::cli_error::CliError;
use crate::output;
use clap::{Args, CommandFactory};
use std::path::PathBuf;

/// Write manual pages, one for each command, into a folder
///
/// For man cpb and man cpb-run: into ~/.local/share/man/man1, which man searches.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The folder, which must be there.
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let folder = &arguments.folder;
    clap_mangen::generate_to(crate::Arguments::command(), folder).map_err(|reason| {
        usage!("cannot write manual pages into '{}': {reason}", folder.display())
    })?;
    output::inform(&format!("wrote the manual pages into {}", folder.display()));
    Ok(0)
}
