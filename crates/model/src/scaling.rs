//! What many who make the same calls at once were found to do.

use crate::{Contract, Failure, Figure, Parameters, Subject, Verification, Workload};
use serde::{Deserialize, Serialize};

/// A workload, made by one, two and more at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Scaling {
    /// What was measured.
    pub subject: Subject,
    /// What one call does.
    pub contract: Contract,
    /// Whether the threads of a process used the same key objects, not each its own.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_keys: bool,
    /// What threads that are not measured do beside the one that is; absent where all do the
    /// same, and are.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub beside: Option<String>,
    /// Lengths and placement.
    pub parameters: Parameters,
    /// What the result was compared with; absent where it never got so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// By how many were at it, one thread first.
    pub crowds: Vec<Crowd>,
    /// How far it scales; absent where too little could be measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
    /// Why nothing was measured at all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

impl Scaling {
    /// What a call did.
    #[must_use]
    pub fn workload(&self) -> Workload {
        let Subject { primitive, operation, .. } = &self.subject;
        Workload::with(primitive, *operation, self.contract, &self.parameters)
    }
}

/// So many at once.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Crowd {
    /// Processes.
    pub processes: usize,
    /// Threads of each.
    pub threads: usize,
    /// Threads beside these that do something else.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub others: usize,
    /// The CPU of each thread; empty where they were not pinned.
    pub cpus: Vec<usize>,
    /// Whether two of these CPUs are known to be hardware threads of one core.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub shares_cores: bool,
    /// Calls a second of all together.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub calls_per_second: Option<Figure>,
    /// The same against one thread on each CPU that they can have.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub efficiency: Option<Figure>,
    /// Core cycles that pass on a CPU during a call, waiting in it included; absent where
    /// cycles cannot be told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles_per_call: Option<Figure>,
    /// The same against one thread alone: what calls cost each other, whoever else takes CPUs.
    /// Of rare long waits it may tell too little.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub slowdown: Option<Figure>,
    /// Rounds in which no neighbour was busy beside these threads nor beside the one: where
    /// these are four or more, figures are of them alone.
    #[serde(default)]
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
    pub rounds: Vec<CrowdRound>,
    /// Why there is no figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// What a crowd did for a while.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct CrowdRound {
    /// Which round, from 0: what was measured in the same one can be compared.
    pub round: u32,
    /// Calls a second of all together.
    pub calls_per_second: f64,
    /// Calls of the slowest thread against the mean of all.
    pub slowest: f64,
    /// Where the threads' time went.
    pub time: TimeShares,
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
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

impl Crowd {
    /// So many threads of one process, of which nothing is known yet.
    #[must_use]
    pub fn of_threads(threads: usize) -> Self {
        Self {
            processes: 1,
            threads,
            others: 0,
            cpus: Vec::new(),
            shares_cores: false,
            calls_per_second: None,
            efficiency: None,
            cycles_per_call: None,
            slowdown: None,
            quiet_rounds: 0,
            slowest: None,
            time: None,
            core_hertz: None,
            probe_cycles: None,
            rounds: Vec::new(),
            failure: None,
        }
    }

    /// All threads of all processes that are measured.
    #[must_use]
    pub fn size(&self) -> usize {
        self.processes * self.threads
    }

    /// The same with those that do something else.
    #[must_use]
    pub fn all(&self) -> usize {
        self.size() + self.others
    }
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

/// How far a workload scales, as far as the figures can tell.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The fewest threads that make less than nine tenths of what as many alone do; absent
    /// where none are known to.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stops_at: Option<usize>,
    /// What tells it.
    #[serde(default)]
    pub told_by: ToldBy,
    /// What the lost time is for, the most of it first.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub causes: Vec<Cause>,
    /// What as many processes make of what they do alone, where they were measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub processes: Option<f64>,
}

/// What tells whether a workload scales.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum ToldBy {
    /// Calls a second.
    #[default]
    Calls,
    /// Cycles of a call, where calls a second are too disturbed.
    Cycles,
    /// Neither: both are too disturbed.
    Nothing,
}

impl ToldBy {
    /// The name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            ToldBy::Calls => "calls",
            ToldBy::Cycles => "cycles",
            ToldBy::Nothing => "nothing",
        }
    }
}

/// A reason, and how much of the lost time it is for.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Cause {
    /// Which.
    pub what: Blame,
    /// Its share of what was lost.
    pub share: f64,
}

/// What keeps a workload from scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Blame {
    /// Threads wait for each other: asleep, in the kernel, or spinning, which processes do
    /// not.
    Locks,
    /// Threads wait for a CPU.
    Cpus,
    /// Hardware threads share a core.
    Smt,
    /// The core clock is lower.
    Clock,
    /// Calls take more cycles: caches, memory, or data that all write.
    Memory,
}

impl Blame {
    /// The name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Blame::Locks => "locks",
            Blame::Cpus => "cpus",
            Blame::Smt => "smt",
            Blame::Clock => "clock",
            Blame::Memory => "memory",
        }
    }
}
