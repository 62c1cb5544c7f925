//! Traces the calls of a run, and finds their costs besides cycles.

use crate::commands::path;
use crate::interrupt::Interrupt;
use crate::library_set::LibrarySet;
use cpb_engine::{PathMemory, Row};
use cpb_model::Run;
use std::time::Duration;

/// What is found about calls after they were measured.
pub(super) struct Traces<'a> {
    /// The time limit of a worker; nothing is traced without it.
    pub(super) timeout: Option<Duration>,
    /// Whether to find costs besides cycles.
    pub(super) has_costs: bool,
    pub(super) libraries: &'a LibrarySet,
    pub(super) stop: &'a Interrupt,
}

impl Traces<'_> {
    /// Gives the records of `run`, except failed ones, their paths, traced now or by an earlier
    /// trace of the same builds, and their costs.
    pub(super) fn add(&self, run: &mut Run, rows: &[Row]) {
        let is_measured =
            |place: &usize| run.records.get(*place).is_some_and(|it| it.failure.is_none());
        let places: Vec<usize> = (0..rows.len()).filter(is_measured).collect();
        let rows: Vec<Row> = places.iter().map(|&place| rows[place].clone()).collect();
        let Self { libraries, stop, .. } = *self;
        let (memory, usable) = (PathMemory::of(&run.host), libraries.usable());
        let paths = match self.timeout {
            Some(timeout) => {
                let paths = path::trace(
                    &rows,
                    libraries,
                    path::INSTRUCTIONS,
                    self.has_costs,
                    timeout,
                    stop,
                );
                memory.keep(&rows, &usable, &paths);
                paths
            }
            None => memory.recall(&rows, &usable),
        };
        let costs = match self.timeout.filter(|_| self.has_costs) {
            Some(timeout) => path::costs(&rows, &paths, libraries, timeout, stop),
            None => vec![None; rows.len()],
        };
        for (place, (path, costs)) in places.into_iter().zip(paths.into_iter().zip(costs)) {
            run.records[place].path = path;
            run.records[place].costs = costs;
        }
    }
}
