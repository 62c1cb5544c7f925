//! The same calls, made by one, two and more at once.
//!
//! Unlike [`crate::measure()`], which keeps everybody else waiting, this lets threads of one
//! worker process make their calls at the same time, or workers beside each other.

use crate::measure::{Measured, verified};
use crate::plan::{Plan, Row};
use crate::progress::Progress;
use crate::schedule::budget::Budget;
use crate::schedule::carry_out;
use crate::schedule::quiet_rounds::QuietRounds;
use crate::start::Start;
use crate::together::{Means, Together};
use crate::verification::Verified;
use cpb_model::{CallSpec, Host};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// What [`Company::Memory`] is called.
const MEMORY: &str = "memory traffic";

/// How many make calls at once.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Processes; not zero.
    pub processes: usize,
    /// Threads of each; not zero, and one where there are several processes.
    pub threads: usize,
}

impl Company {
    /// How many of so many threads are measured.
    pub(crate) fn measured(&self, threads: usize) -> usize {
        if *self == Company::Same { threads } else { 1 }
    }

    /// What it does, where that is something else: `memory traffic`, `aes-128-gcm seal, 1024 B`.
    #[must_use]
    pub fn words(&self) -> Option<String> {
        let row = match self {
            Company::Same => return None,
            Company::Memory => return Some(MEMORY.to_owned()),
            Company::Calls(row) => row,
        };
        let (subject, parameters) = (&row.subject, call(row).parameters);
        let length = match parameters.message_bytes {
            0 => String::new(),
            bytes => format!(", {bytes} B"),
        };
        Some(format!("{} {}{length}", subject.primitive, subject.operation.name()))
    }
}

impl Size {
    /// One thread, which all others are compared with.
    pub const ONE: Self = Self { processes: 1, threads: 1 };

    /// All threads of all processes.
    #[must_use]
    pub fn all(self) -> usize {
        self.processes * self.threads
    }
}

/// What the other threads of a process do beside its first.
#[derive(Debug, Clone, PartialEq)]
pub enum Company {
    /// The same, and all are measured.
    Same,
    /// They read and write more than caches hold.
    Memory,
    /// They make the calls of this row, which is of the same library and has one length.
    Calls(Box<Row>),
}

/// What to measure.
#[derive(Debug, Clone, PartialEq)]
pub struct ScalePlan {
    /// The rows, at one length each; of the rest what is not said here.
    pub plan: Plan,
    /// What the other threads do, for each row.
    pub company: Vec<Company>,
    /// So many rows, one behind the other, are measured next to each other at every size: not
    /// zero, and two where these are compared.
    pub abreast: usize,
    /// The sizes, of which [`Size::ONE`] is the first.
    pub sizes: Vec<Size>,
    /// A CPU for each thread; none where they are not pinned.
    pub cpus: Vec<usize>,
    /// Whether threads of a process use the same key objects, instead of each its own.
    pub shares_keys: bool,
    /// For how long each size makes calls in a round.
    pub time: Duration,
    /// Rounds beside no neighbour that each row shall have; at least so many are made, and up
    /// to three times as many.
    pub rounds: u32,
    /// Relative half-width of the intervals at which there are rounds enough: without it, none are
    /// made for that.
    pub precision: Option<f64>,
}

/// Measures `plan` on `host`, telling `progress` how it goes, until its budget is spent or
/// `stop` is set.
pub fn measure_scaling(
    plan: &ScalePlan,
    host: &Host,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Measured {
    let sampling = &plan.plan.sampling;
    let start = Start::now();
    let verified = verified(&plan.plan, start, stop, progress);
    let of_sizes = |row| std::iter::repeat_n(row, plan.sizes.len());
    let rows = verified.rows.into_iter().flat_map(of_sizes).collect();
    let means = Means {
        libraries: plan.plan.libraries.clone(),
        cpus: plan.cpus.clone(),
        threads: plan.sizes.iter().map(|size| size.threads).max().unwrap_or(1),
        shares_keys: plan.shares_keys,
        clock: plan.plan.clock.clone(),
        memory: None,
        cores: usize::MAX,
        timeout: sampling.timeout,
        start,
        end: sampling.maximum(),
        stop: None,
    };
    let (design, together) = (QuietRounds::new(plan, host), Together::new(means));
    let verified = Verified { rows, ..verified };
    carry_out(design, together, verified, Budget::unlimited(), stop, progress).0
}

/// The call of a row, which has one length.
pub(crate) fn call(row: &Row) -> CallSpec {
    row.call(row.lengths.first().copied().unwrap_or_default())
}
