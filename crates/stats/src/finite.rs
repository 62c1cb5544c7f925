//! Tells values that can be reported and used from others.

/// Returns the value if it can be reported: neither NaN nor infinite.
pub(crate) fn finite(value: f64) -> Option<f64> {
    value.is_finite().then_some(value)
}

/// Whether there is at least one value and all are finite.
pub(crate) fn usable(values: &[f64]) -> bool {
    !values.is_empty() && values.iter().all(|value| value.is_finite())
}
