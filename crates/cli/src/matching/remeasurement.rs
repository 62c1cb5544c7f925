//! Defines what records are measured again with, and the result.

use crate::arguments::Machine;
use crate::lengths;
use crate::library_set::LibrarySet;
use crate::side::LibrarySide;
use cpb_engine::{LibrarySpec, Row, SampleFile};
use cpb_figures::LibraryNames;
use cpb_model::{Offer, Record, Run, Subject};
use std::collections::BTreeSet;
use std::time::Duration;

/// The precision that a measurement should reach, and its limits.
#[derive(Debug, Clone, Copy)]
pub(crate) struct MeasurementGoal {
    pub(crate) precision: f64,
    pub(crate) at_least: u32,
    pub(crate) max_time: Option<Duration>,
}

/// The result of measuring records again.
pub(crate) struct Remeasurement {
    pub(crate) run: Run,
    pub(crate) samples: SampleFile,
    /// For each requested record, in order: its index in the new run, or why there is none.
    pub(super) asked: Vec<Result<usize, String>>,
}

impl Remeasurement {
    /// Returns the new record of the requested one at this index, or why there is none.
    pub(crate) fn of(&self, asked: usize) -> Result<&Record, String> {
        let index = self.asked.get(asked).cloned();
        let index = index.unwrap_or_else(|| Err("it was not asked for".to_owned()))?;
        self.run.records.get(index).ok_or_else(|| "it was not measured".to_owned())
    }
}

/// Replaces the libraries of a saved run when it is measured again.
pub(crate) struct Replacements<'a> {
    names: LibraryNames<'a>,
    instead: &'a [LibrarySide],
}

impl<'a> Replacements<'a> {
    /// Replaces each saved library by the one of the same name in `instead`; if both sides have
    /// exactly one library, by that one.
    pub(crate) fn of(saved: &'a Run, instead: &'a [LibrarySide]) -> Self {
        Self { names: LibraryNames::of_run(saved), instead }
    }

    /// Returns the library with which `subject` is measured.
    pub(crate) fn target(&self, subject: &Subject) -> Result<LibrarySide, String> {
        let name = self.names.name(subject);
        let same_name = self.instead.iter().find(|live| live.spec.library() == name);
        let is_lonely = self.instead.len() == 1 && self.names.is_one();
        let lonely = || self.instead.first().filter(|_| is_lonely);
        if let Some(live) = same_name.or_else(lonely) {
            return Ok(live.clone());
        }
        let spec: LibrarySpec =
            subject.library.parse().map_err(|e: cpb_engine::SpecError| e.to_string())?;
        Ok(LibrarySide { spec, backend: Some(subject.backend.clone()) })
    }
}

/// Opens the libraries of all `sides`, each once.
pub(super) fn libraries_of<'a>(
    sides: impl Iterator<Item = &'a LibrarySide>,
    machine: &Machine,
    max_time: Option<Duration>,
) -> LibrarySet {
    let labels: BTreeSet<String> = sides.map(|live| live.spec.label()).collect();
    let specs: Vec<LibrarySpec> = labels.iter().filter_map(|label| label.parse().ok()).collect();
    let libraries = LibrarySet::discover(&specs, machine.timeout, max_time);
    libraries.report_missing();
    libraries
}

/// Returns the row that measures `record` again in one of `libraries`, whatever its setup.
pub(super) fn planned(
    libraries: &LibrarySet,
    record: &Record,
    live: &LibrarySide,
) -> Result<Row, String> {
    let label = live.spec.label();
    let offer = find(libraries, &label, &record.subject, live.backend.as_deref())?;
    if record.points.is_empty() {
        let failure = record.failure.as_ref().map(|failure| failure.reason.as_str());
        let reason = failure.unwrap_or("it has no points");
        return Err(format!("there is no figure to compare with: {reason}"));
    }
    let all: Vec<usize> = record.points.iter().map(|p| p.parameters.length()).collect();
    let line = record.line.as_ref().and_then(|_| lengths::line(offer));
    let line = line.filter(|(_, lengths)| lengths.iter().all(|length| all.contains(length)));
    let parameters = record.workload.parameters_in(offer);
    Ok(Row { line, ..Row::new(&label, offer, record.workload.contract, parameters, all) })
}

fn find<'a>(
    libraries: &'a LibrarySet,
    label: &str,
    subject: &Subject,
    backend: Option<&str>,
) -> Result<&'a Offer, String> {
    let same = |offer: &Offer| {
        offer.primitive == subject.primitive
            && offer.operation == subject.operation
            && match backend {
                Some(backend) => offer.backend == backend,
                None => offer.backend == subject.backend || offer.default_backend,
            }
    };
    let offers = libraries.offers().filter(|(l, offer)| l == label && same(offer));
    let likeness =
        |offer: &&Offer| (offer.backend == subject.backend, offer.spelling == subject.spelling);
    let offer = offers.map(|(_, offer)| offer).max_by_key(likeness);
    let offer = offer.ok_or_else(|| format!("{label} does not have it here"))?;
    offer.unavailable.as_ref().map_or(Ok(offer), |reason| Err(reason.clone()))
}
