//! Where workers run: in processes on this machine, or simulated.

use crate::plan::library::LibrarySpec;
use crate::quiet::learn::Lesson;
use crate::workers::process::{self, Bounds};
use crate::workers::protocol::{Calibrate, Done, Job};
use cpb_model::{Calibration, Failure};
use std::time::{Duration, Instant};

/// Starts workers.
pub(crate) trait Machine {
    /// A fresh worker that has opened `library`.
    fn start(&mut self, library: &LibrarySpec) -> Result<Box<dyn Worker>, Failure>;

    /// How long ago some moment was.
    fn now(&self) -> Duration;
}

/// A worker that has opened its library.
pub(crate) trait Worker {
    /// Makes a clock, and learns what quiet is where it is to.
    fn calibrate(&mut self, calibrate: Calibrate)
    -> Result<(Calibration, Option<Lesson>), Failure>;

    /// Times workloads.
    fn measure(&mut self, job: Job) -> Result<Done, Failure>;

    /// Whether it ended, by itself or killed for its silence.
    fn is_gone(&self) -> bool;
}

/// This machine.
pub(crate) struct ThisMachine {
    start: Instant,
    bounds: Bounds,
}

impl ThisMachine {
    /// One whose workers are kept within `bounds`.
    pub(crate) fn new(bounds: Bounds) -> Self {
        Self { start: Instant::now(), bounds }
    }
}

impl Machine for ThisMachine {
    fn start(&mut self, library: &LibrarySpec) -> Result<Box<dyn Worker>, Failure> {
        let (worker, _, _) = process::Worker::start(library, false, self.bounds)?;
        Ok(Box::new(worker))
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

impl Worker for process::Worker {
    fn calibrate(
        &mut self,
        calibrate: Calibrate,
    ) -> Result<(Calibration, Option<Lesson>), Failure> {
        process::Worker::calibrate(self, calibrate)
    }

    fn measure(&mut self, job: Job) -> Result<Done, Failure> {
        process::Worker::measure(self, job)
    }

    fn is_gone(&self) -> bool {
        process::Worker::is_gone(self)
    }
}
