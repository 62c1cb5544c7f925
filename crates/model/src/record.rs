//! Defines the record of a measurement, with the evidence needed to believe it.

use crate::sum::Sum;
use crate::{
    Axis, BenchSlopesRow, Certainty, ClockSummary, CodePath, Concurrent, Costs, Estimator, Figure,
    Host, LibraryBuild, Operation, Parameters, Point, RawRounds, Role, Security, Setup, Steal,
    Workload, standard,
};
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// Identifies what was measured: one backend of one library, doing one operation.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize, Deserialize)]
pub struct Subject {
    /// The primitive's canonical name.
    pub primitive: String,
    /// The operation on the primitive.
    pub operation: Operation,
    /// The library's label; [`Run::libraries`] has its version and path.
    pub library: String,
    /// The library's own name for the primitive.
    pub spelling: String,
    /// The library's implementation that was measured.
    pub backend: String,
    /// Whether this is the library's default backend.
    pub default_backend: bool,
    /// Whether its time may depend on secrets; absent if its author does not say.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub security: Option<Security>,
    /// Its row in bench-slopes; absent if bench-slopes has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<BenchSlopesRow>,
}

impl Subject {
    /// Returns what the cost of a call is a function of.
    pub fn axis(&self) -> Axis {
        self.operation.axis(&self.primitive)
    }
}

crate::named! {
    /// Names how samples become an estimate.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
    #[serde(rename_all = "kebab-case")]
    pub enum Method {
        /// Each message length gets a robust centre of its own.
        Trials = "trials",
        /// A line is fitted through the centres of several message lengths.
        Slope = "slope",
        /// Concurrent calls, and those to compare them with: throughput by the wall clock, with
        /// cycles from samples.
        Throughput = "throughput",
        /// Each message length gets the mean over a given number of calls.
        Calls = "calls",
    }
}

/// Names how a line is fitted through a row's points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// Ordinary least squares, as in bench-slopes.
    LeastSquares,
    /// Weighted least squares for noise proportional to cost, robust against outliers.
    Robust,
    /// Like [`Robust`](Self::Robust) if the points lie on that line; otherwise through the longest
    /// length and the longest one that is at most half of it.
    RobustOrLongest,
}

/// Records how a line was fitted, and through which points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct FitRange {
    pub fit: Fit,
    /// The lengths in bytes, or iterations, in rising order.
    pub lengths: Vec<usize>,
}

/// The line through the points: cycles = slope × bytes + intercept.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Line {
    /// How it was fitted; absent in files from before this was recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub fitted: Option<FitRange>,
    /// The slope in cycles per byte (derivations: per iteration), the cost of long messages.
    #[serde(rename = "slope", alias = "cycles_per_byte")]
    pub cycles_per_byte: Figure,
    /// The intercept in cycles; absent if cost is not linear.
    #[serde(
        default,
        rename = "intercept",
        alias = "cycles_per_call",
        skip_serializing_if = "Option::is_none"
    )]
    pub cycles_per_call: Option<Figure>,
    /// The worst misfit; present only if cost is certainly not linear. There is no intercept then.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub misfit: Option<Misfit>,
}

/// The length at which a line differs most from what was measured.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Misfit {
    /// The length; 0 if the intercept is negative.
    pub length: usize,
    /// (Measured − line) ÷ measured. At length 0, the intercept ÷ the cost of the shortest call.
    pub off: f64,
}

impl Misfit {
    /// Explains what is wrong.
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

/// Names what a result was checked against before it was timed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verification {
    /// Known answers.
    KnownAnswer,
    /// Known answers, and another implementation at this very length.
    Reference {
        /// That implementation, such as `native portable`.
        with: String,
    },
    /// The answers of other libraries, which were equal.
    Agreement {
        /// The names of those libraries.
        with: Vec<String>,
    },
    /// The inverse operation: what was encrypted was decrypted again.
    RoundTrip,
    /// Randomness tests: no two outputs were equal, and about half of all bits were ones.
    LooksRandom,
    /// Nothing was available to check against.
    Unverified { reason: String },
}

impl Verification {
    /// Returns the verification's name in JSON.
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

/// Classifies failures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum FailureKind {
    /// The implementation cannot be used here.
    Unavailable,
    /// The result was wrong.
    WrongAnswer,
    /// The worker was killed by a signal or exited early.
    Crashed,
    /// The worker did not answer in time.
    Hung,
    /// Too few samples were accepted, or the clock failed.
    NotMeasured,
}

/// Explains why a record has no figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Failure {
    pub kind: FailureKind,
    /// The reason, with the remedy if there is one.
    pub reason: String,
}

/// The measurement of one row, at one or more message lengths.
///
///
/// Its JSON also has `contract` and `output_bytes`, which the workload implies, for readers of
/// older shapes.
#[derive(Debug, Clone, PartialEq)]
pub struct Record {
    /// What one call did, or would have done if it had not failed.
    pub workload: Workload,
    /// How calls were made, or would have been.
    pub setup: Setup,
    /// The implementation that was measured.
    pub subject: Subject,
    /// The requested message lengths in bytes, or iterations, in rising order.
    pub lengths: Vec<usize>,
    /// Bytes of keys, signatures, ciphertexts and secrets, for operations that have them.
    pub sizes: BTreeMap<Role, usize>,
    pub method: Method,
    /// How rounds became figures; absent in JSON for the first estimator.
    pub estimator: Estimator,
    /// What the result was checked against; absent if it failed before.
    pub verification: Option<Verification>,
    /// One point per message length; empty if it failed, or if only rates could be measured.
    pub points: Vec<Point>,
    /// The line through the points, under [`Method::Slope`].
    pub line: Option<Line>,
    /// Throughput and time breakdown, under [`Method::Throughput`]; absent if nothing ran.
    pub concurrent: Option<Concurrent>,
    /// Why serial calls were not measured, if they were requested.
    pub no_dependence: Option<String>,
    /// The code that its calls ran, if they were traced.
    pub path: Option<CodePath>,
    /// Costs besides cycles, if they were requested.
    pub costs: Option<Costs>,
    /// Whether the interval became as narrow as requested; absent if no precision was requested.
    pub precise: Option<bool>,
    /// How certain it is that its core was quiet; absent if not measured or not requested.
    pub quiet: Option<Certainty>,
    pub failure: Option<Failure>,
}

impl Record {
    /// Returns what is done, and how. Records are ranked, compared, paired or put into one history
    /// only where both are equal.
    pub fn work(&self) -> (&Workload, &Setup) {
        (&self.workload, &self.setup)
    }

    /// Describes the work: `aes-128-gcm seal, oneshot, 4 threads`.
    pub fn title(&self) -> String {
        self.setup.title(&self.workload)
    }

    /// Whether it has any figure, even if only a rate.
    pub fn is_measured(&self) -> bool {
        let has_rate = |it: &Concurrent| it.calls_per_second.is_some();
        !self.points.is_empty() || self.concurrent.as_ref().is_some_and(has_rate)
    }

    /// Returns the parameters of its calls at the shortest requested length.
    pub fn parameters(&self) -> Parameters {
        let length = self.lengths.first().copied().unwrap_or_default();
        let (message_bytes, iterations) = self.workload.operation.counts(length);
        Parameters { message_bytes, iterations, ..self.workload.parameters() }
    }

    /// Returns the bytes of the output; `None` if the primitive's output length is not free.
    pub fn output_bytes(&self) -> Option<usize> {
        let standard = standard(&self.workload.primitive, self.workload.operation);
        self.workload.output.or(standard.output)
    }

    /// Whether any of its figures is only an upper bound.
    pub fn is_bound(&self) -> bool {
        let line = self.line.iter().map(|line| line.cycles_per_byte);
        self.points.iter().map(|point| point.cycles_per_call).chain(line).any(|it| it.upper_bound)
    }

    /// Returns the raw samples of each point. If serial calls were measured, those of the
    /// independent and dependent calls of each point follow; they may be empty.
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

    /// Gives its points the raw samples that [`Record::raw`] returned.
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

    /// Whether serial calls were measured at any length.
    pub fn has_one_by_one(&self) -> bool {
        self.points.iter().any(|point| point.one_by_one.is_some())
    }

    /// Drops the raw samples.
    pub fn forget_raw(&mut self) {
        self.put_raw(vec![RawRounds::default(); self.points.len()]);
    }
}

/// The results of one invocation.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Run {
    /// The shape's version: [`crate::SCHEMA`].
    pub schema: u32,
    /// A UUID that identifies this run wherever it is stored; empty in files from before runs had
    /// one.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The version of cpb.
    pub version: String,
    /// The revision of cpb's sources; absent if unknown at build time.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    pub command: Vec<String>,
    /// The seed of the order of jobs and of the bootstrap.
    pub seed: u64,
    /// Seconds since 1970 at the start.
    pub started: u64,
    /// The wall-clock duration in seconds.
    pub seconds: f64,
    /// The requested half-width of the intervals, relative; absent if none was requested.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub precision: Option<f64>,
    pub host: Host,
    /// The CPU that workers were pinned to; absent if they could use several.
    pub cpu: Option<usize>,
    /// The CPUs on which samples were taken.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<usize>,
    /// The CPU time that the hypervisor took during the run.
    pub steal: Option<Steal>,
    /// The clock; absent if no worker calibrated one.
    pub clock: Option<ClockSummary>,
    /// The libraries, with versions and paths.
    pub libraries: Vec<LibraryBuild>,
    pub records: Vec<Record>,
    /// The sums of its suite over several rows.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub sums: Vec<Sum>,
    /// Warnings for the reader, each with its remedy.
    pub warnings: Vec<String>,
}

impl Run {
    /// Returns a copy without the records.
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

    /// Drops the raw samples.
    pub fn forget_raw(&mut self) {
        self.records.iter_mut().for_each(Record::forget_raw);
    }
}
