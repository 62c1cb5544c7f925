//! Defines what concurrent calls to measure.

use crate::plan::{Plan, Row};
use cpb_model::CallSpec;
use std::time::Duration;

/// The description of [`BackgroundLoad::Memory`].
const MEMORY: &str = "memory traffic";

/// The number of concurrent callers.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Size {
    /// Number of processes; not zero.
    pub processes: usize,
    /// Threads per process; not zero, and one if there are several processes.
    pub threads: usize,
}

impl Size {
    /// One thread, the reference of all other sizes.
    pub const ONE: Self = Self { processes: 1, threads: 1 };

    /// Returns all threads of all processes.
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

impl BackgroundLoad {
    /// Returns how many of these threads are measured.
    pub(crate) fn measured(&self, threads: usize) -> usize {
        if *self == BackgroundLoad::Same { threads } else { 1 }
    }

    /// Describes the load, as in `memory traffic` or `aes-128-gcm seal, 1024 B`; `None` if all threads
    /// make the same calls.
    pub fn describe(&self) -> Option<String> {
        let row = match self {
            BackgroundLoad::Same => return None,
            BackgroundLoad::Memory => return Some(MEMORY.to_owned()),
            BackgroundLoad::Calls(row) => row,
        };
        let (subject, parameters) = (&row.subject, call(row).parameters);
        let length = match parameters.message_bytes {
            0 => String::new(),
            bytes => format!(", {bytes} B"),
        };
        Some(format!("{} {}{length}", subject.primitive, subject.operation.name()))
    }
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

/// Returns the call of a row, which has one length.
pub(crate) fn call(row: &Row) -> CallSpec {
    row.call(row.lengths.first().copied().unwrap_or_default())
}
