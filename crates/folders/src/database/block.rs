//! Collects the lines of one implementation, which become records.

use super::line::{DatabaseLine, Line};
use super::measures::{self, Length, Measure};
use crate::operations::{self, Operation};
use cpb_model::{
    Axis, Estimator, Figure, Method, Parameters, Point, RawRounds, Record, Security, Setup,
    Subject, Verification, Workload, harmless,
};
use cpb_stats::quantile::{mean_between, quantile_of};
use std::collections::{BTreeMap, BTreeSet, HashSet};

/// SUPERCOP's name among libraries.
pub(super) const LIBRARY: &str = "supercop";

/// The length of signed messages that SUPERCOP's own pages show; for all else they show powers of
/// two.
const SIGNED_BYTES: u64 = 59;
const SHOWN_BYTES: [u64; 2] = [576, 1536];
/// The factor that packs two lengths into one number.
const FIRST_OF_TWO: u64 = 1_000_000;
/// The shares of sorted timings whose mean is each of SUPERCOP's quartiles.
const QUARTILES: [(f64, f64); 3] = [(0.125, 0.375), (0.375, 0.625), (0.625, 0.875)];
/// The quantile that cpb calls low elsewhere: the tenth percentile.
const LOW: f64 = 0.1;

/// The known facts about counter and machine.
#[derive(Debug, Default, Clone, PartialEq)]
pub(super) struct Clock {
    pub(super) hertz: Option<f64>,
    pub(super) counter: Option<String>,
    pub(super) cpu: Option<String>,
}

impl Clock {
    pub(super) fn update(&mut self, other: &Self) {
        self.hertz = other.hertz.or(self.hertz);
        self.counter = other.counter.clone().or(self.counter.take());
        self.cpu = other.cpu.clone().or(self.cpu.take());
    }
}

/// A record, with the number of its lines.
type Counted = (Record, u64);

/// The timings at one length, with the number of their lines.
#[derive(Debug, Default)]
struct Timings {
    all: Vec<f64>,
    lines: u64,
}

#[derive(Debug)]
pub(super) struct Block {
    first_line: u64,
    /// The operation in the line: `crypto_hash`.
    folder: String,
    operation: Option<&'static Operation>,
    primitive: String,
    security: Option<Security>,
    implementation: Option<(String, String)>,
    compiler: Option<String>,
    item_bytes: Option<u64>,
    clock: Clock,
    right: HashSet<String>,
    /// Timings by index of the measure in its table, and by length.
    counted: BTreeMap<(usize, u64), Timings>,
    lines: u64,
}

impl Block {
    /// Starts the block of this line, which has this number.
    pub(super) fn of(line: &Line<'_>, number: u64) -> Self {
        Self {
            first_line: number,
            folder: line.operation.to_owned(),
            operation: operations::of_folder(line.operation),
            primitive: line.primitive.to_owned(),
            security: line.security,
            implementation: None,
            compiler: None,
            item_bytes: None,
            clock: Clock::default(),
            right: HashSet::new(),
            counted: BTreeMap::new(),
            lines: 0,
        }
    }

    /// Whether the line is of the same implementation.
    pub(super) fn takes(&self, line: &Line<'_>) -> bool {
        let is_same = (self.folder.as_str(), self.primitive.as_str(), self.security)
            == (line.operation, line.primitive, line.security);
        let begins =
            matches!(line.says, DatabaseLine::Implementation(..)) && !self.counted.is_empty();
        is_same && !begins
    }

    /// Takes a line; for cycles, returns whether they belong to something that becomes a figure.
    pub(super) fn add(&mut self, says: &DatabaseLine<'_>) -> Option<bool> {
        match says {
            DatabaseLine::Implementation(path, version) => {
                self.implementation = Some((own(path), own(version)));
            }
            DatabaseLine::Right(path) => drop(self.right.insert(own(path))),
            DatabaseLine::About(what, rest) => self.about(what, rest),
            DatabaseLine::Counted(word, length, timings) => {
                let name = self.operation.map(|operation| operation.name);
                let measure = name.and_then(|name| measures::of(name, word));
                let length = measure.and_then(|it| kept(measures::at(it).length, *length));
                let (Some(measure), Some(length)) = (measure, length) else { return Some(false) };
                self.lines += 1;
                let at_length = self.counted.entry((measure, length)).or_default();
                at_length.all.extend(timings);
                at_length.lines += 1;
                return Some(true);
            }
        }
        None
    }

    fn about(&mut self, what: &str, rest: &[&str]) {
        let Some(first) = rest.first() else { return };
        match what {
            "cpuid" => self.clock.cpu = Some(own(first)),
            "cpucycles_implementation" => self.clock.counter = Some(own(first)),
            "cpucycles_persecond" => {
                self.clock.hertz =
                    first.parse().ok().filter(|it: &f64| it.is_finite() && *it > 0.0);
            }
            "compiler" => self.compiler = Some(own(first)),
            "bytes" => self.item_bytes = first.parse().ok(),
            _ => {}
        }
    }

    pub(super) fn clock(&self) -> &Clock {
        &self.clock
    }

    /// Returns the number of lines with cycles that may become figures.
    pub(super) fn lines(&self) -> u64 {
        self.lines
    }

    /// Returns its records with the number of its first line, or that number and why there are
    /// none.
    pub(super) fn records(self, clock: &Clock) -> Result<(u64, Vec<Counted>), (u64, String)> {
        let line = self.first_line;
        let Some(operation) = self.operation.filter(|_| !self.counted.is_empty()) else {
            return Ok((line, Vec::new()));
        };
        let refuse = |reason: &str| (line, reason.to_owned());
        let hertz = clock.hertz.ok_or_else(|| {
            refuse("nothing says how many cycles a second has (cpucycles_persecond)")
        })?;
        let implementation = self
            .implementation
            .as_ref()
            .ok_or_else(|| refuse("nothing says of which implementation its cycles are"))?;
        let subject = self.subject(operation, &implementation.0);
        let verification = match self.right.contains(&implementation.0) {
            true => Verification::KnownAnswer,
            false => Verification::Unverified {
                reason: "the database does not say that its sums were known".to_owned(),
            },
        };
        let mut lengths: BTreeMap<usize, BTreeMap<u64, &Timings>> = BTreeMap::new();
        for ((measure, length), timings) in &self.counted {
            lengths.entry(*measure).or_default().insert(*length, timings);
        }
        let record = |(measure, by_length): (usize, BTreeMap<u64, &Timings>)| {
            let measure = measures::at(measure);
            let shown = shown(measure.length, &by_length);
            let points = shown
                .iter()
                .filter_map(|length| point(&self, measure, *length, &by_length[length].all, hertz));
            let points: Vec<Point> = points.collect();
            let lines = shown.iter().map(|length| by_length[length].lines).sum();
            let parameters = points.first().map(|it| it.parameters).unwrap_or_default();
            let Subject { primitive, .. } = &subject;
            let record = Record {
                workload: Workload::with(
                    primitive,
                    measure.operation,
                    measure.contract,
                    &parameters,
                ),
                setup: Setup::default(),
                subject: Subject { operation: measure.operation, ..subject.clone() },
                lengths: points.iter().map(|it| it.parameters.length()).collect(),
                sizes: BTreeMap::new(),
                method: Method::Trials,
                estimator: Estimator::default(),
                verification: Some(verification.clone()),
                points,
                line: None,
                concurrent: None,
                no_dependence: None,
                path: None,
                costs: None,
                quiet: None,
                precise: None,
                failure: None,
            };
            (record, lines)
        };
        let records = lengths.into_iter().map(record);
        Ok((line, records.filter(|(record, _)| !record.points.is_empty()).collect()))
    }

    fn subject(&self, operation: &'static Operation, path: &str) -> Subject {
        let primitive = harmless(&self.primitive);
        let spelling = format!("{}/{primitive}", self.folder);
        let name = path.strip_prefix(&format!("{spelling}/")).unwrap_or(path);
        let backend = match &self.compiler {
            Some(compiler) => format!("{name}@{}", compiler_name(compiler)),
            None => name.to_owned(),
        };
        Subject {
            primitive: operations::canonical(operation, &primitive),
            operation: operation.measured,
            library: LIBRARY.to_owned(),
            spelling,
            backend,
            default_backend: false,
            security: self.security,
            row: None,
        }
    }
}

/// Makes a word of the database harmless.
fn own(word: &str) -> String {
    harmless(word).into_owned()
}

/// Converts `gcc_-O3_-fwrapv` to the form of backends: `gcc-O3-fwrapv`.
fn compiler_name(compiler: &str) -> String {
    let mut words = compiler.split('_').filter(|word| !word.is_empty());
    let program = words.next().unwrap_or_default();
    let program = program.rsplit('/').next().unwrap_or_default();
    words.fold(program.to_owned(), |name, word| match word.starts_with('-') {
        true => name + word,
        // An underscore within the word.
        false => name + "_" + word,
    })
}

/// Returns the length under which a measurement is kept; `None` if cpb leaves it out.
fn kept(kind: Length, length: Option<u64>) -> Option<u64> {
    let length = length.unwrap_or(0);
    let (first, message) = (length / FIRST_OF_TWO, length % FIRST_OF_TWO);
    match kind {
        Length::Nothing => Some(0),
        Length::Message | Length::Signed | Length::Items => Some(length),
        Length::AadAndMessage => (first == 0).then_some(message),
        // A pair of other lengths has no message and output of equal length.
        Length::OutputAndMessage => (first == message).then_some(message),
    }
}

/// Selects one length per octave, the longest, and those that SUPERCOP's pages show; for signatures
/// the one shown, or the longest below it.
fn shown<T>(kind: Length, lengths: &BTreeMap<u64, T>) -> Vec<u64> {
    if kind == Length::Signed {
        let below = lengths.keys().rev().find(|length| **length <= SIGNED_BYTES);
        return below.or(lengths.keys().next()).copied().into_iter().collect();
    }
    // 0, 1, 2, 3 to 4, 5 to 8, and so on.
    let octave =
        |length: u64| length.checked_sub(1).map_or(0, |it| u64::BITS - it.leading_zeros() + 1);
    let longest: BTreeMap<u32, u64> = lengths.keys().map(|&it| (octave(it), it)).collect();
    let own = SHOWN_BYTES.into_iter().filter(|length| lengths.contains_key(length));
    longest.into_values().chain(own).collect::<BTreeSet<u64>>().into_iter().collect()
}

fn point(
    block: &Block,
    measure: &Measure,
    length: u64,
    timings: &[f64],
    hertz: f64,
) -> Option<Point> {
    let bytes = match measure.length {
        Length::Items => length.checked_mul(block.item_bytes?)?,
        _ => length,
    };
    let quartile = |(low, high)| mean_between(timings, low, high);
    let [first, second, third] = QUARTILES.map(quartile);
    let median = second?;
    let message_bytes = usize::try_from(bytes).ok()?;
    let is_xof = measure.length == Length::OutputAndMessage;
    // There is no figure per byte of nothing, but there is one per call.
    let parameters = Parameters {
        message_bytes: if measure.operation.row().axis == Axis::Calls
            && !measure.operation.takes_message()
        {
            0
        } else {
            message_bytes
        },
        output_bytes: is_xof.then_some(message_bytes),
        ..Parameters::default()
    };
    Some(Point {
        parameters,
        cycles_per_call: Figure::new(median, None),
        nanoseconds_per_call: median / hertz * 1e9,
        between_rounds: None,
        median: Some(median),
        quartiles: (timings.len() > 1).then_some([first?, median, third?]),
        low_quantile: quantile_of(timings, LOW)?,
        minimum: timings.iter().copied().min_by(f64::total_cmp)?,
        long_calls: None,
        draws: None,
        layout: None,
        one_by_one: None,
        events: None,
        calls_per_sample: 1,
        samples: timings.len() as u64,
        rejected: 0,
        rounds: 1,
        raw: RawRounds::default(),
    })
}
