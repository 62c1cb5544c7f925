//! Compares two sides: the ratio of their costs, its interval, and its verdict.
//!
//! Ratios are averaged as logarithms: swapping the sides gives exactly the reciprocal.

use crate::Interval;
use crate::distribution::normal_two_sided;
use crate::finite::finite;
use crate::signed_rank::signed_rank;

/// The cost of a candidate relative to a baseline.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Comparison {
    /// The candidate's cost divided by the baseline's: below 1, the candidate is faster.
    pub ratio: f64,
    /// Interval of that ratio.
    pub interval: Interval,
}

/// The verdict on the candidate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The candidate costs less, by more than the requested precision.
    Faster,
    /// The candidate costs more, by more than the requested precision.
    Slower,
    /// Any difference is smaller than the requested precision.
    NoDifference,
    /// The interval is too wide to say; more rounds would help.
    CannotTell,
}

impl Comparison {
    /// Compares sides that were measured in interleaved rounds: each element is the baseline's and
    /// the candidate's cost in one round, so that disturbances of both cancel.
    ///
    /// The logarithms of the rounds' ratios go through [`signed_rank`]. If the sides are truly
    /// equal, and each round takes them in random order, these are distributed symmetrically
    /// whatever the machine does, and the interval covers 1 with at least `confidence`.
    ///
    /// Returns `None` if a cost is not positive or not finite, or if there are too few rounds for
    /// the confidence.
    pub fn paired(rounds: &[[f64; 2]], confidence: f64) -> Option<Self> {
        let differences = rounds
            .iter()
            .map(|[baseline, candidate]| {
                let sound = *baseline > 0.0 && *candidate > 0.0;
                finite(candidate.ln() - baseline.ln()).filter(|_| sound)
            })
            .collect::<Option<Vec<f64>>>()?;
        let (centre, interval) = signed_rank(&differences, confidence)?;
        Self::from_logarithms(centre, interval)
    }

    /// Compares sides that were measured separately: each has an estimate and its interval. The
    /// widths are added as squares, as for independent errors. Other changes between the two
    /// measurements are in the ratio and not in the interval.
    ///
    /// Returns `None` if a value is not positive or not finite, or a confidence is not strictly
    /// between 0 and 1.
    pub fn unpaired(
        baseline: (f64, Interval),
        candidate: (f64, Interval),
        confidence: f64,
    ) -> Option<Self> {
        let probability = |c: f64| (c > 0.0 && c < 1.0).then_some(c);
        let wanted = normal_two_sided(probability(confidence)?);
        let deviation = |interval: Interval| {
            let half_width = (interval.high.ln() - interval.low.ln()) / 2.0;
            finite(half_width / normal_two_sided(probability(interval.confidence)?))
        };
        let half_width = wanted * deviation(baseline.1)?.hypot(deviation(candidate.1)?);
        let centre = finite(candidate.0.ln() - baseline.0.ln())?;
        let interval = Interval { low: centre - half_width, high: centre + half_width, confidence };
        Self::from_logarithms(centre, interval)
    }

    /// Returns the verdict at relative `precision`: 0.01 treats costs within one percent as equal,
    /// that is ratios from 1 / 1.01 to 1.01. With 0 any difference counts, and there is no
    /// `NoDifference` except between sides that are equal throughout.
    ///
    /// - `NoDifference` if the whole interval lies within the precision;
    /// - else `Faster` or `Slower` if the interval excludes 1, the ratio itself lies beyond the
    ///   precision, *and* is known to half the precision or a tenth of itself, because a ratio
    ///   that is large by chance must not be called a difference;
    /// - else `CannotTell`, also for a precision that is negative or not finite.
    ///
    /// Excluding 1 bounds the most harmful error: at 95 % confidence no more than 5 % of sides
    /// that are truly equal are called `Faster` or `Slower`, however small the precision. Of sides
    /// that truly differ by more than the precision, no more than 2.5 % are called `NoDifference`,
    /// and no more get the wrong one of `Faster` and `Slower`. The requirement on the ratio
    /// prevents significant but negligible differences from being reported.
    ///
    /// These rates hold for one ratio at one look; for several, see [`looks`](crate::looks) and
    /// [`Family`](crate::Family).
    pub fn verdict(&self, precision: f64) -> Verdict {
        if !(precision >= 0.0 && precision.is_finite()) {
            return Verdict::CannotTell;
        }
        let equal = Interval {
            low: 1.0 / (1.0 + precision),
            high: 1.0 + precision,
            confidence: self.interval.confidence,
        };
        if equal.encloses(&self.interval) {
            Verdict::NoDifference
        } else if self.half_width() > (precision / 2.0).max(self.ratio.ln().abs() / 10.0) {
            Verdict::CannotTell
        } else if self.interval.high < 1.0 && self.ratio < equal.low {
            Verdict::Faster
        } else if self.interval.low > 1.0 && self.ratio > equal.high {
            Verdict::Slower
        } else {
            Verdict::CannotTell
        }
    }

    /// Returns half the interval's relative width: 0.002 is ±0.2 %.
    pub fn half_width(&self) -> f64 {
        (self.interval.high.ln() - self.interval.low.ln()) / 2.0
    }

    pub(crate) fn from_logarithms(centre: f64, interval: Interval) -> Option<Self> {
        let Interval { low, high, confidence } = interval;
        let (low, high) = (finite(low.exp())?, finite(high.exp())?);
        Some(Self { ratio: finite(centre.exp())?, interval: Interval { low, high, confidence } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn interval(low: f64, high: f64) -> Interval {
        Interval { low, high, confidence: 0.95 }
    }

    fn comparison(low: f64, ratio: f64, high: f64) -> Comparison {
        Comparison { ratio, interval: interval(low, high) }
    }

    #[test]
    fn verdicts() {
        for (low, ratio, high, expected) in [
            (0.995, 1.0, 1.005, Verdict::NoDifference),
            (1.001, 1.002, 1.003, Verdict::NoDifference),
            (0.976, 0.98, 0.985, Verdict::Faster),
            (0.96, 0.98, 0.985, Verdict::CannotTell),
            (0.98, 0.985, 0.999, Verdict::CannotTell),
            (1.026, 1.03, 1.034, Verdict::Slower),
            (1.02, 1.03, 1.04, Verdict::CannotTell),
            (1.001, 1.02, 1.04, Verdict::CannotTell),
            (1.19, 1.21, 1.22, Verdict::Slower),
            (1.02, 1.07, 1.12, Verdict::CannotTell),
            (0.99, 1.02, 1.05, Verdict::CannotTell),
            (0.95, 1.0, 1.05, Verdict::CannotTell),
            (1.001, 1.008, 1.015, Verdict::CannotTell),
            (0.985, 0.992, 0.999, Verdict::CannotTell),
            (0.97, 0.98, 1.0, Verdict::CannotTell),
            (1.0, 1.02, 1.03, Verdict::CannotTell),
        ] {
            assert_eq!(
                comparison(low, ratio, high).verdict(0.01),
                expected,
                "{low} {ratio} {high}"
            );
        }
    }

    #[test]
    fn odd_precisions() {
        assert_eq!(comparison(1.0019, 1.002, 1.0021).verdict(0.0), Verdict::Slower);
        assert_eq!(comparison(1.0, 1.0, 1.0).verdict(0.0), Verdict::NoDifference);
        for precision in [-0.01, f64::NAN, f64::INFINITY] {
            assert_eq!(comparison(1.1, 1.2, 1.3).verdict(precision), Verdict::CannotTell);
        }
    }

    #[test]
    fn shared_disturbance_drops_out() {
        let rounds: Vec<[f64; 2]> =
            (1..9).map(|r| [100.0 * f64::from(r), 103.0 * f64::from(r)]).collect();
        let result = Comparison::paired(&rounds, 0.95).unwrap();
        for value in [result.ratio, result.interval.low, result.interval.high] {
            assert!((value - 1.03).abs() < 1e-12);
        }
        assert_eq!(result.verdict(0.01), Verdict::Slower);
    }

    #[test]
    fn widths_of_sides_measured_apart_add_as_squares() {
        let baseline = (100.0, interval(100.0 * (-0.003f64).exp(), 100.0 * 0.003f64.exp()));
        let candidate = (110.0, interval(110.0 * (-0.004f64).exp(), 110.0 * 0.004f64.exp()));
        let result = Comparison::unpaired(baseline, candidate, 0.95).unwrap();
        assert!((result.ratio - 1.1).abs() < 1e-12);
        assert!((result.half_width() - 0.005).abs() < 1e-12);
        // 2.5758 and 1.9600 standard deviations.
        let surer = Comparison::unpaired(baseline, candidate, 0.99).unwrap();
        assert!((surer.half_width() / 0.005 - 2.575_829 / 1.959_964).abs() < 1e-6);
    }

    #[test]
    fn unfit_input_gives_none() {
        let good = [[1.0, 2.0]; 8];
        assert!(Comparison::paired(&good, 0.95).is_some());
        assert_eq!(Comparison::paired(&good[..4], 0.95), None);
        for bad in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut rounds = good;
            rounds[3][1] = bad;
            assert_eq!(Comparison::paired(&rounds, 0.95), None);
            rounds[3] = [bad, 1.0];
            assert_eq!(Comparison::paired(&rounds, 0.95), None);
            let sides = ((1.0, interval(0.9, 1.1)), (bad, interval(0.9, 1.1)));
            assert_eq!(Comparison::unpaired(sides.0, sides.1, 0.95), None);
            assert_eq!(Comparison::unpaired(sides.1, sides.0, 0.95), None);
        }
        let side = (1.0, interval(0.9, 1.1));
        assert_eq!(Comparison::unpaired(side, side, 1.0), None);
        assert_eq!(Comparison::unpaired(side, (1.0, interval(-1.0, 1.1)), 0.95), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn swapping_sides_gives_the_reciprocal(
            pairs in prop::collection::vec((1.0..100.0f64, 1.0..100.0f64), 6..12),
            precision in 0.0..0.5f64,
        ) {
            let rounds: Vec<[f64; 2]> = pairs.iter().map(|&(a, b)| [a, b]).collect();
            let swapped: Vec<[f64; 2]> = pairs.iter().map(|&(a, b)| [b, a]).collect();
            let forth = Comparison::paired(&rounds, 0.95).unwrap();
            let back = Comparison::paired(&swapped, 0.95).unwrap();
            prop_assert!((forth.ratio * back.ratio - 1.0).abs() < 1e-9);
            prop_assert!((forth.interval.low * back.interval.high - 1.0).abs() < 1e-9);
            let mirrored = match back.verdict(precision) {
                Verdict::Faster => Verdict::Slower,
                Verdict::Slower => Verdict::Faster,
                same => same,
            };
            prop_assert_eq!(forth.verdict(precision), mirrored);
        }
    }
}
