//! The binary as its users call it.

mod bench;
mod failures;
mod plot;
mod program;
mod run;
mod slope;
mod usage;
