//! Finds a saved run's records in another run, or measures them again.

mod concurrency;
mod recursive;

use crate::arguments::{Machine, unknown};
use crate::cli_error::CliError;
use crate::library_set::LibrarySet;
use crate::measurement_context::MeasurementContext;
use crate::progress::Bar;
use crate::sampling::{self, Time};
use crate::side::LibrarySide;
use crate::{lengths, time_budget};
use cpb_engine::selection::{self, Key};
use cpb_engine::{LibrarySpec, Pair, Row, SampleFile};
use cpb_figures::LibraryNames;
use cpb_model::{Lengths, Offer, Record, Run, Subject};
use cpb_stats::Question;
use std::collections::BTreeSet;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const SAMPLES: u32 = 40;

/// Returns the indices of records of `run` that `selectors` mean; all without selectors.
pub(crate) fn selected(run: &Run, selectors: &[String]) -> Result<Vec<usize>, CliError> {
    let offers: Vec<Offer> = run.records.iter().map(|record| offer(&record.subject)).collect();
    // A key means one workload, whatever else the primitive does.
    let means = |selector: &str, place: usize| match Key::of(selector) {
        Some(key) => key.workload == run.records[place].workload,
        None => selection::matches(selector, &offers[place]),
    };
    for selector in selectors {
        if !(0..offers.len()).any(|place| means(selector, place)) {
            if selection::may_be_absent(selector) {
                return Err(not_measured!("the saved run has no '{selector}'"));
            }
            let words = selection::vocabulary(&offers);
            let words = words.iter().map(String::as_str);
            return Err(unknown("selector of the saved run", selector, words));
        }
    }
    let is_meant = |place: &usize| selection::together(selectors, |it| means(it, *place));
    Ok((0..offers.len()).filter(is_meant).collect())
}

/// Returns the records of `run` at these indices.
pub(crate) fn records<'a>(run: &'a Run, places: &[usize]) -> Vec<&'a Record> {
    places.iter().map(|&place| &run.records[place]).collect()
}

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
    asked: Vec<Result<usize, String>>,
}

impl Remeasurement {
    /// Returns the new record of the requested one at this index, or why there is none.
    pub(crate) fn of(&self, asked: usize) -> Result<&Record, String> {
        let index = self.asked.get(asked).cloned();
        let index = index.unwrap_or_else(|| Err("it was not asked for".to_owned()))?;
        self.run.records.get(index).ok_or_else(|| "it was not measured".to_owned())
    }
}

/// The result of measuring records next to their own build.
pub(crate) struct SideBySide {
    pub(crate) run: Run,
    pub(crate) samples: SampleFile,
    pairs: Vec<Pair>,
    /// For each requested record, in order: the index of its pair.
    asked: Vec<Option<usize>>,
}

impl SideBySide {
    /// Returns the record at this index in its own build and in the new one, with the findings of
    /// their rounds; `None` if one of them is missing.
    pub(crate) fn of(&self, asked: usize) -> Option<([&Record; 2], &Pair)> {
        let pair = (*self.asked.get(asked)?)?;
        let records = self.run.records.as_chunks::<2>().0.get(pair)?;
        Some((records.each_ref(), self.pairs.get(pair)?))
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

/// Measures `records` again, with the libraries in `targets`.
pub(crate) fn remeasure(
    records: &[&Record],
    targets: &Replacements<'_>,
    machine: &Machine,
    asked: MeasurementGoal,
    stop: &AtomicBool,
) -> Result<Remeasurement, CliError> {
    let of_many: Vec<_> = records.iter().filter_map(|it| it.concurrent.as_ref()).collect();
    if let Some(iterations) = of_many.iter().find_map(|it| it.iterations) {
        return recursive::remeasure(records, iterations, targets, machine, asked, stop);
    }
    if !of_many.is_empty() {
        return concurrency::remeasure(records, targets, machine, asked, stop);
    }
    let invocation = MeasurementContext::on(machine)?;
    let targets: Vec<_> = records.iter().map(|it| targets.target(&it.subject)).collect();
    let libraries = libraries_of(targets.iter().flatten(), machine, asked.max_time);
    let mut rows = Vec::new();
    let mut add = |row: Row| {
        rows.push(row);
        rows.len() - 1
    };
    let all = records.iter().zip(targets);
    let all = all.map(|(record, live)| row_of(&libraries, record, &live?).map(&mut add)).collect();
    let by_itself = time_budget::AGAIN.of(rows.len());
    let time = asked.max_time.map_or(Time::About(by_itself), Time::AtMost);
    sampling::announce(&rows, time, "--max-time makes");
    let rounds = sampling::until(asked.precision, None, asked.at_least);
    let time = (asked.max_time.map(|time| invocation.left_of(time)), by_itself);
    let sampling = sampling::of_rows(SAMPLES, rounds, time, machine.timeout);
    let plan = invocation.plan(&libraries, rows, sampling);
    let bar = Bar::of(asked.max_time);
    let (run, samples) = invocation.run(&plan, stop, bar, Bar::tell);
    Ok(Remeasurement { run, samples, asked: all })
}

/// Measures `records` next to their own builds, if these are given and both sides have them, until
/// each length is decided about costing more by `tolerance`. `None` if there are none.
pub(crate) fn measure_beside(
    records: &[&Record],
    targets: &Replacements<'_>,
    own: &[Option<LibrarySpec>],
    machine: &Machine,
    (tolerance, max_time): (f64, Option<Duration>),
    stop: &AtomicBool,
) -> Result<Option<SideBySide>, CliError> {
    let invocation = MeasurementContext::on(machine)?;
    let sides = |(record, own): (&&Record, &Option<LibrarySpec>)| -> Option<[LibrarySide; 2]> {
        let backend = Some(record.subject.backend.clone());
        let own = LibrarySide { spec: own.clone()?, backend };
        Some([own, targets.target(&record.subject).ok()?])
    };
    let sides: Vec<_> = records.iter().zip(own).map(sides).collect();
    let libraries = libraries_of(sides.iter().flatten().flatten(), machine, max_time);
    let (mut rows, mut specs, mut asked) = (Vec::new(), Vec::new(), Vec::new());
    for (record, sides) in records.iter().zip(sides) {
        let pair = sides.and_then(|sides| {
            let [own, now] = sides.each_ref().map(|live| row_of(&libraries, record, live).ok());
            Some(([own?, now?], sides.map(|live| live.spec)))
        });
        asked.push(pair.is_some().then_some(specs.len()));
        let (pair, both) = pair.unzip();
        rows.extend(pair.into_iter().flatten());
        specs.extend(both);
    }
    if specs.is_empty() {
        return Ok(None);
    }
    let (asks, time) = ((Question::CostsMore, tolerance), (max_time, machine.timeout));
    let (compared, run, samples) = invocation.compare(&libraries, rows, specs, asks, time, stop);
    Ok(Some(SideBySide { run, samples, pairs: compared.pairs, asked }))
}

/// Opens the libraries of all `sides`, each once.
fn libraries_of<'a>(
    sides: impl Iterator<Item = &'a LibrarySide>,
    machine: &Machine,
    max_time: Option<Duration>,
) -> LibrarySet {
    let labels: BTreeSet<String> = sides.map(|live| live.spec.label()).collect();
    let specs: Vec<LibrarySpec> = labels.iter().filter_map(|label| label.parse().ok()).collect();
    let libraries = LibrarySet::discover(&specs, sampling::timeout(machine.timeout, max_time));
    libraries.report_missing();
    libraries
}

/// Returns the row that measures `record` again, with one thread, in one of `libraries`.
fn row_of(libraries: &LibrarySet, record: &Record, live: &LibrarySide) -> Result<Row, String> {
    match record.concurrent {
        None => planned(libraries, record, live),
        Some(_) => Err("it was made by many at once".to_owned()),
    }
}

/// Works like [`row_of`], for any setup.
fn planned(libraries: &LibrarySet, record: &Record, live: &LibrarySide) -> Result<Row, String> {
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

/// Represents a subject as an offer, for selectors.
fn offer(subject: &Subject) -> Offer {
    Offer {
        spelling: subject.spelling.clone(),
        backend: subject.backend.clone(),
        default_backend: subject.default_backend,
        row: subject.row.clone(),
        ..Offer::new(&subject.primitive, subject.operation, Lengths::default())
    }
}
