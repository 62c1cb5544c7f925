//! What a saved run holds: found again in another run, or measured again.

use crate::arguments::{Machine, unknown};
use crate::commands::run as sampling;
use crate::fault::Fault;
use crate::lengths;
use crate::progress::Bar;
use crate::run_record::{self, Start};
use crate::shelf::{Shelf, is_a_word};
use crate::side::Live;
use cpb_engine::{
    LibrarySpec, Plan, QuietMemory, Rounds, Row, Sampling, Spool, host, measure, selection,
};
use cpb_model::{Lengths, Offer, Parameters, Record, Run, Subject};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

const SAMPLES: u32 = 40;
const MOST_TIME: Duration = Duration::from_secs(900);

/// Records of two runs about the same workload.
pub(crate) struct Matched<'a> {
    pub(crate) pairs: Vec<(&'a Record, &'a Record)>,
    /// What only one of them has.
    pub(crate) only: [Vec<String>; 2],
}

/// The records of `run` that `selectors` mean; all of them without.
pub(crate) fn selected<'a>(run: &'a Run, selectors: &[String]) -> Result<Vec<&'a Record>, Fault> {
    let offers: Vec<Offer> = run.records.iter().map(|record| offer(&record.subject)).collect();
    for selector in selectors {
        if !offers.iter().any(|offer| selection::matches(selector, offer)) {
            if is_a_word(selector) {
                return Err(Fault::NotMeasured(format!("the saved run has no '{selector}'")));
            }
            let words = selection::vocabulary(&offers);
            return Err(unknown(
                "selector of the saved run",
                selector,
                words.iter().map(String::as_str),
            ));
        }
    }
    let is_meant = |offer: &Offer| {
        selectors.is_empty() || selectors.iter().any(|s| selection::matches(s, offer))
    };
    let both = run.records.iter().zip(&offers);
    Ok(both.filter(|(_, offer)| is_meant(offer)).map(|(record, _)| record).collect())
}

/// The records of both runs that are about the same workload: of the same
/// library and backend; or, where each run has one library only, whatever that
/// is.
pub(crate) fn pair<'a>(a: &'a Run, b: &'a Run, selectors: &[String]) -> Result<Matched<'a>, Fault> {
    let ours = selected(a, selectors)?;
    // What only one run has is no wrong selector.
    let theirs: Vec<&Record> = selected(b, selectors).unwrap_or_default();
    let lonely = labels(a).len() == 1 && labels(b).len() == 1;
    let (our_names, their_names) = (names_by_label(a), names_by_label(b));
    let likeness = |x: &Record, y: &Record| {
        let (ours, theirs) = (&x.subject, &y.subject);
        let same_workload = work(x) == work(y) && same_parameters(x, y);
        let same_backend = ours.backend == theirs.backend;
        let same_name = library_name(&our_names, ours) == library_name(&their_names, theirs);
        let comparable = same_workload
            && (same_name && same_backend
                || lonely && (same_backend || ours.default_backend && theirs.default_backend));
        let points = u8::from(same_name && same_backend) * 4
            + u8::from(ours.library == theirs.library) * 2
            + u8::from(ours.spelling == theirs.spelling);
        comparable.then_some(points)
    };
    let mut pairs = Vec::new();
    let mut only = [Vec::new(), Vec::new()];
    // What is likest by name and backend stands first; each is looked through once
    // for all that are alike.
    let near = |names: &HashMap<&str, &'a str>, record: &'a Record| {
        (work(record), library_name(names, &record.subject), record.subject.backend.as_str())
    };
    let (mut by_name, mut by_work) = (HashMap::new(), HashMap::new());
    let mut alike = HashSet::new();
    for (place, y) in theirs.iter().enumerate().rev() {
        if alike.insert((&y.subject, work(y), shared_parameters(y))) {
            by_name.entry(near(&their_names, y)).or_insert_with(Vec::new).push(place);
            by_work.entry(work(y)).or_insert_with(Vec::new).push(place);
        }
    }
    let likest = |x: &'a Record| {
        let best = |places: Option<&Vec<usize>>| {
            // The last of several, as a later measurement of the same.
            let places = places.into_iter().flatten().rev();
            let likest = places.filter_map(|&place| Some((likeness(x, theirs[place])?, place)));
            likest.max_by_key(|(points, _)| *points).map(|(_, place)| place)
        };
        best(by_name.get(&near(&our_names, x)))
            .or_else(|| best(by_work.get(&work(x)).filter(|_| lonely)))
    };
    let mut paired = HashSet::new();
    let mut known = HashMap::new();
    for &x in &ours {
        let alike = (&x.subject, work(x), shared_parameters(x));
        match *known.entry(alike).or_insert_with(|| likest(x)) {
            Some(place) => {
                paired.insert(place);
                pairs.push((x, theirs[place]));
            }
            None => only[0].push(name(x)),
        }
    }
    let unpaired = theirs.iter().enumerate().filter(|(place, _)| !paired.contains(place));
    only[1] = unpaired.map(|(_, y)| name(y)).collect();
    Ok(Matched { pairs, only })
}

/// What is done, but for lengths.
fn work(record: &Record) -> impl Eq + std::hash::Hash + use<'_> {
    let subject = &record.subject;
    (subject.primitive.as_str(), subject.operation, record.contract, record.output_bytes)
}

/// How well to measure, and for how long at most.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Asked {
    pub(crate) precision: f64,
    pub(crate) at_least: u32,
    pub(crate) budget: Option<Duration>,
}

/// What was measured again.
pub(crate) struct Again {
    pub(crate) run: Run,
    pub(crate) samples: Spool,
    /// For each record that was asked for, in order: the one of the new run, or
    /// why there is none.
    asked: Vec<Result<usize, String>>,
    /// The same in its own build, where that is still there.
    own: Vec<Option<usize>>,
}

impl Again {
    /// What the record that was asked for at this place is now, or why that is not
    /// known.
    pub(crate) fn of(&self, asked: usize) -> Result<&Record, String> {
        let index = self.asked.get(asked).cloned();
        let index = index.unwrap_or_else(|| Err("it was not asked for".to_owned()))?;
        self.run.records.get(index).ok_or_else(|| "it was not measured".to_owned())
    }

    /// The same in its own build, measured beside it.
    pub(crate) fn own(&self, asked: usize) -> Option<&Record> {
        self.run.records.get((*self.own.get(asked)?)?)
    }
}

/// What takes the place of a saved run's libraries when it is measured again.
pub(crate) struct Targets<'a> {
    names: HashMap<&'a str, &'a str>,
    has_one_library: bool,
    instead: &'a [Live],
}

impl<'a> Targets<'a> {
    /// A library in `instead` takes the place of the one with its name; where
    /// there is one only on both sides, of that.
    pub(crate) fn of(saved: &'a Run, instead: &'a [Live]) -> Self {
        let has_one_library = labels(saved).len() == 1;
        Self { names: names_by_label(saved), has_one_library, instead }
    }

    /// What `subject` is measured in.
    pub(crate) fn target(&self, subject: &Subject) -> Result<Live, String> {
        let name = library_name(&self.names, subject);
        let same_name = self.instead.iter().find(|live| live.spec.name == name);
        let is_lonely = self.instead.len() == 1 && self.has_one_library;
        let lonely = || self.instead.first().filter(|_| is_lonely);
        if let Some(live) = same_name.or_else(lonely) {
            return Ok(live.clone());
        }
        let spec: LibrarySpec =
            subject.library.parse().map_err(|e: cpb_engine::SpecError| e.to_string())?;
        Ok(Live { spec, backend: Some(subject.backend.clone()) })
    }
}

/// Measures what `records` hold, in the libraries that `targets` has for them, and
/// beside it in the builds of `own`, where there are any.
pub(crate) fn measure_again(
    records: &[&Record],
    targets: &Targets<'_>,
    own: &[Option<LibrarySpec>],
    machine: &Machine,
    asked: Asked,
    stop: &AtomicBool,
) -> Result<Again, Fault> {
    let start = Start::now();
    let host = host::describe();
    let clock = machine.clock()?;
    let cpus = machine.cpus(&host)?;
    let memory = QuietMemory::of(&host);
    let now = records.iter().filter_map(|it| Some(targets.target(&it.subject).ok()?.spec.label()));
    let specs: BTreeSet<String> = now.chain(own.iter().flatten().map(LibrarySpec::label)).collect();
    let specs: Vec<LibrarySpec> = specs.iter().filter_map(|label| label.parse().ok()).collect();
    let shelf = Shelf::look(&specs, machine.timeout);
    shelf.report_missing();
    let mut rows = Vec::new();
    let mut add = |row: Row| {
        rows.push(row);
        rows.len() - 1
    };
    let row_of = |record: &Record, live: &Live| {
        let label = live.spec.label();
        let offer = find(&shelf, &label, &record.subject, live.backend.as_deref())?;
        row(&label, offer, record)
    };
    let (mut all, mut beside) = (Vec::new(), Vec::new());
    for (record, own) in records.iter().zip(own) {
        let found = targets.target(&record.subject).and_then(|live| row_of(record, &live));
        let backend = Some(record.subject.backend.clone());
        let own = own.clone().map(|spec| Live { spec, backend });
        let own = own.filter(|_| found.is_ok()).and_then(|live| row_of(record, &live).ok());
        all.push(found.map(&mut add));
        beside.push(own.map(&mut add));
    }
    let lines = u32::try_from(rows.len()).unwrap_or(u32::MAX);
    let by_itself = Duration::from_secs(15) + Duration::from_secs(2).saturating_mul(lines);
    let plan = Plan {
        libraries: shelf.usable(),
        witnesses: shelf.witnesses(),
        rows,
        sampling: Sampling {
            samples: SAMPLES,
            batch: sampling::BATCH,
            warm_up: sampling::WARM_UP,
            limit: Some(sampling::LONGEST_WORKLOAD),
            rounds: Rounds::Until {
                precision: asked.precision,
                at_least: asked.at_least,
                at_most: sampling::ROUNDS_AT_MOST,
            },
            budget: asked.budget.unwrap_or(by_itself.min(MOST_TIME)),
            timeout: machine.timeout,
        },
        clock,
        cpus,
        memory,
        seed: 0,
    };
    let bar = Bar::new();
    let (measured, samples) = measure(&plan, stop, &mut |progress| bar.tell(progress));
    bar.finish();
    let run = run_record::assemble(&start, host, &plan, measured);
    Ok(Again { run, samples, asked: all, own: beside })
}

/// A name that tells a record from the others of its run.
pub(crate) fn name(record: &Record) -> String {
    let Subject { primitive, operation, library, backend, .. } = &record.subject;
    let backend = if backend == "default" { String::new() } else { format!(":{backend}") };
    let aad = match aad(record) {
        0 => String::new(),
        bytes => format!(" {bytes} B aad"),
    };
    let contract = match record.contract {
        cpb_model::Contract::Keyed => "",
        other => other.name(),
    };
    let name = format!("{primitive} {} {library}{backend}{aad} {contract}", operation.name());
    name.trim_end().to_owned()
}

/// The name of the library behind a label.
fn library_name<'a>(names: &HashMap<&str, &'a str>, subject: &'a Subject) -> &'a str {
    let label = subject.library.as_str();
    let name = names.get(label).copied();
    name.unwrap_or_else(|| label.split(['=', ';']).next().unwrap_or_default())
}

/// The names of a run's libraries; of several with one label the first.
fn names_by_label(run: &Run) -> HashMap<&str, &str> {
    let mut names = HashMap::new();
    for library in &run.libraries {
        names.entry(library.label.as_str()).or_insert(library.name.as_str());
    }
    names
}

fn labels(run: &Run) -> BTreeSet<&str> {
    run.records.iter().map(|record| record.subject.library.as_str()).collect()
}

/// Whether all but the message length and the iterations are the same; what
/// failed has no parameters, and is the same as any.
fn same_parameters(a: &Record, b: &Record) -> bool {
    shared_parameters(a).zip(shared_parameters(b)).is_none_or(|(a, b)| a == b)
}

fn shared_parameters(record: &Record) -> Option<Parameters> {
    let parameters = record.points.first()?.parameters;
    Some(Parameters { message_bytes: 0, iterations: None, ..parameters })
}

fn aad(record: &Record) -> usize {
    record.points.first().map_or(0, |point| point.parameters.aad_bytes)
}

fn find<'a>(
    shelf: &'a Shelf,
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
    let offers: Vec<&Offer> =
        shelf.offers().filter(|(l, offer)| l == label && same(offer)).map(|(_, o)| o).collect();
    let likeness =
        |offer: &&Offer| (offer.backend == subject.backend, offer.spelling == subject.spelling);
    let offer = offers.into_iter().max_by_key(likeness);
    let offer = offer.ok_or_else(|| format!("{label} does not have it here"))?;
    offer.unavailable.as_ref().map_or(Ok(offer), |reason| Err(reason.clone()))
}

/// The row that measures `record` again.
fn row(label: &str, offer: &Offer, record: &Record) -> Result<Row, String> {
    let first = record.points.first().map(|point| point.parameters);
    let failure = record.failure.as_ref().map(|failure| failure.reason.as_str());
    let first = first.ok_or_else(|| {
        format!("there is no figure to compare with: {}", failure.unwrap_or("it has no points"))
    })?;
    let all: Vec<usize> = record.points.iter().map(|p| p.parameters.length()).collect();
    let line = record.line.as_ref().and_then(|_| lengths::line(offer));
    Ok(Row {
        alignment: first.alignment,
        aad_bytes: first.aad_bytes,
        key_bytes: first.key_bytes,
        nonce_bytes: first.nonce_bytes,
        output_bytes: record.output_bytes,
        line: line.filter(|(_, lengths)| lengths.iter().all(|length| all.contains(length))),
        ..Row::new(label, offer, record.contract, all)
    })
}

/// A subject as selectors see it.
fn offer(subject: &Subject) -> Offer {
    Offer {
        primitive: subject.primitive.clone(),
        operation: subject.operation,
        spelling: subject.spelling.clone(),
        backend: subject.backend.clone(),
        default_backend: subject.default_backend,
        row: subject.row.clone(),
        lengths: Lengths::default(),
        unavailable: None,
    }
}
