//! Combines a backend with a width: the unit that is measured.

use super::Backend;
use crate::Backend as _;

/// One backend with groups of a certain number of lanes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Form {
    backend: Backend,
    lanes: usize,
}

impl Form {
    /// Returns the form of `backend` with groups of `width` lanes, if that is one of
    /// its [widths](Backend::widths).
    pub fn new(backend: Backend, width: usize) -> Option<Self> {
        backend.widths().contains(&width).then_some(Self { backend, lanes: width })
    }

    /// Returns every form this CPU can run: backends in the order of
    /// [`Backend::NAMES`], widths ascending. There is at least one.
    pub fn all() -> Vec<Self> {
        Backend::available().into_iter().flat_map(Self::of).collect()
    }

    /// Returns every form of `backend`, widths ascending. There is at least one.
    pub(super) fn of(backend: Backend) -> impl Iterator<Item = Self> {
        backend.widths().iter().map(move |&lanes| Self { backend, lanes })
    }

    pub fn backend(self) -> Backend {
        self.backend
    }

    /// Returns how many lanes a group has.
    pub fn lanes(self) -> usize {
        self.lanes
    }

    /// Replaces each lane by its own SHA-256 hash, `count` times.
    ///
    /// It is meant for exactly [`lanes`](Self::lanes) lanes. More are processed group
    /// after group; fewer are processed in one group with idle lanes, which takes as
    /// long as a full one.
    pub fn iterate(self, lanes: &mut [[u8; 32]], count: u64) {
        self.backend.iterate_groups(self.lanes, lanes, count);
    }
}
