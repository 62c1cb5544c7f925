//! The threads, which live from run to run.

use super::sampler::Instruments;
use super::start_line::StartLine;
use super::thread::{self, Timed};
use super::{ThroughputError, Work};
use crate::clock_watch::common_overhead;
use crate::plan::ClockChoice;
use cpb_clock::{Clock, counter};
use cpb_host::{PinError, pin_to};
use cpb_model::{Calibration, Failure};
use std::collections::BTreeSet;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// How often it is told how far things have come.
const TELLING: Duration = Duration::from_millis(100);

/// Threads that wait for runs. Dropping it ends them.
pub(super) struct Pool {
    members: Vec<Member>,
}

struct Member {
    jobs: Sender<Job>,
    /// The clock's calibration; `None` where another thread has this CPU's
    /// clock, else why there is none.
    calibration: Option<Result<Calibration, String>>,
}

struct Job {
    work: Work,
    has_neighbour: bool,
    line: Arc<StartLine>,
    stop: Arc<AtomicBool>,
    done: Sender<(usize, Ended)>,
}

/// How a thread's run ended; nothing where it was told to stop.
type Ended = Result<Option<Timed>, Failure>;

impl Pool {
    /// Starts `threads`, each on its CPU, where `cpus` has one for each. One
    /// thread on each CPU has a clock.
    pub(super) fn start(
        threads: usize,
        cpus: &[usize],
        clock: &ClockChoice,
    ) -> Result<Self, ThroughputError> {
        let mut clocked = BTreeSet::new();
        let mut starting = Vec::with_capacity(threads);
        for index in 0..threads {
            let cpu = cpus.get(index).copied();
            let clock = cpu.is_none_or(|cpu| clocked.insert(cpu)).then(|| clock.clone());
            let (jobs, work) = channel();
            let (ready, readiness) = channel();
            std::thread::Builder::new()
                .name(format!("throughput {index}"))
                .spawn(move || serve(index, cpu, clock.as_ref(), &ready, &work))
                .map_err(|reason| ThroughputError::Thread {
                    number: index + 1,
                    wanted: threads,
                    reason: reason.to_string(),
                })?;
            starting.push((jobs, readiness));
        }
        let ready =
            |(jobs, readiness): (Sender<Job>, Receiver<Ready>)| -> Result<_, ThroughputError> {
                let calibration = readiness.recv().map_err(|_| ThroughputError::Lost)??;
                Ok(Member { jobs, calibration })
            };
        Ok(Self { members: starting.into_iter().map(ready).collect::<Result<_, _>>()? })
    }

    /// Does `work` once, in as many threads as it names.
    ///
    /// # Panics
    /// Where there are not so many: those that are would wait for ever.
    pub(super) fn run(
        &mut self,
        work: &Work,
        has_neighbour: bool,
        stop: &Arc<AtomicBool>,
        tell: &mut dyn FnMut(),
    ) -> Result<Vec<Ended>, ThroughputError> {
        assert!(work.threads <= self.members.len(), "more threads than were started");
        let line = Arc::new(StartLine::new(work.threads));
        let (done, finished) = channel();
        for member in self.members.iter().take(work.threads) {
            let (work, line, stop) = (work.clone(), Arc::clone(&line), Arc::clone(stop));
            let job = Job { work, has_neighbour, line, stop, done: done.clone() };
            member.jobs.send(job).map_err(|_| ThroughputError::Lost)?;
        }
        drop(done);
        let mut ended: Vec<Ended> = (0..work.threads).map(|_| Ok(None)).collect();
        let mut missing = work.threads;
        while missing > 0 {
            match finished.recv_timeout(TELLING) {
                Ok((index, thread)) => {
                    ended[index] = thread;
                    missing -= 1;
                }
                Err(RecvTimeoutError::Timeout) => tell(),
                Err(RecvTimeoutError::Disconnected) => return Err(ThroughputError::Lost),
            }
        }
        Ok(ended)
    }

    /// The calibrations, one for each CPU in use.
    pub(super) fn calibrations(&self) -> Vec<Calibration> {
        let found = |member: &Member| member.calibration.clone()?.ok();
        self.members.iter().filter_map(found).collect()
    }

    /// Each thread's calibration with the overhead they have in common.
    pub(super) fn common_calibrations(&self) -> Vec<Option<Calibration>> {
        let all = self.calibrations();
        let common = |member: &Member| {
            let own = member.calibration.as_ref()?.as_ref().ok()?;
            let overhead_ticks = common_overhead(&all)?;
            Some(Calibration { overhead_ticks, ..own.clone() })
        };
        self.members.iter().map(common).collect()
    }

    /// Why a thread that should have a clock has none.
    pub(super) fn no_cycles(&self) -> Option<String> {
        let reason = |member: &Member| member.calibration.clone()?.err();
        self.members.iter().find_map(reason)
    }
}

type Ready = Result<Option<Result<Calibration, String>>, PinError>;

fn serve(
    index: usize,
    cpu: Option<usize>,
    clock: Option<&ClockChoice>,
    ready: &Sender<Ready>,
    work: &Receiver<Job>,
) {
    // Where nobody receives any more, the pool is gone, and so is the need.
    if let Some(Err(reason)) = cpu.map(pin_to) {
        let _ = ready.send(Err(reason));
        return;
    }
    let mut instruments = None;
    let calibration = clock.map(|choice| {
        let own = calibrate(choice)?;
        let calibration = own.clock.calibration().clone();
        instruments = Some(own);
        Ok(calibration)
    });
    let _ = ready.send(Ok(calibration));
    for job in work {
        let Job { work, has_neighbour, line, stop, done } = job;
        if let Some(instruments) = &mut instruments {
            instruments.has_neighbour = has_neighbour;
        }
        let _ = done.send((index, thread::run(&work, &line, &stop, instruments.as_ref())));
    }
}

fn calibrate(choice: &ClockChoice) -> Result<Instruments, String> {
    let counter = match &choice.counter {
        Some(name) => counter::open(name),
        None => counter::open_best(),
    };
    let counter = counter.map_err(|reason| reason.to_string())?;
    let clock = Clock::calibrate(counter, choice.megahertz).map_err(|reason| reason.to_string())?;
    Ok(Instruments { clock, has_neighbour: false })
}
