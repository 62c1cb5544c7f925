//! Computes means.

use crate::finite::{finite, usable};

/// Returns the arithmetic mean, in the unit of the values.
///
/// `None` if there are no values, if one is not finite, or if they lie too far apart for `f64`.
/// Equal values give exactly that value.
pub fn mean(values: &[f64]) -> Option<f64> {
    if !usable(values) {
        return None;
    }
    // Summing distances from one of the values keeps the digits that a plain sum would lose.
    let pivot = values[0];
    let distance: f64 = values.iter().map(|value| value - pivot).sum();
    finite(pivot + distance / values.len() as f64)
}

/// Returns the geometric mean: the n-th root of the product. It is the right mean of ratios,
/// because swapping numerator and denominator must give the reciprocal.
///
/// Returns `None` if there are no values or if one is not finite and positive.
pub fn geometric_mean(values: &[f64]) -> Option<f64> {
    // The logarithm of a value that is not positive is not finite, and has no mean.
    let logarithms: Vec<f64> = values.iter().map(|value| value.ln()).collect();
    finite(mean(&logarithms)?.exp())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn means_of_known_values() {
        assert_eq!(mean(&[1.0, 2.0, 6.0]), Some(3.0));
        assert_eq!(mean(&[0.1, 0.1, 0.1]), Some(0.1));
        let product = geometric_mean(&[1.0, 10.0, 100.0]).unwrap();
        assert!((product - 10.0).abs() < 1e-13);
    }

    #[test]
    fn unfit_input_has_no_mean() {
        assert_eq!(mean(&[]), None);
        assert_eq!(mean(&[1.0, f64::NAN]), None);
        assert_eq!(mean(&[f64::MAX, f64::MIN]), None);
        assert_eq!(geometric_mean(&[]), None);
        assert_eq!(geometric_mean(&[1.0, 0.0]), None);
        assert_eq!(geometric_mean(&[1.0, -1.0]), None);
        assert_eq!(geometric_mean(&[1.0, f64::INFINITY]), None);
    }

    proptest! {
        #[test]
        fn mean_lies_between_and_agrees_with_the_sum(
            values in prop::collection::vec(-1e6..1e6f64, 1..50),
        ) {
            let result = mean(&values).unwrap();
            let plain = values.iter().sum::<f64>() / values.len() as f64;
            prop_assert!((result - plain).abs() < 1e-8);
        }

        #[test]
        fn geometric_mean_of_reciprocals_is_the_reciprocal(
            values in prop::collection::vec(1e-3..1e3f64, 1..50),
        ) {
            let reciprocals: Vec<f64> = values.iter().map(|value| 1.0 / value).collect();
            let product = geometric_mean(&values).unwrap() * geometric_mean(&reciprocals).unwrap();
            prop_assert!((product - 1.0).abs() < 1e-12);
            let arithmetic = mean(&values).unwrap();
            prop_assert!(geometric_mean(&values).unwrap() <= arithmetic * (1.0 + 1e-12));
        }
    }
}
