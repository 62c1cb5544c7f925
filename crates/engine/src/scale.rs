//! Measures the same calls made by one, two and more threads or processes at once.
//!
//! [`crate::measure()`] keeps all other workers waiting; this lets threads of one worker, or
//! several workers, make calls at the same time.

use crate::measure::Measured;
use crate::plan::{Plan, Row};
use crate::progress::Progress;
use crate::schedule::budget::{self, Budget};
use crate::schedule::quiet_rounds::QuietRounds;
use crate::schedule::{Scheduler, drive};
use crate::start::Start;
use crate::together::crews::crews;
use crate::together::{Means, Together};
use crate::verification;
use cpb_model::{CallSpec, Host};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// The number of concurrent callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of processes; not zero.
    pub processes: usize,
    /// Threads per process; not zero, and one if there are several processes.
    pub threads: usize,
}

impl BackgroundLoad {
    /// Returns how many of these threads are measured.
    pub(crate) fn measured(&self, threads: usize) -> usize {
        if *self == BackgroundLoad::Same { threads } else { 1 }
    }
}

impl Size {
    /// One thread, the reference of all other sizes.
    pub const ONE: Self = Self { processes: 1, threads: 1 };

    /// Returns all threads of all processes.
    #[must_use]
    pub fn all(self) -> usize {
        self.processes * self.threads
    }
}

/// States what the other threads of a process do while its first thread is measured.
#[derive(Debug, Clone, PartialEq)]
pub enum BackgroundLoad {
    /// The same calls, and all threads are measured.
    Same,
    /// They read and write more memory than the caches hold.
    Memory,
    /// They make the calls of this row, of the same library and with one length.
    Calls(Box<Row>),
}

/// Specifies a scaling measurement.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalePlan {
    /// The rows, at one length each; other settings apply unless overridden below.
    pub plan: Plan,
    /// The background load, for each row.
    pub load: Vec<BackgroundLoad>,
    /// The number of consecutive rows that are measured next to each other at every size: not zero,
    /// and two to compare pairs.
    pub abreast: usize,
    /// The sizes; [`Size::ONE`] is the first.
    pub sizes: Vec<Size>,
    /// A CPU for each thread; empty if threads are not pinned.
    pub cpus: Vec<usize>,
    /// Whether the threads of a process share key objects instead of having one each.
    pub shares_keys: bool,
    /// The time for which each size makes calls in a round.
    pub time: Duration,
    /// The wanted rounds without a neighbour per row. At least this many rounds are made, and at
    /// most three times as many.
    pub rounds: u32,
    /// The relative half-width at which intervals are narrow enough; if absent, precision asks for
    /// no rounds.
    pub precision: Option<f64>,
}

/// The limit of rounds as a multiple of those requested; see [`ScalePlan::rounds`].
pub const MOST_ROUNDS: u32 = 3;
/// Rounds after which a row is given up as imprecise.
pub const MOST_PRECISE_ROUNDS: u32 = 100;

/// Measures `plan` on `host` and reports to `progress`, until the budget is spent or `stop` is set.
pub fn measure_scaling(
    plan: &ScalePlan,
    host: &Host,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Measured {
    let sampling = &plan.plan.sampling;
    let start = Start::now();
    let for_verifying = start.bounds(sampling, budget::for_verifying(sampling));
    let verified = verification::verify(&plan.plan, for_verifying, stop, &mut |done, expected| {
        progress(Progress::Verify { done, expected });
    });
    let sizes = plan.sizes.len();
    let verdicts = verified.rows.into_iter().flat_map(|row| std::iter::repeat_n(row, sizes));
    let design = QuietRounds::new(plan, host);
    let mut scheduler = Scheduler::new(design, verdicts.collect(), Budget::unlimited());
    let means = Means {
        libraries: plan.plan.libraries.clone(),
        cpus: plan.cpus.clone(),
        threads: plan.sizes.iter().map(|size| size.threads).max().unwrap_or(1),
        shares_keys: plan.shares_keys,
        clock: plan.plan.clock.clone(),
        bounds: start.bounds(sampling, sampling.budget),
        start,
        end: Some(sampling.budget),
        stop: None,
    };
    let mut together = Together::new(means, crews());
    let steal = drive(&mut scheduler, &mut together, stop, progress);
    let Scheduler { design, rows, .. } = scheduler;
    let (clock, no_cycles) = together.finish();
    let (libraries, cpus) = (verified.libraries, plan.cpus.clone());
    let interrupted = rows.is_interrupted;
    let records = design.records(&rows);
    Measured { records, clock, no_cycles, libraries, cpus, steal, interrupted }
}

/// Describes the background load; `None` if all threads make the same calls.
pub(crate) fn describe(load: &BackgroundLoad) -> Option<String> {
    let row = match load {
        BackgroundLoad::Same => return None,
        BackgroundLoad::Memory => return Some("memory traffic".to_owned()),
        BackgroundLoad::Calls(row) => row,
    };
    let (subject, parameters) = (&row.subject, call(row).parameters);
    let length = match parameters.message_bytes {
        0 => String::new(),
        bytes => format!(", {bytes} B"),
    };
    Some(format!("{} {}{length}", subject.primitive, subject.operation.name()))
}

/// Returns the call of a row, which has one length.
pub(crate) fn call(row: &Row) -> CallSpec {
    row.call(row.lengths.first().copied().unwrap_or_default())
}
