//! Costs free of the draw: of calls that draw until something fits.
//!
//! What such a call costs rises with its attempts along a line; a few dozen calls leave the
//! mean number of attempts open by ten percents and more. Where the attempts of each sample
//! are known, the line takes every sample to what it would have cost at the number expected.

use cpb_model::Samples;
use cpb_stats::robust_line;

/// `cycles` of one call in each sample, as if each had taken as many attempts as a call
/// does on average, of which each costs `per_attempt`. As they are where nobody knows that.
pub(crate) fn without_draws(
    mut cycles: Vec<f64>,
    samples: &Samples,
    per_attempt: Option<f64>,
) -> Vec<f64> {
    if let Some(per_attempt) = per_attempt {
        for (cycles, attempts) in cycles.iter_mut().zip(per_call(samples)) {
            *cycles += per_attempt * (samples.expected_attempts - attempts);
        }
    }
    cycles
}

/// Whether calls draw and nobody knows how often: their mean is all there is.
pub(crate) fn are_hidden(samples: &Samples) -> bool {
    samples.expected_attempts != 0.0 && samples.attempts.is_empty()
}

/// What one attempt more costs.
pub(crate) fn cycles_per_attempt(cycles: &[f64], samples: &Samples) -> Option<f64> {
    if samples.attempts.len() != cycles.len() {
        return None;
    }
    let points: Vec<(f64, f64)> = per_call(samples).zip(cycles.iter().copied()).collect();
    robust_line(&points).map(|line| line.slope)
}

/// The attempts of a call of each sample.
fn per_call(samples: &Samples) -> impl Iterator<Item = f64> {
    let calls = samples.calls as f64;
    samples.attempts.iter().map(move |&attempts| attempts as f64 / calls)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_sample_costs_what_the_expected_number_of_attempts_does() {
        let attempts = [1, 3, 2, 9, 4, 1, 20];
        let samples = Samples {
            calls: 1,
            attempts: attempts.to_vec(),
            expected_attempts: 5.094,
            ..Samples::default()
        };
        let cost = |attempts: f64| 70_000.0 + 50_000.0 * attempts;
        let mut cycles: Vec<f64> = attempts.iter().map(|&it| cost(it as f64)).collect();
        // What was interrupted stays so, and does not bend the line.
        cycles[4] += 1e6;
        let per_attempt = cycles_per_attempt(&cycles, &samples).unwrap();
        assert!((per_attempt / 50_000.0 - 1.0).abs() < 1e-9, "{per_attempt}");
        let level = without_draws(cycles, &samples, Some(per_attempt));
        for (index, cycles) in level.iter().enumerate() {
            let expected = cost(5.094) + if index == 4 { 1e6 } else { 0.0 };
            assert!((cycles / expected - 1.0).abs() < 1e-9, "{index}: {cycles}");
        }
    }

    #[test]
    fn without_attempts_nothing_changes() {
        let mut samples = Samples { calls: 2, expected_attempts: 4.0, ..Samples::default() };
        assert_eq!(cycles_per_attempt(&[1.0, 2.0], &samples), None);
        assert!(are_hidden(&samples));
        samples.attempts = vec![8, 8];
        assert_eq!(cycles_per_attempt(&[1.0, 2.0], &samples), None);
        assert_eq!(without_draws(vec![1.0, 2.0], &samples, None), [1.0, 2.0]);
        assert!(!are_hidden(&samples) && !are_hidden(&Samples::default()));
    }
}
