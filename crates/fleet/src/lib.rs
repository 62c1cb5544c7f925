//! Runs a suite on many Slurm nodes: chooses nodes, submits tasks, and finds the outcome of each.
//!
//! Slurm does the scheduling. A fleet run is a job array, held until each of its tasks is bound to
//! a node of its own, and a folder on a file system that the nodes share. The folder contains the
//! submitted sbatch file ([`script()`]), the request ([`Fleet`]), and a folder per node, which the
//! task fills with its steps, its log, and the run as a file. The outcome of a node
//! ([`TaskOutcome`]) follows from these files and from `squeue` and `sacct`; without accounting,
//! from the files and what the controller still knows.

#![forbid(unsafe_code)]

mod choice;
mod constraint;
mod error;
mod files;
mod fleet;
mod script;
mod slurm;
mod task_outcome;

pub use choice::{Wanted, choose};
pub use constraint::Constraint;
pub use error::FleetError;
pub use files::{NodeFiles, Step};
pub use fleet::{Fleet, Member, Submission};
pub use script::{NIGHTLY, Nightly, is_time_limit, nightly_script, quoted, script};
pub use slurm::{Node, Slurm, Task};
pub use task_outcome::{State, TaskOutcome, became};
