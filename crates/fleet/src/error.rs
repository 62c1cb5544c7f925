//! Defines what can be wrong with a fleet.

use std::path::PathBuf;

/// The reason why a fleet cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum FleetError {
    /// One of Slurm's programs is missing.
    #[error(
        "there is no program '{program}': a fleet is submitted and watched where Slurm's own \
         commands are (Debian: slurm-client), usually on a login node"
    )]
    NoProgram { program: &'static str },
    /// One of Slurm's programs refused.
    #[error("{program} refused: {words}")]
    Refused {
        program: &'static str,
        /// Its message.
        words: String,
    },
    /// One of Slurm's programs gave an answer that cpb does not understand.
    #[error("{program} answered '{line}', which cpb does not understand")]
    Unexpected { program: &'static str, line: String },
    /// There is no such partition.
    #[error("unknown partition '{name}'. Known: {known}")]
    NoPartition {
        /// The requested name.
        name: String,
        /// All existing names.
        known: String,
    },
    /// The selection matches no node, or too few.
    #[error("{0}")]
    NoNodes(String),
    /// The constraint has a form that cpb cannot evaluate.
    #[error(
        "a constraint is a feature, or several joined by & or by |, as zen4&big, not '{0}' (sinfo \
         -o '%N %f' shows the features of nodes)"
    )]
    NoConstraint(String),
    /// Slurm would take the path for a pattern, or a file cannot contain it.
    #[error("Slurm cannot write below '{path}': {reason}; --folder names another place")]
    NoPath {
        path: PathBuf,
        /// What is wrong with it.
        reason: &'static str,
    },
    /// A file in a fleet's folder cannot be read or written.
    #[error("cannot {what} '{path}': {reason}")]
    File {
        /// `read` or `write`.
        what: &'static str,
        path: PathBuf,
        reason: String,
    },
    /// There is no such fleet run.
    #[error("{0}")]
    NoFleet(String),
}
