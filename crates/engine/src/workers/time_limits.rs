//! Limits the time of a worker.

use std::time::{Duration, Instant};

/// The additional time for work in progress at the overall deadline.
pub(super) const LATE: Duration = Duration::from_millis(250);

/// The time for a library to start, even if a measurement is to take less.
const START: Duration = Duration::from_secs(1);

/// The time limits of a worker.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The limit for requests that take no time by themselves.
    pub(crate) timeout: Duration,
    /// The overall deadline.
    pub(crate) end: Option<Instant>,
}

impl Bounds {
    /// Creates limits for what comes before measuring, which may take `max_time` in all.
    pub(crate) fn before_measuring(timeout: Duration, max_time: Option<Duration>) -> Self {
        Self { timeout, end: max_time.map(|max_time| Instant::now() + max_time) }.to_start()
    }

    /// Returns the same limits, with time to start.
    pub(crate) fn to_start(self) -> Self {
        Self { end: self.end.map(|end| end + START), ..self }
    }

    /// Creates limits for each answer, without a deadline.
    pub(crate) fn timeout(timeout: Duration) -> Self {
        Self { timeout, end: None }
    }

    /// Whether the deadline has passed.
    pub(crate) fn are_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end)
    }

    /// Whether it is too late even for work in progress at the deadline.
    pub(crate) fn are_long_over(&self) -> bool {
        self.end.is_some_and(|end| Instant::now() >= end + LATE)
    }
}
