//! What a comparison has of one pair of rows.

use super::Pair;
use crate::crew::Losses;
use crate::plan::Row;
use crate::summary::{self, Cell};
use crate::verification;
use cpb_model::{Failure, Record, Verification};
use cpb_stats::Rounds;
use cpb_stats::looks::LOOKS;
use cpb_stats::standing;

/// Sides whose costs differ by no more than this factor get the same batches.
const SIMILAR_COSTS: f64 = 2.0;

pub(super) struct State<'a> {
    pub(super) sides: [Side<'a>; 2],
    pub(super) losses: Losses,
    /// The rounds in which both sides were measured.
    pub(super) numbers: Vec<usize>,
    /// What the last look was at.
    pub(super) counted: Rounds,
}

pub(super) struct Side<'a> {
    pub(super) row: &'a Row,
    /// By length.
    pub(super) cells: Vec<Cell>,
    pub(super) verification: Option<Verification>,
    pub(super) failure: Option<Failure>,
}

impl State<'_> {
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
            let last = |cell| summary::round_costs(cell, false).last().map(|(cost, _)| cost);
            if let Some(costs) = last(a).zip(last(b)) {
                [a.calls, b.calls] = same_batches([a.calls, b.calls], costs);
            }
        }
    }

    /// The cost of both sides in each round that counts: of those on a quiet
    /// core, where they are enough, and of all otherwise. Too few of them for an
    /// interval are no reason to take the others while more may come.
    pub(super) fn rounds(&self, is_last: bool) -> Rounds {
        let [baseline, candidate] = &self.sides;
        let pairs = baseline.cells.iter().zip(&candidate.cells);
        let all: Vec<Vec<([f64; 2], bool)>> = pairs
            .map(|(baseline, candidate)| {
                let long = summary::are_long(baseline) || summary::are_long(candidate);
                let costs = |cell| summary::round_costs(cell, long);
                costs(baseline)
                    .zip(costs(candidate))
                    .map(|((a, a_busy), (b, b_busy))| ([a, b], a_busy || b_busy))
                    .collect()
            })
            .collect();
        // Whether a round was a busy one is the same for all lengths.
        let busy: Vec<bool> = all.first().into_iter().flatten().map(|(_, busy)| *busy).collect();
        let quiet = busy.iter().filter(|busy| !**busy).count();
        let only_quiet = are_quiet_enough(quiet, busy.len(), is_last);
        let counts = |busy: bool| !(only_quiet && busy);
        let numbers = self.numbers.iter().zip(&busy).filter(|(_, busy)| counts(**busy));
        let costs = |rounds: Vec<([f64; 2], bool)>| {
            let kept = rounds.into_iter().filter(|(_, busy)| counts(*busy));
            kept.map(|(costs, _)| costs).collect()
        };
        Rounds {
            numbers: numbers.map(|(number, _)| *number).collect(),
            by_length: all.into_iter().map(costs).collect(),
        }
    }

    pub(super) fn finish(mut self, findings: standing::Line, seed: u64, interrupted: bool) -> Pair {
        let has_rounds = self.counted.by_length.iter().all(|rounds| !rounds.is_empty());
        if !has_rounds && self.failure().is_none() {
            let interrupted = interrupted.then(verification::interrupted);
            let failure = self.losses.failure().or(interrupted);
            self.sides.iter_mut().for_each(|side| side.failure.clone_from(&failure));
        }
        let has_failed = self.failure().is_some();
        let rounds = if has_failed { Vec::new() } else { self.counted.by_length };
        let records = self.sides.map(|side| {
            let row = side.row;
            let cells = if has_failed { &[] } else { side.cells.as_slice() };
            Record {
                subject: row.subject.clone(),
                output_bytes: row.output_bytes,
                contract: row.contract,
                method: row.method(),
                verification: side.verification,
                points: summary::points(row, cells, seed),
                line: summary::line(row, cells, seed),
                precise: None,
                failure: side.failure,
            }
        });
        Pair { records, rounds, findings }
    }
}

/// Whether `quiet` of `rounds` do without the others. At the last look they must
/// be enough for an interval: no more will come.
fn are_quiet_enough(quiet: usize, rounds: usize, is_last: bool) -> bool {
    summary::are_enough(quiet, rounds) && (quiet >= LOOKS[0] || !is_last)
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
    fn busy_rounds_count_where_the_last_look_has_too_few_others() {
        for (quiet, rounds, before, at_last) in [
            (10, 10, true, true),
            (9, 10, true, false),
            (10, 40, true, true),
            (9, 40, false, false),
        ] {
            let enough = [false, true].map(|last| are_quiet_enough(quiet, rounds, last));
            assert_eq!(enough, [before, at_last], "{quiet} of {rounds}");
        }
    }

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
