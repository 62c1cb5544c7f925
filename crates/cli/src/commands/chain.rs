//! `cpb chain`: verifying and making chains of SHA-256 in files.

mod make;
mod verify;

use crate::cli_error::CliError;
use clap::Args;

/// Verify or make files of SHA-256 chains
///
/// A chain is a 32-byte value hashed again and again. A file holds segments of
/// it, one on each line: CSV (start,iterations,end) or JSON
/// ({"start":"HEX","iterations":N,"end":"HEX"}).
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    Verify: verify,
    Make: make,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    arguments.command.execute()
}
