//! Looks for libraries, each in a process of its own.

use crate::parallel;
use crate::plan::library::{Found, LibrarySpec};
use crate::workers::process::Worker;
use crate::workers::time_limits::Bounds;
use std::time::Duration;

/// Opens each library in a process of its own, all at once if the system grants the threads, and
/// returns what they offer. None may be silent for `timeout`, nor take much longer than `max_time`.
pub fn discover(
    specs: &[LibrarySpec],
    timeout: Duration,
    max_time: Option<Duration>,
) -> Vec<Found> {
    look_for(specs, Bounds::before_measuring(timeout, max_time))
}

/// Does the same within `bounds`.
pub(crate) fn look_for(specs: &[LibrarySpec], bounds: Bounds) -> Vec<Found> {
    parallel::map(specs, specs.len(), |spec| Found {
        spec: spec.clone(),
        contents: Worker::start(spec, true, None, bounds).map(|(_, id, offers)| (id, offers)),
    })
}
