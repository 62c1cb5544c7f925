//! Throughput over threads, of any call: made ready in each of several threads,
//! and made by all of them at once.
//!
//! Unlike [`crate::measure`], this measures in its own process: threads, pinned
//! to a CPU each, are let go together and make the same number of calls. The
//! wall clock gives the rate of all threads. Every few milliseconds each thread
//! brackets a batch of about 100 µs, which gives core cycles and takes less than
//! half a percent of the time.

mod figures;
mod known_loops;
pub(crate) mod pool;

pub use figures::Figures;
pub(crate) use known_loops::KnownLoops;

use crate::clock_watch::{self, ClockWatch};
use crate::plan::ClockChoice;
use crate::quiet::QuietCore;
use crate::quiet::memory::QuietMemory;
use crate::schedule::steal_between;
use cpb_host::{PinError, cores, spread, stolen_and_total};
use cpb_model::{ClockSummary, Failure, GateLoop, Host, Repetition, Steal};
use cpb_sampler::{Timed, Work};
use pool::Pool;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

/// How threads are had.
#[derive(Debug, Clone)]
pub struct Choice {
    /// Whether threads stay on a CPU each.
    pub pin: bool,
    /// The clock for cycles.
    pub clock: ClockChoice,
    /// Where it is remembered what a quiet core is.
    pub memory: QuietMemory,
}

/// Why nothing could be measured.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ThroughputError {
    /// A thread could not be had.
    #[error("cannot start thread {number} of {wanted}: {reason}; ask for fewer threads")]
    Thread {
        /// Which, counted from 1.
        number: usize,
        /// How many were asked for.
        wanted: usize,
        /// The system's words.
        reason: String,
    },
    /// A thread could not be pinned.
    #[error("{0}; measure without pinning")]
    Pin(#[from] PinError),
    /// A thread ended by itself.
    #[error("a measuring thread ended by itself; please report this")]
    Lost,
}

/// What came of a run.
#[derive(Debug, Clone, PartialEq)]
pub enum Outcome {
    /// Every thread made all its calls.
    Finished {
        /// What the last call of each thread put out. Whoever asked for the run
        /// knows what that must be.
        outputs: Vec<Vec<u8>>,
        /// How long it took.
        run: Repetition,
    },
    /// The call could not be made ready, or failed.
    Failed(Failure),
    /// It was told to stop.
    Stopped,
}

/// What is known of the machine once all is measured.
#[derive(Debug, Clone, PartialEq)]
pub struct Circumstances {
    /// The clock; absent where none could be calibrated.
    pub clock: Option<ClockSummary>,
    /// Time the hypervisor took away.
    pub steal: Option<Steal>,
    /// Why cycles cannot be told, where they cannot.
    pub no_cycles: Option<String>,
}

/// Threads that wait for work, with a CPU and a clock each. Dropping it ends them.
pub struct Threads {
    pool: Pool,
    cpus: Vec<usize>,
    /// Threads that can have a core each.
    cores: usize,
    watch: ClockWatch,
    quiet: QuietCore,
    /// Time stolen before anything ran.
    stolen: Option<(u64, u64)>,
}

impl Threads {
    /// Starts so many.
    ///
    /// # Errors
    /// [`ThroughputError`], where they cannot be had or pinned.
    pub fn start(count: usize, host: &Host, choice: &Choice) -> Result<Self, ThroughputError> {
        let stolen = stolen_and_total(&[]);
        let cpus = if choice.pin { spread(host, count) } else { Vec::new() };
        Ok(Self {
            pool: Pool::start(count, &cpus, &choice.clock)?,
            cpus,
            cores: cores(host),
            watch: ClockWatch::default(),
            quiet: QuietCore::of_chains(&choice.memory),
            stolen,
        })
    }

    /// The CPU of each thread; empty where they are not pinned.
    #[must_use]
    pub fn cpus(&self) -> &[usize] {
        &self.cpus
    }

    /// Does `work` once, in as many threads as it names, until `stop` is set.
    /// `tell` is called now and then while it lasts.
    ///
    /// # Errors
    /// [`ThroughputError::Lost`], after which these threads are of no use.
    ///
    /// # Panics
    /// Where fewer threads were started.
    pub fn run(
        &mut self,
        work: &Work,
        stop: &Arc<AtomicBool>,
        tell: &mut dyn FnMut(),
    ) -> Result<Outcome, ThroughputError> {
        // Two threads of one core are each other's neighbours, and no others can be told.
        let has_neighbours = work.threads <= self.cores;
        let ended = match self.pool.line_up(work, has_neighbours, stop, tell)? {
            Ok(lined_up) => self.pool.run(lined_up, Instant::now(), tell)?,
            Err(failure) => return Ok(Outcome::Failed(failure)),
        };
        // Where one failed, the others were called off.
        let timed = match ended.into_iter().collect::<Result<Vec<_>, Failure>>() {
            Ok(threads) => threads.into_iter().collect::<Option<Vec<Timed>>>(),
            Err(failure) => return Ok(Outcome::Failed(failure)),
        };
        let Some(timed) = timed else { return Ok(Outcome::Stopped) };
        let calibrations = self.pool.common_calibrations();
        for (thread, calibration) in timed.iter().zip(&calibrations) {
            let probes = figures::probes(&thread.samples, calibration.as_ref());
            self.quiet.learn(GateLoop::Chains, probes);
        }
        let run = figures::repetition(&timed, &calibrations, self.quiet.gate(), &mut self.watch);
        let outputs = timed.into_iter().map(|thread| thread.output).collect();
        Ok(Outcome::Finished { outputs, run })
    }

    /// What is known of the machine by now; what was learned of it is kept.
    #[must_use]
    pub fn finish(self) -> Circumstances {
        let calibrations = self.pool.calibrations();
        Circumstances {
            clock: clock_watch::clock(calibrations, 0, &self.watch, &self.quiet),
            steal: self.stolen.zip(stolen_and_total(&[])).and_then(steal_between),
            no_cycles: self.pool.no_cycles(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recursive::{Setting, start_values};
    use cpb_model::{CallSpec, Contract, FailureKind, Operation, Parameters};
    use cpb_sampler::Amount;
    use std::sync::atomic::Ordering;

    fn start(count: usize) -> Threads {
        let (clock, memory) = (ClockChoice::default(), QuietMemory::default());
        let choice = Choice { pin: true, clock, memory };
        Threads::start(count, &cpb_host::describe(), &choice).unwrap()
    }

    fn finished(threads: &mut Threads, work: &Work) -> (Vec<Vec<u8>>, Repetition) {
        let stop = Arc::new(AtomicBool::new(false));
        match threads.run(work, &stop, &mut || {}).unwrap() {
            Outcome::Finished { outputs, run } => (outputs, run),
            other => panic!("{other:?}"),
        }
    }

    /// A hash of our own, as any library offers one.
    fn hash(calls: u64, threads: usize) -> Work {
        const BYTES: usize = 1024;
        let prepare = || {
            let library = cpb_libraries::open("native", None).unwrap();
            let offers = library.offers();
            let offer = offers.iter().find(|o| o.primitive == "sha3-256" && o.default_backend);
            let workload = CallSpec {
                primitive: "sha3-256".to_owned(),
                operation: Operation::Hash,
                contract: Contract::Keyed,
                parameters: Parameters { message_bytes: BYTES, ..Parameters::default() },
            };
            Ok(library.prepare(offer.unwrap(), &workload).unwrap())
        };
        Work {
            prepare: Arc::new(prepare),
            amount: Amount::Calls(calls),
            operations: BYTES as u64,
            threads,
            others: Vec::new(),
        }
    }

    #[test]
    fn any_call_is_made_by_all_threads_and_each_has_its_output() {
        let mut threads = start(3);
        let mut hashed = (hash(1, 1).prepare)().unwrap();
        hashed.run(1);
        for count in [1, 3] {
            let (outputs, run) = finished(&mut threads, &hash(500, count));
            assert_eq!(outputs, vec![hashed.output().unwrap(); count]);
            assert!(run.seconds > 0.0);

            let setting = Setting::scheduled(5, count);
            let mut lanes = start_values(5);
            setting.iterate(&mut lanes, 777);
            let (outputs, run) = finished(&mut threads, &setting.work(777));
            assert_eq!(outputs, vec![lanes.concat(); count]);
            assert!(Figures::of(&[run], 777.0).per_second.unwrap().estimate > 0.0);
        }
        assert!(threads.finish().clock.is_some());
    }

    #[test]
    fn where_a_thread_has_no_call_to_make_none_runs() {
        let made = AtomicBool::new(false);
        let prepare = move || {
            if made.swap(true, Ordering::Relaxed) {
                let reason = "one is enough".to_owned();
                return Err(Failure { kind: FailureKind::Unavailable, reason });
            }
            (hash(1, 1).prepare)()
        };
        let work = Work { prepare: Arc::new(prepare), ..hash(u64::MAX, 2) };
        let stop = Arc::new(AtomicBool::new(false));
        let outcome = start(2).run(&work, &stop, &mut || {});
        assert!(matches!(outcome, Ok(Outcome::Failed(_))), "{outcome:?}");
    }
}
