//! The worker processes of one library that make the same calls at once.

use crate::plan::ClockChoice;
use crate::plan::library::LibrarySpec;
use crate::scale::Size;
use crate::together::threads::monotonic_now;
use crate::worker::not_measured;
use crate::workers::process::{Bounds, Worker};
use crate::workers::protocol::{
    Beside, Go, Implementation, LineUp, Started, ThreadRun, Threads, nanoseconds,
};
use cpb_model::{CallSpec, Failure};
use std::thread::ScopedJoinHandle;
use std::time::Duration;

/// How long after it was told a start is: so long that every process has heard of it.
const NOTICE: Duration = Duration::from_millis(4);

/// Worker processes of one library, as many as were needed so far.
#[derive(Default)]
pub(crate) struct Crew {
    members: Vec<Member>,
    started: u64,
}

/// How threads are had.
pub(crate) struct Places {
    /// A CPU for each, whichever process it is of; none where they are not pinned.
    pub(crate) cpus: Vec<usize>,
    /// Threads of the first process: the most of any.
    pub(crate) threads: usize,
    /// Whether threads of a process use the same key objects.
    pub(crate) share_keys: bool,
    pub(crate) clock: ClockChoice,
}

struct Member {
    worker: Worker,
    started: Started,
}

/// What a crew works with.
pub(crate) struct Means<'a> {
    pub(crate) library: &'a LibrarySpec,
    pub(crate) places: &'a Places,
    pub(crate) bounds: Bounds,
    /// How long calls are made for.
    pub(crate) time: Duration,
}

/// What a crowd does.
pub(crate) struct CrowdWork {
    pub(crate) implementation: Implementation,
    pub(crate) workload: CallSpec,
    /// What those do that are not measured.
    pub(crate) beside: Option<Beside>,
}

/// What the threads of one process that are measured did, and what they measured with.
pub(crate) struct Ran {
    pub(crate) threads: Vec<ThreadRun>,
    pub(crate) started: Started,
}

impl Crew {
    /// Processes that were started.
    pub(crate) fn started(&self) -> u64 {
        self.started
    }

    /// Has so many make calls, all from the same moment on; who is needed is started. After a
    /// failure nobody is kept.
    pub(crate) fn run(
        &mut self,
        means: &Means<'_>,
        size: Size,
        work: &CrowdWork,
    ) -> Result<Vec<Ran>, Failure> {
        let ran = self.run_once(means, size, work);
        if ran.is_err() {
            self.members.clear();
        }
        ran
    }

    fn run_once(
        &mut self,
        means: &Means<'_>,
        size: Size,
        work: &CrowdWork,
    ) -> Result<Vec<Ran>, Failure> {
        let &Means { time, places, .. } = means;
        let Size { processes, threads: all } = size;
        let others = if work.beside.is_some() { all - 1 } else { 0 };
        let threads = all - others;
        while self.members.len() < processes {
            let member = self.start(means)?;
            self.members.push(member);
        }
        let orders = || LineUp {
            implementation: work.implementation.clone(),
            workload: work.workload.clone(),
            threads,
            others: work.beside.iter().cycle().take(others).cloned().collect(),
            shares_keys: places.share_keys,
            nanoseconds: nanoseconds(time),
        };
        let members = &mut self.members[..processes];
        at_once(members, &|member| member.worker.line_up(orders()))?;
        let go = Go { at_nanoseconds: nanoseconds(monotonic_now() + NOTICE) };
        at_once(members, &|member| {
            let mut ran = member.worker.go(go, all, NOTICE + time)?;
            ran.truncate(threads);
            Ok(Ran { threads: ran, started: member.started.clone() })
        })
    }

    /// A process with its threads: the first with as many as any size has, the others with
    /// one each.
    fn start(&mut self, means: &Means<'_>) -> Result<Member, Failure> {
        let number = self.members.len();
        let Places { cpus, threads, clock, .. } = means.places;
        let (count, cpus) = match number {
            0 => (*threads, cpus.clone()),
            _ => (1, cpus.get(number).copied().into_iter().collect()),
        };
        let (mut worker, _, _) = Worker::start(means.library, false, None, means.bounds)?;
        self.started += 1;
        let started = worker.start_threads(Threads { count, cpus, clock: clock.clone() })?;
        Ok(Member { worker, started })
    }
}

/// What every member says, all of which are asked at once.
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
        // All are heard before any failure counts.
        said.collect::<Vec<_>>().into_iter().collect()
    })
}
