//! The threads, which live from run to run.

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

/// Why threads cannot be had.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ThreadsError {
    /// One could not be started.
    #[error("cannot start thread {number} of {wanted}: {reason}; ask for fewer threads")]
    Thread {
        /// Which, counted from 1.
        number: usize,
        /// How many were asked for.
        wanted: usize,
        /// The system's words.
        reason: String,
    },
    /// One could not be pinned.
    #[error("{0}; measure without pinning")]
    Pin(#[from] PinError),
    /// One ended by itself.
    #[error("a measuring thread ended by itself; please report this")]
    Lost,
}

/// How often it is told how far things have come.
const TELLING: Duration = Duration::from_millis(100);

/// Threads that wait for runs. Dropping it ends them.
pub(crate) struct Pool {
    members: Vec<Member>,
}

struct Member {
    jobs: Sender<Job>,
    /// The kernel's number of the thread.
    number: Pid,
    /// The clock's calibration; `None` where another thread has this CPU's
    /// clock, else why there is none.
    calibration: Option<Result<Calibration, String>>,
}

struct Job {
    work: Work,
    has_neighbour: bool,
    place: Place,
    done: Sender<(usize, Ended)>,
}

/// Threads that are ready to run. Where it is dropped, they are sent home.
pub(crate) struct LinedUp {
    threads: Vec<Waiting>,
    finished: Receiver<(usize, Ended)>,
}

/// The result of a thread's run; `None` if another failed.
pub(crate) type Ended = Result<Option<Timed>, Failure>;

impl Pool {
    /// Starts `threads`, each on its CPU, where `cpus` has one for each. One
    /// thread on each CPU has a clock.
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

    /// Has as many threads as `work` names make it ready; the failure of the first that
    /// cannot.
    ///
    /// # Panics
    /// Where there are not so many.
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
                        // Those that are ready are called off.
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

    /// Lets those that are lined up go at this moment, and waits until all are back.
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

    /// How each of so many threads ended.
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

    /// The calibrations, one for each CPU in use.
    fn calibrations(&self) -> Vec<Calibration> {
        let found = |member: &Member| member.calibration.clone()?.ok();
        self.members.iter().filter_map(found).collect()
    }

    /// Each thread's calibration with the overhead they have in common.
    pub(crate) fn common_calibrations(&self) -> Vec<Option<Calibration>> {
        let all = self.calibrations();
        let common = |member: &Member| {
            let own = member.calibration.as_ref()?.as_ref().ok()?;
            let overhead_ticks = common_overhead(&all)?;
            Some(Calibration { overhead_ticks, ..own.clone() })
        };
        self.members.iter().map(common).collect()
    }

    /// Why a thread that should have a clock has none.
    pub(crate) fn no_cycles(&self) -> Option<String> {
        let reason = |member: &Member| member.calibration.clone()?.err();
        self.members.iter().find_map(reason)
    }
}

impl Member {
    /// That the thread is there: code of others runs in it, which may end it without a word.
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
