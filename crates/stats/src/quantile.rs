//! Computes order statistics: the centre of a round, and the spread of its samples.
//!
//! Functions on `&mut [f64]` reorder the values and take time linear in their number. Those whose
//! name ends in `_of` work on a copy. All give `None` if there are no values or if one of them is
//! not finite.

use crate::finite::{finite, usable};

/// The factor that converts a median absolute deviation to an estimate of the standard
/// deviation of normally distributed data: 1 / Φ⁻¹(3/4).
pub const NORMAL_CONSISTENCY: f64 = 1.482_602_218_505_602;

/// Returns the median; for an even number of values, the mean of the two middle ones.
pub fn median(values: &mut [f64]) -> Option<f64> {
    if !usable(values) {
        return None;
    }
    let middle = values.len() / 2;
    let odd = values.len() % 2 == 1;
    let (below, &mut upper, _) = values.select_nth_unstable_by(middle, f64::total_cmp);
    if odd {
        return Some(upper);
    }
    let lower = below.iter().copied().max_by(f64::total_cmp)?;
    Some(f64::midpoint(lower, upper))
}

/// [`median`] of a copy.
pub fn median_of(values: &[f64]) -> Option<f64> {
    median(&mut values.to_vec())
}

/// Returns the quantile at `q` from 0 (smallest value) to 1 (largest), by linear interpolation
/// between the order statistics around position `(n - 1) q`: definition 7 of Hyndman and Fan,
/// "Sample quantiles in statistical packages", The American Statistician 50 (1996). R and NumPy
/// default to it.
///
/// Also `None` if `q` is not in 0..=1, or if two neighbours lie too far apart for `f64`.
pub fn quantile(values: &mut [f64], q: f64) -> Option<f64> {
    if !usable(values) || !(0.0..=1.0).contains(&q) {
        return None;
    }
    let position = q * (values.len() - 1) as f64;
    let index = position.floor() as usize;
    let fraction = position - position.floor();
    let (_, &mut lower, above) = values.select_nth_unstable_by(index, f64::total_cmp);
    if fraction == 0.0 {
        return Some(lower);
    }
    let upper = above.iter().copied().min_by(f64::total_cmp)?;
    finite(lower + fraction * (upper - lower))
}

/// [`quantile`] of a copy.
pub fn quantile_of(values: &[f64], q: f64) -> Option<f64> {
    quantile(&mut values.to_vec(), q)
}

/// Returns the midmean, or interquartile mean: the mean of the middle half of the values.
///
/// A quarter of the values is left out on each side. Where that is no whole number, the value at
/// each edge counts with the fraction that remains, so that total weight is always n / 2: of five
/// values the middle one counts whole and its neighbours three quarters each. Steadier than the
/// median where a counter moves in steps, as it averages over several steps.
///
/// Also `None` if the values lie too far apart for `f64`.
pub fn midmean(values: &mut [f64]) -> Option<f64> {
    if !usable(values) {
        return None;
    }
    let count = values.len();
    if count == 1 {
        return Some(values[0]);
    }
    // Two to four values are within one quarter of an edge: nothing is left out whole below four.
    let left_out = count / 4;
    let edge_weight = 1.0 - (count % 4) as f64 / 4.0;
    let (_, &mut low, above) = values.select_nth_unstable_by(left_out, f64::total_cmp);
    let last = count - 1 - 2 * left_out - 1;
    let (inner, &mut high, _) = above.select_nth_unstable_by(last, f64::total_cmp);
    let distance: f64 = inner.iter().map(|value| value - low).sum();
    finite(low + (distance + edge_weight * (high - low)) / (count as f64 / 2.0))
}

/// [`midmean`] of a copy.
pub fn midmean_of(values: &[f64]) -> Option<f64> {
    midmean(&mut values.to_vec())
}

/// Returns the mean of the values around their lowest mode. A mode is the middle of an interval that
/// holds one in `one_in` of the values, and at least three, and is at most three times as wide as
/// the narrowest such interval. A value counts if it is no further from the mode than the interval
/// is wide, or than the share `near` of the mode.
///
/// Where disturbances add to some of the values, median and [`midmean`] rise with the share of
/// those. This mean stays where the undisturbed values lie close together, as long as these are one
/// in `one_in` of all. `near` keeps the result from jumping between two kinds of values that lie so
/// close. Noise to either side moves it little as long as it is well within `near`.
///
/// Also `None` if the values lie too far apart for `f64`, or if `one_in` is zero.
pub fn modal_mean(values: &mut [f64], one_in: usize, near: f64) -> Option<f64> {
    if !usable(values) || one_in == 0 {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    let share = values.len().div_ceil(one_in).max(3).min(values.len());
    let mut intervals = values.windows(share).map(|it| (it[0], it[share - 1] - it[0]));
    let narrowest = intervals.clone().map(|(_, width)| width).min_by(f64::total_cmp)?;
    let (low, width) = intervals.find(|(_, width)| *width <= 3.0 * narrowest)?;
    let mode = low + width / 2.0;
    let around = width.max(near * mode.abs());
    let (mut count, mut distance) = (0.0, 0.0);
    for value in values.iter().filter(|value| (*value - mode).abs() <= around) {
        count += 1.0;
        distance += value - mode;
    }
    finite(mode + distance / count)
}

/// Sorts the values and returns their lowest cluster: a share of at least one in `one_in` of them,
/// and at least three, that spans at most the share `width` of its lowest value, and that the share
/// `gap` separates from the values above. Up to one in eight values may lie below it.
///
/// Where a disturbance is likelier than not in each value and adds at least `gap`, undisturbed values
/// are such a cluster, however rare. `None` if there is none.
pub fn lowest_cluster(values: &mut [f64], one_in: f64, [width, gap]: [f64; 2]) -> Option<&[f64]> {
    if !usable(values) {
        return None;
    }
    values.sort_unstable_by(f64::total_cmp);
    let fewest = (values.len() as f64 / one_in).ceil().max(3.0) as usize;
    (0..=values.len() / 8).find_map(|start| {
        let low = values[start];
        let end = values.partition_point(|value| *value <= low + width * low.abs());
        let is_apart = values.get(end)? - values[end - 1] >= gap * low.abs();
        (end - start >= fewest && is_apart).then(|| &values[start..end])
    })
}

/// [`modal_mean`] of a copy.
pub fn modal_mean_of(values: &[f64], one_in: usize, near: f64) -> Option<f64> {
    modal_mean(&mut values.to_vec(), one_in, near)
}

/// Returns the mean of the values between two quantiles, each given as a share from 0 to 1: a
/// trimmed mean whose sides may differ. Of n sorted values the i-th spans the shares i / n to (i +
/// 1) / n, and counts with the part of them that lies between `low` and `high`.
///
/// `mean_between(values, 0.25, 0.75)` is the [`midmean`]. Where disturbances only ever add to the
/// values, a window below the middle is the steadier one.
///
/// Also `None` unless 0 ≤ `low` < `high` ≤ 1, or if the values lie too far apart for `f64`.
pub fn mean_between(values: &[f64], low: f64, high: f64) -> Option<f64> {
    let in_order = 0.0 <= low && low < high && high <= 1.0;
    if !usable(values) || !in_order {
        return None;
    }
    let mut values = values.to_vec();
    values.sort_unstable_by(f64::total_cmp);
    let count = values.len() as f64;
    let (mut total, mut weight) = (0.0, 0.0);
    for (index, value) in values.iter().enumerate() {
        let (from, to) = (index as f64 / count, (index + 1) as f64 / count);
        let share = (to.min(high) - from.max(low)).max(0.0);
        total += share * (value - values[0]);
        weight += share;
    }
    finite(values[0] + total / weight)
}

#[cfg(test)]
mod tests;
