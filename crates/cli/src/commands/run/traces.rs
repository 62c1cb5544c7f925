//! Traces the calls of a run, and finds their costs besides cycles.

use crate::commands::path;
use crate::interrupt::Interrupt;
use crate::library_set::LibrarySet;
use cpb_engine::{PathMemory, Row};
use cpb_model::Run;
use std::time::Duration;

/// Gives the records of `run`, except failed ones, their paths: traced now, if workers have this
/// `timeout`, or by an earlier trace of the same builds; and, if wanted, their costs besides cycles.
pub(super) fn add(
    run: &mut Run,
    rows: &[Row],
    libraries: &LibrarySet,
    timeout: Option<Duration>,
    has_costs: bool,
    stop: &Interrupt,
) {
    let is_measured =
        |place: &usize| run.records.get(*place).is_some_and(|it| it.failure.is_none());
    let places: Vec<usize> = (0..rows.len()).filter(is_measured).collect();
    let rows: Vec<Row> = places.iter().map(|&place| rows[place].clone()).collect();
    let (memory, usable) = (PathMemory::of(&run.host), libraries.usable());
    let paths = match timeout {
        Some(timeout) => {
            let most = path::INSTRUCTIONS;
            let paths = path::trace(&rows, libraries, most, has_costs, timeout, stop);
            memory.keep(&rows, &usable, &paths);
            paths
        }
        None => memory.recall(&rows, &usable),
    };
    let costs = match timeout.filter(|_| has_costs) {
        Some(timeout) => path::costs(&rows, &paths, libraries, timeout, stop),
        None => vec![None; rows.len()],
    };
    for (place, (path, costs)) in places.into_iter().zip(paths.into_iter().zip(costs)) {
        run.records[place].path = path;
        run.records[place].costs = costs;
    }
}
