//! Defines the lines that parent and worker exchange: one JSON value each.

mod first_use;

use crate::implementation::Implementation;
use crate::plan::library::LibrarySpec;
use crate::plan::{ClockChoice, Row, Sampling};
use crate::workers::files::MappedFile;
use cpb_libraries::dependence::Dependence;
use cpb_libraries::seeds::RoleValues;
use cpb_model::{Calibration, CallSpec, EventCounts, Failure, LibraryBuild, Offer, Samples};
use cpb_quiet::{Learning, Lesson};
use cpb_sampler::{Amount, CallQuota, Noise};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use first_use::{FirstUse, FirstUsed, Give, GivenCall, Judge, Took};

/// The hidden subcommand with which cpb starts itself as a worker.
pub const SUBCOMMAND: &str = "worker";

/// A request of the parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    Open(Open),
    Calibrate(Box<Calibrate>),
    Check(Check),
    Accept(Accept),
    Job(Job),
    /// Record disturbances of the core for this time, in nanoseconds.
    Watch(u64),
    Threads(Threads),
    PrepareThreads(PrepareThreads),
    StartThreads(StartThreads),
    Trace(TraceCall),
    /// Make the prepared call, while it is traced.
    Call,
    /// Make a call, and report how much of the stack it writes to.
    Paint(TraceCall),
    /// Report the inputs of a call, so that another process can make it.
    Give(Give),
    /// Open a library and make a call, and report how long that took. It is the only request in a
    /// worker's life.
    FirstUse(Box<FirstUse>),
    /// Check the output of another process.
    Judge(Box<Judge>),
}

/// The first request in a worker's life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Open {
    pub(crate) library: LibrarySpec,
    /// The position for the library's file, if it can be chosen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<LibraryPosition>,
    /// Whether the reply is to contain the offers.
    pub(crate) list: bool,
}

/// Where to map the file of a library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LibraryPosition {
    /// The file, as found by an earlier worker.
    pub(crate) file: PathBuf,
    /// The index of the position ([`cpb_libraries::placement`]).
    pub(crate) position: u8,
}

/// Pin to a CPU, and calibrate a clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calibrate {
    pub(crate) clock: ClockChoice,
    /// CPUs that may be used, the first one first.
    pub(crate) cpus: Vec<usize>,
    /// The result of other workers of the run; if absent, calibrate.
    pub(crate) calibration: Option<Calibration>,
    pub(crate) learning: Learning,
}

/// Run each call once and report the outputs.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Check {
    pub(crate) implementation: Implementation,
    pub(crate) workloads: Vec<CallSpec>,
    /// The largest size of a case without its message, in bytes.
    pub(crate) case_bytes: usize,
}

/// Report whether a case that another library made is accepted.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Accept {
    pub(crate) implementation: Implementation,
    pub(crate) message_bytes: usize,
    pub(crate) case: RoleValues,
}

/// Time each call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) implementation: Implementation,
    pub(crate) workloads: Vec<CallSpec>,
    /// Whether serial calls are measured too.
    pub(crate) one_by_one: bool,
    /// Calls per batch of each workload; absent ones are found by the worker. If serial calls are
    /// measured, those of the independent and dependent calls of each workload follow.
    pub(crate) calls: Vec<Option<u64>>,
    pub(crate) batch_nanoseconds: u64,
    pub(crate) warm_up_nanoseconds: u64,
    /// The approximate time limit for the samples of a workload.
    pub(crate) limit_nanoseconds: Option<u64>,
    /// Accepted samples requested per workload.
    pub(crate) samples: u32,
    /// Samples of earlier rounds, so that every round continues with the case at which the previous
    /// one ended, instead of all using the same few.
    pub(crate) samples_before: u64,
    /// The number of calls requested instead of samples.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) quota: Option<CallQuota>,
    /// The CPU to begin on: the one that was quiet last.
    pub(crate) cpu: Option<usize>,
    /// Cycles per instruction of the probe's loop on a quiet core, if known.
    pub(crate) quiet: Option<f64>,
    /// Whether every core is assumed to be quiet.
    pub(crate) assumes_quiet: bool,
    /// The time limit of all samples together, including waiting for quiet.
    pub(crate) patience_nanoseconds: u64,
}

impl Job {
    /// Returns the number of kinds of calls that are sampled: one per workload, and with serial
    /// calls two more.
    pub(crate) fn kinds_of_calls(&self) -> usize {
        let each = if self.one_by_one { 1 + Dependence::ALL.len() } else { 1 };
        self.workloads.len() * each
    }

    /// Creates a job that times every length of `row` for a round, without waiting for quiet, with
    /// the known numbers of calls per batch.
    pub(crate) fn new(
        row: &Row,
        sampling: &Sampling,
        calls: Vec<Option<u64>>,
        samples: u32,
        round: u32,
    ) -> Self {
        Self {
            implementation: Implementation::of_subject(&row.subject),
            workloads: row.lengths.iter().map(|&length| row.call(length)).collect(),
            one_by_one: row.one_by_one,
            calls,
            batch_nanoseconds: nanoseconds(sampling.batch),
            warm_up_nanoseconds: nanoseconds(sampling.warm_up),
            limit_nanoseconds: sampling.limit.map(nanoseconds),
            samples,
            samples_before: u64::from(round) * u64::from(samples),
            quota: row.calls.map(|calls| {
                let rounds = sampling.rounds.at_most().into();
                CallQuota { timed: calls.timed.div_ceil(rounds), warm: calls.warm.div_ceil(rounds) }
            }),
            cpu: None,
            quiet: None,
            assumes_quiet: false,
            patience_nanoseconds: 0,
        }
    }
}

/// Start threads, each with a clock; from then on only they use the library.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Threads {
    pub(crate) count: usize,
    /// A CPU for each; empty if they are not pinned.
    pub(crate) cpus: Vec<usize>,
    pub(crate) clock: ClockChoice,
}

/// Let the first `count` threads prepare a call.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PrepareThreads {
    pub(crate) implementation: Implementation,
    pub(crate) workload: CallSpec,
    pub(crate) threads: usize,
    /// The background load of further threads, one each.
    pub(crate) others: Vec<Beside>,
    /// Whether they share key objects.
    pub(crate) shares_keys: bool,
    pub(crate) amount: Amount,
    /// Operations per call.
    pub(crate) operations: u64,
    /// Whether probes can detect a neighbour, because each thread has a core of its own.
    pub(crate) probes: bool,
}

/// The background load of a thread.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Beside {
    /// It reads and writes more memory than the caches hold.
    Memory,
    /// It makes other calls of the opened library.
    Calls { implementation: Implementation, workload: CallSpec },
}

/// Start the prepared threads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartThreads {
    /// The start time by the system's monotonic clock, which all processes share.
    pub(crate) at_nanoseconds: u64,
}

impl StartThreads {
    /// Starts the threads `notice` from now.
    pub(crate) fn after(notice: Duration) -> Self {
        Self { at_nanoseconds: nanoseconds(monotonic_now() + notice) }
    }

    /// Returns the time until the start.
    pub(crate) fn left(&self) -> Duration {
        Duration::from_nanos(self.at_nanoseconds).saturating_sub(monotonic_now())
    }
}

fn monotonic_now() -> Duration {
    let now = clock_gettime(ClockId::Monotonic);
    Duration::new(now.tv_sec.unsigned_abs(), u32::try_from(now.tv_nsec).unwrap_or(0))
}

/// Prepare a call that is to be traced, and make it a few times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TraceCall {
    pub(crate) implementation: Implementation,
    pub(crate) workload: CallSpec,
    /// Whether its objects are made again while traced.
    #[serde(default)]
    pub(crate) makes_objects: bool,
    /// The CPU for both the call and its tracer.
    pub(crate) cpu: Option<usize>,
}

pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// A reply of the worker, one per request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    Opened {
        library: LibraryBuild,
        offers: Vec<Offer>,
        /// The position of the library, if one was requested and possible.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<u8>,
        /// The files that the process maps, now that the library is open.
        files: Vec<MappedFile>,
    },
    Calibrated(Calibrated),
    /// The result of each call.
    Checked(Vec<Checked>),
    Accepted(AcceptanceReply),
    Measured(Done),
    Watched(Noise),
    Started(Started),
    LinedUp,
    /// Ready to be traced.
    Traceable {
        /// The thread that makes the call.
        thread: i32,
    },
    Called {
        /// Bytes of the traced objects in memory of the library's caller.
        object_bytes: u64,
    },
    Painted(Option<u64>),
    Given {
        offer: Box<Offer>,
        given: GivenCall,
    },
    FirstUsed(FirstUsed),
    /// Why it is wrong; absent if it is right.
    Judged(Option<String>),
    Ran(Vec<ThreadRun>),
    Failed(Failure),
}

/// The worker's knowledge of its core before its first job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calibrated {
    pub(crate) calibration: Calibration,
    /// What quiet looks like, if that was to be learned.
    pub(crate) learned: Option<Lesson>,
}

/// The result of a call.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checked {
    /// A digest of the output.
    pub(crate) output: String,
    /// The proof of an operation with key pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) keys: Option<KeyProof>,
    /// Whether the library was checked against published answers before.
    #[serde(default)]
    pub(crate) is_proved: bool,
}

/// How far an operation with key pairs was proved by its own library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyProof {
    /// The case that other libraries can be shown.
    pub(crate) case: RoleValues,
    /// Whether every implementation must have the same output.
    pub(crate) has_one_output: bool,
    /// Whether another operation of the library accepts it.
    pub(crate) is_accepted: bool,
}

/// A library's answer about another's case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AcceptanceReply {
    Accepts,
    Refuses(String),
    /// It has other lengths, or cannot run.
    CannotSay,
}

/// The result of a [`Job`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Done {
    /// The samples by workload, followed by those of serial calls in the order of [`Job::calls`],
    /// unless these are impossible.
    pub(crate) samples: Vec<Samples>,
    /// Other events that the core counted per call of each workload, or why it did not.
    pub(crate) events: Vec<Option<EventCounts>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) no_events: Option<String>,
    /// Why serial calls are impossible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) no_dependence: Option<String>,
    /// Bins of the probes' times, in cycles per instruction.
    pub(crate) probes: Vec<(i32, u64)>,
    /// The CPU it ended on.
    pub(crate) cpu: Option<usize>,
}

/// The clocks of the threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Started {
    /// One per thread; absent if another thread has its CPU's clock, or there is none.
    pub(crate) calibrations: Vec<Option<Calibration>>,
    /// Why a thread that should have a clock has none.
    pub(crate) no_cycles: Option<String>,
}

/// What a thread did from the common start on.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThreadRun {
    pub(crate) calls: u64,
    /// How much later than the start it began.
    pub(crate) late_nanoseconds: u64,
    pub(crate) nanoseconds: u64,
    /// Where its time went, as in [`cpb_clock::ThreadTime`].
    pub(crate) on_cpu_nanoseconds: u64,
    pub(crate) in_kernel_nanoseconds: u64,
    pub(crate) sleeps: u64,
    pub(crate) waiting_nanoseconds: Option<u64>,
    pub(crate) samples: Samples,
    /// A digest of the last call's output.
    pub(crate) output: String,
}
