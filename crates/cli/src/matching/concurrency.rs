//! Measures concurrent records again.

use super::{MeasurementGoal, Remeasurement, Replacements, libraries_of, planned};
use crate::arguments::Machine;
use crate::cli_error::CliError;
use crate::concurrency::ScaleRequest;
use crate::measurement_context::MeasurementContext;
use cpb_engine::{BackgroundLoad, Row, SampleFile, Size};
use cpb_model::{Host, Record};
use std::sync::atomic::AtomicBool;

/// Measures `records` again, with the libraries in `targets`: each row with all of their sizes, and
/// with one thread, to which these are compared.
pub(super) fn remeasure(
    records: &[&Record],
    targets: &Replacements<'_>,
    machine: &Machine,
    asked: MeasurementGoal,
    stop: &AtomicBool,
) -> Result<Remeasurement, CliError> {
    let invocation = MeasurementContext::on(machine)?;
    let sides: Vec<_> = records.iter().map(|it| targets.target(&it.subject)).collect();
    let libraries = libraries_of(sides.iter().flatten(), machine, asked.max_time);
    let mut sizes = vec![Size::ONE];
    let mut rows: Vec<(Row, BackgroundLoad)> = Vec::new();
    let mut add = |record: &Record, row: Row, load: BackgroundLoad| {
        let size = size(record);
        let is_known = |it: &(Row, BackgroundLoad)| it == &(row.clone(), load.clone());
        let row = rows.iter().position(is_known).unwrap_or_else(|| {
            rows.push((row.clone(), load.clone()));
            rows.len() - 1
        });
        let size = sizes.iter().position(|it| *it == size).unwrap_or_else(|| {
            sizes.push(size);
            sizes.len() - 1
        });
        (row, size)
    };
    let places = records.iter().zip(sides).map(|(record, live)| {
        let load = load(record)?;
        let row = planned(&libraries, record, &live?)?;
        Ok(add(record, row, load))
    });
    let places: Vec<Result<(usize, usize), String>> = places.collect();
    let shares_keys = records.iter().any(|record| record.setup.shares_keys);
    let count = sizes.len();
    let request = ScaleRequest::on(invocation.host(), sizes, rows);
    let cpus = cpus(records, invocation.host()).unwrap_or(request.cpus);
    let (rounds, precision) = (asked.at_least, Some(asked.precision));
    let request = ScaleRequest { cpus, shares_keys, rounds, precision, ..request };
    let run = request.measure(invocation, &libraries, asked.max_time, machine.timeout, stop);
    let samples = SampleFile::new(run.records.len());
    let place = |place: Result<(usize, usize), String>| place.map(|(row, size)| row * count + size);
    Ok(Remeasurement { run, samples, asked: places.into_iter().map(place).collect() })
}

fn size(record: &Record) -> Size {
    let setup = &record.setup;
    Size { processes: setup.processes, threads: setup.threads.saturating_add(setup.others) }
}

/// Returns the background load of a record.
fn load(record: &Record) -> Result<BackgroundLoad, String> {
    let timed = record.concurrent.as_ref().filter(|it| it.iterations.is_none());
    match record.setup.beside.as_deref() {
        _ if timed.is_none() => Err("cpb recursive alone measures it".to_owned()),
        None => Ok(BackgroundLoad::Same),
        Some("memory traffic") => Ok(BackgroundLoad::Memory),
        Some(other) => Err(format!("cpb scale alone measures it beside {other}")),
    }
}

/// Returns the CPUs of the record with the most threads, if all of them are available on `host`.
fn cpus(records: &[&Record], host: &Host) -> Option<Vec<usize>> {
    let all = records.iter().filter_map(|record| record.concurrent.as_ref());
    let most = all.map(|it| &it.cpus).max_by_key(|cpus| cpus.len())?;
    most.iter().all(|cpu| host.allowed_cpus.contains(cpu)).then(|| most.clone())
}
