//! Lists how long commands measure by default.

use std::time::Duration;

/// The default time of a command: a base and an amount per row, within bounds.
#[derive(Debug, Clone, Copy)]
pub(crate) struct TimeBudget {
    base: Duration,
    each: Duration,
    shortest: Duration,
    longest: Duration,
}

impl TimeBudget {
    const fn new(base: u64, each_milliseconds: u64) -> Self {
        let each = Duration::from_millis(each_milliseconds);
        let base = Duration::from_secs(base);
        Self { base, each, shortest: Duration::ZERO, longest: Duration::MAX }
    }

    const fn at_least(self, seconds: u64) -> Self {
        Self { shortest: Duration::from_secs(seconds), ..self }
    }

    const fn at_most(self, seconds: u64) -> Self {
        Self { longest: Duration::from_secs(seconds), ..self }
    }

    /// Returns the time for this many rows.
    pub(crate) fn of(self, rows: usize) -> Duration {
        let rows = u32::try_from(rows).unwrap_or(u32::MAX);
        let time = self.base.saturating_add(self.each.saturating_mul(rows));
        time.clamp(self.shortest, self.longest)
    }
}

// Seconds, and milliseconds per row. `run` and `scale` end by then; the others only stop waiting
// for a quiet core, which hardly ever takes that long.

pub(crate) const RUN: TimeBudget = TimeBudget::new(0, 200).at_least(60);
pub(crate) const RUN_QUICK: TimeBudget = TimeBudget::new(5, 0);
/// Per row, size and round.
pub(crate) const SCALE: TimeBudget = TimeBudget::new(0, 150).at_least(60);
/// Per pair of rows.
pub(crate) const COMPARE: TimeBudget = TimeBudget::new(15, 3000).at_most(900);
/// For each measurement of a gate, and for a saved run that is measured again.
pub(crate) const AGAIN: TimeBudget = TimeBudget::new(15, 2000).at_most(900);
pub(crate) const SLOPE: TimeBudget = TimeBudget::new(5, 400);
pub(crate) const BENCH: TimeBudget = TimeBudget::new(15, 0);
pub(crate) const PRIMITIVE: TimeBudget = TimeBudget::new(20, 0);
pub(crate) const DOCTOR: TimeBudget = TimeBudget::new(10, 0);

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_grows_with_the_rows_within_its_bounds() {
        let seconds = Duration::from_secs;
        assert_eq!([RUN.of(0), RUN.of(300), RUN.of(1000)], [60, 60, 200].map(seconds));
        assert_eq!([COMPARE.of(1), COMPARE.of(1_000_000)], [18, 900].map(seconds));
        assert_eq!([SLOPE.of(5), BENCH.of(5)], [7, 15].map(seconds));
        assert_eq!(SCALE.of(usize::MAX), Duration::from_millis(150).saturating_mul(u32::MAX));
    }
}
