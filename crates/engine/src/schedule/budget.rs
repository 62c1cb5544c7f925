//! Shares out the time of a measurement.

use crate::plan::Sampling;
use std::time::Duration;

/// The time to compute a row's figures, and the share of the budget that all rows may use for that.
const TIME_FOR_FIGURES: Duration = Duration::from_micros(500);
const SHARE_FOR_FIGURES: u32 = 4;
/// The share of the budget for verifying rows, as its divisor, if the budget is a maximum.
const SHARE_FOR_VERIFYING: u32 = 2;
/// The time that every job gets, however late it is.
const SHORTEST_PATIENCE: Duration = Duration::from_millis(20);

/// Returns how long rows may be verified; `None` if there is no limit.
pub(crate) fn for_verifying(sampling: &Sampling) -> Option<Duration> {
    sampling.maximum().map(|time| time / SHARE_FOR_VERIFYING)
}

/// The time available to jobs, by the executor's clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// The time after which no round begins, unless it is required.
    pub(crate) end: Duration,
    /// The limit of a single job.
    longest: Duration,
}

impl Budget {
    /// Creates the budget from `now` on. A maximum budget reserves time for the figures of all
    /// `rows`.
    pub(crate) fn new(sampling: &Sampling, now: Duration, left: Duration, rows: usize) -> Self {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let for_figures = TIME_FOR_FIGURES.saturating_mul(rows).min(left / SHARE_FOR_FIGURES);
        let reserve = if sampling.budget_is_maximum { for_figures } else { Duration::ZERO };
        Self { end: now + left - reserve, longest: Duration::MAX }
    }

    /// Creates a budget for a clock that starts with it.
    #[cfg(test)]
    pub(super) fn of(time: Duration) -> Self {
        Self { end: time, ..Self::unlimited() }
    }

    /// Creates a budget without limit.
    pub(crate) fn unlimited() -> Self {
        Self { end: Duration::MAX, longest: Duration::MAX }
    }

    /// Limits single jobs to `longest`.
    pub(crate) fn with_longest(self, longest: Duration) -> Self {
        Self { longest, ..self }
    }

    /// Returns how long a job may take at `now`, including waiting for quiet: its share of the
    /// remaining time among the jobs that must follow. On a quiet core no job takes that long.
    pub(super) fn patience(&self, now: Duration, jobs_to_come: u64) -> Duration {
        let jobs = u32::try_from(jobs_to_come.max(1)).unwrap_or(u32::MAX);
        let share = self.end.saturating_sub(now) / jobs;
        share.max(SHORTEST_PATIENCE).min(self.longest)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_left_is_shared_by_the_jobs_to_come() {
        let second = Duration::from_secs(1);
        let budget = Budget { end: 11 * second, longest: 2 * second };
        assert_eq!(budget.patience(second, 10), second);
        assert_eq!(budget.patience(second, 1), 2 * second);
        assert_eq!(budget.patience(12 * second, 1), SHORTEST_PATIENCE);
        assert_eq!(budget.patience(second, u64::MAX), SHORTEST_PATIENCE);
    }
}
