//! What can be wrong with a fleet.

use std::path::PathBuf;

/// Why a fleet cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// A program of Slurm's is not there.
    #[error(
        "there is no program '{program}': a fleet is submitted and watched where Slurm's own \
         commands are (Debian: slurm-client), usually on a login node"
    )]
    NoProgram {
        /// Its name.
        program: &'static str,
    },
    /// A program of Slurm's refused.
    #[error("{program} refused: {words}")]
    Refused {
        /// Its name.
        program: &'static str,
        /// What it said.
        words: String,
    },
    /// A program of Slurm's answered what cpb does not understand.
    #[error("{program} answered '{line}', which cpb does not understand")]
    Unexpected {
        /// Its name.
        program: &'static str,
        /// The line.
        line: String,
    },
    /// The partition is none.
    #[error("unknown partition '{name}'. Known: {known}")]
    NoPartition {
        /// As asked for.
        name: String,
        /// The names of all.
        known: String,
    },
    /// What selects nodes selects none, or not enough.
    #[error("{0}")]
    NoNodes(String),
    /// A constraint that cpb cannot judge by itself.
    #[error(
        "a constraint is a feature, or several joined by & or by |, as zen4&big, not '{0}' (sinfo \
         -o '%N %f' shows the features of nodes)"
    )]
    NoConstraint(String),
    /// A path that Slurm would take for a pattern, or a file cannot hold.
    #[error("Slurm cannot write below '{path}': {reason}; --folder names another place")]
    NoPath {
        /// The path.
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file of a fleet's folder cannot be read or written.
    #[error("cannot {what} '{path}': {reason}")]
    File {
        /// `read` or `write`.
        what: &'static str,
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
    /// There is no such fleet run.
    #[error("{0}")]
    NoFleet(String),
}
