//! Keeps the state of one pair of rows in a comparison.

use cpb_figures::PointSamples;
use cpb_stats::Rounds;
use cpb_stats::looks::LOOKS;

/// Sides whose costs differ by no more than this factor get equal batches.
const SIMILAR_COSTS: f64 = 2.0;

pub(super) struct PairState {
    /// The rounds in which both sides were measured.
    pub(super) numbers: Vec<usize>,
    /// The rounds at the last look, and whether all of them were on a quiet core.
    pub(super) counted: Rounds,
    pub(super) is_quiet: bool,
}

impl Default for PairState {
    fn default() -> Self {
        Self { numbers: Vec::new(), counted: Rounds::default(), is_quiet: true }
    }
}

impl PairState {
    /// Counts the rounds in which both sides were on a quiet core at all lengths. At the last look,
    /// if those are too few for an interval, counts all rounds.
    pub(super) fn count(&mut self, sides: &[Vec<PointSamples>; 2], is_last: bool) {
        let costs = costs(sides);
        let rounds = costs.iter().map(Vec::len).min().unwrap_or(0);
        let is_quiet = |&round: &usize| costs.iter().all(|costs| costs[round].quiet.is_some());
        let quiet: Vec<usize> = (0..rounds).filter(is_quiet).collect();
        let only_quiet = quiet.len() >= LOOKS[0] || !is_last;
        let counting = if only_quiet { quiet } else { (0..rounds).collect() };
        let cost = |costs: &Costs| if only_quiet { costs.quiet } else { Some(costs.all) };
        let of_length =
            |costs: &Vec<Costs>| counting.iter().filter_map(|&round| cost(&costs[round])).collect();
        self.counted = Rounds {
            numbers: counting.iter().map(|&round| self.numbers[round]).collect(),
            // Beside neighbours, positions also differ by what the neighbours did meanwhile.
            positions: (positions(sides, &counting).filter(|_| only_quiet)).unwrap_or_default(),
            by_length: costs.iter().map(of_length).collect(),
        };
        self.is_quiet = only_quiet;
    }
}

/// Returns the position of both sides in each of these rounds; `None` unless both have the same.
fn positions(sides: &[Vec<PointSamples>; 2], rounds: &[usize]) -> Option<Vec<u8>> {
    let of_side =
        |cells: &Vec<PointSamples>| -> Option<Vec<u8>> { cells.first()?.positions().collect() };
    let [baseline, candidate] = sides.each_ref().map(of_side);
    let both = baseline.filter(|baseline| Some(baseline) == candidate.as_ref())?;
    rounds.iter().map(|&round| both.get(round).copied()).collect()
}

/// The cost of both sides in one round, in cycles per call: over all samples, and over quiet ones
/// if there are any.
struct Costs {
    all: [f64; 2],
    quiet: Option<[f64; 2]>,
}

/// Returns the cost of both sides in each round, by length.
fn costs([baseline, candidate]: &[Vec<PointSamples>; 2]) -> Vec<Vec<Costs>> {
    let of_length = |(baseline, candidate): (&PointSamples, &PointSamples)| {
        let long = baseline.is_long() || candidate.is_long();
        let all = baseline.all_costs(long).zip(candidate.all_costs(long));
        let quiet = baseline.quiet_costs(long).zip(candidate.quiet_costs(long));
        let costs = all.zip(quiet).map(|((a, b), (quiet_a, quiet_b))| Costs {
            all: [a, b],
            quiet: quiet_a.zip(quiet_b).map(|(a, b)| [a, b]),
        });
        costs.collect()
    };
    baseline.iter().zip(candidate).map(of_length).collect()
}

/// Returns the calls per batch of each side: the larger number for both if their calls cost about
/// as much.
pub(super) fn same_batches(calls: [Option<u64>; 2], (a, b): (f64, f64)) -> [Option<u64>; 2] {
    match calls {
        [Some(one), Some(other)] if a.max(b) <= SIMILAR_COSTS * a.min(b) => {
            [Some(one.max(other)); 2]
        }
        own => own,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sides_that_cost_about_as_much_get_the_same_batches() {
        for (own, costs, agreed) in [
            ([75, 3], (100.0, 107.0), [75, 75]),
            ([1, 2], (100.0, 50.0), [2, 2]),
            ([30, 3], (100.0, 1000.0), [30, 3]),
            ([3, 30], (100.0, 49.0), [3, 30]),
        ] {
            assert_eq!(same_batches(own.map(Some), costs), agreed.map(Some), "{own:?}");
        }
        assert_eq!(same_batches([None, Some(3)], (1.0, 1.0)), [None, Some(3)]);
    }
}
