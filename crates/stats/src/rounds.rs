//! Holds the rounds of a line of a comparison.

use crate::positions::{Level, levels_of_middles};
use crate::{geometric_mean, mean};

/// The fewest rounds at a position for a conclusion about it: with two, the middle is wrong if one
/// of them was disturbed.
const FEWEST: usize = 3;

/// The rounds of one line.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rounds {
    /// The numbers of these rounds, in order: lines of one round share its processes.
    pub numbers: Vec<usize>,
    /// The position of both sides' libraries in each of them; empty if some were not placed, or
    /// differently.
    pub positions: Vec<u8>,
    /// The baseline's and the candidate's cost in each of them, by length.
    pub by_length: Vec<Vec<[f64; 2]>>,
}

/// States that the ratio of two sides deviates at some positions, which is due to layout, not code.
#[derive(Clone, Debug, PartialEq)]
pub struct Layout {
    /// These positions, with the candidate's additional cost relative to the ratio elsewhere, as a
    /// factor.
    pub at: Vec<(u8, f64)>,
    /// The number of positions in total.
    pub positions: usize,
}

impl Layout {
    /// Finds deviations beyond the relative `precision` in `rounds`, the costs of both sides at
    /// these `positions`. Returns `None` if no different ratio is detected at any position.
    pub fn of(rounds: &[[f64; 2]], positions: &[u8], precision: f64) -> Option<Self> {
        if rounds.len() != positions.len() {
            return None;
        }
        let ratios = rounds.iter().map(|[baseline, candidate]| candidate.ln() - baseline.ln());
        let ratios: Vec<(u8, f64)> = positions.iter().copied().zip(ratios).collect();
        let levels = levels_of_middles(&ratios);
        if levels.iter().any(|level| level.rounds < FEWEST) {
            return None;
        }
        let elsewhere: Vec<f64> =
            levels.iter().filter(|level| !level.differs).map(|level| level.centre).collect();
        let elsewhere = mean(&elsewhere)?;
        // Most rounds there must agree: of a few, two disturbed ones contain the middle.
        let is_apart = |level: &Level| {
            let effect = level.centre - elsewhere;
            let says_so = |ratio: f64| (ratio - elsewhere) * effect.signum() > effect.abs() / 2.0;
            let there = ratios.iter().filter(|(position, _)| *position == level.position);
            let count = there.filter(|(_, ratio)| says_so(*ratio)).count();
            level.differs && effect.abs() > precision.ln_1p() && 4 * count >= 3 * level.rounds
        };
        let apart = levels.iter().filter(|level| is_apart(level));
        let at: Vec<_> = apart.map(|it| (it.position, (it.centre - elsewhere).exp())).collect();
        (!at.is_empty()).then_some(Self { at, positions: levels.len() })
    }

    /// Returns those of `rounds` at the other positions.
    pub fn elsewhere(&self, rounds: &[[f64; 2]], positions: &[u8]) -> Vec<[f64; 2]> {
        let is_there = |position: &u8| self.at.iter().any(|(at, _)| at == position);
        let all = rounds.iter().zip(positions);
        all.filter(|(_, position)| !is_there(position)).map(|(round, _)| *round).collect()
    }
}

/// The standard errors by which two sides must differ at each position. A chance difference at all
/// of them needs as many coincidences.
const AT_EACH: f64 = 2.0;

impl Rounds {
    /// Whether the sides certainly differ at every position, in the same direction, so that it is
    /// the code and not the layout. False if the libraries were not placed.
    pub fn differ_at_all_positions(&self) -> bool {
        let costs = self.costs();
        if self.positions.is_empty() || costs.len() != self.positions.len() {
            return false;
        }
        let ratio = |[baseline, candidate]: &[f64; 2]| candidate.ln() - baseline.ln();
        let ratios: Vec<(u8, f64)> =
            self.positions.iter().copied().zip(costs.iter().map(ratio)).collect();
        let levels = levels_of_middles(&ratios);
        let is_slower = levels.first().is_some_and(|level| level.centre > 0.0);
        levels.len() > 1
            && levels.iter().all(|level| {
                level.rounds >= FEWEST
                    && (level.centre > 0.0) == is_slower
                    && level.centre.abs() > AT_EACH * level.standard_error
            })
    }

    /// Returns the cost of both sides in each round: the geometric mean over lengths.
    pub fn costs(&self) -> Vec<[f64; 2]> {
        let count = self.by_length.iter().map(Vec::len).min().unwrap_or(0);
        let mean = |round: usize, side: usize| {
            let costs: Vec<f64> = self.by_length.iter().map(|rounds| rounds[round][side]).collect();
            // Costs that are not positive have no such mean, and no comparison.
            geometric_mean(&costs).unwrap_or(f64::NAN)
        };
        (0..count).map(|round| [mean(round, 0), mean(round, 1)]).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Makes rounds in turn at eight positions, where the candidate costs more at some.
    fn rounds(count: usize, more: impl Fn(usize) -> f64) -> (Vec<[f64; 2]>, Vec<u8>) {
        let noise = [0.1, -0.2, 0.0, 0.3, -0.1, 0.2, -0.3, 0.05, -0.05, 0.15, -0.15];
        let cost = |round: usize| [100.0, more(round % 8) * (100.0 + noise[round % noise.len()])];
        ((0..count).map(cost).collect(), (0..count).map(|round| (round % 8) as u8).collect())
    }

    #[test]
    fn a_position_at_which_the_ratio_is_another_is_told_with_what_it_adds() {
        let (costs, positions) = rounds(24, |position| if position == 7 { 1.09 } else { 1.0 });
        let layout = Layout::of(&costs, &positions, 0.005).unwrap();
        assert_eq!((layout.at.len(), layout.at[0].0, layout.positions), (1, 7, 8));
        assert!((layout.at[0].1 - 1.09).abs() < 0.002, "{layout:?}");
        assert_eq!(layout.elsewhere(&costs, &positions).len(), 21);
        assert_eq!(Layout::of(&costs, &positions, 0.2), None, "less than is looked for");
        assert_eq!(Layout::of(&costs, &[], 0.005), None, "nobody knows where they were");
        assert_eq!(Layout::of(&costs[..23], &positions[..23], 0.005), None, "two rounds at one");
    }

    #[test]
    fn two_disturbed_rounds_of_three_are_no_layout() {
        let (mut costs, positions) = rounds(24, |_| 1.0);
        for disturbed in [5, 13] {
            costs[disturbed][1] *= 1.1;
        }
        assert_eq!(Layout::of(&costs, &positions, 0.005), None);
        costs[21][1] *= 1.1;
        assert_eq!(Layout::of(&costs, &positions, 0.005).unwrap().at[0].0, 5);
    }

    #[test]
    fn what_differs_at_all_positions_is_the_code() {
        let differs = |count: usize, more: fn(usize) -> f64| {
            let (costs, positions) = rounds(count, more);
            Rounds { positions, by_length: vec![costs], ..Rounds::default() }
                .differ_at_all_positions()
        };
        let slower = |position: usize| if position == 7 { 1.12 } else { 1.03 };
        assert!(differs(24, slower) && differs(40, |_| 0.97));
        assert!(!differs(16, slower), "two rounds at each");
        assert!(!differs(40, |_| 1.0), "equal sides");
        assert!(!differs(40, |position| if position < 4 { 1.03 } else { 0.97 }), "either side");
        assert!(!Rounds::default().differ_at_all_positions());
    }

    #[test]
    fn the_same_difference_at_all_positions_is_no_layout() {
        for ratio in [1.0, 1.09, 0.7] {
            let (costs, positions) = rounds(40, |_| ratio);
            assert_eq!(Layout::of(&costs, &positions, 0.0), None, "{ratio}");
        }
        assert_eq!(Layout::of(&[], &[], 0.005), None);
    }
}
