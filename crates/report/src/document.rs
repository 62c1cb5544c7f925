//! Holds a command's result independently of the format it is written in.

use crate::table::Table;
use crate::{Cell, Rows, Style, WriteError, write_json};
use cpb_figures::RunComparison;
use cpb_model::{FailureKind, Record, Run, Subject, Workload};
use serde_json::Value;
use std::io::Write;

/// The result of a command. Formats use the parts that they can show ([`Format`](crate::Format)).
pub trait Document {
    /// Returns the command's name.
    fn command(&self) -> &'static str;

    /// Returns what people read.
    fn sections(&self) -> Vec<Section>;

    /// Returns what programs read line by line.
    fn rows(&self) -> Rows<'_>;

    /// Returns the run, if the result is a single one.
    fn run(&self) -> Option<&Run> {
        None
    }

    /// Returns everything as JSON, if the result is not a run.
    fn data(&self) -> Value {
        Value::Null
    }

    /// Writes everything as JSON.
    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        match self.run() {
            Some(run) => write_json(output, run),
            None => write_json(output, &self.data()),
        }
    }

    /// Returns the runs behind it, in order.
    fn runs(&self) -> Vec<Source<'_>> {
        self.run().map(|run| Source { name: self.command(), run }).into_iter().collect()
    }

    /// Returns the comparison of two runs measured next to each other, if it is one.
    fn paired(&self) -> Option<Paired> {
        None
    }

    /// Returns test cases; by default every row, with whether it was measured.
    fn cases(&self) -> Vec<Case> {
        self.runs().iter().flat_map(|source| &source.run.records).map(Case::of).collect()
    }
}

/// A run, with its name on a page.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// The name shown to the reader.
    pub name: &'a str,
    pub run: &'a Run,
}

/// The comparison of two runs measured next to each other.
pub struct Paired {
    /// The comparison of their rows.
    pub compared: RunComparison,
    /// The margin within which costs count as equal.
    pub precision: f64,
    /// Rows that only one of them has.
    pub only: [Vec<String>; 2],
}

/// A test case.
pub struct Case {
    /// Its unique name.
    pub name: String,
    pub outcome: Outcome,
    /// The figures and reasons, as text.
    pub words: String,
}

/// The outcome of a test case.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Outcome {
    /// It is as it should be.
    Passed,
    /// It is not.
    Failed,
    /// Undecided.
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

/// A table with a heading and the lines around it; each may be empty.
#[derive(Default)]
pub struct Section {
    /// The heading above everything.
    pub heading: String,
    /// The lines before the table.
    pub before: Vec<Cell>,
    pub table: Table,
    /// The lines after the table.
    pub after: Vec<Cell>,
}

impl Section {
    /// Creates a section of a table with a faint `legend` below it; `None` for an empty table.
    pub(crate) fn with_legend(
        heading: &str,
        table: Table,
        legend: impl Into<String>,
    ) -> Option<Self> {
        let after = vec![Cell::new(legend.into(), Style::Faint)];
        let heading = heading.to_owned();
        (!table.lines().is_empty()).then(|| Self { heading, table, after, ..Self::default() })
    }
}

impl From<Table> for Section {
    fn from(table: Table) -> Self {
        Self { table, ..Self::default() }
    }
}

/// Returns a unique name of a row in its run: `sha256 hash openssl:avx2, 2 threads`.
pub fn row_name(record: &Record) -> String {
    let Subject { library, backend, .. } = &record.subject;
    let backend = if backend == "default" { String::new() } else { format!(":{backend}") };
    let Workload { primitive, operation, .. } = &record.workload;
    let beside = [record.workload.modifiers(), record.setup.modifiers()].concat();
    let beside: String = beside.iter().map(|it| format!(", {it}")).collect();
    format!("{primitive} {} {library}{backend}{beside}", operation.name())
}

/// Returns why a row has no figures, if it has none.
pub fn failure(record: &Record) -> Option<Cell> {
    record.failure.as_ref().map(|failure| Cell::new(failure.reason.as_str(), Style::Bad))
}
