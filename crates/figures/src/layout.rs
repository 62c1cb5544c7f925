//! Whether a difference between two sides is there wherever their libraries lie, or at some
//! positions only: a change of code is told from a change of layout.

use cpb_stats::positions::{self, Level};

/// Standard errors by which the sides must differ at each position before a difference is called
/// one of all positions. That all eight of them seem to by chance takes eight chances.
const AT_EACH: f64 = 2.0;
/// Rounds at each position without which nothing is said: noise of ratios goes either way, and
/// the middle of two is wrong where one of them was disturbed.
const FEWEST: usize = 3;

/// Where a difference between two sides is.
#[derive(Debug, Clone, PartialEq)]
pub enum LayoutVerdict {
    /// At every position, in the same direction: it is one of the code.
    AllPositions,
    /// At some positions it is another than at the rest.
    SomePositions {
        /// Those, and what the candidate costs there relative to the baseline, lowest first.
        there: Vec<(u8, f64)>,
        /// The same at all other positions.
        elsewhere: f64,
    },
    /// The rounds do not tell: there are too few at a position, the sides do not differ clearly at
    /// each, or they were not placed.
    Unknown,
}

impl LayoutVerdict {
    /// Of the costs of baseline and candidate in each round, both with their library at the same
    /// position; of one of them only, where it is none.
    ///
    /// Positions where the candidate's ratio is surely another than at most others are found as
    /// those are where a call costs another ([`Level::differs`]). Where there are none, a
    /// difference is one of all positions that at each of them is larger than two standard errors,
    /// and to the same side.
    #[must_use]
    pub fn of(rounds: &[(Option<u8>, [f64; 2])]) -> Self {
        let ratios = rounds.iter().map(|(position, [baseline, candidate])| {
            let ratio = (candidate / baseline).ln();
            Some((position.as_ref().copied()?, Some(ratio).filter(|it| it.is_finite())?))
        });
        let Some(ratios) = ratios.collect::<Option<Vec<(u8, f64)>>>() else {
            return LayoutVerdict::Unknown;
        };
        let levels = positions::levels_of_middles(&ratios);
        if levels.len() < 2 || levels.iter().any(|level| level.rounds < FEWEST) {
            return LayoutVerdict::Unknown;
        }
        let (odd, others): (Vec<Level>, Vec<Level>) =
            levels.iter().copied().partition(|level| level.differs);
        let centres: Vec<f64> = others.iter().map(|level| level.centre).collect();
        let Some(elsewhere) = cpb_stats::mean(&centres) else { return LayoutVerdict::Unknown };
        if !odd.is_empty() {
            let there = odd.iter().map(|level| (level.position, level.centre.exp())).collect();
            return LayoutVerdict::SomePositions { there, elsewhere: elsewhere.exp() };
        }
        let differs = |level: &Level| {
            let is_alike = level.centre * elsewhere > 0.0;
            is_alike && level.centre.abs() > AT_EACH * level.standard_error
        };
        if levels.iter().all(differs) {
            LayoutVerdict::AllPositions
        } else {
            LayoutVerdict::Unknown
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use fastrand::Rng;

    /// Rounds in turn at eight positions, whose sides each have a noise and a cost of their own.
    fn rounds(seed: u64, count: usize, costs: [[f64; 8]; 2]) -> Vec<(Option<u8>, [f64; 2])> {
        let mut rng = Rng::with_seed(seed);
        let mut noise = || {
            let tail = if rng.f64() < 0.25 { -0.006 * (1.0 - rng.f64()).ln() } else { 0.0 };
            1.0 + 0.004 * (rng.f64() + rng.f64() + rng.f64() - 1.5) + tail
        };
        let at = |round: usize| {
            (Some((round % 8) as u8), [0, 1].map(|side| costs[side][round % 8] * noise()))
        };
        (0..count).map(at).collect()
    }

    fn slow_at(position: usize) -> [f64; 8] {
        let mut costs = [600.0; 8];
        costs[position] = 655.0;
        costs
    }

    const SAME: [f64; 8] = [600.0; 8];
    const SEEDS: std::ops::Range<u64> = 0..200;

    #[test]
    fn a_change_of_code_is_at_all_positions() {
        for (count, least) in [(24, 180), (40, 195), (80, 198)] {
            let changed = slow_at(7).map(|cost| cost * 1.03);
            let verdicts =
                SEEDS.map(|seed| LayoutVerdict::of(&rounds(seed, count, [slow_at(7), changed])));
            let verdicts: Vec<LayoutVerdict> = verdicts.collect();
            let right = verdicts.iter().filter(|it| **it == LayoutVerdict::AllPositions).count();
            let unknown = verdicts.iter().filter(|it| **it == LayoutVerdict::Unknown).count();
            println!("3 % in all, {count} rounds: {right} all, {unknown} unknown of 200");
            assert!(right >= least && right + unknown >= 192, "{count}: {right} {unknown}");
        }
    }

    #[test]
    fn a_change_of_layout_is_where_it_is() {
        for count in [24, 40, 80] {
            // What was padded is slow at another position.
            for (sides, at) in [([slow_at(7), SAME], &[7][..]), ([slow_at(7), slow_at(6)], &[6, 7])]
            {
                let right =
                    SEEDS.filter(|&seed| match LayoutVerdict::of(&rounds(seed, count, sides)) {
                        LayoutVerdict::SomePositions { there, elsewhere } => {
                            there.iter().map(|it| it.0).eq(at.iter().copied())
                                && (elsewhere - 1.0).abs() < 0.01
                        }
                        _ => false,
                    });
                let right = right.count();
                println!("layout at {at:?}, {count} rounds: {right} right of 200");
                assert!(right >= 190, "{at:?} {count}: {right}");
            }
        }
    }

    #[test]
    fn equal_sides_differ_nowhere() {
        for count in [24, 40, 80] {
            let told = SEEDS.filter(|&seed| {
                LayoutVerdict::of(&rounds(seed, count, [slow_at(7); 2])) != LayoutVerdict::Unknown
            });
            let told = told.count();
            println!("equal sides, {count} rounds: {told} of 200 told");
            assert!(told <= 8, "{count}: {told}");
        }
    }

    #[test]
    fn what_was_not_placed_tells_nothing() {
        let mut placed = rounds(1, 40, [SAME, SAME.map(|cost| cost * 1.1)]);
        assert_eq!(LayoutVerdict::of(&placed), LayoutVerdict::AllPositions);
        assert_eq!(LayoutVerdict::of(&placed[..16]), LayoutVerdict::Unknown);
        assert_eq!(LayoutVerdict::of(&[]), LayoutVerdict::Unknown);
        placed[3].0 = None;
        assert_eq!(LayoutVerdict::of(&placed), LayoutVerdict::Unknown);
        placed[3] = (Some(3), [0.0, 1.0]);
        assert_eq!(LayoutVerdict::of(&placed), LayoutVerdict::Unknown);
    }
}
