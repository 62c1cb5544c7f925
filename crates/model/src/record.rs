//! What was measured, with everything needed to believe it.

use crate::sum::Sum;
use crate::{
    Axis, BenchSlopesRow, Certainty, ClockSummary, CodePath, Concurrent, Costs, Estimator, Figure,
    Host, LibraryBuild, Operation, Parameters, Point, RawRounds, Role, Security, Setup, Steal,
    Workload, standard, wire,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// What a record is about: one backend of one library doing one thing.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The primitive's canonical name.
    pub primitive: String,
    /// What is done with it.
    pub operation: Operation,
    /// The library's label; its version and path stand in [`Run::libraries`].
    pub library: String,
    /// The library's own name for it.
    pub spelling: String,
    /// Which of the library's implementations.
    pub backend: String,
    /// Whether this is the backend the library uses when not told otherwise.
    pub default_backend: bool,
    /// Whether its time may depend on secrets; absent where nobody says.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<Security>,
    /// Its row in bench-slopes; absent where that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<BenchSlopesRow>,
}

impl Subject {
    /// What the cost of a call is a function of.
    #[must_use]
    pub fn axis(&self) -> Axis {
        self.operation.axis(&self.primitive)
    }
}

/// How samples become an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A robust centre for each message length by itself.
    Trials,
    /// A line through the centres of several message lengths.
    Slope,
    /// By many at once, or to be compared with such: by the wall clock, with sampled cycles.
    Throughput,
    /// The mean over a given number of calls, of each message length by itself.
    Calls,
}

/// How a line is fitted through a row's points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// Ordinary least squares, as bench-slopes does.
    LeastSquares,
    /// Weighted for noise in proportion, and robust against outliers.
    Robust,
    /// As [`Robust`](Self::Robust), where the points lie on that line; else between the longest and
    /// the longest of at most half of that.
    RobustOrLongest,
}

/// How a line was fitted, and through which points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitRange {
    /// How.
    pub fit: Fit,
    /// The lengths in bytes, or iterations; smallest first.
    pub lengths: Vec<usize>,
}

/// A line through the points: cycles = slope × bytes + intercept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// How it was fitted; absent in files from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitted: Option<FitRange>,
    /// Cycles per byte (of derivations: per iteration) for long messages.
    #[serde(rename = "slope", alias = "cycles_per_byte")]
    pub cycles_per_byte: Figure,
    /// Cycles at length 0, by the line; absent where cost is not linear.
    #[serde(
        default,
        rename = "intercept",
        alias = "cycles_per_call",
        skip_serializing_if = "Option::is_none"
    )]
    pub cycles_per_call: Option<Figure>,
    /// Where cost is surely not linear; then there is no intercept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misfit: Option<Misfit>,
}

/// Where a line is most off what is measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Misfit {
    /// The length; 0 where the line itself is below nothing there.
    pub length: usize,
    /// What is measured there less what the line says, as a share of what is measured; at 0 the
    /// intercept, as a share of the shortest call on the line.
    pub off: f64,
}

impl Misfit {
    /// What is wrong, in words.
    #[must_use]
    pub fn describe(self) -> String {
        let Self { length, off } = self;
        let percent = 100.0 * off.abs();
        match length {
            0 => "not linear: by the line, an empty call would cost less than nothing".to_owned(),
            _ => {
                let than = if off < 0.0 { "less" } else { "more" };
                format!(
                    "not linear: at length {length} a call costs {percent:.1} % {than} than the line"
                )
            }
        }
    }
}

/// What a result was compared with before it was timed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verification {
    /// Known answers.
    KnownAnswer,
    /// Known answers, and at this very length another implementation.
    Reference {
        /// Which, such as `native portable`.
        with: String,
    },
    /// Other libraries gave the same answer.
    Agreement {
        /// Their names.
        with: Vec<String>,
    },
    /// What was encrypted was decrypted again.
    RoundTrip,
    /// No two outputs were alike, and as many bits were ones as chance allows.
    LooksRandom,
    /// Nothing to compare with.
    Unverified {
        /// Why.
        reason: String,
    },
}

impl Verification {
    /// The verification's name, as in JSON.
    #[must_use]
    pub fn name(&self) -> &'static str {
        match self {
            Verification::KnownAnswer => "known-answer",
            Verification::Reference { .. } => "reference",
            Verification::Agreement { .. } => "agreement",
            Verification::RoundTrip => "round-trip",
            Verification::LooksRandom => "looks-random",
            Verification::Unverified { .. } => "unverified",
        }
    }
}

/// The kinds of failure.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The implementation cannot be used here.
    Unavailable,
    /// The result was wrong.
    WrongAnswer,
    /// The worker died of a signal or left by itself.
    Crashed,
    /// The worker did not answer in time.
    Hung,
    /// No or too few samples could be accepted, or the clock failed.
    NotMeasured,
}

/// Why there is no figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    /// Which kind.
    pub kind: FailureKind,
    /// In words, with the remedy where there is one.
    pub reason: String,
}

/// One row: a subject measured at one or more message lengths.
///
/// In JSON it has `contract` and `output_bytes` besides, which its workload says, too: for
/// readers of older shapes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(try_from = "wire::Record<'_>")]
pub struct Record {
    /// What a call did, or would have done.
    pub workload: Workload,
    /// How calls were made, or would have been.
    pub setup: Setup,
    /// What was measured.
    pub subject: Subject,
    /// The message lengths in bytes, or iterations, that it was asked for; smallest first.
    pub lengths: Vec<usize>,
    /// Bytes of keys, signatures, ciphertexts and secrets, where there are such.
    pub sizes: BTreeMap<Role, usize>,
    /// How samples became estimates.
    pub method: Method,
    /// How rounds became figures; absent where the figures are of before there was another way.
    pub estimator: Estimator,
    /// What the result was compared with; absent where it never got so far.
    pub verification: Option<Verification>,
    /// By message length; empty where it failed, and where only rates could be told.
    pub points: Vec<Point>,
    /// Under [`Method::Slope`], the line through the points.
    pub line: Option<Line>,
    /// Under [`Method::Throughput`], what is known besides; absent where nothing was tried.
    pub concurrent: Option<Concurrent>,
    /// Why its calls were not made to depend on each other, where that was asked for.
    pub no_dependence: Option<String>,
    /// Which code its calls ran, where they were traced.
    pub path: Option<CodePath>,
    /// What they cost besides cycles, where that was asked for.
    pub costs: Option<Costs>,
    /// Whether the interval became as narrow as was asked; absent where
    /// nothing was asked.
    pub precise: Option<bool>,
    /// How sure it is that its core was quiet; absent where nothing was measured or asked.
    pub quiet: Option<Certainty>,
    /// Why there is no figure.
    pub failure: Option<Failure>,
}

impl Record {
    /// What is done, and how. Records are ranked, compared and paired, and follow one another in
    /// a history, where these are equal, and nothing else decides that.
    #[must_use]
    pub fn work(&self) -> (&Workload, &Setup) {
        (&self.workload, &self.setup)
    }

    /// The same in words: `aes-128-gcm seal, oneshot, 4 threads`.
    #[must_use]
    pub fn title(&self) -> String {
        self.setup.title(&self.workload)
    }

    /// Whether it has a figure, be it a rate alone.
    #[must_use]
    pub fn is_measured(&self) -> bool {
        let has_rate = |it: &Concurrent| it.calls_per_second.is_some();
        !self.points.is_empty() || self.concurrent.as_ref().is_some_and(has_rate)
    }

    /// The parameters of its calls at the shortest length that it was asked for.
    #[must_use]
    pub fn parameters(&self) -> Parameters {
        let length = self.lengths.first().copied().unwrap_or_default();
        let (message_bytes, iterations) = self.workload.operation.counts(length);
        Parameters { message_bytes, iterations, ..self.workload.parameters() }
    }

    /// Bytes of the output, for a primitive whose output length is free.
    #[must_use]
    pub fn output_bytes(&self) -> Option<usize> {
        let standard = standard(&self.workload.primitive, self.workload.operation);
        self.workload.output.or(standard.output)
    }

    /// Whether a figure of it is an upper bound only.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        let line = self.line.iter().map(|line| line.cycles_per_byte);
        self.points.iter().map(|point| point.cycles_per_call).chain(line).any(|it| it.upper_bound)
    }

    /// The raw samples of its points; behind them, where calls were made one by one, those of
    /// independent and dependent calls of each point, which may be none.
    #[must_use]
    pub fn raw(&self) -> Vec<RawRounds> {
        let mut all: Vec<RawRounds> = self.points.iter().map(|point| point.raw.clone()).collect();
        if self.has_one_by_one() {
            all.extend(self.points.iter().flat_map(|point| match &point.one_by_one {
                Some(it) => [it.independent.raw.clone(), it.dependent.raw.clone()],
                None => Default::default(),
            }));
        }
        all
    }

    /// Gives its points the raw samples that [`Record::raw`] has.
    pub fn put_raw(&mut self, all: Vec<RawRounds>) {
        let mut all = all.into_iter();
        self.points.iter_mut().zip(&mut all).for_each(|(point, raw)| point.raw = raw);
        for point in &mut self.points {
            let [independent, dependent] = [all.next(), all.next()].map(Option::unwrap_or_default);
            if let Some(it) = &mut point.one_by_one {
                (it.independent.raw, it.dependent.raw) = (independent, dependent);
            }
        }
    }

    /// Whether calls were made one by one, too, at some length.
    #[must_use]
    pub fn has_one_by_one(&self) -> bool {
        self.points.iter().any(|point| point.one_by_one.is_some())
    }

    /// Lets go of the raw samples.
    pub fn forget_raw(&mut self) {
        self.put_raw(vec![RawRounds::default(); self.points.len()]);
    }
}

/// Everything one invocation measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(from = "wire::Run")]
pub struct Run {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// A UUID that is this run's alone, wherever it is kept; empty in files
    /// from before runs had one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Version of cpb.
    pub version: String,
    /// Revision of cpb's sources, where the build knew it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The command line.
    pub command: Vec<String>,
    /// Seed of the order of jobs and of the bootstrap.
    pub seed: u64,
    /// Seconds since 1970 at the start.
    pub started: u64,
    /// Wall-clock seconds it took.
    pub seconds: f64,
    /// How narrow intervals were asked to be, to either side and relatively; absent
    /// where nothing was asked.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    /// The machine.
    pub host: Host,
    /// The CPU that workers had to stay on; absent where they chose among
    /// several.
    pub cpu: Option<usize>,
    /// The CPUs that samples were taken on.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<usize>,
    /// Time the hypervisor took away during the run.
    pub steal: Option<Steal>,
    /// The clock; absent where no worker got as far as calibrating it.
    pub clock: Option<ClockSummary>,
    /// The libraries, with version and path.
    pub libraries: Vec<LibraryBuild>,
    /// The rows.
    pub records: Vec<Record>,
    /// What its suite adds up of the rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Sum>,
    /// What the reader should know, each with its remedy.
    pub warnings: Vec<String>,
}

impl Run {
    /// All but the records.
    #[must_use]
    pub fn without_records(&self) -> Self {
        Self {
            schema: self.schema,
            id: self.id.clone(),
            version: self.version.clone(),
            revision: self.revision.clone(),
            command: self.command.clone(),
            seed: self.seed,
            started: self.started,
            seconds: self.seconds,
            precision: self.precision,
            host: self.host.clone(),
            cpu: self.cpu,
            cpus: self.cpus.clone(),
            steal: self.steal,
            clock: self.clock.clone(),
            libraries: self.libraries.clone(),
            records: Vec::new(),
            sums: self.sums.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// Lets go of the raw samples.
    pub fn forget_raw(&mut self) {
        self.records.iter_mut().for_each(Record::forget_raw);
    }
}
