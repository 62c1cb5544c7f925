//! `cpb fleet`: a suite on many nodes of Slurm.

mod again;
pub(crate) mod look;
mod nightly;
mod report;
mod root;
mod run;
mod run_folder;
mod status;
mod submit;

use crate::cli_error::CliError;
use clap::Args;

/// Run a suite on many nodes of Slurm, and tell what became of each
///
/// A fleet run is a job array of exclusive nodes, a task for each, and a folder on a file system
/// that the nodes share. Scheduling is Slurm's: cpb writes an sbatch file, submits it, and reads
/// squeue and sacct. To begin: cpb fleet run overview --partition NAME; then cpb fleet status,
/// and cpb fleet report.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[command(subcommand)]
    command: Command,
}

subcommands! {
    Run: run,
    Status: status,
    Again: again,
    Report: report,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    arguments.command.execute()
}
