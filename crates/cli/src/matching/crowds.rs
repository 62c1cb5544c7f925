//! What many did at once, measured again.

use super::{Asked, Remeasurement, Replacements, planned, shelf_of};
use crate::arguments::Machine;
use crate::cli_error::CliError;
use crate::crowds::{Beside, Crowds};
use crate::library_set::LibrarySet;
use crate::measurement_context::MeasurementContext;
use cpb_engine::{Company, Row, SampleFile, Size};
use cpb_model::{Host, Record};
use std::sync::atomic::AtomicBool;

/// Measures what `records` hold, in the libraries that `targets` has for them: each row at all of
/// their sizes, and by one thread, which these are compared with.
pub(super) fn remeasure(
    records: &[&Record],
    targets: &Replacements<'_>,
    machine: &Machine,
    asked: Asked,
    stop: &AtomicBool,
) -> Result<Remeasurement, CliError> {
    let invocation = MeasurementContext::on(machine)?;
    let lives: Vec<_> = records.iter().map(|it| targets.target(&it.subject)).collect();
    let shelf = shelf_of(lives.iter().flatten(), machine, asked.max_time);
    let mut sizes = vec![Size::ONE];
    let mut rows: Vec<(Row, Company)> = Vec::new();
    let mut add = |record: &Record, row: Row, company: Company| {
        let size = size(record);
        let is_known = |it: &(Row, Company)| it.0 == row && (size == Size::ONE || it.1 == company);
        let row = rows.iter().position(is_known).unwrap_or_else(|| {
            rows.push((row, company));
            rows.len() - 1
        });
        let size = sizes.iter().position(|it| *it == size).unwrap_or_else(|| {
            sizes.push(size);
            sizes.len() - 1
        });
        (row, size)
    };
    // One thread is the same whatever others would do: those beside others come first.
    let mut order: Vec<usize> = (0..records.len()).collect();
    order.sort_by_key(|&index| records[index].setup.beside.is_none());
    let mut places = vec![Err(String::new()); records.len()];
    for index in order {
        let record = records[index];
        let found = lives[index].clone().and_then(|live| {
            let row = planned(&shelf, record, &live)?;
            let company = company(record, &row, &shelf)?;
            Ok(add(record, row, company))
        });
        places[index] = found;
    }
    let shares_keys = records.iter().any(|record| record.setup.shares_keys);
    let count = sizes.len();
    let crowds = Crowds::on(invocation.host(), sizes, rows);
    let cpus = cpus(records, invocation.host()).unwrap_or(crowds.cpus);
    let (rounds, precision) = (asked.at_least, Some(asked.precision));
    let crowds = Crowds { cpus, shares_keys, rounds, precision, ..crowds };
    let run = crowds.measure(invocation, &shelf, asked.max_time, machine.timeout, stop);
    let samples = SampleFile::new(run.records.len());
    let place = |place: Result<(usize, usize), String>| place.map(|(row, size)| row * count + size);
    Ok(Remeasurement { run, samples, asked: places.into_iter().map(place).collect() })
}

fn size(record: &Record) -> Size {
    let setup = &record.setup;
    Size { processes: setup.processes, threads: setup.threads.saturating_add(setup.others) }
}

/// What other threads do beside `row`, as they did beside the record's.
fn company(record: &Record, row: &Row, shelf: &LibrarySet) -> Result<Company, String> {
    let Some(words) = record.setup.beside.as_deref() else { return Ok(Company::Same) };
    let all = [Beside::Memory, Beside::Calls(selectors(words))];
    let mut found = all.iter().filter_map(|beside| beside.company(row, shelf).ok()?);
    let it = found.find(|company| company.words().as_deref() == Some(words));
    it.ok_or_else(|| format!("{} has no {words} to put beside it here", row.subject.library))
}

/// What selects the calls of these words, `aes-128-gcm seal, 1024 B`.
fn selectors(words: &str) -> Vec<String> {
    let (calls, _) = words.rsplit_once(", ").unwrap_or((words, ""));
    calls.split_whitespace().map(str::to_owned).collect()
}

/// The CPUs that most threads were on, where all of them can be had on `host`.
fn cpus(records: &[&Record], host: &Host) -> Option<Vec<usize>> {
    let all = records.iter().filter_map(|record| record.concurrent.as_ref());
    let most = all.map(|it| &it.cpus).max_by_key(|cpus| cpus.len())?;
    most.iter().all(|cpu| host.allowed_cpus.contains(cpu)).then(|| most.clone())
}
