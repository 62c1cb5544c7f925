//! A suite on many nodes of Slurm: which nodes, what is submitted, and what became of it.
//!
//! Scheduling is Slurm's. A fleet run is a job array, held until each of its tasks is bound to
//! a node of its own; and a folder on a file system that the nodes share. In it are the sbatch
//! file as it was submitted ([`script()`]), what was asked for ([`Fleet`]), and a folder for each
//! node, which the task fills: the steps it came to, its log, and the run as a file. What
//! became of a node ([`TaskOutcome`]) follows from these files and from what `squeue` and `sacct`
//! say; where accounting is off, from the files and from what the controller still knows.

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
