//! Estimates, and how well they are known.

use serde::{Deserialize, Serialize};

/// An interval that holds the true value with the stated confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Such as 0.95.
    pub confidence: f64,
}

/// An estimate and how well it is known. The unit is the field's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The estimate.
    pub estimate: f64,
    /// Absent with fewer than two rounds: one process cannot tell.
    pub interval: Option<Interval>,
    /// Whether the estimate is an upper bound only: the core was never quiet
    /// for long enough. It then has no interval.
    #[serde(default, skip_serializing_if = "is_false")]
    pub upper_bound: bool,
}

impl Figure {
    /// An estimate, with its interval where there is one.
    #[must_use]
    pub fn new(estimate: f64, interval: Option<Interval>) -> Self {
        Self { estimate, interval, upper_bound: false }
    }

    /// What the true value is not above.
    #[must_use]
    pub fn at_most(estimate: f64) -> Self {
        Self { estimate, interval: None, upper_bound: true }
    }

    /// Whether it is what it says, `measured`, or a `bound` only.
    #[must_use]
    pub fn state(self) -> &'static str {
        if self.upper_bound { "bound" } else { "measured" }
    }

    /// Half the width of the interval against the estimate: 0.0025 is ±0.25 %. Absent
    /// without an interval.
    #[must_use]
    pub fn relative_half_width(&self) -> Option<f64> {
        Some((self.interval?.high - self.interval?.low) / 2.0 / self.estimate.abs())
    }

    /// The figure in another unit: everything times `factor`, which is
    /// positive.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let times = |interval: Interval| Interval {
            low: interval.low * factor,
            high: interval.high * factor,
            ..interval
        };
        Self { estimate: self.estimate * factor, interval: self.interval.map(times), ..self }
    }

    /// Both together, whose interval is as wide as both: as if each erred the same way.
    #[must_use]
    pub fn plus(self, other: Self) -> Self {
        let interval = self.interval.zip(other.interval).map(|(one, other)| Interval {
            low: one.low + other.low,
            high: one.high + other.high,
            ..one
        });
        let upper_bound = self.upper_bound || other.upper_bound;
        Self { estimate: self.estimate + other.estimate, interval, upper_bound }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}
