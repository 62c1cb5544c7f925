//! Keeps threads from run to run.

use crate::clock_watch::common_overhead;
use crate::plan::ClockChoice;
use cpb_clock::{Clock, counter};
use cpb_host::{PinError, pin_to};
use cpb_model::{Calibration, Failure};
use cpb_sampler::{Instruments, Place, State, Timed, Waiting, Work, place};
use rustix::process::Pid;
use rustix::thread::gettid;
use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::sync::mpsc::{Receiver, RecvTimeoutError, Sender, channel};
use std::time::{Duration, Instant};

/// The reason why threads are not available.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ThreadsError {
    /// A thread could not be started.
    #[error("cannot start thread {number} of {wanted}: {reason}; ask for fewer threads")]
    Thread {
        /// Its number, counted from 1.
        number: usize,
        /// The number of requested threads.
        wanted: usize,
        /// The system's message.
        reason: String,
    },
    /// A thread could not be pinned.
    #[error("{0}; measure without pinning")]
    Pin(#[from] PinError),
    /// A thread ended by itself.
    #[error("a measuring thread ended by itself; please report this")]
    Lost,
}

/// The interval of heartbeats during a run.
const TELLING: Duration = Duration::from_millis(100);

/// Threads that wait for runs. Dropping it ends them.
pub(crate) struct Pool {
    members: Vec<Member>,
}

struct Member {
    jobs: Sender<Job>,
    /// The kernel's ID of the thread.
    number: Pid,
    /// The clock's calibration, or why there is none; `None` if another thread has this
    /// CPU's clock.
    calibration: Option<Result<Calibration, String>>,
}

struct Job {
    work: Work,
    has_neighbour: bool,
    place: Place,
    done: Sender<(usize, Ended)>,
}

/// Threads that are ready to run. Dropping it cancels the run.
pub(crate) struct LinedUp {
    threads: Vec<Waiting>,
    finished: Receiver<(usize, Ended)>,
}

/// The result of a thread's run; `None` if another failed.
pub(crate) type Ended = Result<Option<Timed>, Failure>;

impl Pool {
    /// Starts `threads`, each on its CPU if `cpus` has one for each. One thread per CPU
    /// has a clock.
    pub(crate) fn start(
        threads: usize,
        cpus: &[usize],
        clock: &ClockChoice,
    ) -> Result<Self, ThreadsError> {
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
                .map_err(|reason| ThreadsError::Thread {
                    number: index + 1,
                    wanted: threads,
                    reason: reason.to_string(),
                })?;
            starting.push((jobs, readiness));
        }
        let ready = |(jobs, readiness): (Sender<Job>, Receiver<Ready>)| -> Result<_, ThreadsError> {
            let (number, calibration) = readiness.recv().map_err(|_| ThreadsError::Lost)??;
            Ok(Member { jobs, number, calibration })
        };
        Ok(Self { members: starting.into_iter().map(ready).collect::<Result<_, _>>()? })
    }

    /// Makes as many threads as `work` names prepare it; returns the failure of the first
    /// that cannot.
    ///
    /// # Panics
    /// Panics if there are fewer threads.
    pub(crate) fn line_up(
        &mut self,
        work: &Work,
        has_neighbour: bool,
        tell: &mut dyn FnMut(),
    ) -> Result<Result<LinedUp, Failure>, ThreadsError> {
        let count = work.threads + work.others.len();
        assert!(count <= self.members.len(), "more threads than were started");
        let (done, finished) = channel();
        let mut threads = Vec::with_capacity(count);
        let same = std::iter::repeat_n(&work.prepare, work.threads);
        for (member, prepare) in self.members.iter().zip(same.chain(&work.others)) {
            let (place, waiting) = place();
            let work = Work { prepare: Arc::clone(prepare), ..work.clone() };
            let job = Job { work, has_neighbour, place, done: done.clone() };
            member.jobs.send(job).map_err(|_| ThreadsError::Lost)?;
            threads.push(waiting);
        }
        drop(done);
        for (thread, member) in threads.iter().zip(&self.members) {
            loop {
                match thread.wait(TELLING) {
                    State::Ready => break,
                    State::OnItsWay => member.is_there()?,
                    State::Gone => {
                        // The run is cancelled for threads that are ready.
                        drop(threads);
                        let ended = self.ended(count, &finished, tell)?;
                        let failure = ended.into_iter().find_map(Result::err);
                        return failure.map(Err).ok_or(ThreadsError::Lost);
                    }
                }
                tell();
            }
        }
        Ok(Ok(LinedUp { threads, finished }))
    }

    /// Starts the ready threads at this moment, and waits until all have ended their run.
    pub(crate) fn run(
        &mut self,
        lined_up: LinedUp,
        start: Instant,
        tell: &mut dyn FnMut(),
    ) -> Result<Vec<Ended>, ThreadsError> {
        let LinedUp { threads, finished } = lined_up;
        let count = threads.len();
        threads.into_iter().for_each(|thread| thread.start(start));
        self.ended(count, &finished, tell)
    }

    /// Returns how each of `count` threads ended its run.
    fn ended(
        &self,
        count: usize,
        finished: &Receiver<(usize, Ended)>,
        tell: &mut dyn FnMut(),
    ) -> Result<Vec<Ended>, ThreadsError> {
        let mut ended: Vec<Option<Ended>> = (0..count).map(|_| None).collect();
        while ended.iter().any(Option::is_none) {
            match finished.recv_timeout(TELLING) {
                Ok((index, thread)) => ended[index] = Some(thread),
                Err(RecvTimeoutError::Timeout) => {
                    let missing = self.members.iter().zip(&ended);
                    let mut missing = missing.filter(|(_, ended)| ended.is_none());
                    missing.try_for_each(|(member, _)| member.is_there())?;
                    tell();
                }
                Err(RecvTimeoutError::Disconnected) => return Err(ThreadsError::Lost),
            }
        }
        Ok(ended.into_iter().flatten().collect())
    }

    /// Returns the calibrations, one for each CPU in use.
    fn calibrations(&self) -> Vec<Calibration> {
        let found = |member: &Member| member.calibration.clone()?.ok();
        self.members.iter().filter_map(found).collect()
    }

    /// Returns each thread's calibration, with the overhead that they have in common.
    pub(crate) fn common_calibrations(&self) -> Vec<Option<Calibration>> {
        let all = self.calibrations();
        let common = |member: &Member| {
            let own = member.calibration.as_ref()?.as_ref().ok()?;
            let overhead_ticks = common_overhead(&all)?;
            Some(Calibration { overhead_ticks, ..own.clone() })
        };
        self.members.iter().map(common).collect()
    }

    /// Returns why a thread that should have a clock has none.
    pub(crate) fn no_cycles(&self) -> Option<String> {
        let reason = |member: &Member| member.calibration.clone()?.err();
        self.members.iter().find_map(reason)
    }
}

impl Member {
    /// Checks that the thread still exists, because foreign code runs in it and may end it
    /// silently.
    fn is_there(&self) -> Result<(), ThreadsError> {
        let threads = Path::new("/proc/self/task");
        let own = threads.join(self.number.as_raw_nonzero().to_string());
        if threads.exists() && !own.exists() { Err(ThreadsError::Lost) } else { Ok(()) }
    }
}

type Ready = Result<(Pid, Option<Result<Calibration, String>>), PinError>;

fn serve(
    index: usize,
    cpu: Option<usize>,
    clock: Option<&ClockChoice>,
    ready: &Sender<Ready>,
    work: &Receiver<Job>,
) {
    // If there is no receiver, the pool no longer exists, and nothing needs to be done.
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
    let _ = ready.send(Ok((gettid(), calibration)));
    for job in work {
        let Job { work, has_neighbour, place, done } = job;
        if let Some(instruments) = &mut instruments {
            instruments.has_neighbour = has_neighbour;
        }
        let _ = done.send((index, cpb_sampler::run(&work, place, instruments.as_ref())));
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
