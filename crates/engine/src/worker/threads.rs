//! Runs in the worker: threads of one process that make the same calls at once.

use super::pool::{LinedUp, Pool, ThreadsError};
use crate::failures::not_measured;
use crate::implementation::Implementation;
use crate::plan::ClockChoice;
use crate::verification::answers;
use crate::worker::opened::Opened;
use crate::workers::protocol::{
    self, Beside, PrepareThreads, StartThreads, Started, ThreadRun, nanoseconds,
};
use cpb_model::{CallSpec, Failure, FailureKind};
use cpb_sampler::{Amount, Prepare, Timed, Work, traffic};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

/// The threads, and the library whose calls they make.
pub(crate) struct Threads {
    /// A lock, so that one thread at a time prepares a call: libraries need not allow several.
    opened: Arc<Mutex<Opened>>,
    pool: Pool,
    lined_up: Option<(LinedUp, Amount)>,
    /// The data for memory traffic, once it was needed.
    memory: Option<Arc<traffic::Data>>,
}

impl Threads {
    /// Starts the threads.
    pub(crate) fn start(
        opened: Opened,
        wanted: &protocol::Threads,
    ) -> Result<(Self, Started), Failure> {
        let protocol::Threads { count, cpus, clock } = wanted;
        let clock: &ClockChoice = clock;
        let pool = Pool::start(*count, cpus, clock).map_err(failure)?;
        let started =
            Started { calibrations: pool.common_calibrations(), no_cycles: pool.no_cycles() };
        let opened = Arc::new(Mutex::new(opened));
        Ok((Self { opened, pool, lined_up: None, memory: None }, started))
    }

    /// Makes the first threads prepare a workload.
    pub(crate) fn line_up(
        &mut self,
        line_up: PrepareThreads,
        is_at_it: &mut dyn FnMut(),
    ) -> Result<(), Failure> {
        let PrepareThreads { implementation, workload, threads, others, shares_keys, .. } = line_up;
        let opened = Arc::clone(&self.opened);
        if shares_keys {
            let mut opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
            opened.share_keys(&implementation, workload.contract)?;
        }
        let prepare = prepare(opened, implementation, workload);
        let count = others.len();
        let others = others.into_iter().enumerate().map(|(thread, other)| match other {
            Beside::Memory => self.memory_traffic(thread, count),
            Beside::Calls { implementation, workload } => {
                Ok(self::prepare(Arc::clone(&self.opened), implementation, workload))
            }
        });
        let others = others.collect::<Result<_, Failure>>()?;
        let PrepareThreads { amount, operations, probes, .. } = line_up;
        let work = Work { prepare, amount, operations, threads, others };
        // The probes show whether cores are shared, among these threads or with others.
        let tell = &mut || tell_of(amount, is_at_it);
        let lined_up = self.pool.line_up(&work, probes, tell).map_err(failure)?;
        self.lined_up = Some((lined_up?, amount));
        Ok(())
    }

    fn memory_traffic(&mut self, thread: usize, threads: usize) -> Result<Arc<Prepare>, Failure> {
        let data = match self.memory.take() {
            Some(data) => data,
            None => Arc::new(traffic::Data::new().map_err(not_measured)?),
        };
        let own = Arc::clone(self.memory.insert(data));
        Ok(Arc::new(move || Ok(Box::new(own.traffic(thread, threads)))))
    }

    /// Starts the threads that are ready.
    pub(crate) fn go(
        &mut self,
        go: StartThreads,
        is_at_it: &mut dyn FnMut(),
    ) -> Result<Vec<ThreadRun>, Failure> {
        let lined_up = self.lined_up.take();
        let (lined_up, amount) = lined_up.ok_or_else(|| not_measured("nobody is ready"))?;
        let start = Instant::now() + go.left();
        let ended =
            self.pool.run(lined_up, start, &mut || tell_of(amount, is_at_it)).map_err(failure)?;
        let timed =
            ended.into_iter().map(|ended| ended.map(|timed| timed.map(|it| run(it, start))));
        let runs = timed.collect::<Result<Option<Vec<_>>, Failure>>()?;
        runs.ok_or_else(|| not_measured("a thread made no calls"))
    }
}

/// Sends heartbeats while threads work for an unknown time. Threads that make calls for a fixed
/// time count as hung when they take longer.
fn tell_of(amount: Amount, is_at_it: &mut dyn FnMut()) {
    if let Amount::Calls(_) = amount {
        is_at_it();
    }
}

/// Returns the function that prepares a call, in the thread that will make it.
fn prepare(
    opened: Arc<Mutex<Opened>>,
    implementation: Implementation,
    workload: CallSpec,
) -> Arc<Prepare> {
    Arc::new(move || {
        let opened = opened.lock().unwrap_or_else(PoisonError::into_inner);
        opened.ready(&implementation, &workload)
    })
}

fn run(timed: Timed, start_of_all: Instant) -> ThreadRun {
    let Timed { start, end, calls, time, output, samples } = timed;
    ThreadRun {
        calls,
        late_nanoseconds: nanoseconds(start.saturating_duration_since(start_of_all)),
        nanoseconds: nanoseconds(end.saturating_duration_since(start)),
        on_cpu_nanoseconds: nanoseconds(time.on_cpu),
        in_kernel_nanoseconds: nanoseconds(time.in_kernel),
        sleeps: time.sleeps,
        waiting_nanoseconds: time.waiting.map(nanoseconds),
        samples,
        output: answers::digest(&output),
    }
}

fn failure(error: ThreadsError) -> Failure {
    match error {
        // Only the library's code runs in the thread.
        ThreadsError::Lost => Failure {
            kind: FailureKind::Crashed,
            reason: "a thread that made the calls left by itself".to_owned(),
        },
        other => not_measured(other),
    }
}
