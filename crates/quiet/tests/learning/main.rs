//! Tests what is learned about quiet: from recorded loops, and on simulated CPUs, of which there are
//! so many that all code that they run is to be optimised.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    reason = "helpers of tests, which the exception for tests does not reach"
)]

mod windows;
mod zoo;
