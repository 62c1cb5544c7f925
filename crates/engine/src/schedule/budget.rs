//! Shares out the time of a measurement.

use crate::plan::Sampling;
use std::time::Duration;

/// The time to compute a row's figures before it is measured, and the share of the budget that all
/// rows may use for that.
const TIME_FOR_FIGURES: Duration = Duration::from_micros(500);
const SHARE_FOR_FIGURES: u32 = 4;
/// The time to compute the final figures, as a multiple of the time that those of fewer samples took.
const FINAL_FIGURES: f64 = 1.25;
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
    /// The limit of everything, the final figures included, if the budget is a maximum.
    limit: Option<Duration>,
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
        let limit = sampling.budget_is_maximum.then_some(now + left);
        Self { end: now + left - reserve, limit, longest: Duration::MAX }
    }

    /// Ends a maximum budget early enough for the final figures, given how long it took to compute
    /// those of fewer samples.
    pub(super) fn reserve(&mut self, time: Duration) {
        let limit = self.limit.unwrap_or(Duration::MAX);
        self.end = self.end.min(limit.saturating_sub(time.mul_f64(FINAL_FIGURES)));
    }

    /// Creates a budget for a clock that starts with it.
    #[cfg(test)]
    pub(super) fn of(time: Duration) -> Self {
        Self { end: time, ..Self::unlimited() }
    }

    /// Creates a budget without limit.
    pub(crate) fn unlimited() -> Self {
        Self { end: Duration::MAX, limit: None, longest: Duration::MAX }
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
        let budget = Budget { end: 11 * second, limit: None, longest: 2 * second };
        assert_eq!(budget.patience(second, 10), second);
        assert_eq!(budget.patience(second, 1), 2 * second);
        assert_eq!(budget.patience(12 * second, 1), SHORTEST_PATIENCE);
        assert_eq!(budget.patience(second, u64::MAX), SHORTEST_PATIENCE);
    }

    #[test]
    fn figures_that_take_long_end_a_maximum_budget_earlier() {
        let second = Duration::from_secs(1);
        let mut budget = Budget { limit: Some(10 * second), ..Budget::of(9 * second) };
        budget.reserve(second / 2);
        assert_eq!(budget.end, 9 * second);
        budget.reserve(2 * second);
        budget.reserve(second);
        assert_eq!(budget.end, 7 * second + second / 2);
        let mut unlimited = Budget::of(9 * second);
        unlimited.reserve(5 * second);
        assert_eq!(unlimited.end, 9 * second);
    }
}
