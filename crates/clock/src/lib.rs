//! Reads counters, and measures core cycles without privileges.
//!
//! A [`Counter`] returns ticks. Few machines let an ordinary process read real core cycles, so a
//! [`Clock`] brackets what it times with a [`chain`] of dependent instructions whose cycles are
//! known: `cycles = ticks × chain cycles ÷ chain ticks`. That holds at any core frequency, also in
//! virtual machines. A [`window`] detects what a chain cannot: a busy neighbour on the core's other
//! hardware thread.
//!
//! [`counter::open_best`] or [`counter::open`] opens a counter, and [`Clock::calibrate`] makes a
//! clock of it.

#![allow(unsafe_code, reason = "counters are read by instructions")]

#[macro_use]
mod repeat;

pub mod chain;
mod clock;
mod core_loop;
pub mod counter;
pub mod probe;
mod process_time;
mod thread_time;
pub mod window;

pub use clock::{CalibrationError, Clock};
pub use core_loop::CoreLoop;
pub use counter::{Counter, Unavailable, Unit};
pub use process_time::{Boundary, ProcessTime};
pub use thread_time::ThreadTime;
