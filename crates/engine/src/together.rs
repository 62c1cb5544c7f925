//! Lets threads of one worker, or several workers, make the same calls at once.

mod crew;
pub(crate) mod crews;
mod pool;
pub(crate) mod repetition;
pub(crate) mod round;
pub(crate) mod threads;

use self::crews::{Crews, crews};
use crate::clock_watch::{self, ClockWatch};
use crate::measure::Measured;
use crate::plan::library::LibrarySpec;
use crate::plan::{ClockChoice, Row};
use crate::progress::Progress;
use crate::quiet::QuietCore;
use crate::quiet::memory::QuietMemory;
use crate::scale::{Size, call};
use crate::schedule::{Executor, Seen};
use crate::start::Start;
use crate::verification;
use crate::worker::wrong_answer;
use crate::workers::protocol::{Beside, Implementation, Started, ThreadRun};
use cpb_figures::{PointSamples, QuietCriterion, add_round, core_hertz};
use cpb_host::stolen_and_total;
use cpb_model::{Calibration, CallSpec, Failure, GateLoop, Proof, RawRound, Samples};
use cpb_sampler::Amount;
use cpb_stats::Histogram;
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

/// Runs jobs of processes whose threads make calls at once.
pub(crate) struct Together<'a> {
    means: Means<'a>,
    /// The processes of this round.
    crews: Box<dyn Crews>,
    watch: ClockWatch,
    /// The calibrations of the first process.
    calibrations: Vec<Calibration>,
    no_cycles: Option<String>,
    /// The number of processes started in earlier rounds.
    started: u64,
    /// What was learned about quiet; `None` if it is not watched.
    quiet: Option<QuietCore>,
}

impl<'a> Together<'a> {
    /// Creates the executor; processes start when a job needs them.
    pub(crate) fn new(means: Means<'a>) -> Self {
        Self {
            quiet: means.memory.map(QuietCore::of_chains),
            means,
            crews: crews(),
            watch: ClockWatch::default(),
            calibrations: Vec::new(),
            no_cycles: None,
            started: 0,
        }
    }
}

impl Executor for Together<'_> {
    type Job = Job;
    type Taken = Taken;

    fn seen(&self) -> Seen<'_> {
        let gate = self.quiet.as_ref().map(QuietCore::gate).unwrap_or_default();
        Seen { now: self.means.start.elapsed(), gate, calibrations: &self.calibrations }
    }

    /// Threads make the requested calls, however quiet their cores are.
    fn run(
        &mut self,
        job: &Job,
        _patience: Duration,
        _progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Taken, Failure> {
        let library = job.library.ok_or_else(verification::not_run)?;
        let ran = self.crews.run(&self.means, library, job)?;
        if self.calibrations.is_empty() {
            let known = ran.iter().flat_map(|ran| &ran.started.calibrations);
            self.calibrations.extend(known.flatten().cloned());
        }
        let no_cycles = || ran.iter().find_map(|ran| ran.started.no_cycles.clone());
        self.no_cycles = self.no_cycles.take().or_else(no_cycles);
        for (calibration, samples) in ran.iter().flat_map(Ran::clocked) {
            self.watch.count(samples);
            self.watch.see(&core_hertz(calibration, samples).collect::<Vec<_>>());
            if let Some(quiet) = &mut self.quiet {
                let mut probes = Histogram::default();
                round::probe_cycles(calibration, samples).into_iter().for_each(|it| probes.add(it));
                quiet.learn(GateLoop::Chains, probes.bins());
            }
        }
        if let Some(quiet) = &self.quiet {
            let probed = ran.iter().flat_map(Ran::clocked);
            for (calibration, samples) in probed.filter(|(_, it)| !it.probe_after.is_empty()) {
                let states = quiet.gate().states(calibration, samples);
                let quiet = states.filter(|state| state.is_quiet()).count();
                self.watch.count_quiet(quiet, samples.ticks.len());
            }
        }
        Ok(Taken(ran))
    }

    /// The placement of pages in memory differs from one process to the next.
    fn end_round(&mut self) {
        self.started += self.crews.end();
    }

    fn stolen_and_total(&self) -> Option<(u64, u64)> {
        stolen_and_total(&self.means.cpus)
    }

    /// The clock is absent if no worker calibrated one.
    fn finish(self) -> Measured {
        let Self { means, calibrations, no_cycles, started, watch, quiet, .. } = self;
        // If another process could calibrate its clock, the reason was temporary.
        let no_cycles = no_cycles.filter(|_| calibrations.is_empty());
        let core = quiet.unwrap_or_default();
        let clock = clock_watch::clock(calibrations, started, &watch, &core);
        means.memory.into_iter().for_each(|memory| core.remember(memory));
        Measured { clock, no_cycles, cpus: means.cpus, ..Measured::default() }
    }
}
