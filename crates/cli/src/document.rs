//! What a command found, whatever it will be written as.

use crate::matching;
use cpb_model::{FailureKind, Record, Run};
use cpb_report::html::{Paired, Source};
use cpb_report::{Rows, Section, WriteError, write_json};
use serde_json::Value;
use std::io::Write;

/// What a command found. Formats take of it what they show (`export`).
pub(crate) trait Document {
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
pub(crate) struct Case {
    pub(crate) name: String,
    pub(crate) outcome: Outcome,
    /// In words: figures, and why.
    pub(crate) words: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Outcome {
    Passed,
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
        Self { name: matching::name(record), outcome, words: reason.unwrap_or_default() }
    }
}
