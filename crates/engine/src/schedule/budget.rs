//! Shares out the time of a measurement.

use crate::plan::Sampling;
use std::time::Duration;

/// The time to compute a row's figures before it is measured, and the share of the budget that all
/// rows may use for that.
const TIME_FOR_FIGURES: Duration = Duration::from_micros(500);
const SHARE_FOR_FIGURES: u32 = 4;
/// The time kept for the final figures, as a multiple of what it should be.
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
    rounds: u32,
    /// The longest time for figures after a round, divided by the rounds so far.
    figures_per_round: Duration,
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
        Self { end: now + left - reserve, limit, ..Self::maximum(None) }
    }

    /// Ends a maximum budget early enough for the final figures, given the `time` of computing
    /// those after a round. It grows with the number of rounds.
    pub(super) fn end_round(&mut self, time: Duration) {
        self.rounds += 1;
        self.figures_per_round = self.figures_per_round.max(time / self.rounds);
        let figures = self.figures_per_round * (self.rounds + 1);
        let limit = self.limit.unwrap_or(Duration::MAX);
        self.end = self.end.min(limit.saturating_sub(figures.mul_f64(FINAL_FIGURES)));
    }

    /// Creates a budget that is a maximum, or has no limit, for a clock that starts with it.
    pub(crate) fn maximum(limit: Option<Duration>) -> Self {
        let (end, longest) = (limit.unwrap_or(Duration::MAX), Duration::MAX);
        Self { end, limit, rounds: 0, figures_per_round: Duration::ZERO, longest }
    }

    /// Whether nothing may begin at `now`, because the budget is a maximum.
    pub(crate) fn is_over(&self, now: Duration) -> bool {
        self.limit.is_some() && now >= self.end
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
        let budget = Budget::maximum(Some(11 * second)).with_longest(2 * second);
        assert_eq!(budget.patience(second, 10), second);
        assert_eq!(budget.patience(second, 1), 2 * second);
        assert_eq!(budget.patience(12 * second, 1), SHORTEST_PATIENCE);
        assert_eq!(budget.patience(second, u64::MAX), SHORTEST_PATIENCE);
    }

    #[test]
    fn figures_that_take_long_end_a_maximum_budget_earlier() {
        let second = Duration::from_secs(1);
        let mut budget = Budget { end: 9 * second, ..Budget::maximum(Some(10 * second)) };
        budget.end_round(second / 5);
        assert_eq!(budget.end, 9 * second);
        budget.end_round(Duration::ZERO);
        assert_eq!(budget.end, 9 * second);
        // A second after three rounds becomes four thirds of it.
        budget.end_round(second);
        assert!(budget.end.abs_diff(second * 25 / 3) < Duration::from_micros(1));
        assert!(budget.is_over(9 * second) && !budget.is_over(8 * second));
        let mut other = Budget { end: 9 * second, ..Budget::maximum(None) };
        other.end_round(5 * second);
        assert_eq!(other.end, 9 * second);
        assert!(!other.is_over(10 * second), "its last rounds may start later");
    }
}
