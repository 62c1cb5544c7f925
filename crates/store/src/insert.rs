//! What lists and histories are made of.

use crate::series::{contract_key, figure, method_name};
use cpb_model::{Figure, Record, Run};
use rusqlite::{Transaction, params};
use std::collections::HashMap;

/// Inserts what lists show of `run`, and returns its number.
pub(crate) fn insert_run(
    transaction: &Transaction<'_>,
    run: &Run,
    id: &str,
) -> rusqlite::Result<i64> {
    let words = serde_json::Value::from(run.command.as_slice()).to_string();
    let failures = run.records.iter().filter(|record| record.failure.is_some()).count();
    let host = &run.host;
    let machine = [host.cpu.as_deref().unwrap_or(&host.architecture)]
        .into_iter()
        .chain(host.cpu_id.as_deref())
        .collect::<Vec<_>>()
        .join(" · ");
    transaction.execute(
        "INSERT INTO runs (id, started, seconds, version, revision, machine, clock, command,
                           records, failures)
         VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        params![
            id,
            i64::try_from(run.started).unwrap_or(i64::MAX),
            run.seconds,
            run.version,
            run.revision,
            machine,
            run.clock.as_ref().map(|clock| &clock.name),
            words,
            run.records.len() as i64,
            failures as i64,
        ],
    )?;
    Ok(transaction.last_insert_rowid())
}

/// The version of each library of `run`, by its label.
pub(crate) fn versions(run: &Run) -> HashMap<&str, &str> {
    let mut versions = HashMap::new();
    for library in &run.libraries {
        versions.entry(library.label.as_str()).or_insert(library.version.as_str());
    }
    versions
}

/// Inserts the record's figure, where it has one, into its series.
pub(crate) fn insert_figure(
    transaction: &Transaction<'_>,
    versions: &HashMap<&str, &str>,
    number: i64,
    position: i64,
    record: &Record,
) -> rusqlite::Result<()> {
    let found = figure(record).filter(|(_, _, figure)| figure.estimate.is_finite());
    let Some((workload, unit, Figure { estimate, interval, upper_bound })) = found else {
        return Ok(());
    };
    let subject = &record.subject;
    let key = params![
        subject.primitive,
        subject.operation.name(),
        subject.library,
        subject.spelling,
        subject.backend,
        contract_key(record.contract),
        method_name(record.method),
        workload,
        unit,
    ];
    transaction
        .prepare_cached(
            "INSERT OR IGNORE INTO series (primitive, operation, library, spelling, backend,
                                           contract, method, workload, unit)
             VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)",
        )?
        .execute(key)?;
    transaction
        .prepare_cached(
            "INSERT INTO figures (series, run, position, library_version, estimate, low, high)
             SELECT number, ?9, ?10, ?11, ?12, ?13, ?14 FROM series
             WHERE primitive = ?1 AND operation = ?2 AND library = ?3 AND spelling = ?4
               AND backend = ?5 AND contract = ?6 AND method = ?7 AND workload = ?8",
        )?
        .execute(params![
            subject.primitive,
            subject.operation.name(),
            subject.library,
            subject.spelling,
            subject.backend,
            contract_key(record.contract),
            method_name(record.method),
            workload,
            number,
            position,
            versions.get(subject.library.as_str()).copied().unwrap_or_default(),
            estimate,
            interval.map(|interval| interval.low),
            // An upper bound has an upper end alone.
            interval.map(|interval| interval.high).or(upper_bound.then_some(estimate)),
        ])?;
    Ok(())
}
