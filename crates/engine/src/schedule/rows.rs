//! Keeps the state of all rows of a measurement, whatever its design.

use crate::failures::{interrupted, no_time};
use crate::schedule::lost_rounds::LostRounds;
use cpb_figures::QuietCriterion;
use cpb_model::{Calibration, Failure, Verification};
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
    pub(super) losses: LostRounds,
}

/// All rows, by their index in the plan.
pub(crate) struct Rows {
    pub(crate) states: Vec<RowState>,
    /// Rows that failed and were not yet reported.
    pub(super) fresh_failures: Vec<usize>,
    /// Whether the user interrupted the measurement.
    pub(crate) is_interrupted: bool,
}

impl Rows {
    pub(super) fn of(verified: Vec<Result<Verification, Failure>>) -> Self {
        let mut rows =
            Self { states: Vec::new(), fresh_failures: Vec::new(), is_interrupted: false };
        for (row, verdict) in verified.into_iter().enumerate() {
            let (verification, failure) = match verdict {
                Ok(verification) => (Some(verification), None),
                Err(failure) => (None, Some(failure)),
            };
            let nobody_is_told = [interrupted(), no_time()];
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
            true => interrupted(),
            false => no_time(),
        };
        unit.first().and_then(|&row| self.states.get(row)?.losses.failure()).unwrap_or_else(no_more)
    }
}
