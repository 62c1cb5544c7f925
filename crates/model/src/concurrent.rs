//! Defines the throughput of concurrent calls, and where their time went.

use crate::{Figure, Parameters, Point, Setup};
use serde::{Deserialize, Serialize};

/// The results of calls made by many threads at once, or of calls to compare with these, besides
/// the cost of a call.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Concurrent {
    /// The CPU of each thread; empty if they were not pinned.
    pub cpus: Vec<usize>,
    /// Whether two of these CPUs are hardware threads of one core.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_cores: bool,
    /// The loops that the lanes were spread over, run one after the other; empty if the backend
    /// chose them itself, or has none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<Loop>,
    /// Calls per lane and round, if their number was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// Calls per second of all threads together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_second: Option<Figure>,
    /// Throughput ÷ (that of one thread × the CPUs that the threads can use).
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<Figure>,
    /// Cycles per call ÷ those of one thread alone: what concurrent calls cost each other, whoever
    /// else uses the CPUs. It may understate rare long waits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<Figure>,
    /// Rounds without a busy neighbour, beside these threads or beside the single one. If there are
    /// at least four, the figures are of these rounds alone.
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    pub quiet_rounds: usize,
    /// Calls of the slowest thread ÷ the mean of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowest: Option<f64>,
    /// Where the threads' time went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeShares>,
    /// The core clock, in Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_hertz: Option<f64>,
    /// Cycles per instruction of the throughput probe, which is slower if another hardware thread
    /// of the core is busy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_cycles: Option<f64>,
    pub rounds: Vec<ConcurrentRound>,
}

/// A loop that computes several lanes at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// The backend that it is part of.
    pub backend: String,
    pub lanes: usize,
}

/// One round of concurrent calls: for a given time, or a given number of calls.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ConcurrentRound {
    /// The round's number, from 0. Rows of the same round can be compared.
    pub round: u32,
    /// Calls per second of all threads together.
    pub calls_per_second: f64,
    /// Calls of the slowest thread ÷ the mean of all; absent if all made equally many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowest: Option<f64>,
    /// Where the threads' time went; absent if not recorded.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeShares>,
    /// Core cycles per call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles_per_call: Option<f64>,
    /// Median core clock, in Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_hertz: Option<f64>,
    /// Median cycles per instruction of the throughput probe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_cycles: Option<f64>,
    /// Samples behind the cycles.
    pub samples: u64,
    /// Samples dropped because their brackets disagree.
    pub rejected: u64,
    /// Samples dropped because a neighbour was busy on the core's other hardware thread.
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    pub busy: u64,
    /// Whether the cycles are only an upper bound, because a core was hardly ever quiet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub upper_bound: bool,
}

/// Where the threads' time went, as shares of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeShares {
    /// On a CPU, in user space.
    pub user: f64,
    /// On a CPU, in the kernel.
    pub kernel: f64,
    /// Runnable and waiting for a CPU; absent if the kernel does not count it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<f64>,
    /// Off the CPU and not runnable: blocked, for example on a lock. Absent if it cannot be told
    /// from waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<f64>,
}

impl Concurrent {
    /// Summarises a call made this way as a point: `cycles`, with their spread between rounds.
    /// `None` if there is no rate.
    pub fn point(
        &self,
        setup: &Setup,
        parameters: Parameters,
        cycles: Figure,
        between_rounds: Option<f64>,
    ) -> Option<Point> {
        let rate = self.calls_per_second?.estimate;
        let least = self.rounds.iter().filter_map(|round| round.cycles_per_call);
        let least = least.min_by(f64::total_cmp).unwrap_or(cycles.estimate);
        let count = |of: fn(&ConcurrentRound) -> u64| {
            self.rounds.iter().map(of).fold(0, u64::saturating_add)
        };
        let point = Point {
            parameters,
            cycles_per_call: cycles,
            nanoseconds_per_call: 1e9 * setup.size() as f64 / rate,
            between_rounds,
            low_quantile: least,
            minimum: least,
            samples: count(|round| round.samples),
            rejected: count(|round| round.rejected.saturating_add(round.busy)),
            rounds: u32::try_from(self.rounds.len()).unwrap_or(u32::MAX),
            ..Point::default()
        };
        point.nanoseconds_per_call.is_finite().then_some(point)
    }
}
