//! Defines jobs for several threads, how their processes are started, and what they found.

use crate::failures::wrong_answer;
use crate::implementation::Implementation;
use crate::plan::library::LibrarySpec;
use crate::plan::scale::{Size, call};
use crate::plan::{ClockChoice, Row};
use crate::start::Start;
use crate::workers::protocol::{Beside, Started, ThreadRun};
use cpb_figures::{PointSamples, QuietCriterion, add_round};
use cpb_model::{Calibration, CallSpec, Failure, Proof, RawRound, Samples};
use cpb_quiet::QuietMemory;
use cpb_sampler::Amount;
use std::slice::{from_mut, from_ref};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Specifies a job for several threads.
pub(crate) struct Job {
    /// The index of the library among those of the [`Means`]; `None` if it is missing.
    pub(crate) library: Option<usize>,
    /// In one round, jobs of one library share its processes if this is equal, too.
    pub(crate) side: usize,
    pub(crate) size: Size,
    pub(crate) work: ThreadWork,
    pub(crate) amount: Amount,
    /// Operations per call: cycles are reported per operation.
    pub(crate) operations: u64,
}

/// The calls of a loop of known cycles, which give enough samples in tens of milliseconds.
const KNOWN_LOOP_CALLS: u64 = 3200;

impl Job {
    /// Returns the job that runs a loop of known cycles, of the library with this number.
    pub(crate) fn known_loop(library: usize, row: &Row) -> Self {
        let work = ThreadWork {
            implementation: Implementation::of_subject(&row.subject),
            workload: call(row),
            beside: None,
        };
        let amount = Amount::Calls(KNOWN_LOOP_CALLS);
        Self { library: Some(library), side: 0, size: Size::ONE, work, amount, operations: 1 }
    }
}

/// The work of all threads of a job.
pub(crate) struct ThreadWork {
    pub(crate) implementation: Implementation,
    pub(crate) workload: CallSpec,
    /// The work of the threads that are not measured.
    pub(crate) beside: Option<Beside>,
}

/// The results of the measured threads of one process, and their instruments.
pub(crate) struct Ran {
    pub(crate) threads: Vec<ThreadRun>,
    pub(crate) started: Started,
}

impl Ran {
    /// Iterates over the samples of the threads that had a clock.
    pub(crate) fn clocked(&self) -> impl Iterator<Item = (&Calibration, &Samples)> {
        let threads = self.threads.iter().zip(&self.started.calibrations);
        threads.filter_map(|(thread, calibration)| Some((calibration.as_ref()?, &thread.samples)))
    }
}

/// The results of all processes of a job.
pub(crate) struct Taken(pub(crate) Vec<Ran>);

impl Taken {
    pub(crate) fn threads(&self) -> impl Iterator<Item = &ThreadRun> {
        self.0.iter().flat_map(|ran| &ran.threads)
    }

    /// Adds the samples of all threads that had a clock to `so_far`; `gate` decides which are
    /// quiet.
    pub(crate) fn add_to(&self, so_far: &mut PointSamples, gate: QuietCriterion) {
        for (calibration, samples) in self.0.iter().flat_map(Ran::clocked) {
            let overhead_ticks = calibration.overhead_ticks;
            let samples = samples.clone();
            let raw = RawRound { calibration: 0, overhead_ticks, position: None, samples };
            add_round(from_mut(so_far), from_ref(calibration), gate, &[raw]);
        }
    }

    /// Returns the output of all threads; `None` if they need not have the same output.
    pub(crate) fn common_output(&self, call: &CallSpec) -> Result<Option<String>, Failure> {
        let operation = call.operation;
        if operation.is_public_key() || operation.row().proof == Proof::LooksRandom {
            return Ok(None);
        }
        let mut outputs = self.threads().map(|thread| &thread.output);
        let first = outputs.next();
        if outputs.any(|output| Some(output) != first) {
            return Err(not_the_same());
        }
        Ok(first.cloned())
    }
}

pub(crate) fn not_the_same() -> Failure {
    wrong_answer("made by several threads at once, calls put out what they do not alone")
}

/// Specifies how processes and their threads are started.
pub(crate) struct Means<'a> {
    pub(crate) libraries: Vec<LibrarySpec>,
    /// The CPU of each thread, over all processes; empty if threads are not pinned.
    pub(crate) cpus: Vec<usize>,
    /// The threads of a library's first process, which has the most.
    pub(crate) threads: usize,
    /// Whether threads of a process use the same key objects.
    pub(crate) shares_keys: bool,
    pub(crate) clock: ClockChoice,
    /// The memory of quiet; `None` if quiet is not watched.
    pub(crate) memory: Option<&'a QuietMemory>,
    /// The number of threads that can have a core each. Two threads of one core are each other's
    /// neighbours, so quiet is only watched up to this number.
    pub(crate) cores: usize,
    /// The time that a process may be silent.
    pub(crate) timeout: Duration,
    /// The start of the measurement, and the time after it when nothing more may begin.
    pub(crate) start: Start,
    pub(crate) end: Option<Duration>,
    /// Ends a job whose duration depends on its calls.
    pub(crate) stop: Option<&'a AtomicBool>,
}
