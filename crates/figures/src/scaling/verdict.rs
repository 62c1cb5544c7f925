//! How far a workload scales, and what keeps it, as words.

/// How far a workload scales, as far as the figures can tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The fewest threads that make less than nine tenths of what as many alone do; absent
    /// where none are known to.
    pub stops_at: Option<usize>,
    /// What tells it.
    pub told_by: EvidenceSource,
    /// What the lost time is for, the most of it first.
    pub causes: Vec<BottleneckShare>,
    /// What as many processes make of what they do alone, where they were measured.
    pub processes: Option<f64>,
}

/// What tells whether a workload scales.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EvidenceSource {
    /// Calls a second.
    #[default]
    Calls,
    /// Cycles of a call, where calls a second are too disturbed.
    Cycles,
    /// Neither: both are too disturbed.
    Nothing,
}

impl EvidenceSource {
    /// The name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EvidenceSource::Calls => "calls",
            EvidenceSource::Cycles => "cycles",
            EvidenceSource::Nothing => "nothing",
        }
    }
}

/// A reason, and how much of the lost time it is for.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BottleneckShare {
    /// Which.
    pub what: Bottleneck,
    /// Its share of what was lost.
    pub share: f64,
}

/// What keeps a workload from scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bottleneck {
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

impl Bottleneck {
    /// The name, as in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Bottleneck::Locks => "locks",
            Bottleneck::Cpus => "cpus",
            Bottleneck::Smt => "smt",
            Bottleneck::Clock => "clock",
            Bottleneck::Memory => "memory",
        }
    }
}
