//! Where workers run: in processes on this machine, or simulated.

use crate::plan::library::LibrarySpec;
use crate::workers::process::{self, Bounds};
use crate::workers::protocol::{Calibrate, Calibrated, Done, Job, LibraryPosition};
use cpb_model::{Failure, LibraryBuild};
use std::path::PathBuf;
use std::time::{Duration, Instant};

/// Starts workers.
pub(crate) trait Machine {
    /// A fresh worker that has opened `library`, at `position` if it can be placed.
    fn start(&mut self, library: &LibrarySpec, position: u8) -> Result<Box<dyn Worker>, Failure>;

    /// How long ago some moment was.
    fn now(&self) -> Duration;

    /// How long the hypervisor kept these CPUs from working, and how long there was to work.
    fn stolen_and_total(&self, cpus: &[usize]) -> Option<(u64, u64)> {
        cpb_host::stolen_and_total(cpus)
    }
}

/// This machine, whose workers are kept within `bounds` and place these libraries; or the
/// simulated one that is chosen.
pub(crate) fn machine(bounds: Bounds, libraries: &[LibraryBuild]) -> Box<dyn Machine> {
    #[cfg(feature = "simulated")]
    if let Some(machine) = crate::simulated::chosen::machine() {
        return machine;
    }
    Box::new(ThisMachine::new(bounds, libraries))
}

/// A worker that has opened its library.
pub(crate) trait Worker {
    /// Makes a clock, and learns what quiet is where it is to.
    fn calibrate(&mut self, calibrate: Calibrate) -> Result<Calibrated, Failure>;

    /// Which of the positions its library lies at, where it could be placed.
    fn position(&self) -> Option<u8>;

    /// Times workloads.
    fn measure(&mut self, job: Job) -> Result<Done, Failure>;

    /// Whether it ended, by itself or killed for its silence.
    fn is_gone(&self) -> bool;
}

/// This machine.
pub(crate) struct ThisMachine {
    start: Instant,
    bounds: Bounds,
    /// The libraries as workers before found them.
    libraries: Vec<LibraryBuild>,
}

impl ThisMachine {
    /// One whose workers are kept within `bounds`, and place these libraries.
    pub(crate) fn new(bounds: Bounds, libraries: &[LibraryBuild]) -> Self {
        Self { start: Instant::now(), bounds, libraries: libraries.to_vec() }
    }

    /// The file of a library; `None` for what is in this program, or was never opened.
    fn file(&self, library: &LibrarySpec) -> Option<PathBuf> {
        let label = library.label();
        let found = self.libraries.iter().find(|found| found.label == label)?;
        found.path.as_ref().map(PathBuf::from)
    }
}

impl Machine for ThisMachine {
    fn start(&mut self, library: &LibrarySpec, position: u8) -> Result<Box<dyn Worker>, Failure> {
        let place = self.file(library).map(|file| LibraryPosition { file, position });
        let (worker, _, _) = process::Worker::start(library, false, place, self.bounds)?;
        Ok(Box::new(worker))
    }

    fn now(&self) -> Duration {
        self.start.elapsed()
    }
}

impl Worker for process::Worker {
    fn calibrate(&mut self, calibrate: Calibrate) -> Result<Calibrated, Failure> {
        process::Worker::calibrate(self, calibrate)
    }

    fn position(&self) -> Option<u8> {
        process::Worker::position(self)
    }

    fn measure(&mut self, job: Job) -> Result<Done, Failure> {
        process::Worker::measure(self, job)
    }

    fn is_gone(&self) -> bool {
        process::Worker::is_gone(self)
    }
}
