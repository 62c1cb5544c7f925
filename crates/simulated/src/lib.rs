//! Simulates cores on which the truth is known: quiet and busy stretches on each CPU, contention
//! that depends on the code, a clock and a counter that move in steps, and interruptions.
//!
//! A [`Core`] is a timer like the real one, so that what measures runs on it unchanged.

mod core;
mod cpu;
mod noise;

pub use self::core::{Core, Execution, Work};
pub use cpu::{Neighbour, Sharing, SimulatedCpu};
pub use noise::{Noise, log_uniform, normal};
