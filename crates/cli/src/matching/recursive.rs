//! Measures recursive SHA-256 again.

use super::remeasurement::{MeasurementGoal, Remeasurement, Replacements};
use crate::arguments::Machine;
use crate::cli_error::CliError;
use crate::measurement_context::MeasurementContext;
use cpb_engine::recursive::{Plan, Setting};
use cpb_engine::{LibrarySpec, QuietMemory, SampleFile};
use cpb_model::Record;
use std::sync::atomic::AtomicBool;

/// Measures `records` again, with at least as many repetitions as rounds are wanted.
pub(super) fn remeasure(
    records: &[&Record],
    iterations: u64,
    targets: &Replacements<'_>,
    machine: &Machine,
    asked: MeasurementGoal,
    stop: &AtomicBool,
) -> Result<Remeasurement, CliError> {
    let invocation = MeasurementContext::on(machine)?;
    let chosen = records.iter().map(|record| setting(record, iterations, targets));
    let chosen: Vec<Result<Setting, String>> = chosen.collect();
    let of_many =
        |record: &Record| record.concurrent.as_ref().is_some_and(|it| !it.cpus.is_empty());
    let plan = Plan {
        settings: chosen.iter().flatten().cloned().collect(),
        iterations,
        repetitions: asked.at_least,
        max_time: asked.max_time.map(|time| invocation.left_of(time)),
        pin: records.iter().any(|record| of_many(record)),
        clock: invocation.clock().clone(),
        memory: QuietMemory::of(invocation.host()),
    };
    let run = invocation.recursive(&plan, stop);
    let place = |setting: Result<Setting, String>| {
        let setting = setting?;
        let is_it = |now: &Record| {
            let how = (setting.lanes(), setting.threads(), setting.backend_name());
            how == (now.setup.lanes, now.setup.threads, now.subject.backend.clone())
        };
        // Those that were interrupted before they began are left out.
        run.records.iter().position(is_it).ok_or_else(|| "it was not measured".to_owned())
    };
    let places = chosen.into_iter().map(place).collect();
    Ok(Remeasurement { samples: SampleFile::new(run.records.len()), run, asked: places })
}

/// Returns the setting that measures `record` again.
fn setting(
    record: &Record,
    iterations: u64,
    targets: &Replacements<'_>,
) -> Result<Setting, String> {
    let side = targets.target(&record.subject)?;
    if side.spec != LibrarySpec::installed(&record.subject.library) {
        return Err("recursive SHA-256 is cpb's own: no library takes its place".to_owned());
    }
    if record.concurrent.as_ref().and_then(|it| it.iterations) != Some(iterations) {
        return Err(format!("it is not of {iterations} iterations, as others here are"));
    }
    let backend = side.backend.as_ref().unwrap_or(&record.subject.backend);
    Setting::of_record(record, backend).map_err(|reason| reason.to_string())
}
