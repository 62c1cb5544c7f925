//! What a comparison has of one pair of rows.

use super::Pair;
use crate::plan::Row;
use crate::verification;
use crate::workers::Losses;
use cpb_figures::Cell;
use cpb_model::{Failure, Verification};
use cpb_stats::Rounds;
use cpb_stats::looks::LOOKS;
use cpb_stats::verdicts;

/// Sides whose costs differ by no more than this factor get the same batches.
const SIMILAR_COSTS: f64 = 2.0;

pub(super) struct State<'a> {
    pub(super) sides: [Side<'a>; 2],
    pub(super) losses: Losses,
    /// The rounds in which both sides were measured.
    pub(super) numbers: Vec<usize>,
    /// What the last look was at, and whether all of it was on a quiet core.
    pub(super) counted: Rounds,
    pub(super) is_quiet: bool,
}

pub(super) struct Side<'a> {
    pub(super) row: &'a Row,
    /// By length.
    pub(super) cells: Vec<Cell>,
    pub(super) verification: Option<Verification>,
    pub(super) failure: Option<Failure>,
}

impl State<'_> {
    /// Begins anew, but for how many calls make a batch.
    pub(super) fn forget_rounds(&mut self) {
        self.numbers.clear();
        for cell in self.sides.iter_mut().flat_map(|side| &mut side.cells) {
            cell.forget_rounds();
        }
    }

    pub(super) fn failure(&self) -> Option<&Failure> {
        self.sides.iter().find_map(|side| side.failure.as_ref())
    }

    /// Gives both sides the same calls in a batch from now on. The first process
    /// of each found its own, and one that was interrupted as it did finds few; a
    /// call of a short batch costs some percent more, in every round, and no order
    /// of sides averages that out.
    pub(super) fn agree_on_batches(&mut self) {
        let [baseline, candidate] = &mut self.sides;
        for (a, b) in baseline.cells.iter_mut().zip(&mut candidate.cells) {
            let last = |cell: &Cell| cell.all_costs(false).last();
            if let Some(costs) = last(a).zip(last(b)) {
                [a.calls, b.calls] = same_batches([a.calls, b.calls], costs);
            }
        }
    }

    /// The cost of both sides in each round that counts: of those in which both
    /// were on a quiet core at all lengths. At the last look, where these are too
    /// few for an interval, of all rounds: then the second value is false.
    pub(super) fn rounds(&self, is_last: bool) -> (Rounds, bool) {
        let costs = self.costs();
        let rounds = costs.iter().map(Vec::len).min().unwrap_or(0);
        let is_quiet = |&round: &usize| costs.iter().all(|costs| costs[round].quiet.is_some());
        let quiet: Vec<usize> = (0..rounds).filter(is_quiet).collect();
        let only_quiet = quiet.len() >= LOOKS[0] || !is_last;
        let counting = if only_quiet { quiet } else { (0..rounds).collect() };
        let cost = |costs: &Costs| if only_quiet { costs.quiet } else { Some(costs.all) };
        let of_length =
            |costs: &Vec<Costs>| counting.iter().filter_map(|&round| cost(&costs[round])).collect();
        let counted = Rounds {
            numbers: counting.iter().map(|&round| self.numbers[round]).collect(),
            // Beside neighbours a position differs for what these did meanwhile.
            positions: (self.positions(&counting).filter(|_| only_quiet)).unwrap_or_default(),
            by_length: costs.iter().map(of_length).collect(),
        };
        (counted, only_quiet)
    }

    /// Where both sides lay in each of these rounds; `None` where that is not one position.
    fn positions(&self, rounds: &[usize]) -> Option<Vec<u8>> {
        let of_side =
            |side: &Side<'_>| -> Option<Vec<u8>> { side.cells.first()?.positions().collect() };
        let [baseline, candidate] = self.sides.each_ref().map(of_side);
        let both = baseline.filter(|baseline| Some(baseline) == candidate.as_ref())?;
        rounds.iter().map(|&round| both.get(round).copied()).collect()
    }

    /// What both sides cost in each round, by length.
    fn costs(&self) -> Vec<Vec<Costs>> {
        let [baseline, candidate] = &self.sides;
        let pairs = baseline.cells.iter().zip(&candidate.cells);
        pairs
            .map(|(baseline, candidate)| {
                let long = baseline.is_long() || candidate.is_long();
                let all = baseline.all_costs(long).zip(candidate.all_costs(long));
                let quiet = baseline.quiet_costs(long).zip(candidate.quiet_costs(long));
                all.zip(quiet)
                    .map(|((a, b), (quiet_a, quiet_b))| Costs {
                        all: [a, b],
                        quiet: quiet_a.zip(quiet_b).map(|(a, b)| [a, b]),
                    })
                    .collect()
            })
            .collect()
    }

    pub(super) fn finish(mut self, findings: verdicts::Line, seed: u64, interrupted: bool) -> Pair {
        let has_rounds = self.counted.by_length.iter().all(|rounds| !rounds.is_empty());
        if !has_rounds && self.failure().is_none() {
            let no_more = match interrupted {
                true => verification::interrupted,
                false => verification::no_time,
            };
            let failure = self.losses.failure().unwrap_or_else(no_more);
            self.sides.iter_mut().for_each(|side| side.failure = Some(failure.clone()));
        }
        let has_failed = self.failure().is_some();
        let at_all_positions = self.counted.differ_at_all_positions();
        let rounds = if has_failed { Vec::new() } else { self.counted.by_length };
        let records = self.sides.map(|side| {
            let row = side.row;
            let cells = if has_failed { &[] } else { side.cells.as_slice() };
            let (points, line) = row.asked(seed).figures(cells);
            let figures = side.failure.map_or(Ok((points, line)), Err);
            row.record(side.verification, figures)
        });
        Pair { records, rounds, findings, at_all_positions, is_quiet: self.is_quiet }
    }
}

/// What both sides cost in one round, in cycles per call: whatever neighbours
/// did, and on a quiet core, where there was one.
struct Costs {
    all: [f64; 2],
    quiet: Option<[f64; 2]>,
}

/// Calls in a batch of either side: the larger number for both, where a call
/// costs about as much.
fn same_batches(calls: [Option<u64>; 2], (a, b): (f64, f64)) -> [Option<u64>; 2] {
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
