//! Runs workers in processes on this machine.

use crate::plan::library::LibrarySpec;
use crate::workers::machine::{Machine, Worker};
use crate::workers::process;
use crate::workers::protocol::LibraryPosition;
use crate::workers::time_limits::Bounds;
use cpb_model::{Failure, LibraryBuild};
use std::path::PathBuf;
use std::time::{Duration, Instant};

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
