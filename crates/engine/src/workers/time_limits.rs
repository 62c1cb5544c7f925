//! Limits the time of a worker.

use crate::plan::Sampling;
use std::time::{Duration, Instant};

/// The additional time for work in progress at the overall deadline.
pub(super) const LATE: Duration = Duration::from_millis(250);

/// The time limits of a worker.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Bounds {
    /// The limit for requests that take no time by themselves.
    pub(crate) timeout: Duration,
    /// The overall deadline.
    pub(crate) end: Option<Instant>,
}

impl Bounds {
    /// Creates limits for each answer, without a deadline.
    pub(crate) fn timeout(timeout: Duration) -> Self {
        Self { timeout, end: None }
    }

    /// Creates the limits of `sampling`, which began at `start`. If its budget is a maximum, the
    /// deadline follows from `budget`.
    pub(crate) fn of(sampling: &Sampling, start: Instant, budget: Duration) -> Self {
        let end = sampling.budget_is_maximum.then(|| start + budget);
        Self { timeout: sampling.timeout, end }
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
