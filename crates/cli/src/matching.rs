//! Finds a saved run's records in another run, or measures them again.

mod concurrency;
mod recursive;
mod remeasurement;

use crate::arguments::{Machine, unknown};
use crate::cli_error::CliError;
use crate::library_set::LibrarySet;
use crate::measurement_context::MeasurementContext;
use crate::progress::Bar;
use crate::sampling::{self, Time};
use crate::side::LibrarySide;
use crate::time_budget;
use cpb_engine::selection::{self, Key};
use cpb_engine::{LibrarySpec, Pair, Row, SampleFile};
use cpb_model::{Lengths, Offer, Record, Run, Subject};
use cpb_stats::Question;
use remeasurement::{libraries_of, planned};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

pub(crate) use remeasurement::{MeasurementGoal, Remeasurement, Replacements};

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

/// Returns the row that measures `record` again, with one thread, in one of `libraries`.
fn row_of(libraries: &LibrarySet, record: &Record, live: &LibrarySide) -> Result<Row, String> {
    match record.concurrent {
        None => planned(libraries, record, live),
        Some(_) => Err("it was made by many at once".to_owned()),
    }
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
