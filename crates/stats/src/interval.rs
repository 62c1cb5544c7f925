//! Defines confidence intervals as values.

/// The most rounds that a run counts for, however many it has. Effects that all rounds of a run
/// share (the CPU it ran on, its calibrations, a disturbance of a minute) have a variance of their
/// own; in 33 recorded runs, of 11 to 95 rounds each, it was about a twentieth of that between
/// rounds (`crates/figures/tests/runs.rs`).
pub(crate) const A_RUN_COUNTS_FOR: f64 = 20.0;

/// A confidence interval: both bounds belong to it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// Lower bound, in the unit of the estimate.
    pub low: f64,
    /// Upper bound, in the unit of the estimate.
    pub high: f64,
    /// Nominal probability, between 0 and 1, that an interval made this way covers the true value.
    pub confidence: f64,
}

impl Interval {
    /// Whether `value` lies between the bounds or on one.
    pub fn contains(&self, value: f64) -> bool {
        self.low <= value && value <= self.high
    }

    /// Whether all of `inner` lies in this interval.
    pub fn encloses(&self, inner: &Self) -> bool {
        self.contains(inner.low) && self.contains(inner.high)
    }

    /// Returns the interval in which another run would find the figure, where `self` is the
    /// interval of `estimate` from the `rounds` of one run. It is √(1 + rounds / 20) times as
    /// wide, because more rounds do not reveal what all of them share, and extends equally to both
    /// sides. A bootstrap of low rounds reaches less far down, because no resample lies below the
    /// lowest round, although the next run may.
    pub fn of_another_run(&self, estimate: f64, rounds: usize) -> Self {
        let shared = (1.0 + rounds as f64 / A_RUN_COUNTS_FOR).sqrt();
        let half_width = (self.high / 2.0 - self.low / 2.0) * shared;
        Self { low: estimate - half_width, high: estimate + half_width, ..*self }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NARROW: Interval = Interval { low: 99.0, high: 101.0, confidence: 0.95 };

    #[test]
    fn bounds_belong_to_it() {
        assert!(NARROW.contains(99.0) && NARROW.contains(101.0) && NARROW.contains(100.0));
        assert!(!NARROW.contains(98.9) && !NARROW.contains(101.1) && !NARROW.contains(f64::NAN));
        assert!(NARROW.encloses(&NARROW));
        assert!(!NARROW.encloses(&Interval { low: 98.0, ..NARROW }));
        assert!(!NARROW.encloses(&Interval { high: 102.0, ..NARROW }));
    }

    #[test]
    fn another_run_is_known_less_well_the_more_rounds_there_are() {
        let another = |rounds| NARROW.of_another_run(99.5, rounds);
        assert_eq!(another(0), Interval { low: 98.5, high: 100.5, ..NARROW });
        assert_eq!(another(60), Interval { low: 97.5, high: 101.5, ..NARROW });
    }
}
