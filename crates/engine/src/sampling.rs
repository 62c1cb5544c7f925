//! Samples on one core, in the worker: the timed loop ([`timed`]), with a look at the
//! core ([`lookout`]) on either side of every batch of calls.

pub(crate) mod acceptance;
mod cases;
mod eviction;
pub(crate) mod job;
pub(crate) mod lookout;
mod no_samples;
mod stack_places;
pub(crate) mod timed;
pub(crate) mod timer;
