//! Runs the worker processes of one library that make the same calls at once.

use crate::failures::not_measured;
use crate::plan::library::LibrarySpec;
use crate::plan::scale::Size;
use crate::together::job::{Job, Means, Ran};
use crate::workers::process::Worker;
use crate::workers::protocol::{PrepareThreads, StartThreads, Started, Threads};
use cpb_model::Failure;
use cpb_sampler::Amount;
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// The time from the announcement of a start to the start, long enough for every process to
/// receive it.
const NOTICE: Duration = Duration::from_millis(4);

/// The worker processes of one library, as many as were needed so far.
#[derive(Default)]
pub(crate) struct WorkerGroup {
    members: Vec<Member>,
    started: u64,
}

struct Member {
    worker: Worker,
    started: Started,
}

impl WorkerGroup {
    /// Returns how many processes were started.
    pub(crate) fn started(&self) -> u64 {
        self.started
    }

    /// Starts the processes that the job needs, and lets all make calls from the same moment on.
    pub(crate) fn run(
        &mut self,
        library: &LibrarySpec,
        means: &Means<'_>,
        job: &Job,
    ) -> Result<Vec<Ran>, Failure> {
        let Job { size: Size { processes, threads: all }, work, amount, operations, .. } = job;
        let others = if work.beside.is_some() { all - 1 } else { 0 };
        let threads = all - others;
        while self.members.len() < *processes {
            let member = self.start(library, means)?;
            self.members.push(member);
        }
        let orders = || PrepareThreads {
            implementation: work.implementation.clone(),
            workload: work.workload.clone(),
            threads,
            others: work.beside.iter().cycle().take(others).cloned().collect(),
            shares_keys: means.shares_keys,
            amount: *amount,
            operations: *operations,
            probes: *all <= means.cores,
        };
        let members = &mut self.members[..*processes];
        at_once(members, &|member| member.worker.line_up(orders()))?;
        let go = StartThreads::after(NOTICE);
        let time = match amount {
            Amount::Time(time) => *time,
            Amount::Calls(_) => Duration::ZERO,
        };
        at_once(members, &|member| {
            let mut ran = member.worker.go(go, *all, NOTICE + time, means.stop)?;
            ran.truncate(threads);
            Ok(Ran { threads: ran, started: member.started.clone() })
        })
    }

    /// Ends all processes, because a failure in one may have left others waiting.
    pub(crate) fn dismiss(&mut self) {
        self.members.clear();
    }

    /// Starts a process with its threads: the first process gets as many as any size needs, the
    /// others get one each.
    fn start(&mut self, library: &LibrarySpec, means: &Means<'_>) -> Result<Member, Failure> {
        let number = self.members.len();
        let Means { cpus, threads, clock, timeout, start, end, .. } = means;
        let (count, cpus) = match number {
            0 => (*threads, cpus.clone()),
            _ => (1, cpus.get(number).copied().into_iter().collect()),
        };
        let (mut worker, _, _) = Worker::start(library, false, None, start.bounds(*timeout, *end))?;
        self.started += 1;
        let started = worker.start_threads(Threads { count, cpus, clock: clock.clone() })?;
        Ok(Member { worker, started })
    }
}

/// Asks every member at once, and returns their answers.
fn at_once<T: Send>(
    members: &mut [Member],
    ask: &(dyn Fn(&mut Member) -> Result<T, Failure> + Sync),
) -> Result<Vec<T>, Failure> {
    if let [member] = members {
        return ask(member).map(|said| vec![said]);
    }
    std::thread::scope(|scope| {
        let start = |member| std::thread::Builder::new().spawn_scoped(scope, move || ask(member));
        let threads: Vec<_> = members.iter_mut().map(start).collect();
        let said = threads.into_iter().map(|thread| match thread.map(ScopedJoinHandle::join) {
            Ok(Ok(said)) => said,
            Ok(Err(_)) => Err(not_measured("a thread that asks a worker ended by itself")),
            Err(reason) => Err(not_measured(format!("cannot start a thread: {reason}"))),
        });
        // All answers are read before any failure counts.
        said.collect::<Vec<_>>().into_iter().collect()
    })
}
