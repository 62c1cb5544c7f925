//! Combines the samples of several rounds into one figure.
//!
//! An estimator is a function from rounds to a value, `Fn(&mut [Vec<f64>]) -> Option<f64>`. It may
//! reorder the samples. The functions here make one out of a centre for a single round, such as
//! [`median`] or [`midmean`](crate::midmean).

use crate::finite::usable;
use crate::{mean, median};

/// Returns the mean over rounds of each round's centre: `mean_of_rounds(median)` is the standard
/// estimator.
///
/// Every round has the same weight however many samples it holds, as befits rounds that differ from
/// each other more than their samples do. `None` if one round has no centre.
pub fn mean_of_rounds(
    centre: impl Fn(&mut [f64]) -> Option<f64>,
) -> impl Fn(&mut [Vec<f64>]) -> Option<f64> {
    move |rounds| mean(&round_centres(rounds, &centre)?)
}

/// Returns the median over rounds of each round's centre, which ignores a minority of odd
/// processes, but has a coarser interval with few rounds. `None` if one round has no centre.
pub fn median_of_rounds(
    centre: impl Fn(&mut [f64]) -> Option<f64>,
) -> impl Fn(&mut [Vec<f64>]) -> Option<f64> {
    move |rounds| median(&mut round_centres(rounds, &centre)?)
}

/// Applies `estimator` to the rounds as measured;
/// [`Bootstrap::interval`](crate::Bootstrap::interval) gives the interval of this figure.
///
/// Empty rounds are left out. `None` if no round is left, if a sample is not finite, or if the
/// estimator gives none.
pub fn estimate<R: AsRef<[f64]>>(
    rounds: &[R],
    estimator: impl FnOnce(&mut [Vec<f64>]) -> Option<f64>,
) -> Option<f64> {
    let mut rounds: Vec<Vec<f64>> = filled(rounds)?.into_iter().map(<[f64]>::to_vec).collect();
    if rounds.is_empty() {
        return None;
    }
    estimator(&mut rounds)
}

/// Returns the rounds that hold samples; `None` if a sample is not finite.
pub(crate) fn filled<R: AsRef<[f64]>>(rounds: &[R]) -> Option<Vec<&[f64]>> {
    rounds
        .iter()
        .map(AsRef::as_ref)
        .filter(|round| !round.is_empty())
        .map(|round| usable(round).then_some(round))
        .collect()
}

fn round_centres(
    rounds: &mut [Vec<f64>],
    centre: impl Fn(&mut [f64]) -> Option<f64>,
) -> Option<Vec<f64>> {
    rounds.iter_mut().map(|round| centre(round)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_two_ways_differ_where_they_should() {
        let rounds = [vec![1.0, 2.0, 3.0], vec![4.0], vec![30.0, 10.0, 20.0, 40.0, 50.0]];
        assert_eq!(estimate(&rounds, mean_of_rounds(median)), Some(12.0));
        assert_eq!(estimate(&rounds, median_of_rounds(median)), Some(4.0));
    }

    #[test]
    fn empty_rounds_are_left_out() {
        assert_eq!(estimate(&[vec![], vec![2.0], vec![4.0]], mean_of_rounds(median)), Some(3.0));
        assert_eq!(estimate(&[vec![], vec![]], median_of_rounds(median)), None);
        assert_eq!(estimate::<Vec<f64>>(&[], mean_of_rounds(median)), None);
        assert_eq!(estimate(&[vec![1.0], vec![f64::NAN]], mean_of_rounds(median)), None);
    }
}
