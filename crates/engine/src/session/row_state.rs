//! What is known of a row while it is measured.

use crate::plan::Row;
use crate::workers::Losses;
use cpb_model::{EventCounts, Failure, Line, Point, Record, Verification};

/// What a row has so far, beside its samples.
#[derive(Default)]
pub(super) struct RowState {
    /// Calls in each sample, in the order of a job's, once they are known.
    pub(super) calls: Vec<Option<u64>>,
    pub(super) rounds: u32,
    pub(super) verification: Option<Verification>,
    pub(super) failure: Option<Failure>,
    pub(super) losses: Losses,
    pub(super) precise: bool,
    /// Whether it is known as well as what cannot be the fastest need be.
    pub(super) is_coarse: bool,
    /// Whether it is known not to be the fastest.
    pub(super) is_behind: bool,
    /// What was last known of it.
    pub(super) points: Vec<Point>,
    pub(super) line: Option<Line>,
    /// What else the core counted, in each round by length.
    pub(super) events: Vec<Vec<Option<EventCounts>>>,
    /// Why calls were not made one by one, where that was asked for.
    pub(super) no_dependence: Option<String>,
}

impl RowState {
    /// Forgets what was known by another measure of quiet.
    pub(super) fn forget_figures(&mut self) {
        (self.precise, self.is_behind) = (false, false);
        (self.points, self.line) = (Vec::new(), None);
    }

    /// The record of `row`, which is this one, by these `figures`.
    pub(super) fn record(
        &self,
        row: &Row,
        figures: Result<(Vec<Point>, Option<Line>), Failure>,
        precise: Option<bool>,
    ) -> Record {
        Record {
            no_dependence: self.no_dependence.clone(),
            precise,
            ..row.record(self.verification.clone(), figures)
        }
    }
}
