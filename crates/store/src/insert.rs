//! What lists and histories are made of.

use crate::StoreError;
use crate::database::{Database, Value, number, values};
use crate::machine::insert_state;
use crate::series::{contract_key, figure, method_name};
use cpb_model::{Estimator, Figure, Run};
use std::collections::{BTreeSet, HashMap};

/// Characters of a library's version that histories show.
const LONGEST_VERSION: usize = 400;

/// Inserts what lists show of `run`, and returns its number.
pub(crate) fn insert_run(database: &dyn Database, run: &Run, id: &str) -> Result<i64, StoreError> {
    let words = serde_json::Value::from(run.command.as_slice()).to_string();
    let failures = run.records.iter().filter(|record| record.failure.is_some()).count();
    let host = &run.host;
    let machine = [host.cpu.as_deref().unwrap_or(&host.architecture)]
        .into_iter()
        .chain(host.cpu_id.as_deref())
        .collect::<Vec<_>>()
        .join(" · ");
    let inserted = number(
        database,
        "INSERT INTO runs (id, started, seconds, version, revision, machine, clock, command,
                           records, failures, estimator)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11) RETURNING number",
        &values![
            id,
            i64::try_from(run.started).unwrap_or(i64::MAX),
            run.seconds,
            &run.version,
            run.revision.as_deref(),
            &machine,
            run.clock.as_ref().map(|clock| clock.name.as_str()),
            &words,
            run.records.len() as i64,
            failures as i64,
            estimator(run),
        ],
    )?;
    // RETURNING returns, or the statement fails.
    let number = inserted.unwrap_or_default();
    insert_state(database, number, host)?;
    Ok(number)
}

/// The name of the estimator that all figures of `run` are of; `None` for that of before there
/// was another, as soon as one is.
pub(crate) fn estimator(run: &Run) -> Option<&'static str> {
    let mut of_records =
        run.records.iter().filter(|it| !it.points.is_empty()).map(|it| it.estimator);
    let first = of_records.next()?;
    (first != Estimator::default() && of_records.all(|it| it == first)).then(|| first.name())
}

/// Inserts the figure of each record of `run` that has one into its series.
pub(crate) fn insert_figures(
    database: &dyn Database,
    run: &Run,
    number: i64,
) -> Result<(), StoreError> {
    let versions = versions(run);
    let figures: Vec<Inserted<'_>> = run
        .records
        .iter()
        .enumerate()
        .filter_map(|(position, record)| {
            let (workload, unit, figure) =
                figure(record).filter(|(_, _, figure)| figure.estimate.is_finite())?;
            let subject = &record.subject;
            let key = [
                &subject.primitive,
                subject.operation.name(),
                &subject.library,
                &subject.spelling,
                &subject.backend,
                contract_key(record.workload.contract),
                method_name(record.method),
            ];
            let version = versions.get(subject.library.as_str()).copied().unwrap_or_default();
            let version = version
                .char_indices()
                .nth(LONGEST_VERSION)
                .map_or(version, |(end, _)| &version[..end]);
            Some(Inserted { position: position as i64, key, workload, unit, version, figure })
        })
        .collect();
    // The first of a key gives its series the unit; a set has it once.
    let mut seen = BTreeSet::new();
    let series: Vec<Vec<Value<'_>>> = figures
        .iter()
        .filter(|it| seen.insert((it.key, &it.workload)))
        .map(|it| it.key().chain([it.unit.into()]).collect())
        .collect();
    database.execute(
        "INSERT INTO series (primitive, operation, library, spelling, backend, contract, method,
                             workload, unit)
         VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9) ON CONFLICT DO NOTHING",
        &series,
    )?;
    let rows: Vec<Vec<Value<'_>>> = figures.iter().map(|it| it.row(number)).collect();
    database.execute(
        "INSERT INTO figures (series, run, position, library_version, estimate, low, high)
         VALUES ((SELECT number FROM series
                  WHERE primitive = $1 AND operation = $2 AND library = $3 AND spelling = $4
                    AND backend = $5 AND contract = $6 AND method = $7 AND workload = $8),
                 $9, $10, $11, $12, $13, $14)",
        &rows,
    )?;
    Ok(())
}

/// A figure that is to be inserted.
struct Inserted<'a> {
    position: i64,
    key: [&'a str; 7],
    workload: String,
    unit: &'static str,
    version: &'a str,
    figure: Figure,
}

impl Inserted<'_> {
    /// What its series is found by.
    fn key(&self) -> impl Iterator<Item = Value<'_>> {
        self.key.into_iter().chain([self.workload.as_str()]).map(Value::Text)
    }

    fn row(&self, run: i64) -> Vec<Value<'_>> {
        let Figure { estimate, interval, upper_bound } = self.figure;
        let rest = values![
            run,
            self.position,
            self.version,
            estimate,
            interval.map(|interval| interval.low),
            // An upper bound has an upper end alone.
            interval.map(|interval| interval.high).or(upper_bound.then_some(estimate)),
        ];
        self.key().chain(rest).collect()
    }
}

/// The version of each library of `run`, by its label.
fn versions(run: &Run) -> HashMap<&str, &str> {
    let mut versions = HashMap::new();
    for library in &run.libraries {
        versions.entry(library.label.as_str()).or_insert(library.version.as_str());
    }
    versions
}
