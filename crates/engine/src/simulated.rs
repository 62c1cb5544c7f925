//! A simulated machine, where the truth is known: quiet and busy stretches on
//! each CPU, contention that depends on the code, a clock that steps, a counter
//! that moves in steps, interruptions, and processes that differ.
//!
//! It stands behind the same interfaces as the real one, so that the timed loop,
//! the rounds and the summary run on it unchanged.

#[cfg(feature = "simulated")]
pub(crate) mod chosen;
mod core;
mod cpu;
#[cfg(feature = "simulated")]
mod crews;
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

pub(crate) use cpb_figures::testing::calibration;
#[cfg(test)]
pub(crate) use testing::{idle_core, offer, ticks};
