//! What calls have that many make at once: rates, and where the time went.

use crate::{Figure, Parameters, Point, RawRounds, Setup};
use serde::{Deserialize, Serialize};

/// What is known of calls that were made by many at once, or to be compared with such, besides what
/// one of them costs.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Concurrent {
    /// The CPU of each thread; empty where they were not pinned.
    pub cpus: Vec<usize>,
    /// Whether two of these CPUs are known to be hardware threads of one core.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_cores: bool,
    /// The loops that lanes were spread over, one after the other; empty where the backend chose
    /// them itself, and where there are none.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub loops: Vec<Loop>,
    /// Calls of each lane in a round, where their number was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub iterations: Option<u64>,
    /// Calls a second of all together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_second: Option<Figure>,
    /// The same against one thread on each CPU that they can have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<Figure>,
    /// Cycles of a call against those of one thread alone: what calls cost each other, whoever else
    /// takes CPUs. Of rare long waits it may tell too little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<Figure>,
    /// Rounds in which no neighbour was busy beside these threads nor beside the one: where
    /// these are four or more, figures are of them alone.
    #[serde(default, skip_serializing_if = "is_no_round")]
    pub quiet_rounds: usize,
    /// Calls of the slowest thread against the mean of all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowest: Option<f64>,
    /// Where the threads' time went.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeShares>,
    /// The core clock, in Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_hertz: Option<f64>,
    /// Cycles of an instruction of the throughput probe, which takes longer where another
    /// hardware thread of the core is busy.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_cycles: Option<f64>,
    /// The rounds, in order.
    pub rounds: Vec<ConcurrentRound>,
}

/// A loop that runs some lanes at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// The backend it belongs to.
    pub backend: String,
    /// Its lanes.
    pub lanes: usize,
}

/// What was done at once for a while, or a number of times.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct ConcurrentRound {
    /// Which round, from 0: what was measured in the same one can be compared.
    pub round: u32,
    /// Calls a second of all together.
    pub calls_per_second: f64,
    /// Calls of the slowest thread against the mean of all; absent where all made as many.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowest: Option<f64>,
    /// Where the threads' time went; absent where it was not looked at.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub time: Option<TimeShares>,
    /// Core cycles of a call.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles_per_call: Option<f64>,
    /// Median core clock, in Hz.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub core_hertz: Option<f64>,
    /// Median cycles of an instruction of the throughput probe.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub probe_cycles: Option<f64>,
    /// Samples that the cycles are made of.
    pub samples: u64,
    /// Samples dropped because their brackets disagreed.
    pub rejected: u64,
    /// Samples that do not count because a neighbour was busy on the core's other hardware
    /// thread.
    #[serde(default, skip_serializing_if = "is_none")]
    pub busy: u64,
    /// Whether the cycles are an upper bound, since a core was hardly ever quiet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub upper_bound: bool,
}

fn is_none(count: &u64) -> bool {
    *count == 0
}

fn is_no_round(count: &usize) -> bool {
    *count == 0
}

/// Where the time of threads went, as shares of it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Serialize, Deserialize)]
pub struct TimeShares {
    /// On a CPU, not in the kernel.
    pub user: f64,
    /// On a CPU, in the kernel.
    pub kernel: f64,
    /// Ready to run, and waiting for a CPU; absent where the kernel does not count it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub waiting: Option<f64>,
    /// Off the CPU and not ready to run: asleep until somebody lets go of a lock. Absent
    /// where it cannot be told from waiting.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub blocked: Option<f64>,
}

impl Concurrent {
    /// What a call costs that is made so: `cycles`, which spread by so much from round to round.
    /// Absent where calls have no rate.
    #[must_use]
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
            median: None,
            quartiles: None,
            low_quantile: least,
            minimum: least,
            long_calls: None,
            draws: None,
            layout: None,
            one_by_one: None,
            events: None,
            calls_per_sample: 0,
            samples: count(|round| round.samples),
            rejected: count(|round| round.rejected.saturating_add(round.busy)),
            rounds: u32::try_from(self.rounds.len()).unwrap_or(u32::MAX),
            raw: RawRounds::default(),
        };
        point.nanoseconds_per_call.is_finite().then_some(point)
    }
}
