//! Finds the code that the calls of rows run, by tracing each in a worker that times nothing.

mod memory;
mod unused;

pub use memory::PathMemory;

use crate::implementation::Implementation;
use crate::plan::Row;
use crate::plan::library::LibrarySpec;
use crate::selftest;
use crate::workers::machine::Worker as _;
use crate::workers::process::Worker;
use crate::workers::time_limits::Bounds;
use crate::workers::tracing::Untraced;
use cpb_libraries::NATIVE;
use cpb_model::{CodePath, Contract, TracedCall};
use cpb_trace::{Limits, NotTraced, Place, Traced};
use std::collections::{BTreeMap, BTreeSet};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// Specifies what is traced, with its limits.
#[derive(Debug, Clone)]
pub struct TracePlan<'a> {
    /// The libraries of the rows.
    pub libraries: &'a [LibrarySpec],
    /// The rows; one call of each length is traced.
    pub rows: &'a [Row],
    /// The limit of instructions per call.
    pub instructions: u64,
    /// The limit of time per call.
    pub time: Duration,
    /// Whether to record data read from files and the heap use of making objects, which both take
    /// time.
    pub has_resources: bool,
    /// The time limit of a worker for everything else.
    pub timeout: Duration,
}

/// The code of a call: instructions by function, identified by file and address.
type Code = BTreeMap<(String, u64), u64>;

/// Traces the calls of each row, and reports the calls done and their total to `progress`. `None`
/// for rows not reached before `stop`.
pub fn trace_paths(
    plan: &TracePlan<'_>,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(u64, u64, &Row),
) -> Vec<Option<CodePath>> {
    let expected = plan.rows.iter().map(|row| row.lengths.len() as u64).sum();
    let mut done = 0;
    let mut paths = vec![None; plan.rows.len()];
    for library in plan.libraries {
        let label = library.label();
        let mut worker = None;
        for (index, row) in plan.rows.iter().enumerate() {
            if row.subject.library != label {
                continue;
            }
            let mut path = CodePath::default();
            let mut before: Option<Code> = None;
            for &length in &row.lengths {
                if stop.load(Ordering::Relaxed) {
                    return paths;
                }
                progress(done, expected, row);
                done += 1;
                let makes_objects = plan.has_resources && path.calls.is_empty() && has_objects(row);
                let call = (row, length);
                let traced = traced_call(plan, library, call, makes_objects, &mut worker, stop);
                let (call, code) = match traced {
                    Ok(Traced { call, places, objects }) => {
                        path.objects = path.objects.or(objects);
                        let code = by_file(&call, &places);
                        let new_code = before.as_ref().map(|it| changed(it, &code));
                        (TracedCall { length, new_code, ..call }, Some(code))
                    }
                    Err(reason) => (TracedCall::not_traced(length, reason), None),
                };
                path.calls.push(call);
                before = code.or(before);
            }
            path.unused = unused::of(row, library, &path.calls);
            paths[index] = Some(path);
        }
    }
    paths
}

/// Whether calls of `row` use objects made by a library. Built-in implementations make none that
/// can be told from cpb's own.
fn has_objects(row: &Row) -> bool {
    let is_own = [NATIVE, selftest::NAME].contains(&row.subject.library.as_str());
    row.workload.contract != Contract::Oneshot && !is_own
}

/// Traces one call of `row` at this length, in a worker that is reused as long as nothing fails.
fn traced_call(
    plan: &TracePlan<'_>,
    library: &LibrarySpec,
    (row, length): (&Row, usize),
    makes_objects: bool,
    worker: &mut Option<Worker>,
    stop: &AtomicBool,
) -> Result<Traced, String> {
    let mut own = match worker.take() {
        Some(worker) => worker,
        None => {
            let started = Worker::start(library, false, None, Bounds::timeout(plan.timeout));
            started.map_err(|failure| failure.reason)?.0
        }
    };
    let implementation = Implementation::of_subject(&row.subject);
    let TracePlan { instructions, time, has_resources: reads_data, .. } = *plan;
    let limits = Limits { instructions, time, reads_data };
    let traced = own.trace(implementation, row.call(length), makes_objects, limits, stop);
    if traced.is_ok() && !own.is_gone() {
        *worker = Some(own);
    }
    match traced {
        Ok(traced) => Ok(traced),
        Err(Untraced::Failed(failure)) => Err(failure.reason),
        // The call itself may still be traceable.
        Err(Untraced::NotTraced(NotTraced::Making(_))) => {
            traced_call(plan, library, (row, length), false, worker, stop)
        }
        Err(Untraced::NotTraced(reason)) => Err(reason.to_string()),
    }
}

fn by_file(call: &TracedCall, places: &[(Place, u64)]) -> Code {
    let file =
        |module: usize| call.modules.get(module).map(|it| it.file.clone()).unwrap_or_default();
    places.iter().map(|((module, at), count)| ((file(*module), *at), *count)).collect()
}

/// Returns the share of a call's instructions in code that the other call did not run, whichever
/// share is larger.
fn changed(shorter: &Code, longer: &Code) -> f64 {
    let share = |of: &Code, other: &Code| {
        let ran: BTreeSet<_> = other.keys().collect();
        let all: u64 = of.values().sum();
        let new: u64 = of.iter().filter(|(at, _)| !ran.contains(at)).map(|(_, count)| count).sum();
        new as f64 / all.max(1) as f64
    };
    share(shorter, longer).max(share(longer, shorter))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code(places: &[(u64, u64)]) -> Code {
        places.iter().map(|&(at, count)| (("x".to_owned(), at), count)).collect()
    }

    #[test]
    fn a_loop_run_more_often_is_no_other_path_and_another_loop_is_one() {
        let short = code(&[(1, 1), (2, 4), (3, 1)]);
        assert_eq!(changed(&short, &code(&[(1, 1), (2, 64), (3, 1)])), 0.0);
        assert_eq!(changed(&short, &code(&[(1, 1), (2, 1), (9, 98)])), 0.98);
        // Code that only the shorter call runs is as much of a change.
        assert_eq!(changed(&code(&[(1, 1), (9, 3)]), &code(&[(1, 4)])), 0.75);
    }
}
