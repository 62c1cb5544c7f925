//! Defines where workers run: in processes on this machine, or simulated.

use crate::plan::library::LibrarySpec;
use crate::workers::protocol::{Calibrate, Calibrated, Done, Job};
use cpb_model::Failure;
use cpb_sampler::Noise;
use std::time::Duration;

pub(crate) trait Machine {
    /// Starts a fresh worker that has opened `library`, at `position` if it can be placed.
    fn start(&mut self, library: &LibrarySpec, position: u8) -> Result<Box<dyn Worker>, Failure>;

    /// Returns the time since the measurement began.
    fn now(&self) -> Duration;

    /// Returns how long the hypervisor kept these CPUs from working, and the total time.
    fn stolen_and_total(&self, cpus: &[usize]) -> Option<(u64, u64)> {
        cpb_host::stolen_and_total(cpus)
    }
}

/// A worker that has opened its library.
pub(crate) trait Worker {
    /// Calibrates a clock, and learns what quiet looks like if requested.
    fn calibrate(&mut self, calibrate: Calibrate) -> Result<Calibrated, Failure>;

    /// Returns the position of its library; `None` if it was not placed.
    fn position(&self) -> Option<u8>;

    /// Times calls.
    fn measure(&mut self, job: Job) -> Result<Done, Failure>;

    /// Records disturbances of the core for `time`.
    fn watch(&mut self, time: Duration) -> Result<Noise, Failure>;

    /// Whether the worker ended, by itself or killed for its silence.
    fn is_gone(&self) -> bool;
}
