//! Defines estimates and their uncertainty.

use serde::{Deserialize, Serialize};

/// An interval that holds the true value with the stated confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    pub low: f64,
    pub high: f64,
    /// The confidence level, such as 0.95.
    pub confidence: f64,
}

/// An estimate with its uncertainty. Its unit is that of the field it is in.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    pub estimate: f64,
    /// The interval; absent with fewer than two rounds, since one process says nothing about
    /// others.
    pub interval: Option<Interval>,
    /// Whether the estimate is only an upper bound, because the core was never quiet for long
    /// enough. A bound has no interval.
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    pub upper_bound: bool,
}

impl Figure {
    /// Creates an estimate, with its interval if there is one.
    pub fn new(estimate: f64, interval: Option<Interval>) -> Self {
        Self { estimate, interval, upper_bound: false }
    }

    /// Creates an upper bound.
    pub fn at_most(estimate: f64) -> Self {
        Self { estimate, interval: None, upper_bound: true }
    }

    /// Names its kind: `measured` or `bound`.
    pub fn state(self) -> &'static str {
        if self.upper_bound { "bound" } else { "measured" }
    }

    /// Returns half the width of the interval, relative to the estimate: 0.0025 is ±0.25 %. `None`
    /// without an interval.
    pub fn relative_half_width(&self) -> Option<f64> {
        Some((self.interval?.high - self.interval?.low) / 2.0 / self.estimate.abs())
    }

    /// Returns the least deviation from a `known` value that the interval allows, relative to that
    /// value: 0 if the interval holds it. Without an interval it is the estimate's.
    pub fn least_off(&self, known: f64) -> f64 {
        let nearest = self.interval.map(|interval| known.clamp(interval.low, interval.high));
        nearest.unwrap_or(self.estimate) / known - 1.0
    }

    /// Converts the figure to another unit by multiplying it by a positive `factor`.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let times = |interval: Interval| Interval {
            low: interval.low * factor,
            high: interval.high * factor,
            ..interval
        };
        Self { estimate: self.estimate * factor, interval: self.interval.map(times), ..self }
    }

    /// Adds two figures. The interval's width is the sum of both widths, as if they erred in the
    /// same direction.
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
