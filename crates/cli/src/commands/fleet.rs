//! `cpb fleet`: a suite on many nodes of Slurm.

mod again;
pub(crate) mod look;
mod nightly;
mod report;
mod root;
mod run;
mod status;
mod submit;

use crate::cli_error::CliError;
use clap::{Args, Subcommand};

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

#[derive(Debug, Subcommand)]
enum Command {
    Run(run::Arguments),
    Status(status::Arguments),
    Again(again::Arguments),
    Report(report::Arguments),
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    match &arguments.command {
        Command::Run(arguments) => run::execute(arguments),
        Command::Status(arguments) => status::execute(arguments),
        Command::Again(arguments) => again::execute(arguments),
        Command::Report(arguments) => report::execute(arguments),
    }
}
