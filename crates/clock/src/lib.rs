//! Counters, and core cycles without privileges.
//!
//! A [`Counter`] gives ticks. Few machines let an ordinary process read real
//! core cycles, so a [`Clock`] brackets what it times with a [`chain`] of
//! dependent instructions whose cycles are known: `cycles = ticks × chain
//! cycles ÷ chain ticks`. That holds at any core frequency, in virtual
//! machines too. What a chain cannot see, a busy neighbour on the core's other
//! hardware thread, a [`window`] does.
//!
//! Use [`counter::open_best`] or [`counter::open`] to get a counter, and
//! [`Clock::calibrate`] to get the clock made of it.

#![allow(unsafe_code, reason = "counters are read by instructions")]

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
