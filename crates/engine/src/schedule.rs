//! Decides what is measured next from what was measured so far, without touching a process, a clock
//! or a pipe. [`carry_out`] lets an [`Executor`] carry it out.
//!
//! A measurement proceeds in rounds. For each, a [`Design`] names the rows that are still wanted,
//! in units that count together or not at all, and says when everything is done.

pub(crate) mod budget;
pub(crate) mod decided;
mod driver;
mod events;
mod gated;
mod pair;
pub(crate) mod precise;
pub(crate) mod quiet_rounds;
mod race;
pub(crate) mod sample_file;
#[cfg(test)]
mod toy;

#[cfg(test)]
use driver::drive;
pub(crate) use driver::{Executor, carry_out};
pub(crate) use gated::{Gated, Job};

use crate::plan::Row;
use crate::selftest::known_loops::KnownLoops;
use crate::verification;
use crate::workers::LostRounds;
use budget::Budget;
use cpb_figures::{PointSamples, QuietCriterion};
use cpb_model::{Calibration, Failure, Record, Verification};
use std::collections::VecDeque;
use std::time::Duration;

/// The executor's state at one moment.
#[derive(Clone, Copy)]
pub(crate) struct Seen<'a> {
    /// The time since the measurement began.
    pub(crate) now: Duration,
    /// The criterion that distinguishes quiet samples from others.
    pub(crate) gate: QuietCriterion,
    /// The calibrations of all workers so far.
    pub(crate) calibrations: &'a [Calibration],
}

/// The state of a row, whatever the design.
#[derive(Debug, Default)]
pub(crate) struct RowState {
    pub(crate) verification: Option<Verification>,
    pub(crate) failure: Option<Failure>,
    /// Rounds that count.
    pub(crate) rounds: u32,
    /// Rounds lost by the unit that starts with this row.
    losses: LostRounds,
}

/// All rows, by their index in the plan.
pub(crate) struct Rows {
    pub(crate) states: Vec<RowState>,
    /// Rows that failed and were not yet reported.
    fresh_failures: Vec<usize>,
    /// Whether the user interrupted the measurement.
    pub(crate) is_interrupted: bool,
}

impl Rows {
    fn of(verified: Vec<Result<Verification, Failure>>) -> Self {
        let mut rows =
            Self { states: Vec::new(), fresh_failures: Vec::new(), is_interrupted: false };
        for (row, verdict) in verified.into_iter().enumerate() {
            let (verification, failure) = match verdict {
                Ok(verification) => (Some(verification), None),
                Err(failure) => (None, Some(failure)),
            };
            let nobody_is_told = [verification::interrupted(), verification::no_time()];
            if failure.as_ref().is_some_and(|failure| !nobody_is_told.contains(failure)) {
                rows.fresh_failures.push(row);
            }
            rows.states.push(RowState { verification, failure, ..RowState::default() });
        }
        rows
    }

    /// Gives up a row.
    pub(crate) fn fail(&mut self, row: usize, failure: Failure) {
        self.states[row].failure = Some(failure);
        self.fresh_failures.push(row);
    }

    pub(crate) fn has_failed(&self, row: usize) -> bool {
        self.states[row].failure.is_some()
    }

    /// Returns why a row has no rounds that count: what its unit lost them to, or the end of the
    /// measurement.
    pub(crate) fn why_nothing(&self, unit: &[usize]) -> Failure {
        let no_more = || match self.is_interrupted {
            true => verification::interrupted(),
            false => verification::no_time(),
        };
        unit.first().and_then(|&row| self.states.get(row)?.losses.failure()).unwrap_or_else(no_more)
    }
}

/// A round that a design requests.
pub(crate) struct Round {
    pub(crate) number: u32,
    /// The units in the order in which they are measured.
    pub(crate) units: Vec<Vec<usize>>,
    /// The number of such rounds expected to follow, and the minimum of them, which share the time.
    pub(crate) to_come: u64,
    pub(crate) sure: u64,
}

/// States how much time is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Time {
    Left,
    /// No further round is measured, unless it is required.
    Late,
    /// Nothing more is measured.
    Over,
}

/// Decides what is measured, and for how long.
pub(crate) trait Design {
    /// The job that an executor runs.
    type Job;
    /// The result of a job.
    type Taken;

    fn row(&self, row: usize) -> &Row;

    /// Returns the next round; `None`, or one without units, once all is done.
    fn round(&mut self, rows: &mut Rows, seen: Seen<'_>, time: Time) -> Option<Round>;

    fn job(&self, row: usize, round: u32) -> Self::Job;

    /// Takes the results of a unit.
    fn take(&mut self, rows: &mut Rows, unit: Vec<(usize, Self::Taken)>, seen: Seen<'_>);

    /// Called after a round, once all its units were measured.
    fn end_round(&mut self, rows: &mut Rows, seen: Seen<'_>, is_over: bool);

    /// Returns the rows' records so far; empty if unfinished rows have none.
    fn snapshot(&self, _rows: &Rows, _seen: Seen<'_>) -> Vec<Record> {
        Vec::new()
    }

    /// Returns the final records of all rows.
    fn finish(&mut self, rows: &mut Rows, seen: Seen<'_>) -> Vec<Record> {
        self.snapshot(rows, seen)
    }

    /// Returns the job that runs a loop of known cycles, with this number of calls per sample.
    /// Returns `None` if the design runs no such loops.
    fn known_loop(&self, _row: &Row, _calls: Option<u64>) -> Option<Self::Job> {
        None
    }

    /// Adds the result of such a job to the samples of its loop.
    fn add_known_loop(&self, _so_far: &mut PointSamples, _taken: Self::Taken, _seen: Seen<'_>) {}
}

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
    design: D,
    rows: Rows,
    known_loops: KnownLoops,
    budget: Budget,
    /// The current round, with its remaining units.
    round: Option<u32>,
    units: VecDeque<Vec<usize>>,
    /// Jobs that must follow it.
    sure: u64,
    /// Jobs begun, and expected in total.
    done: u64,
    expected: u64,
    /// Whether a round was cut short, after which none begins.
    is_cut: bool,
}

impl<D: Design> Scheduler<D> {
    /// Creates a scheduler for verified rows.
    fn new(design: D, verified: Vec<Result<Verification, Failure>>, budget: Budget) -> Self {
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
    fn next(&mut self, seen: Seen<'_>, is_stopped: bool) -> Step {
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
    fn begin(&mut self, row: usize, left: usize, now: Duration) -> (D::Job, Duration) {
        let left = left + self.units.iter().map(Vec::len).sum::<usize>();
        self.done += 1;
        let job = self.design.job(row, self.round.unwrap_or_default());
        (job, self.budget.patience(now, left as u64 + self.sure))
    }

    /// Records a lost round for all rows of `unit`, because one of them could not be measured.
    fn lose(&mut self, unit: &[usize], row: usize, failure: Failure) {
        let measured = self.rows.states[row].rounds;
        let first = unit.iter().copied().min().unwrap_or(row);
        if let Some(failure) = self.rows.states[first].losses.count(failure, measured) {
            self.rows.fail(row, failure);
        }
    }
}
