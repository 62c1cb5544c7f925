//! Estimates the centre of paired differences by Wilcoxon's signed ranks.
//!
//! The estimate is the median of all means of two differences, a difference with itself included
//! (Hodges and Lehmann, "Estimates of Location Based on Rank Tests", Annals of Mathematical
//! Statistics 34 (1963)); the bounds are the order statistics of the same means that the signed-rank
//! test would not reject (Hollander, Wolfe and Chicken, "Nonparametric Statistical Methods", 2014,
//! section 3.3). Coverage holds exactly for differences that are distributed symmetrically, whatever
//! their tails, and from any number of them: nothing is resampled and nothing is assumed normal.

use crate::finite::{finite, usable};
use crate::{Interval, quantile};

/// Returns the centre of `differences` and its interval.
///
/// `None` where one is not finite, where `confidence` is not strictly between 0 and 1, and where
/// there are too few for it: n differences reach at most a confidence of 1 - 2^(1 - n).
pub fn signed_rank(differences: &[f64], confidence: f64) -> Option<(f64, Interval)> {
    let is_probability = confidence > 0.0 && confidence < 1.0;
    if !(usable(differences) && is_probability) {
        return None;
    }
    let cut_off = rejected_below(differences.len(), (1.0 - confidence) / 2.0)?;
    let mut means = Vec::with_capacity(differences.len() * (differences.len() + 1) / 2);
    for (index, one) in differences.iter().enumerate() {
        means.extend(differences[index..].iter().map(|other| f64::midpoint(*one, *other)));
    }
    let centre = quantile(&mut means, 0.5)?;
    // There are more than twice as many means as are cut off.
    let last = means.len() - 1;
    let mut ordered = |index: usize| finite(*means.select_nth_unstable_by(index, f64::total_cmp).1);
    let (low, high) = (ordered(cut_off)?, ordered(last - cut_off)?);
    Some((centre, Interval { low, high, confidence }))
}

/// Returns the signed rank of each distance from zero; equal distances share their mean rank, and
/// zero has none.
pub(crate) fn signed_ranks(distances: &[f64]) -> Vec<f64> {
    let mut order: Vec<usize> = (0..distances.len()).collect();
    order.sort_by(|&one, &other| distances[one].abs().total_cmp(&distances[other].abs()));
    let mut ranks = vec![0.0; distances.len()];
    let mut below = 0;
    for equal in order.chunk_by(|&one, &other| distances[one].abs() == distances[other].abs()) {
        let rank = below as f64 + (equal.len() + 1) as f64 / 2.0;
        below += equal.len();
        for &index in equal.iter().filter(|&&index| distances[index] != 0.0) {
            ranks[index] = rank.copysign(distances[index]);
        }
    }
    ranks
}

/// Returns how many of the smallest rank sums together are less likely than `tail`, minus one: the
/// index of the lower bound among the sorted means. `None` if even the smallest is more likely.
fn rejected_below(count: usize, tail: f64) -> Option<usize> {
    // The rank sum of n differences of random sign: each rank is in it or is not.
    let half = count * (count + 1) / 4;
    let mut probability = vec![0.0; half + 1];
    probability[0] = 1.0;
    for rank in 1..=count {
        // No sum of the ranks so far is larger.
        for sum in (0..=half.min(rank * (rank + 1) / 2)).rev() {
            let without: f64 = probability[sum];
            let with = sum.checked_sub(rank).map_or(0.0, |before| probability[before]);
            // Not `midpoint`, which looks for overflows that probabilities cannot have.
            probability[sum] = (without + with) * 0.5;
        }
    }
    let mut cumulative = 0.0;
    let rejected = probability.iter().take_while(|&&mass| {
        cumulative += mass;
        // The allowance is for the tail not being exact in binary.
        cumulative <= tail * (1.0 + 1e-9)
    });
    rejected.count().checked_sub(1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    #[test]
    fn tables_agree() {
        // Largest rank sums rejected on both sides at 5, 2 and 1 %, from the usual tables.
        for (count, at_5, at_2, at_1) in [
            (6, Some(0), None, None),
            (7, Some(2), Some(0), None),
            (8, Some(3), Some(1), Some(0)),
            (10, Some(8), Some(5), Some(3)),
            (15, Some(25), Some(19), Some(15)),
            (20, Some(52), Some(43), Some(37)),
            (25, Some(89), Some(76), Some(68)),
            (30, Some(137), Some(120), Some(109)),
        ] {
            for (tail, expected) in [(0.025, at_5), (0.01, at_2), (0.005, at_1)] {
                assert_eq!(rejected_below(count, tail), expected, "{count} {tail}");
            }
        }
        assert_eq!(rejected_below(5, 0.025), None);
    }

    #[test]
    fn signed_ranks_of_known_distances() {
        assert_eq!(signed_ranks(&[0.5, -3.0, 0.0, 1.0, -0.5]), [2.5, -5.0, 0.0, 4.0, -2.5]);
        assert!(signed_ranks(&[]).is_empty());
    }

    #[test]
    fn hand_calculation() {
        // Means of two: 1 1.5 2 2.5 3 3.5 2 2.5 3 3.5 4 3 3.5 4 4.5 4 4.5 5 5 5.5 6, of 1 to 6.
        let (centre, interval) = signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0], 0.95).unwrap();
        assert_eq!((centre, interval.low, interval.high), (3.5, 1.0, 6.0));
        let (_, interval) = signed_rank(&[1.0, 2.0, 3.0, 4.0, 5.0, 6.0, 7.0], 0.95).unwrap();
        assert_eq!((interval.low, interval.high), (2.0, 6.0));
    }

    #[test]
    fn one_disturbed_round_in_twenty_moves_little() {
        let mut differences: Vec<f64> = (0..20).map(|i| 0.001 * f64::from(i % 3)).collect();
        let (before, _) = signed_rank(&differences, 0.95).unwrap();
        differences[3] = 5.0;
        let (after, interval) = signed_rank(&differences, 0.95).unwrap();
        assert!((after - before).abs() < 0.001 && interval.high < 0.003);
    }

    #[test]
    fn unfit_input_gives_none() {
        let good = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
        assert!(signed_rank(&good, 0.95).is_some());
        assert_eq!(signed_rank(&good, 0.97), None);
        assert_eq!(signed_rank(&[], 0.5), None);
        assert_eq!(signed_rank(&[1.0, f64::NAN, 2.0, 3.0, 4.0, 5.0], 0.5), None);
        for confidence in [0.0, 1.0, f64::NAN] {
            assert_eq!(signed_rank(&good, confidence), None);
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn signed_ranks_count_what_is_nearer(
            distances in prop::collection::vec((-4..5_i32).prop_map(f64::from), 0..20),
        ) {
            let naive = |distance: &f64| {
                let nearer = distances.iter().filter(|it| it.abs() < distance.abs()).count();
                let equal = distances.iter().filter(|it| it.abs() == distance.abs()).count();
                let rank = nearer as f64 + (equal as f64 + 1.0) / 2.0;
                if *distance == 0.0 { 0.0 } else { rank * distance.signum() }
            };
            let expected: Vec<f64> = distances.iter().map(naive).collect();
            prop_assert_eq!(signed_ranks(&distances), expected);
        }

        #[test]
        fn moves_scales_and_mirrors_with_the_data(
            differences in prop::collection::vec(-9.0..9.0f64, 8..30),
            shift in -5.0..5.0f64,
        ) {
            let at = |values: Vec<f64>| signed_rank(&values, 0.95).unwrap();
            let (centre, interval) = at(differences.clone());
            prop_assert!(interval.contains(centre));
            let (moved, around) = at(differences.iter().map(|d| d * 2.0 + shift).collect());
            prop_assert!((moved - (centre * 2.0 + shift)).abs() < 1e-9);
            prop_assert!((around.low - (interval.low * 2.0 + shift)).abs() < 1e-9);
            let (mirrored, around) = at(differences.iter().map(|d| -d).collect());
            prop_assert!((mirrored + centre).abs() < 1e-9);
            prop_assert!((around.low + interval.high).abs() < 1e-9);
        }
    }
}
