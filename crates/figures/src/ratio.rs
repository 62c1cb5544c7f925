//! Compares figures that were measured apart, as ratios with verdicts.

use cpb_model::Figure;
use cpb_stats::{Comparison, Family, Finding, Interval, Verdict, geometric_mean};

/// The candidate's cost ÷ the baseline's.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ratio {
    /// Below 1, the candidate is faster.
    pub value: f64,
    /// Whether the value is an estimate or a bound.
    pub known: RatioBound,
    /// The interval; absent if a side has none, and for a bound.
    pub interval: Option<Interval>,
    /// The verdict, at the confidence of its family of comparisons.
    pub verdict: Verdict,
}

cpb_model::named! {
    /// Tells whether a value is an estimate of the truth or a bound of it.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum RatioBound {
        /// An estimate.
        About = "measured",
        /// An upper bound, because the candidate's figure is one.
        AtMost = "at most",
        /// A lower bound, because the baseline's figure is an upper bound.
        AtLeast = "at least",
    }
}

impl RatioBound {
    /// Classifies the ratio of these figures, baseline first. `None` if both are bounds.
    #[must_use]
    pub fn of([baseline, candidate]: [Figure; 2]) -> Option<Self> {
        match (baseline.upper_bound, candidate.upper_bound) {
            (false, false) => Some(RatioBound::About),
            (false, true) => Some(RatioBound::AtMost),
            (true, false) => Some(RatioBound::AtLeast),
            (true, true) => None,
        }
    }

    /// Returns the sign before the value: `≤`, `≥` or none.
    #[must_use]
    pub fn mark(self) -> &'static str {
        match self {
            RatioBound::About => "",
            RatioBound::AtMost => "≤ ",
            RatioBound::AtLeast => "≥ ",
        }
    }

    /// Classifies a mean over ratios of both kinds; `None` if one is bounded above and one below.
    fn and(self, other: Self) -> Option<Self> {
        match (self, other) {
            (one, RatioBound::About) | (RatioBound::About, one) => Some(one),
            (one, other) => (one == other).then_some(one),
        }
    }

    /// Weakens the verdict on the value to what holds for the truth.
    fn supports(self, verdict: Verdict) -> Verdict {
        match (self, verdict) {
            (RatioBound::About, verdict) => verdict,
            (RatioBound::AtMost, Verdict::Faster) | (RatioBound::AtLeast, Verdict::Slower) => {
                verdict
            }
            _ => Verdict::CannotTell,
        }
    }
}

impl From<Finding> for Ratio {
    /// Converts the finding of sides that were measured next to each other.
    fn from(Finding { comparison, verdict }: Finding) -> Self {
        let interval = Some(comparison.interval);
        Self { value: comparison.ratio, known: RatioBound::About, interval, verdict }
    }
}

impl Ratio {
    /// Computes the geometric mean of the ratios of `sides`, baselines first. `None` if there are
    /// none, if one is not positive, or if bounds leave both directions open.
    #[must_use]
    pub fn of(sides: &[[Figure; 2]], family: &Family) -> Option<Self> {
        let known = sides
            .iter()
            .try_fold(RatioBound::About, |known, sides| known.and(RatioBound::of(*sides)?))?;
        let values: Vec<f64> = sides.iter().map(|[a, b]| b.estimate / a.estimate).collect();
        let value = geometric_mean(&values)?;
        let finding = family.judge(|confidence| between(sides, confidence));
        let verdict = finding.map_or(Verdict::CannotTell, |it| known.supports(it.verdict));
        let finding = finding.filter(|_| known == RatioBound::About);
        let interval = finding.map(|it| it.comparison.interval);
        Some(Self { value, known, interval, verdict })
    }
}

/// Computes the geometric mean of the ratios of `sides` with its interval. `None` if a side has no
/// interval; a bound counts as exact.
#[must_use]
pub fn between(sides: &[[Figure; 2]], confidence: f64) -> Option<Comparison> {
    let each = sides.iter().map(|[a, b]| Comparison::unpaired(side(*a)?, side(*b)?, confidence));
    mean(&each.collect::<Option<Vec<_>>>()?)
}

fn side(figure: Figure) -> Option<(f64, Interval)> {
    let value = figure.estimate;
    if figure.upper_bound {
        return Some((value, Interval { low: value, high: value, confidence: 0.95 }));
    }
    let cpb_model::Interval { low, high, confidence } = figure.interval?;
    Some((value, Interval { low, high, confidence }))
}

/// Computes the geometric mean of ratios that were measured apart. One disturbance may have
/// affected all, so interval widths are averaged and do not shrink with the number of ratios.
pub(crate) fn mean(comparisons: &[Comparison]) -> Option<Comparison> {
    let mean = |value: fn(&Comparison) -> f64| {
        let values: Vec<f64> = comparisons.iter().map(value).collect();
        geometric_mean(&values)
    };
    let interval = Interval {
        low: mean(|comparison| comparison.interval.low)?,
        high: mean(|comparison| comparison.interval.high)?,
        confidence: comparisons.first()?.interval.confidence,
    };
    Some(Comparison { ratio: mean(|comparison| comparison.ratio)?, interval })
}

#[must_use]
pub fn verdict_name(verdict: Verdict) -> &'static str {
    match verdict {
        Verdict::Faster => "faster",
        Verdict::Slower => "slower",
        Verdict::NoDifference => "no difference",
        Verdict::CannotTell => "cannot tell",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::figure;
    use cpb_stats::Question;

    const FAMILY: Family = Family {
        question: Question::Difference,
        precision: 0.005,
        confidence: 0.95,
        verdicts: 1,
        looks: 1,
    };

    fn ratio(sides: &[[Figure; 2]]) -> Option<Ratio> {
        Ratio::of(sides, &FAMILY)
    }

    #[test]
    fn figures_with_intervals_have_a_ratio_with_one() {
        let same = ratio(&[[figure(5.0), figure(5.0)]]).unwrap();
        assert_eq!((same.value, same.known), (1.0, RatioBound::About));
        // ±1 % on both sides combine to ±√2 %.
        let Interval { low, high, .. } = same.interval.unwrap();
        assert!((high - 1.0142).abs() < 2e-4 && (low - 1.0 / 1.0142).abs() < 2e-4, "{low} {high}");
        assert_eq!(ratio(&[[figure(5.0), figure(6.0)]]).unwrap().verdict, Verdict::Slower);
        let alone = ratio(&[[Figure::new(5.0, None), figure(6.0)]]).unwrap();
        assert!((alone.value - 1.2).abs() < 1e-12 && alone.interval.is_none());
        assert_eq!(alone.verdict, Verdict::CannotTell);
    }

    #[test]
    fn a_bound_tells_in_its_own_direction_only() {
        let bound = Figure::at_most;
        for (sides, known, verdict) in [
            ([figure(5.0), bound(4.0)], RatioBound::AtMost, Verdict::Faster),
            ([figure(5.0), bound(5.0)], RatioBound::AtMost, Verdict::CannotTell),
            ([figure(5.0), bound(9.0)], RatioBound::AtMost, Verdict::CannotTell),
            ([bound(5.0), figure(9.0)], RatioBound::AtLeast, Verdict::Slower),
            ([bound(5.0), figure(4.0)], RatioBound::AtLeast, Verdict::CannotTell),
        ] {
            let ratio = ratio(&[sides]).unwrap();
            assert_eq!((ratio.known, ratio.verdict, ratio.interval), (known, verdict, None));
            let plain = sides[1].estimate / sides[0].estimate;
            assert!((ratio.value / plain - 1.0).abs() < 1e-12);
        }
        assert_eq!(ratio(&[[bound(5.0), bound(1.0)]]), None);
    }

    #[test]
    fn a_mean_is_as_open_as_its_parts() {
        let (sure, bound) = (figure(5.0), Figure::at_most(4.0));
        assert_eq!(ratio(&[[sure, sure], [sure, bound]]).unwrap().known, RatioBound::AtMost);
        assert_eq!(ratio(&[[bound, sure], [sure, bound]]), None);
        assert_eq!(ratio(&[]), None);
        assert_eq!(ratio(&[[sure, Figure::new(0.0, None)]]), None);
    }
}
