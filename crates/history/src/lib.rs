//! Follows figures over the saved runs: which belong together, how each differs from the one
//! before, and where their level changed.
//!
//! Nothing here reads a store: a [`Timeline`] is made from a store's list of runs, and takes the
//! readings of its series.

#![forbid(unsafe_code)]

mod change;
mod document;
mod segment;

pub use change::Change;
pub use document::{Changes, History, SavedMachines, SavedRuns, command_line, run_title};
pub use segment::{Difference, HistoryPoint, HistorySegment, Timeline};
