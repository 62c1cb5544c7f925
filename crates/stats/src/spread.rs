//! Measures how far values lie apart, relative to their centre.

use crate::finite::finite;
use crate::median_of;

/// Returns the distance from smallest to largest value relative to the median: 0.01 is one percent.
///
/// It grows with the number of values, so compare only equal numbers. Returns `None` if there are
/// no values, if one is not finite, or if the median is zero.
pub fn relative_range(values: &[f64]) -> Option<f64> {
    let centre = median_of(values)?;
    let low = values.iter().copied().min_by(f64::total_cmp)?;
    let high = values.iter().copied().max_by(f64::total_cmp)?;
    finite((high - low) / centre.abs())
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn known_values() {
        assert_eq!(relative_range(&[9.0, 10.0, 12.0]), Some(0.3));
        assert_eq!(relative_range(&[-9.0, -10.0, -12.0]), Some(0.3));
        assert_eq!(relative_range(&[5.0]), Some(0.0));
    }

    #[test]
    fn unfit_input_gives_none() {
        assert_eq!(relative_range(&[]), None);
        assert_eq!(relative_range(&[-1.0, 1.0]), None);
        assert_eq!(relative_range(&[1.0, f64::NAN]), None);
    }

    proptest! {
        #[test]
        fn unit_and_order_do_not_matter(
            values in prop::collection::vec(1.0..1e3f64, 2..30),
            scale in 0.01..100.0f64,
        ) {
            let moved: Vec<f64> = values.iter().rev().map(|value| value * scale).collect();
            let [one, other] = [&values, &moved].map(|values| relative_range(values).unwrap());
            prop_assert!(one >= 0.0 && (one - other).abs() < 1e-9);
        }
    }
}
