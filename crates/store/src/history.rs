//! What the store tells of many runs at once.

use crate::{Series, Store, StoreError, from_json};
use cpb_model::{Contract, Operation, harmless};
use rusqlite::Row;
use rusqlite::types::Type;
use std::cell::Cell;

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
    /// Whether the estimate is an upper bound only.
    pub upper_bound: bool,
}

/// What texts of a list may take in memory; a thousand runs take a megabyte.
const MOST_TEXT: usize = 64 << 20;

/// Takes texts from rows, harmless, and only so much of them.
struct Texts {
    left: Cell<usize>,
}

impl Texts {
    fn new() -> Self {
        Self { left: Cell::new(MOST_TEXT) }
    }

    fn text(&self, row: &Row<'_>, column: &str) -> rusqlite::Result<String> {
        Ok(self.optional(row, column)?.unwrap_or_default())
    }

    fn optional(&self, row: &Row<'_>, column: &str) -> rusqlite::Result<Option<String>> {
        let index = row.as_ref().column_index(column)?;
        let wrong = |reason: String| {
            rusqlite::Error::FromSqlConversionFailure(index, Type::Text, reason.into())
        };
        let Some(text) =
            row.get_ref(index)?.as_str_or_null().map_err(|it| wrong(it.to_string()))?
        else {
            return Ok(None);
        };
        let left = self.left.get().checked_sub(text.len() + size_of::<RunEntry>());
        self.left.set(left.ok_or_else(|| wrong("more is listed than cpb saves".to_owned()))?);
        Ok(Some(harmless(text).into_owned()))
    }
}

impl Store {
    /// Every run, by when it was started, oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn runs(&self) -> Result<Vec<RunEntry>, StoreError> {
        let texts = Texts::new();
        self.rows(
            "SELECT number, id, label, started, seconds, version, revision, machine, clock,
                    command, records, failures
             FROM runs ORDER BY started, number",
            [],
            |row| {
                let command = texts.text(row, "command")?;
                Ok(RunEntry {
                    number: row.get("number")?,
                    id: texts.text(row, "id")?,
                    label: texts.optional(row, "label")?,
                    started: row.get("started")?,
                    seconds: row.get("seconds")?,
                    version: texts.text(row, "version")?,
                    revision: texts.optional(row, "revision")?,
                    machine: texts.text(row, "machine")?,
                    clock: texts.optional(row, "clock")?,
                    // Only shown: what is no list of words is one word.
                    command: from_json(command.as_bytes()).unwrap_or_else(|_| vec![command]),
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
        let texts = Texts::new();
        self.rows(
            "SELECT * FROM series
             ORDER BY primitive, operation, library, backend, spelling, contract, method, workload",
            [],
            |row| {
                Ok(Series {
                    number: row.get("number")?,
                    primitive: texts.text(row, "primitive")?,
                    operation: operation(row)?,
                    library: texts.text(row, "library")?,
                    spelling: texts.text(row, "spelling")?,
                    backend: texts.text(row, "backend")?,
                    contract: contract(texts.text(row, "contract")?),
                    workload: texts.text(row, "workload")?,
                    unit: texts.text(row, "unit")?,
                })
            },
        )
    }

    /// The figures of a series, by the number of the run.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn history(&self, series: &Series) -> Result<Vec<Reading>, StoreError> {
        let texts = Texts::new();
        self.rows(
            "SELECT run, library_version, estimate, low, high FROM figures
             WHERE series = ?1 ORDER BY run, position",
            [series.number],
            |row| {
                let low: Option<f64> = row.get("low")?;
                let high: Option<f64> = row.get("high")?;
                Ok(Reading {
                    run: row.get("run")?,
                    library_version: texts.text(row, "library_version")?,
                    estimate: row.get("estimate")?,
                    interval: low.zip(high),
                    upper_bound: low.is_none() && high.is_some(),
                })
            },
        )
    }
}

fn contract(key: String) -> String {
    Contract::of_name(&key).map_or(key, |known| known.name().to_owned())
}

fn operation(row: &Row<'_>) -> rusqlite::Result<Operation> {
    let name: String = row.get("operation")?;
    Operation::of_name(&name).ok_or_else(|| {
        let index = row.as_ref().column_index("operation").unwrap_or(0);
        let unknown = format!("this cpb knows no operation '{name}'");
        rusqlite::Error::FromSqlConversionFailure(index, Type::Text, unknown.into())
    })
}
