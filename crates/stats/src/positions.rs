//! Estimates the cost at each of several positions, and adjusts each round to all positions.
//!
//! Where a library lies in memory can change the cost of its calls, at one position of eight by a
//! tenth. That is not noise: each run finds it again. So the figure must be the mean over
//! positions, and the spread between them no part of its interval. But the low rounds of all, which
//! are the steadier ones, would leave a slow position out; and the low rounds of each position are
//! one or two, as long as there are few. So [`as_of_all`] subtracts from every round the additional
//! cost of its position, as far as that is more than chance, and adds the mean of these costs over
//! the positions. The result is rounds like any others.
//!
//! # How far a position's effect is believed
//! The low centre of a position's n rounds has a random error, which is much larger upwards with
//! only one round. An effect δ is believed as far as δ · (1 − (b / δ)²), and not at all below b = 4
//! s / n, where s is the spread of rounds: the non-negative garrote (Breiman, "Better Subset
//! Regression Using the Nonnegative Garrote", Technometrics 37, 1995). It has no jumps, and keeps
//! large effects nearly whole. `crates/figures/tests/runs/coverage.rs` tests the coverage of
//! intervals of such rounds. Simulation rejected the alternatives: b falling with √n takes single
//! disturbed rounds for slow positions; the mean over positions of their low rounds is too high by
//! more than its interval with one round each; that of their middles has intervals half as wide
//! again.

use crate::{mean, mean_between, median_of, quantile_of};

/// The quantiles of the low rounds. Disturbances mostly add to a round, so low rounds are the
/// steadier half; the very lowest may have had a wrong clock.
const LOW: [f64; 2] = [0.05, 0.45];

/// The spreads by which a position with one round must differ before any of it is believed.
const BELIEF: f64 = 4.0;

/// The standard errors by which a reported position must differ, and the rounds it must have. With
/// long-tailed rounds, one row in forty has such a position by chance with 16 rounds, and one in
/// four hundred with 24.
const TOLD: f64 = 6.0;
const FEWEST_TOLD: usize = 2;

/// The interquartile range of a normal distribution, in standard deviations.
const QUARTILES: f64 = 1.349;

/// Returns the mean of the low rounds, which represents all of them.
pub fn low_mean(rounds: &[f64]) -> Option<f64> {
    mean_between(rounds, LOW[0], LOW[1])
}

/// The rounds at one position, summarised.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Level {
    pub position: u8,
    /// Number of rounds there.
    pub rounds: usize,
    /// The mean of its low rounds.
    pub centre: f64,
    /// Its standard error: the spread of rounds ÷ √`rounds`.
    pub standard_error: f64,
    /// The part of its distance to the middle of the positions that is more than chance.
    pub effect: f64,
    /// Whether it certainly differs from the others.
    pub differs: bool,
}

/// Summarises `rounds`, given as position and value, by position in rising order. Empty if a value
/// is not finite.
pub fn levels(rounds: &[(u8, f64)]) -> Vec<Level> {
    found(rounds, low_mean).unwrap_or_default()
}

/// Works like [`levels`], for values with noise in both directions, such as ratios of two sides:
/// the centre of a position is the median.
pub fn levels_of_middles(rounds: &[(u8, f64)]) -> Vec<Level> {
    found(rounds, median_of).unwrap_or_default()
}

/// Adjusts each of `rounds` as if it had been measured at all positions; keeps the order.
///
/// Returns `None` if there are no rounds or a value is not finite.
pub fn as_of_all(rounds: &[(u8, f64)]) -> Option<Vec<f64>> {
    let levels = found(rounds, low_mean)?;
    let effects: Vec<f64> = levels.iter().map(|level| level.effect).collect();
    let of_all = mean(&effects)?;
    Some(without_effects(rounds, &levels).map(|value| value + of_all).collect())
}

fn found(rounds: &[(u8, f64)], of_position: impl Fn(&[f64]) -> Option<f64>) -> Option<Vec<Level>> {
    let mut positions: Vec<u8> = rounds.iter().map(|(position, _)| *position).collect();
    positions.sort_unstable();
    positions.dedup();
    let level = |&position: &u8| {
        let there = rounds.iter().filter(|(at, _)| *at == position);
        let values: Vec<f64> = there.map(|(_, value)| *value).collect();
        let centre = of_position(&values)?;
        let rounds = values.len();
        Some(Level { position, rounds, centre, standard_error: 0.0, effect: 0.0, differs: false })
    };
    let mut levels = positions.iter().map(level).collect::<Option<Vec<Level>>>()?;
    let centres: Vec<f64> = levels.iter().map(|level| level.centre).collect();
    let middle = median_of(&centres)?;
    // The first spread includes slow positions, the second only the part of them that is not
    // believed.
    for _ in 0..2 {
        let spread = spread(&without_effects(rounds, &levels).collect::<Vec<_>>())?;
        for level in &mut levels {
            let count = level.rounds as f64;
            let distance = level.centre - middle;
            let rounding = f64::EPSILON * 16.0 * middle.abs();
            let chance = (BELIEF * spread / count).max(rounding);
            level.effect = distance * (1.0 - (chance / distance.abs()).powi(2)).max(0.0);
            level.standard_error = spread / count.sqrt();
            level.differs = level.rounds >= FEWEST_TOLD
                && distance.abs() > (TOLD * level.standard_error).max(rounding);
        }
    }
    Some(levels)
}

fn without_effects<'a>(
    rounds: &'a [(u8, f64)],
    levels: &'a [Level],
) -> impl Iterator<Item = f64> + 'a {
    rounds.iter().map(|(position, value)| {
        let level = levels.iter().find(|level| level.position == *position);
        value - level.map_or(0.0, |level| level.effect)
    })
}

/// Returns the standard deviation of values with a few outliers.
fn spread(values: &[f64]) -> Option<f64> {
    Some((quantile_of(values, 0.75)? - quantile_of(values, 0.25)?) / QUARTILES)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Makes rounds in turn at eight positions, around 100.
    fn in_turn(count: usize, extra: impl Fn(usize) -> f64) -> Vec<(u8, f64)> {
        let noise = [0.1, -0.2, 0.0, 0.3, -0.1, 0.2, -0.3, 0.05, -0.05, 0.15, -0.15];
        (0..count)
            .map(|round| {
                let value = 100.0 + noise[round % noise.len()] + extra(round % 8);
                ((round % 8) as u8, value)
            })
            .collect()
    }

    fn figure(rounds: &[(u8, f64)]) -> f64 {
        low_mean(&as_of_all(rounds).unwrap()).unwrap()
    }

    #[test]
    fn a_slow_position_counts_as_an_eighth_from_its_first_round_on() {
        for count in [8, 11, 16, 20, 64] {
            let even = figure(&in_turn(count, |_| 0.0));
            for slow in [7, 2] {
                let one = in_turn(count, |position| if position == slow { 9.0 } else { 0.0 });
                assert!((figure(&one) - even - 9.0 / 8.0).abs() < 0.1, "{count} {slow}");
                let told: Vec<u8> =
                    levels(&one).iter().filter(|it| it.differs).map(|it| it.position).collect();
                // With one round there, it is unknown whether it was disturbed.
                let there = one.iter().filter(|(position, _)| usize::from(*position) == slow);
                let expected = if there.count() < 2 { vec![] } else { vec![slow as u8] };
                assert_eq!(told, expected, "{count}");
            }
        }
    }

    #[test]
    fn positions_that_do_not_differ_leave_rounds_as_they_are() {
        let rounds = in_turn(40, |_| 0.0);
        let plain: Vec<f64> = rounds.iter().map(|(_, value)| *value).collect();
        let levels = levels(&rounds);
        assert_eq!(levels.len(), 8);
        assert!(levels.iter().all(|level| !level.differs && level.rounds == 5));
        for (as_of_all, plain) in as_of_all(&rounds).unwrap().iter().zip(plain) {
            assert!((as_of_all - plain).abs() < 0.05);
        }
        let alone: Vec<(u8, f64)> = rounds.iter().map(|(_, value)| (3, *value)).collect();
        let same: Vec<f64> = alone.iter().map(|(_, value)| *value).collect();
        assert_eq!(super::as_of_all(&alone), Some(same));
    }

    #[test]
    fn exact_rounds_differ_where_they_do() {
        let exact = |round: u8| (round % 8, if round % 8 == 5 { 101.0 } else { 100.0 });
        let rounds: Vec<(u8, f64)> = (0..16).map(exact).collect();
        assert!((figure(&rounds) - 100.125).abs() < 1e-9);
        assert!(levels(&rounds).iter().all(|it| it.differs == (it.position == 5)));
    }

    #[test]
    fn unfit_input_gives_none() {
        assert_eq!(as_of_all(&[]), None);
        assert_eq!(as_of_all(&[(0, 1.0), (1, f64::NAN)]), None);
        assert!(levels(&[(0, f64::INFINITY)]).is_empty());
    }

    proptest! {
        #[test]
        fn moves_and_scales_with_the_data(
            values in prop::collection::vec(50.0..150.0f64, 1..40),
            shift in -20.0..20.0f64,
        ) {
            let at = |index: usize| (index % 8) as u8;
            let rounds: Vec<_> = values.iter().enumerate().map(|(i, v)| (at(i), *v)).collect();
            let moved: Vec<_> = rounds.iter().map(|(p, v)| (*p, 4.0 * v + shift)).collect();
            let pairs = as_of_all(&rounds).unwrap().into_iter().zip(as_of_all(&moved).unwrap());
            for (before, after) in pairs {
                prop_assert!((4.0 * before + shift - after).abs() < 1e-6);
            }
        }
    }
}
