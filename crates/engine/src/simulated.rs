//! Simulates a machine on which the truth is known: [`cpb_simulated`] with processes that differ.
//!
//! It implements the interfaces of the real machine, so that the timed loop, the rounds and the
//! summary run on it unchanged.

#[cfg(feature = "simulated")]
pub(crate) mod chosen;
#[cfg(feature = "simulated")]
mod crews;
#[cfg(feature = "simulated")]
pub(crate) mod environment;
#[cfg(test)]
mod scenarios;
#[cfg(test)]
mod testing;
#[cfg(test)]
mod traces;
mod workers;

#[cfg(test)]
pub(crate) use testing::{idle_core, offer, ticks};
