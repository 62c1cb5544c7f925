//! Decides what is measured next from what was measured so far, without touching a process, a clock
//! or a pipe. [`driver::carry_out`] lets an [`executor::Executor`] carry it out.
//!
//! A measurement proceeds in rounds. For each, a [`design::Design`] names the rows that are still
//! wanted, in units that count together or not at all, and says when everything is done.

pub(crate) mod budget;
pub(crate) mod decided;
pub(crate) mod design;
pub(crate) mod driver;
mod events;
pub(crate) mod executor;
pub(crate) mod gated;
mod known_loops;
mod lost_rounds;
mod pair;
pub(crate) mod precise;
pub(crate) mod quiet_rounds;
mod race;
pub(crate) mod rows;
pub(crate) mod sample_file;
mod scheduler;
#[cfg(test)]
mod toy;
