//! Defines where workers run: in processes on this machine, or simulated.

use crate::plan::library::LibrarySpec;
use crate::workers::process::{self, Bounds};
use crate::workers::protocol::{Calibrate, Calibrated, Done, Job, LibraryPosition};
use cpb_model::{Failure, LibraryBuild};
use std::path::PathBuf;
use std::time::{Duration, Instant};

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

/// Returns the chosen simulated machine, or else this one, whose workers obey `bounds` and place
/// these libraries.
pub(crate) fn machine(bounds: Bounds, libraries: &[LibraryBuild]) -> Box<dyn Machine> {
    #[cfg(feature = "simulated")]
    if let Some(machine) = crate::simulated::chosen::machine() {
        return machine;
    }
    Box::new(ThisMachine::new(bounds, libraries))
}

/// A worker that has opened its library.
pub(crate) trait Worker {
    /// Calibrates a clock, and learns what quiet looks like if requested.
    fn calibrate(&mut self, calibrate: Calibrate) -> Result<Calibrated, Failure>;

    /// Returns the position of its library; `None` if it was not placed.
    fn position(&self) -> Option<u8>;

    /// Times calls.
    fn measure(&mut self, job: Job) -> Result<Done, Failure>;

    /// Whether the worker ended, by itself or killed for its silence.
    fn is_gone(&self) -> bool;
}

/// Runs workers on this machine.
pub(crate) struct ThisMachine {
    start: Instant,
    bounds: Bounds,
    /// The libraries as found by earlier workers.
    libraries: Vec<LibraryBuild>,
}

impl ThisMachine {
    /// Creates the machine; workers obey `bounds`, and place these libraries.
    pub(crate) fn new(bounds: Bounds, libraries: &[LibraryBuild]) -> Self {
        Self { start: Instant::now(), bounds, libraries: libraries.to_vec() }
    }

    /// Returns the file of a library; `None` if it is built in, or was never opened.
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
