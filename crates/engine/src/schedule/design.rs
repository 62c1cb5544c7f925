//! Defines designs, which decide what is measured in each round.

use crate::plan::Row;
use crate::schedule::rows::{Rows, Seen};
use cpb_figures::PointSamples;
use cpb_model::Record;

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
