//! The binary as its users call it.

mod bench;
mod failures;
mod program;
mod run;
mod usage;
