//! Goes through the rounds of a design.

use crate::schedule::budget::Budget;
use crate::schedule::design::{Design, Time};
use crate::schedule::known_loops::KnownLoops;
use crate::schedule::rows::{Rows, Seen};
use cpb_model::{Failure, Verification};
use std::collections::VecDeque;
use std::time::Duration;

/// The next step.
pub(crate) enum Step {
    /// Measure these rows, one after the other, until one fails.
    Unit(Vec<usize>),
    /// End the workers of this round.
    EndOfRound {
        /// Whether all of the round was measured.
        is_whole: bool,
    },
    Done,
}

/// Runs through the rounds of a design.
pub(crate) struct Scheduler<D: Design> {
    pub(super) design: D,
    pub(super) rows: Rows,
    pub(super) known_loops: KnownLoops,
    pub(super) budget: Budget,
    /// The current round, with its remaining units.
    round: Option<u32>,
    units: VecDeque<Vec<usize>>,
    /// Jobs that must follow it.
    sure: u64,
    /// Jobs begun, and expected in total.
    pub(super) done: u64,
    pub(super) expected: u64,
    /// Whether a round was cut short, after which none begins.
    is_cut: bool,
}

impl<D: Design> Scheduler<D> {
    /// Creates a scheduler for verified rows.
    pub(super) fn new(
        design: D,
        verified: Vec<Result<Verification, Failure>>,
        budget: Budget,
    ) -> Self {
        Self {
            design,
            rows: Rows::of(verified),
            known_loops: KnownLoops::new(),
            budget,
            round: None,
            units: VecDeque::new(),
            sure: 0,
            done: 0,
            expected: 0,
            is_cut: false,
        }
    }

    /// Returns the next step after everything before is done; nothing new begins once `is_stopped`,
    /// or once a maximum budget is spent.
    pub(super) fn next(&mut self, seen: Seen<'_>, is_stopped: bool) -> Step {
        if self.round.is_none() {
            let time = match (self.is_cut, seen.now >= self.budget.end) {
                (true, _) => Time::Over,
                (false, true) => Time::Late,
                (false, false) => Time::Left,
            };
            let round = self.design.round(&mut self.rows, seen, time);
            let Some(round) = round.filter(|round| !round.units.is_empty()) else {
                return Step::Done;
            };
            let jobs = round.units.iter().map(Vec::len).sum::<usize>() as u64;
            self.expected = self.done + jobs * (1 + round.to_come);
            self.sure = jobs * round.sure;
            (self.round, self.units) = (Some(round.number), round.units.into());
        }
        if self.units.is_empty() {
            self.round = None;
            return Step::EndOfRound { is_whole: true };
        }
        if is_stopped || self.budget.is_over(seen.now) {
            (self.round, self.is_cut) = (None, true);
            return Step::EndOfRound { is_whole: false };
        }
        self.units.pop_front().map_or(Step::Done, Step::Unit)
    }

    /// Returns the job of a row in the current unit, of which `left` rows remain, and how long it
    /// may take.
    pub(super) fn begin(&mut self, row: usize, left: usize, now: Duration) -> (D::Job, Duration) {
        let left = left + self.units.iter().map(Vec::len).sum::<usize>();
        self.done += 1;
        let job = self.design.job(row, self.round.unwrap_or_default());
        (job, self.budget.patience(now, left as u64 + self.sure))
    }

    /// Records a lost round for all rows of `unit`, because one of them could not be measured.
    pub(super) fn lose(&mut self, unit: &[usize], row: usize, failure: Failure) {
        let measured = self.rows.states[row].rounds;
        let first = unit.iter().copied().min().unwrap_or(row);
        if let Some(failure) = self.rows.states[first].losses.count(failure, measured) {
            self.rows.fail(row, failure);
        }
    }
}
