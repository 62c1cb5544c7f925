//! Measures concurrent records again.

use super::remeasurement::{MeasurementGoal, Remeasurement, Replacements, libraries_of, planned};
use crate::arguments::Machine;
use crate::cli_error::CliError;
use crate::concurrency::{OtherThreads, ScaleRequest};
use crate::library_set::LibrarySet;
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
        let is_known =
            |it: &(Row, BackgroundLoad)| it.0 == row && (size == Size::ONE || it.1 == load);
        let row = rows.iter().position(is_known).unwrap_or_else(|| {
            rows.push((row, load));
            rows.len() - 1
        });
        let size = sizes.iter().position(|it| *it == size).unwrap_or_else(|| {
            sizes.push(size);
            sizes.len() - 1
        });
        (row, size)
    };
    // A record of one thread is the same with or without other threads, so records with others come
    // first.
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by_key(|&index| records[index].setup.beside.is_none());
    let mut places = vec![Err(String::new()); records.len()];
    for index in order {
        let record = records[index];
        let found = sides[index].clone().and_then(|side| {
            let row = planned(&libraries, record, &side)?;
            let load = load(record, &row, &libraries)?;
            Ok(add(record, row, load))
        });
        places[index] = found;
    }
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

/// Returns what other threads do beside `row`, as they did beside the record's.
fn load(record: &Record, row: &Row, libraries: &LibrarySet) -> Result<BackgroundLoad, String> {
    let Some(words) = record.setup.beside.as_deref() else { return Ok(BackgroundLoad::Same) };
    let all = [OtherThreads::Memory, OtherThreads::Calls(selectors(words))];
    let mut found = all.iter().filter_map(|others| others.load(row, libraries).ok()?);
    let it = found.find(|load| load.describe().as_deref() == Some(words));
    it.ok_or_else(|| format!("{} has no {words} to put beside it here", row.subject.library))
}

/// Returns the selectors of the calls that `aes-128-gcm seal, 1024 B` describes.
fn selectors(words: &str) -> Vec<String> {
    let (calls, _) = words.rsplit_once(", ").unwrap_or((words, ""));
    calls.split_whitespace().map(str::to_owned).collect()
}

/// Returns the CPUs of the record with the most threads, if all of them are available on `host`.
fn cpus(records: &[&Record], host: &Host) -> Option<Vec<usize>> {
    let all = records.iter().filter_map(|record| record.concurrent.as_ref());
    let most = all.map(|it| &it.cpus).max_by_key(|cpus| cpus.len())?;
    most.iter().all(|cpu| host.allowed_cpus.contains(cpu)).then(|| most.clone())
}
