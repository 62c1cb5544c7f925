//! How the time of a measurement is shared out.

use crate::plan::Sampling;
use std::time::Duration;

/// What a row takes once it is measured, and the share of the time that all of them may.
const TIME_FOR_FIGURES: Duration = Duration::from_micros(500);
const SHARE_FOR_FIGURES: u32 = 4;
/// The share of the time that rows may be verified in, where it is a maximum.
const SHARE_FOR_VERIFYING: u32 = 2;
/// What every job gets, however late it is.
const SHORTEST_PATIENCE: Duration = Duration::from_millis(20);

/// How long rows may be verified, where the time is a maximum.
pub(crate) fn for_verifying(sampling: &Sampling) -> Option<Duration> {
    sampling.maximum().map(|time| time / SHARE_FOR_VERIFYING)
}

/// The time that jobs have, by an executor's clock.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Budget {
    /// When no round begins any more, unless it must.
    pub(crate) end: Duration,
    /// How long a job may take at most.
    longest: Duration,
}

impl Budget {
    /// From `now` on, for so long, of which a maximum leaves something for the figures of all
    /// `rows`.
    pub(crate) fn new(sampling: &Sampling, now: Duration, left: Duration, rows: usize) -> Self {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let for_figures = TIME_FOR_FIGURES.saturating_mul(rows).min(left / SHARE_FOR_FIGURES);
        let reserve = if sampling.budget_is_maximum { for_figures } else { Duration::ZERO };
        Self { end: now + left - reserve, longest: Duration::MAX }
    }

    /// So long, by a clock that begins with it.
    #[cfg(test)]
    pub(super) fn of(time: Duration) -> Self {
        Self { end: time, ..Self::unlimited() }
    }

    /// As long as it takes.
    pub(crate) fn unlimited() -> Self {
        Self { end: Duration::MAX, longest: Duration::MAX }
    }

    /// The same where no job may take longer than this.
    pub(crate) fn with_longest(self, longest: Duration) -> Self {
        Self { longest, ..self }
    }

    /// How long a job may take at `now`, waiting for quiet included: its share of what is left,
    /// where so many are sure to come. On a quiet core none takes as long.
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
