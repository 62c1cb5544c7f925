//! What the store tells of many runs at once.

use crate::{Series, Store, StoreError};
use cpb_model::Operation;
use rusqlite::Row;

/// A run, as lists show it.
#[derive(Debug, Clone, PartialEq)]
pub struct RunEntry {
    /// Its number in this store.
    pub number: i64,
    /// Its UUID.
    pub id: String,
    /// Its label, where it has one.
    pub label: Option<String>,
    /// Seconds since 1970 at the start.
    pub started: i64,
    /// Wall-clock seconds it took.
    pub seconds: f64,
    /// Version of cpb.
    pub version: String,
    /// Revision of cpb's sources, where known.
    pub revision: Option<String>,
    /// The CPU.
    pub machine: String,
    /// The clock's name; absent where none could be calibrated.
    pub clock: Option<String>,
    /// The command line.
    pub command: Vec<String>,
    /// Records it has.
    pub records: i64,
    /// Records among them without figures.
    pub failures: i64,
}

/// A figure of a series.
#[derive(Debug, Clone, PartialEq)]
pub struct Reading {
    /// The run's number.
    pub run: i64,
    /// The library's version then.
    pub library_version: String,
    /// The estimate, in the series' unit.
    pub estimate: f64,
    /// Lower and upper end of its interval, where it has one.
    pub interval: Option<(f64, f64)>,
}

impl Store {
    /// Every run, by when it was started, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn runs(&self) -> Result<Vec<RunEntry>, StoreError> {
        self.rows(
            "SELECT number, id, label, started, seconds, version, revision, machine, clock,
                    command, records, failures
             FROM runs ORDER BY started, number",
            [],
            |row| {
                let command: String = row.get("command")?;
                Ok(RunEntry {
                    number: row.get("number")?,
                    id: row.get("id")?,
                    label: row.get("label")?,
                    started: row.get("started")?,
                    seconds: row.get("seconds")?,
                    version: row.get("version")?,
                    revision: row.get("revision")?,
                    machine: row.get("machine")?,
                    clock: row.get("clock")?,
                    // Only shown: what is no list of words is one word.
                    command: serde_json::from_str(&command).unwrap_or_else(|_| vec![command]),
                    records: row.get("records")?,
                    failures: row.get("failures")?,
                })
            },
        )
    }

    /// Every series, by primitive, operation, library and backend.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn series(&self) -> Result<Vec<Series>, StoreError> {
        self.rows(
            "SELECT * FROM series
             ORDER BY primitive, operation, library, backend, spelling, contract, method, workload",
            [],
            |row| {
                Ok(Series {
                    number: row.get("number")?,
                    primitive: row.get("primitive")?,
                    operation: operation(row)?,
                    library: row.get("library")?,
                    spelling: row.get("spelling")?,
                    backend: row.get("backend")?,
                    contract: row.get("contract")?,
                    workload: row.get("workload")?,
                    unit: row.get("unit")?,
                })
            },
        )
    }

    /// The figures of a series, by the number of the run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn history(&self, series: &Series) -> Result<Vec<Reading>, StoreError> {
        self.rows(
            "SELECT run, library_version, estimate, low, high FROM figures
             WHERE series = ?1 ORDER BY run, position",
            [series.number],
            |row| {
                let low: Option<f64> = row.get("low")?;
                Ok(Reading {
                    run: row.get("run")?,
                    library_version: row.get("library_version")?,
                    estimate: row.get("estimate")?,
                    interval: low.zip(row.get("high")?),
                })
            },
        )
    }
}

fn operation(row: &Row<'_>) -> rusqlite::Result<Operation> {
    let name: String = row.get("operation")?;
    Operation::ALL.into_iter().find(|known| known.name() == name).ok_or_else(|| {
        let index = row.as_ref().column_index("operation").unwrap_or(0);
        let unknown = format!("this cpb knows no operation '{name}'");
        rusqlite::Error::FromSqlConversionFailure(
            index,
            rusqlite::types::Type::Text,
            unknown.into(),
        )
    })
}
