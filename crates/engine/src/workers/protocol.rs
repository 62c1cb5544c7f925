//! The lines that parent and worker exchange: one JSON value each.

mod first_use;

use crate::plan::library::LibrarySpec;
use crate::plan::{ClockChoice, Row, Sampling};
use crate::quiet::decision::{Learned, PriorKnowledge};
use crate::quiet::learn::Lesson;
use crate::workers::files::MappedFile;
use cpb_libraries::dependence::Dependence;
use cpb_libraries::seeds::RoleValues;
use cpb_model::{
    Calibration, CallSpec, EventCounts, Failure, LibraryBuild, Offer, Samples, Subject,
};
use cpb_sampler::{Amount, CallQuota, Noise};
use serde::{Deserialize, Serialize};
use std::path::PathBuf;
use std::time::Duration;

pub(crate) use first_use::{FirstUse, FirstUsed, Give, GivenCall, Judge, Took};

/// The hidden subcommand under which cpb starts itself as a worker.
pub const SUBCOMMAND: &str = "worker";

/// From the parent.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Request {
    Open(Open),
    Calibrate(Box<Calibrate>),
    Check(Check),
    Accept(Accept),
    Job(Job),
    /// Watch what disturbs the core for so many nanoseconds.
    Watch(u64),
    Threads(Threads),
    PrepareThreads(PrepareThreads),
    StartThreads(StartThreads),
    Trace(TraceCall),
    /// Make the call that was made ready to be traced, once it is.
    Call,
    /// Make a call, and say how much of the stack it writes to.
    Paint(TraceCall),
    /// Say what a call is given, so that another process can make it.
    Give(Give),
    /// Open a library and make a call, and say how long that took: the first request of a worker's
    /// life, and the last.
    FirstUse(Box<FirstUse>),
    /// Say whether what another process put out is right.
    Judge(Box<Judge>),
}

/// The first request of a worker's life.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Open {
    pub(crate) library: LibrarySpec,
    /// Where it is to lie, where that is known to be a choice.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) place: Option<LibraryPosition>,
    /// Whether the offers are wanted in reply.
    pub(crate) list: bool,
}

/// Where the file of a library is to be mapped.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct LibraryPosition {
    /// The file, as a worker before found it.
    pub(crate) file: PathBuf,
    /// Which of the positions ([`cpb_libraries::placement`]).
    pub(crate) position: u8,
}

/// Pin to a CPU, and make a clock.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calibrate {
    pub(crate) clock: ClockChoice,
    /// CPUs that may be sat on, the one to begin with first.
    pub(crate) cpus: Vec<usize>,
    /// What other workers of the run found; without it, it is found out.
    pub(crate) calibration: Option<Calibration>,
    /// What quiet is, where that is known.
    pub(crate) learned: Option<Learned>,
    /// How long to learn it.
    pub(crate) learning_nanoseconds: u64,
    /// What is known before.
    pub(crate) known: PriorKnowledge,
    /// The other hardware threads of the CPUs' cores, where the kernel knows them.
    pub(crate) siblings: Vec<usize>,
}

/// An implementation of the opened library.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
pub(crate) struct Implementation {
    pub(crate) operation: cpb_model::Operation,
    pub(crate) spelling: String,
    pub(crate) backend: String,
}

impl Implementation {
    pub(crate) fn of_subject(subject: &Subject) -> Self {
        Self {
            operation: subject.operation,
            spelling: subject.spelling.clone(),
            backend: subject.backend.clone(),
        }
    }

    pub(crate) fn of_offer(offer: &Offer) -> Self {
        Self {
            operation: offer.operation,
            spelling: offer.spelling.clone(),
            backend: offer.backend.clone(),
        }
    }
}

/// Run each workload once and tell what comes out.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Check {
    pub(crate) implementation: Implementation,
    pub(crate) workloads: Vec<CallSpec>,
    /// How long keys, ciphertexts and all else of a case may be together, beside its message.
    pub(crate) case_bytes: usize,
}

/// Say whether a case that another library made is right.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Accept {
    pub(crate) implementation: Implementation,
    pub(crate) message_bytes: usize,
    pub(crate) case: RoleValues,
}

/// Time each workload.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Job {
    pub(crate) implementation: Implementation,
    pub(crate) workloads: Vec<CallSpec>,
    /// Whether calls are made one by one, too.
    pub(crate) one_by_one: bool,
    /// Calls in a batch of each workload; found by the worker where absent. Behind them, where
    /// calls are made one by one, those of independent and dependent calls of each workload.
    pub(crate) calls: Vec<Option<u64>>,
    pub(crate) batch_nanoseconds: u64,
    pub(crate) warm_up_nanoseconds: u64,
    /// About how long the samples of a workload may take.
    pub(crate) limit_nanoseconds: Option<u64>,
    /// Accepted samples wanted of each workload.
    pub(crate) samples: u32,
    /// Those of the rounds before, so that every round goes on with the cases where the last
    /// one ended and not all take the same few.
    pub(crate) samples_before: u64,
    /// The number of calls wanted instead.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) quota: Option<CallQuota>,
    /// The CPU to begin on: the one that was quiet last.
    pub(crate) cpu: Option<usize>,
    /// Cycles that an instruction of the gate's loop takes on a quiet core, where that is known.
    pub(crate) quiet: Option<f64>,
    /// Whether every core is taken for quiet.
    pub(crate) assumes_quiet: bool,
    /// How long all samples together may take, waiting for quiet included.
    pub(crate) patience_nanoseconds: u64,
}

impl Job {
    /// How many kinds of calls there are samples of: one for each workload, and, where calls
    /// are made one by one, too, as many more.
    pub(crate) fn kinds_of_calls(&self) -> usize {
        let each = if self.one_by_one { 1 + Dependence::ALL.len() } else { 1 };
        self.workloads.len() * each
    }

    /// Times every length of `row` for a round, with so many calls in a batch where that is
    /// known, without waiting for quiet.
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

/// Start threads, each with a clock, which are all that uses the library from then on.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Threads {
    pub(crate) count: usize,
    /// A CPU for each; none where they are not pinned.
    pub(crate) cpus: Vec<usize>,
    pub(crate) clock: ClockChoice,
}

/// Have the first so many of these threads make a workload ready.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct PrepareThreads {
    pub(crate) implementation: Implementation,
    pub(crate) workload: CallSpec,
    pub(crate) threads: usize,
    /// What further threads do meanwhile, one each.
    pub(crate) others: Vec<Beside>,
    /// Whether they use the same key objects.
    pub(crate) shares_keys: bool,
    pub(crate) amount: Amount,
    /// Operations in a call.
    pub(crate) operations: u64,
    /// Whether probes can tell a neighbour: each of them has a core of its own.
    pub(crate) probes: bool,
}

/// What a thread does beside those that are measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Beside {
    /// It reads and writes more than caches hold.
    Memory,
    /// It makes other calls of the opened library.
    Calls { implementation: Implementation, workload: CallSpec },
}

/// Let those that are ready go.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct StartThreads {
    /// When, by the system's monotonic clock, which is one for all processes.
    pub(crate) at_nanoseconds: u64,
}

/// Make a call ready that is to be traced, and make it a few times.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct TraceCall {
    pub(crate) implementation: Implementation,
    pub(crate) workload: CallSpec,
    /// Whether its objects are made once more, to be followed, too.
    #[serde(default)]
    pub(crate) makes_objects: bool,
    /// The CPU that it is made on, and who follows it is.
    pub(crate) cpu: Option<usize>,
}

pub(crate) fn nanoseconds(duration: Duration) -> u64 {
    u64::try_from(duration.as_nanos()).unwrap_or(u64::MAX)
}

/// From the worker, one for each request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Reply {
    Opened {
        library: LibraryBuild,
        offers: Vec<Offer>,
        /// Which of the positions it came to lie at, where it was to lie at one.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        position: Option<u8>,
        /// What the process runs, now that the library is open.
        files: Vec<MappedFile>,
    },
    Calibrated(Calibrated),
    /// Of each workload.
    Checked(Vec<Checked>),
    Accepted(AcceptanceReply),
    Measured(Done),
    Watched(Noise),
    Started(Started),
    LinedUp,
    /// Ready to be followed.
    Traceable {
        /// Who makes the call.
        thread: i32,
    },
    Called {
        /// Of the objects that were followed, those in memory of who calls the library.
        object_bytes: u64,
    },
    Painted(Option<u64>),
    Given {
        offer: Box<Offer>,
        given: GivenCall,
    },
    FirstUsed(FirstUsed),
    /// Why it is wrong; nothing where it is right.
    Judged(Option<String>),
    Ran(Vec<ThreadRun>),
    Failed(Failure),
}

/// What a worker knows of its core before its first job.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Calibrated {
    pub(crate) calibration: Calibration,
    /// What quiet is, where that was to be learned.
    pub(crate) learned: Option<Lesson>,
}

/// What a workload put out.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Checked {
    /// A digest of it.
    pub(crate) output: String,
    /// Of an operation with key pairs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) keys: Option<KeyProof>,
    /// Whether its library was held to published answers before.
    #[serde(default)]
    pub(crate) is_proved: bool,
}

/// How far an operation with key pairs was proved by its own library.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct KeyProof {
    /// What other libraries can be shown.
    pub(crate) case: RoleValues,
    /// Whether every implementation must put out the same.
    pub(crate) has_one_output: bool,
    /// Whether another operation of the library accepts it.
    pub(crate) is_accepted: bool,
}

/// What a library makes of another's case.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum AcceptanceReply {
    Accepts,
    Refuses(String),
    /// It has other lengths, or cannot run.
    CannotSay,
}

/// What came of a [`Job`].
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Done {
    /// By workload; behind them those of calls made one by one, in the order of
    /// [`Job::calls`]. Without any where these cannot be.
    pub(crate) samples: Vec<Samples>,
    /// What else the core counted in a call of each workload; or why it did not.
    pub(crate) events: Vec<Option<EventCounts>>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) no_events: Option<String>,
    /// Why calls cannot be made one by one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(crate) no_dependence: Option<String>,
    /// Bins of what probes took, in cycles an instruction.
    pub(crate) probes: Vec<(i32, u64)>,
    /// The CPU it ended on.
    pub(crate) cpu: Option<usize>,
}

/// What threads measure with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct Started {
    /// Of each thread; absent where another has its CPU's clock, or there is none.
    pub(crate) calibrations: Vec<Option<Calibration>>,
    /// Why one that should have a clock has none.
    pub(crate) no_cycles: Option<String>,
}

/// What a thread did, from the start that all had in common.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(crate) struct ThreadRun {
    pub(crate) calls: u64,
    /// How long after that it began.
    pub(crate) late_nanoseconds: u64,
    pub(crate) nanoseconds: u64,
    /// Where these went, as [`cpb_clock::ThreadTime`] has it.
    pub(crate) on_cpu_nanoseconds: u64,
    pub(crate) in_kernel_nanoseconds: u64,
    pub(crate) sleeps: u64,
    pub(crate) waiting_nanoseconds: Option<u64>,
    pub(crate) samples: Samples,
    /// A digest of what the last call put out.
    pub(crate) output: String,
}
