//! What was measured, with everything needed to believe it.

use crate::{
    Calibration, Contract, Host, LibraryId, Operation, Parameters, RawRounds, RowName, Steal,
    Throughput,
};
use serde::{Deserialize, Serialize};

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
    /// Its row in bench-slopes; absent where that has none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub row: Option<RowName>,
}

/// How samples become an estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Method {
    /// A robust centre for each message length by itself.
    Trials,
    /// A line through the centres of several message lengths.
    Slope,
    /// Lanes × threads, by the wall clock, with sampled cycles.
    Throughput,
    /// The mean over a given number of calls, of each message length by itself.
    Calls,
}

/// An interval that holds the true value with the stated confidence.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Interval {
    /// Lower end.
    pub low: f64,
    /// Upper end.
    pub high: f64,
    /// Such as 0.95.
    pub confidence: f64,
}

/// An estimate and how well it is known. The unit is the field's.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Figure {
    /// The estimate.
    pub estimate: f64,
    /// Absent with fewer than two rounds: one process cannot tell.
    pub interval: Option<Interval>,
    /// Whether the estimate is an upper bound only: the core was never quiet
    /// for long enough. It then has no interval.
    #[serde(default, skip_serializing_if = "is_false")]
    pub upper_bound: bool,
}

impl Figure {
    /// An estimate, with its interval where there is one.
    #[must_use]
    pub fn new(estimate: f64, interval: Option<Interval>) -> Self {
        Self { estimate, interval, upper_bound: false }
    }

    /// What the true value is not above.
    #[must_use]
    pub fn at_most(estimate: f64) -> Self {
        Self { estimate, interval: None, upper_bound: true }
    }

    /// The figure in another unit: everything times `factor`, which is
    /// positive.
    #[must_use]
    pub fn times(self, factor: f64) -> Self {
        let times = |interval: Interval| Interval {
            low: interval.low * factor,
            high: interval.high * factor,
            ..interval
        };
        Self { estimate: self.estimate * factor, interval: self.interval.map(times), ..self }
    }
}

fn is_false(value: &bool) -> bool {
    !value
}

/// How calls too long to dodge preemption were treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LongCalls {
    /// One call lasts longer than preemption can be dodged for; the estimate
    /// is the low quantile of the samples.
    LowQuantile,
}

/// The measurement of one message length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Lengths and placement.
    pub parameters: Parameters,
    /// Core cycles of one call.
    pub cycles_per_call: Figure,
    /// Nanoseconds of one call.
    pub nanoseconds_per_call: f64,
    /// Relative spread of the rounds' medians: (max − min) ÷ median.
    pub between_rounds: Option<f64>,
    /// The median over rounds of each round's median, in cycles per call; absent in
    /// what older versions saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// The median over rounds of each round's tenth percentile, in cycles per
    /// call.
    pub low_quantile: f64,
    /// The smallest sample, in cycles per call.
    pub minimum: f64,
    /// Set where single calls are too long to dodge preemption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_calls: Option<LongCalls>,
    /// Calls in each sample.
    pub calls_per_sample: u64,
    /// Samples that the figure is made of, over all rounds.
    pub samples: u64,
    /// Samples that do not count: their brackets disagreed, or a neighbour was
    /// busy on the core's other hardware thread.
    pub rejected: u64,
    /// Worker processes that measured it.
    pub rounds: u32,
    /// The raw samples of each round; empty where they were not kept.
    #[serde(default, skip_serializing_if = "RawRounds::is_empty")]
    pub raw: RawRounds,
}

/// How a line is fitted through a row's points.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Fit {
    /// Ordinary least squares, as bench-slopes does.
    LeastSquares,
    /// Weighted for noise in proportion, and robust against outliers.
    Robust,
}

/// How a line was fitted, and through which points.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Fitted {
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
    pub fitted: Option<Fitted>,
    /// Cycles per byte for long messages.
    pub cycles_per_byte: Figure,
    /// Fixed cost of a call, in cycles.
    pub cycles_per_call: Figure,
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
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Record {
    /// What was measured.
    pub subject: Subject,
    /// Length of the output, for a primitive whose output length is free.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub output_bytes: Option<usize>,
    /// What one timed call does.
    pub contract: Contract,
    /// How samples became estimates.
    pub method: Method,
    /// What the result was compared with; absent where it never got so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// By message length; empty where it failed.
    pub points: Vec<Point>,
    /// Under [`Method::Slope`], the line through the points.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub line: Option<Line>,
    /// Whether the interval became as narrow as was asked; absent where
    /// nothing was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub precise: Option<bool>,
    /// Why there is no figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl Record {
    /// Whether a figure of it is an upper bound only.
    #[must_use]
    pub fn is_bound(&self) -> bool {
        let line = self.line.iter().map(|line| line.cycles_per_byte);
        self.points.iter().map(|point| point.cycles_per_call).chain(line).any(|it| it.upper_bound)
    }

    /// Lets go of the raw samples.
    pub fn forget_raw(&mut self) {
        self.points.iter_mut().for_each(|point| point.raw = RawRounds::default());
    }
}

/// The clock over a whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClockSummary {
    /// The counter and how cycles were made of it: `amd64-tsc+chain`.
    pub name: String,
    /// The calibrations that workers have; the first few make one each.
    pub calibrations: Vec<Calibration>,
    /// Median core clock during the samples, in Hz.
    pub core_hertz: f64,
    /// Worker processes that samples were taken in; 0 in files from before this
    /// was kept, where each has a calibration.
    #[serde(default)]
    pub workers: u64,
    /// Lowest and highest core clock among samples (1st and 99th percentile),
    /// in Hz.
    pub core_hertz_range: (f64, f64),
    /// Samples taken between brackets that agree.
    pub samples: u64,
    /// Samples dropped because their brackets disagreed.
    pub rejected: u64,
    /// What is known of neighbours on the cores' other hardware threads; absent
    /// in files from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<Quiet>,
    /// Loops of known cycles, measured beside the rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_loops: Vec<KnownLoop>,
}

/// A loop whose cycles on a quiet core are known, as it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownLoop {
    /// Such as `loop-adds`.
    pub name: String,
    /// Cycles of an instruction, where the core does a whole number of them in
    /// a cycle.
    pub known: f64,
    /// Cycles of an instruction as measured.
    pub measured: Figure,
}

impl KnownLoop {
    /// How far the measured cycles are from the known ones, relatively.
    #[must_use]
    pub fn off(&self) -> f64 {
        self.measured.estimate / self.known - 1.0
    }
}

/// What is known of neighbours on the cores' other hardware threads.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct Quiet {
    /// Cycles that an addition of the throughput probe takes on a quiet core;
    /// absent where no quiet core was ever seen.
    pub cycles_per_operation: Option<f64>,
    /// Share of the time watched that the core was quiet, from 0 to 1.
    pub share: f64,
}

/// Everything one invocation measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Run {
    /// [`crate::SCHEMA`].
    pub schema: u32,
    /// A UUID that is this run's alone, wherever it is kept; empty in files
    /// from before runs had one.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// Version of cpb.
    pub version: String,
    /// Revision of cpb's sources, where the build knew it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// The command line.
    pub command: Vec<String>,
    /// Seed of the order of jobs and of the bootstrap.
    #[serde(default)]
    pub seed: u64,
    /// Seconds since 1970 at the start.
    pub started: u64,
    /// Wall-clock seconds it took.
    pub seconds: f64,
    /// The machine.
    pub host: Host,
    /// The CPU that workers had to stay on; absent where they chose among
    /// several.
    pub cpu: Option<usize>,
    /// The CPUs that samples were taken on.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub cpus: Vec<usize>,
    /// Time the hypervisor took away during the run.
    pub steal: Option<Steal>,
    /// The clock; absent where no worker got as far as calibrating it.
    pub clock: Option<ClockSummary>,
    /// The libraries, with version and path.
    pub libraries: Vec<LibraryId>,
    /// The rows.
    pub records: Vec<Record>,
    /// The rows of a throughput measurement.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub throughput: Vec<Throughput>,
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
            host: self.host.clone(),
            cpu: self.cpu,
            cpus: self.cpus.clone(),
            steal: self.steal,
            clock: self.clock.clone(),
            libraries: self.libraries.clone(),
            records: Vec::new(),
            throughput: self.throughput.clone(),
            warnings: self.warnings.clone(),
        }
    }

    /// Lets go of the raw samples.
    pub fn forget_raw(&mut self) {
        self.records.iter_mut().for_each(Record::forget_raw);
    }
}
