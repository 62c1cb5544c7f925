//! What a command found, whatever it will be written as.

use crate::html::{Paired, Source};
use crate::table::Table;
use crate::{Cell, Rows, Style, WriteError, write_json};
use cpb_model::{FailureKind, Record, Run, Subject, Workload};
use serde_json::Value;
use std::io::Write;

/// What a command found. Formats take of it what they show ([`Format`](crate::Format)).
pub trait Document {
    /// The command.
    fn command(&self) -> &'static str;

    /// What people read.
    fn sections(&self) -> Vec<Section>;

    /// What programs read that take one line after the other.
    fn rows(&self) -> Rows<'_>;

    /// The run that is all of it, where it is one.
    fn run(&self) -> Option<&Run> {
        None
    }

    /// Everything, as JSON has it, where it is no run.
    fn data(&self) -> Value {
        Value::Null
    }

    /// Writes everything.
    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        match self.run() {
            Some(run) => write_json(output, run),
            None => write_json(output, &self.data()),
        }
    }

    /// The runs that it is of, first to last.
    fn runs(&self) -> Vec<Source<'_>> {
        self.run().map(|run| Source { name: self.command(), run }).into_iter().collect()
    }

    /// What two runs say that were measured next to each other.
    fn paired(&self) -> Option<Paired> {
        None
    }

    /// What was put to the test. Where nothing was, every row: whether it could be
    /// measured.
    fn cases(&self) -> Vec<Case> {
        self.runs().iter().flat_map(|source| &source.run.records).map(Case::of).collect()
    }
}

/// Something that was put to the test.
pub struct Case {
    /// What tells it from the others.
    pub name: String,
    /// How it went.
    pub outcome: Outcome,
    /// In words: figures, and why.
    pub words: String,
}

/// How it went.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is as it should be.
    Passed,
    /// It is not.
    Failed,
    /// Nobody knows.
    Unknown,
}

impl Case {
    fn of(record: &Record) -> Self {
        let outcome = match record.failure.as_ref().map(|failure| failure.kind) {
            None => Outcome::Passed,
            Some(FailureKind::WrongAnswer) => Outcome::Failed,
            Some(_) => Outcome::Unknown,
        };
        let reason = record.failure.as_ref().map(|failure| failure.reason.clone());
        Self { name: row_name(record), outcome, words: reason.unwrap_or_default() }
    }
}

/// A table with a heading and the lines around it, any of which may be absent.
#[derive(Default)]
pub struct Section {
    /// What stands above all of it.
    pub heading: String,
    /// The lines over the table.
    pub before: Vec<Cell>,
    /// The table.
    pub table: Table,
    /// The lines below it.
    pub after: Vec<Cell>,
}

impl From<Table> for Section {
    fn from(table: Table) -> Self {
        Self { table, ..Self::default() }
    }
}

/// What tells a row from the others of its run: `sha256 hash openssl:avx2, 2 threads`.
#[must_use]
pub fn row_name(record: &Record) -> String {
    let Subject { library, backend, .. } = &record.subject;
    let backend = if backend == "default" { String::new() } else { format!(":{backend}") };
    let Workload { primitive, operation, .. } = &record.workload;
    let beside = [record.workload.modifiers(), record.setup.modifiers()].concat();
    let beside: String = beside.iter().map(|it| format!(", {it}")).collect();
    format!("{primitive} {} {library}{backend}{beside}", operation.name())
}

/// Why a row has no figures, where it has none.
#[must_use]
pub fn failure(record: &Record) -> Option<Cell> {
    record.failure.as_ref().map(|failure| Cell::new(failure.reason.as_str(), Style::Bad))
}
