//! Simulates a machine on which the truth is known: quiet and busy stretches on each CPU,
//! contention that depends on the code, a clock and a counter that move in steps, interruptions,
//! and processes that differ.
//!
//! It implements the interfaces of the real machine, so that the timed loop, the rounds and the
//! summary run on it unchanged.

#[cfg(feature = "simulated")]
pub(crate) mod chosen;
mod core;
mod cpu;
#[cfg(feature = "simulated")]
mod crews;
#[cfg(feature = "simulated")]
pub(crate) mod environment;
mod noise;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod traces;
#[cfg(test)]
mod windows;
mod workers;
#[cfg(test)]
mod zoo;

#[cfg(test)]
pub(crate) use testing::{idle_core, offer, ticks};
