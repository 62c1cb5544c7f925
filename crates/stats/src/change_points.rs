//! Finds where a series of figures stepped from one level to another.
//!
//! The levels are those of least cost: an observation costs the square of its distance to the level
//! in its own standard errors, but at most nine, and each step costs a penalty (optimal
//! partitioning with the biweight loss: P. Fearnhead and G. Rigaill, "Changepoint detection in the
//! presence of outliers", JASA 114, 2019). So one outlier makes no step, nor do two in a row, and a
//! lasting step that is large compared with the errors is found at its third figure (in a series of
//! up to 90; of 1,000 at its fifth). An upper bound costs nothing if the level is below it.

use crate::finite::usable;
use crate::{median_of, quantile_of};

/// A figure of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Observation {
    /// The figure; positive.
    pub value: f64,
    /// Its relative standard error; 0 if unknown.
    pub relative_error: f64,
    /// Whether the truth may be anywhere below it.
    pub is_upper_bound: bool,
}

/// A step of a series.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Step {
    /// The index of the first observation of the new level.
    pub place: usize,
    /// The level before.
    pub before: f64,
    /// The level after.
    pub after: f64,
}

/// Beyond this many standard errors, an observation costs no more.
const MOST: f64 = 3.0;
/// The cost of a step, times the logarithm of the number of observations. With 4, steps are found a
/// run earlier, but with two to three times as many false ones.
const PENALTY: f64 = 6.0;
/// No figure is reproduced better than this between builds and boots.
const SMALLEST_ERROR: f64 = 0.0005;
/// The most levels that are tried.
const LEVELS: usize = 400;
/// The quantile of the distances between consecutive figures that measures the noise: high enough
/// for noise of two levels, low enough if every eighth figure is an outlier.
const OF_DISTANCES: f64 = 0.75;
/// The same quantile for normal noise of standard deviation 1.
const OF_NORMAL: f64 = 1.1503;

/// Returns the steps of a series, oldest observation first. Empty if a value is not positive and
/// finite.
///
/// Time is linear in the number of observations; memory is 400 bits per observation.
pub fn change_points(series: &[Observation]) -> Vec<Step> {
    let is_fit = |it: &Observation| it.value > 0.0 && it.relative_error >= 0.0;
    let values: Vec<f64> = series.iter().map(|it| it.value.ln()).collect();
    let errors: Vec<f64> = series.iter().map(|it| it.relative_error).collect();
    if series.len() < 3 || !series.iter().all(is_fit) || !usable(&values) || !usable(&errors) {
        return Vec::new();
    }
    let between = noise_between(series, &values);
    let scale = |it: &Observation| it.relative_error.hypot(between).max(SMALLEST_ERROR);
    let scales: Vec<f64> = series.iter().map(scale).collect();
    let cost = |place: usize, level: f64| {
        let distance = (level - values[place]) / scales[place];
        let is_below = series[place].is_upper_bound && distance < 0.0;
        if is_below { 0.0 } else { distance.powi(2).min(MOST.powi(2)) }
    };
    let levels = candidates(series, &values);
    let ends = segments(series.len(), &levels, cost);
    steps(&values, series, &ends)
}

/// Returns the noise between figures beyond their own errors, as a standard deviation.
fn noise_between(series: &[Observation], values: &[f64]) -> f64 {
    let known = values.iter().zip(series).filter(|(_, it)| !it.is_upper_bound);
    let known: Vec<(f64, f64)> = known.map(|(value, it)| (*value, it.relative_error)).collect();
    let beyond = |pair: &[(f64, f64)]| {
        let distance = pair[1].0 - pair[0].0;
        (distance.powi(2) - pair[0].1.powi(2) - pair[1].1.powi(2)).max(0.0).sqrt()
    };
    let distances: Vec<f64> = known.windows(2).map(beyond).collect();
    let of_difference = quantile_of(&distances, OF_DISTANCES).unwrap_or(0.0) / OF_NORMAL;
    of_difference / 2.0_f64.sqrt()
}

/// Returns the values that are not bounds.
fn known(series: &[Observation], values: &[f64]) -> Vec<f64> {
    let known = values.iter().zip(series).filter(|(_, it)| !it.is_upper_bound);
    known.map(|(value, _)| *value).collect()
}

/// Returns the levels to try: those of the figures themselves.
fn candidates(series: &[Observation], values: &[f64]) -> Vec<f64> {
    let known = known(series, values);
    let all = if known.is_empty() { values } else { &known[..] };
    let count = all.len().min(LEVELS);
    let at = |index: usize| quantile_of(all, index as f64 / (count.max(2) - 1) as f64);
    let mut levels: Vec<f64> = (0..count).filter_map(at).collect();
    levels.dedup();
    levels
}

/// Returns the end index of each level, by dynamic programming over observations and levels.
fn segments(count: usize, levels: &[f64], cost: impl Fn(usize, f64) -> f64) -> Vec<usize> {
    let penalty = PENALTY * (count as f64).ln();
    let mut costs = vec![0.0; levels.len()];
    // For each place: the level that was cheapest before it, and whether each level begins there
    // after a step.
    let mut cheapest = Vec::with_capacity(count);
    let mut stepped = Vec::with_capacity(count);
    for place in 0..count {
        let best = least(&costs);
        let to_step = costs[best] + if place == 0 { 0.0 } else { penalty };
        let mut from_best = vec![false; levels.len()];
        for (level, so_far) in costs.iter_mut().enumerate() {
            if place > 0 && to_step < *so_far {
                *so_far = to_step;
                from_best[level] = true;
            }
            *so_far += cost(place, levels[level]);
        }
        cheapest.push(best);
        stepped.push(from_best);
    }
    let mut level = least(&costs);
    let mut ends = vec![count];
    for place in (1..count).rev() {
        if stepped[place][level] {
            ends.push(place);
            level = cheapest[place];
        }
    }
    ends.reverse();
    ends
}

fn least(costs: &[f64]) -> usize {
    let by_cost = |a: &(usize, &f64), b: &(usize, &f64)| a.1.total_cmp(b.1);
    costs.iter().enumerate().min_by(by_cost).map_or(0, |(place, _)| place)
}

fn steps(values: &[f64], series: &[Observation], ends: &[usize]) -> Vec<Step> {
    let mut begin = 0;
    let mut all: Vec<(usize, f64)> = Vec::new();
    for &end in ends {
        let part = begin..end;
        let known = known(&series[part.clone()], &values[part.clone()]);
        let level = median_of(&known).or_else(|| median_of(&values[part]));
        all.extend(level.map(|level| (begin, level.exp())));
        begin = end;
    }
    let step =
        |pair: &[(usize, f64)]| Step { place: pair[1].0, before: pair[0].1, after: pair[1].1 };
    all.windows(2).map(step).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn observed(value: f64) -> Observation {
        Observation { value, relative_error: 0.001, is_upper_bound: false }
    }

    fn bound(value: f64) -> Observation {
        Observation { is_upper_bound: true, ..observed(value) }
    }

    fn places(series: &[Observation]) -> Vec<usize> {
        change_points(series).iter().map(|step| step.place).collect()
    }

    #[test]
    fn a_step_is_found_where_it_is_and_how_large() {
        let series: Vec<_> =
            [[10.0; 10], [10.5; 10], [9.0; 10]].concat().into_iter().map(observed).collect();
        let found = change_points(&series);
        let close = |a: f64, b: f64| (a / b - 1.0).abs() < 1e-12;
        let [up, down] = found[..] else { panic!("{found:?}") };
        assert!(up.place == 10 && close(up.before, 10.0) && close(up.after, 10.5), "{up:?}");
        assert!(down.place == 20 && close(down.before, 10.5) && close(down.after, 9.0), "{down:?}");
    }

    #[test]
    fn strays_are_no_steps_and_three_in_a_row_are() {
        let with = |strays: &[usize]| {
            let value = |place| if strays.contains(&place) { 11.0 } else { 10.0 };
            places(&(0..30).map(|place| observed(value(place))).collect::<Vec<_>>())
        };
        assert_eq!(with(&[]), []);
        assert_eq!(with(&[3, 9, 15, 22]), []);
        assert_eq!(with(&[15, 16]), []);
        assert_eq!(with(&[29]), []);
        // The last three at another level are a step.
        assert_eq!(with(&[27, 28, 29]), [27]);
    }

    #[test]
    fn bounds_above_a_level_say_nothing_and_bounds_below_it_do() {
        let level = [observed(10.0); 12];
        let above = [&level[..], &[bound(14.0); 12]].concat();
        assert_eq!(places(&above), []);
        let below = [&level[..], &[bound(9.0); 6], &[observed(8.9); 6]].concat();
        assert_eq!(places(&below), [12]);
        assert_eq!(places(&[bound(10.0); 20]), []);
    }

    #[test]
    fn a_step_within_the_errors_is_none() {
        let uncertain = |value| Observation { relative_error: 0.05, ..observed(value) };
        let series: Vec<_> = [[10.0; 8], [10.2; 8]].concat().into_iter().map(uncertain).collect();
        assert_eq!(places(&series), []);
    }

    #[test]
    fn unfit_input_has_no_steps() {
        assert_eq!(places(&[]), []);
        assert_eq!(places(&[observed(1.0); 2]), []);
        for unfit in [0.0, -1.0, f64::NAN, f64::INFINITY] {
            let mut series =
                [[10.0; 8], [11.0; 8]].concat().into_iter().map(observed).collect::<Vec<_>>();
            assert_eq!(places(&series), [8]);
            series[3].value = unfit;
            assert_eq!(places(&series), [], "{unfit}");
        }
    }

    proptest! {
        #[test]
        fn any_series_has_steps_in_order_inside_of_it(
            values in prop::collection::vec((1e-3..1e9_f64, 0.0..0.1_f64, any::<bool>()), 0..60),
        ) {
            let series: Vec<_> = values
                .into_iter()
                .map(|(value, relative_error, is_upper_bound)| {
                    Observation { value, relative_error, is_upper_bound }
                })
                .collect();
            let places = places(&series);
            prop_assert!(places.windows(2).all(|pair| pair[0] < pair[1]));
            prop_assert!(places.iter().all(|&place| 0 < place && place < series.len()));
        }

        #[test]
        fn the_unit_does_not_matter(
            values in prop::collection::vec(1.0..1.1_f64, 0..40), factor in 1e-3..1e6_f64,
        ) {
            let of = |factor: f64| {
                places(&values.iter().map(|it| observed(it * factor)).collect::<Vec<_>>()).len()
            };
            prop_assert_eq!(of(1.0), of(factor));
        }
    }
}
