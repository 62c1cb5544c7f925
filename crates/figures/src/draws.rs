//! Adjusts the cost of calls that use rejection sampling to the expected number of attempts.
//!
//! The cost of such a call is linear in its number of attempts, and a few dozen calls leave the
//! mean number uncertain by ten percent and more. If the attempts of each sample are known, the
//! line adjusts every sample to the expected number.

use crate::round::{LOW_QUANTILE, Sample};
use cpb_model::Samples;
use cpb_stats::lower_line;

/// Fits the cost of one more attempt: the slope of a line that few samples lie below. Neighbours
/// add more to longer calls, so a line through the middle of the samples would be too steep by
/// percents.
pub(crate) fn cycles_per_attempt<'a>(samples: impl Iterator<Item = &'a Sample>) -> Option<f64> {
    let points = samples.filter_map(|sample| Some((sample.attempts?, sample.cycles)));
    lower_line(&points.collect::<Vec<_>>(), LOW_QUANTILE).map(|line| line.slope)
}

/// Returns the attempts per call of each sample; `None` if unknown.
pub(crate) fn attempts_per_call(samples: &Samples) -> Option<Vec<f64>> {
    let is_known = samples.attempts.len() == samples.ticks.len() && !samples.ticks.is_empty();
    let per_call = |attempts: &u64| *attempts as f64 / samples.calls as f64;
    is_known.then(|| samples.attempts.iter().map(per_call).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::round::Round;

    const EXPECTED: f64 = 5.094;

    fn cost(attempts: f64) -> f64 {
        70_000.0 + 50_000.0 * attempts
    }

    fn drawn(attempts: &[f64], added: impl Fn(usize) -> f64) -> Vec<Sample> {
        let sample = |(index, &attempts)| Sample {
            cycles: cost(attempts) * (1.0 + added(index)),
            hertz: 3e9,
            is_quiet: true,
            attempts: Some(attempts),
        };
        attempts.iter().enumerate().map(sample).collect()
    }

    #[test]
    fn every_sample_costs_what_the_expected_number_of_attempts_does() {
        let mut samples = drawn(&[1.0, 3.0, 2.0, 9.0, 4.0, 1.0, 20.0], |_| 0.0);
        // An interrupted sample stays an outlier, and does not bend the line.
        samples[4].cycles += 1e6;
        let per_attempt = cycles_per_attempt(samples.iter()).unwrap();
        assert!((per_attempt / 50_000.0 - 1.0).abs() < 1e-9, "{per_attempt}");
        for (index, sample) in samples.iter().enumerate() {
            let one = std::slice::from_ref(sample);
            let mut round = Round::of(one, EXPECTED, 1, false).unwrap();
            round.level(one, per_attempt, EXPECTED);
            let expected = cost(EXPECTED) + if index == 4 { 1e6 } else { 0.0 };
            let quiet = round.quiet.unwrap();
            for cycles in [quiet.median, quiet.modal_mean, quiet.low_quantile, round.least] {
                assert!((cycles / expected - 1.0).abs() < 1e-9, "{index}: {cycles}");
            }
        }
    }

    /// Most calls, and more of the longer ones, had a neighbour for a while.
    #[test]
    fn neighbours_do_not_make_an_attempt_dearer() {
        let mut random = fastrand::Rng::with_seed(5);
        let attempts: Vec<f64> = (0..400).map(|index| f64::from(1 + index * 7 % 19)).collect();
        let chance: Vec<f64> = attempts.iter().map(|it| 0.4 + 0.5 * it / 19.0).collect();
        let mut add = |chance| if random.f64() < chance { 0.6 * random.f64() } else { 0.0 };
        let added: Vec<f64> = chance.into_iter().map(&mut add).collect();
        let per_attempt = cycles_per_attempt(drawn(&attempts, |it| added[it]).iter()).unwrap();
        assert!((per_attempt / 50_000.0 - 1.0).abs() < 0.01, "{per_attempt}");
    }

    #[test]
    fn without_attempts_nothing_is_known() {
        let mut samples =
            Samples { calls: 2, expected_attempts: 4.0, ticks: vec![1, 2], ..Samples::default() };
        assert_eq!(attempts_per_call(&samples), None);
        samples.attempts = vec![8];
        assert_eq!(attempts_per_call(&samples), None);
        samples.attempts = vec![8, 8];
        assert_eq!(attempts_per_call(&samples), Some(vec![4.0, 4.0]));
        assert_eq!(cycles_per_attempt(drawn(&[4.0, 4.0], |_| 0.0).iter()), None);
    }
}
