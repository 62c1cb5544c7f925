//! Computes the geometric mean of several ratios that were measured in the same rounds.
//!
//! Each line is summarised robustly over its own rounds, and only then are lines averaged, because
//! the mean over lines of one round would include disturbances of any of them. Errors of lines are
//! not independent, since workloads of one round share its processes and its neighbours. So widths
//! are added like correlated errors, with the correlation of each pair of lines estimated from its
//! signed ranks over their common rounds: for the estimate by
//! [`signed_rank`](mod@crate::signed_rank), these are the influence of a round. A negative
//! correlation counts as none. If all lines move together, the width is the mean of theirs; it is
//! never more, so that lines that are all equal have an equal mean.

use crate::signed_rank::signed_ranks;
use crate::{Comparison, Interval, Rounds, mean};

/// The rounds that two lines must share for their correlation to be estimated; with fewer, they
/// count as fully correlated.
const FEWEST_SHARED: usize = 8;

/// Returns the geometric mean of the ratios of `lines`, with an interval of `confidence`.
///
/// `None` if a line has no interval ([`Comparison::paired`]), or there are no lines.
pub fn over_all(lines: &[&Rounds], confidence: f64) -> Option<Comparison> {
    let parts = lines
        .iter()
        .map(|line| {
            let it = Comparison::paired(&line.costs(), confidence)?;
            let centre = it.ratio.ln();
            let (below, above) = (centre - it.interval.low.ln(), it.interval.high.ln() - centre);
            Some(Part { centre, below, above, influence: influence(line, centre) })
        })
        .collect::<Option<Vec<Part>>>()?;
    let centres: Vec<f64> = parts.iter().map(|part| part.centre).collect();
    let centre = mean(&centres)?;
    let [below, above] = [|part: &Part| part.below, |part: &Part| part.above].map(|width| {
        let widths: Vec<f64> = parts.iter().map(width).collect();
        width_of_mean(&parts, &widths)
    });
    let interval = Interval { low: centre - below, high: centre + above, confidence };
    Comparison::from_logarithms(centre, interval)
}

/// A line's contribution to the mean.
struct Part {
    centre: f64,
    below: f64,
    above: f64,
    /// How each round moves the centre, up to a factor, in order of rounds.
    influence: Vec<(usize, f64)>,
}

fn influence(line: &Rounds, centre: f64) -> Vec<(usize, f64)> {
    let distances: Vec<f64> = line.costs().iter().map(|[a, b]| b.ln() - a.ln() - centre).collect();
    line.numbers.iter().copied().zip(signed_ranks(&distances)).collect()
}

fn width_of_mean(parts: &[Part], widths: &[f64]) -> f64 {
    let mut sum = 0.0;
    for (index, one) in parts.iter().enumerate() {
        sum += widths[index] * widths[index];
        for (other, width) in parts.iter().zip(widths).skip(index + 1) {
            let together = correlation(&one.influence, &other.influence).max(0.0);
            sum += 2.0 * together * widths[index] * width;
        }
    }
    sum.sqrt() / parts.len() as f64
}

/// Returns the correlation, about zero, of two lines over their common rounds.
fn correlation(one: &[(usize, f64)], other: &[(usize, f64)]) -> f64 {
    let (mut shared, mut product, mut squares) = (0, 0.0, [0.0, 0.0]);
    let mut others = other.iter().peekable();
    for (round, value) in one {
        while others.next_if(|(later, _)| later < round).is_some() {}
        if let Some((_, paired)) = others.next_if(|(same, _)| same == round) {
            shared += 1;
            product += value * paired;
            squares = [squares[0] + value * value, squares[1] + paired * paired];
        }
    }
    let scale = (squares[0] * squares[1]).sqrt();
    if shared < FEWEST_SHARED || scale == 0.0 { 1.0 } else { (product / scale).min(1.0) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Makes a line with these ratios, in rounds from 0.
    fn line(ratios: &[f64]) -> Rounds {
        let costs = ratios.iter().map(|ratio| [100.0, 100.0 * ratio]).collect();
        Rounds { numbers: (0..ratios.len()).collect(), by_length: vec![costs], ..Rounds::default() }
    }

    fn noisy(random: &mut fastrand::Rng, count: usize) -> Vec<f64> {
        (0..count).map(|_| 1.0 + 0.01 * (random.f64() - 0.5)).collect()
    }

    #[test]
    fn lines_that_move_together_are_as_wide_as_one() {
        let ratios = noisy(&mut fastrand::Rng::with_seed(1), 20);
        let one = line(&ratios);
        let alone = Comparison::paired(&one.costs(), 0.95).unwrap();
        let three = over_all(&[&one, &one, &one], 0.95).unwrap();
        for (ours, theirs) in [
            (three.ratio, alone.ratio),
            (three.interval.low, alone.interval.low),
            (three.interval.high, alone.interval.high),
        ] {
            assert!((ours / theirs - 1.0).abs() < 1e-12, "{three:?} {alone:?}");
        }
    }

    #[test]
    fn lines_that_have_nothing_to_do_with_each_other_are_narrower() {
        let mut random = fastrand::Rng::with_seed(2);
        let lines: Vec<Rounds> = (0..16).map(|_| line(&noisy(&mut random, 100))).collect();
        let widths: Vec<f64> = lines
            .iter()
            .map(|line| Comparison::paired(&line.costs(), 0.95).unwrap().half_width())
            .collect();
        let all = over_all(&lines.iter().collect::<Vec<_>>(), 0.95).unwrap();
        let share = all.half_width() / mean(&widths).unwrap();
        assert!((0.25..0.40).contains(&share), "{share}");
    }

    #[test]
    fn rounds_are_matched_by_their_numbers() {
        let ratios = noisy(&mut fastrand::Rng::with_seed(3), 40);
        let whole = line(&ratios);
        let mut later = line(&ratios[20..]);
        later.numbers = (20..40).collect();
        let shared: Vec<(usize, f64)> = influence(&later, 0.0);
        assert!(correlation(&influence(&whole, 0.0), &shared) > 0.9);
        later.numbers = (40..60).collect();
        assert_eq!(correlation(&influence(&whole, 0.0), &influence(&later, 0.0)), 1.0);
    }

    #[test]
    fn without_lines_there_is_no_mean() {
        assert_eq!(over_all(&[], 0.95), None);
        assert_eq!(over_all(&[&line(&[1.0; 20]), &line(&[1.0; 3])], 0.95), None);
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(48))]

        #[test]
        fn correlation_is_that_over_shared_rounds(
            rounds in prop::collection::vec((any::<bool>(), any::<bool>(), -9..10_i32, -9..10_i32), 20..60),
        ) {
            let of = |side: usize| -> Vec<(usize, f64)> {
                let part = |(number, it): (usize, &(bool, bool, i32, i32))| {
                    let (has, value) = if side == 0 { (it.0, it.2) } else { (it.1, it.3) };
                    has.then(|| (number, f64::from(value)))
                };
                rounds.iter().enumerate().filter_map(part).collect()
            };
            let shared: Vec<(f64, f64)> = rounds
                .iter()
                .filter(|it| it.0 && it.1)
                .map(|it| (f64::from(it.2), f64::from(it.3)))
                .collect();
            let sum = |of: fn(&(f64, f64)) -> f64| shared.iter().map(of).sum::<f64>();
            let scale = (sum(|it| it.0 * it.0) * sum(|it| it.1 * it.1)).sqrt();
            let naive = match shared.len() {
                8.. if scale > 0.0 => sum(|it| it.0 * it.1) / scale,
                _ => 1.0,
            };
            prop_assert!((correlation(&of(0), &of(1)) - naive.min(1.0)).abs() < 1e-12);
        }

        #[test]
        fn the_mean_lies_within_the_means_of_the_bounds(
            ratios in prop::collection::vec(prop::collection::vec(0.9..1.1f64, 10..20), 1..6),
        ) {
            let lines: Vec<Rounds> = ratios.iter().map(|ratios| line(ratios)).collect();
            let all = over_all(&lines.iter().collect::<Vec<_>>(), 0.95).unwrap();
            let mean_of = |value: fn(&Comparison) -> f64| {
                let each = lines.iter().map(|line| {
                    value(&Comparison::paired(&line.costs(), 0.95).unwrap()).ln()
                });
                (each.sum::<f64>() / lines.len() as f64).exp()
            };
            prop_assert!((all.ratio / mean_of(|it| it.ratio) - 1.0).abs() < 1e-9);
            prop_assert!(all.interval.low >= mean_of(|it| it.interval.low) - 1e-9);
            prop_assert!(all.interval.high <= mean_of(|it| it.interval.high) + 1e-9);
        }
    }
}
