//! Defines the verdict on how far a workload scales, and what limits it.

/// States how far a workload scales, as far as the figures tell.
#[derive(Debug, Clone, PartialEq)]
pub struct Verdict {
    /// The fewest threads with an efficiency below nine tenths; `None` if no number is known to
    /// have one.
    pub stops_at: Option<usize>,
    /// The figures that the verdict rests on.
    pub told_by: EvidenceSource,
    /// The shares of the lost time, largest first.
    pub causes: Vec<BottleneckShare>,
    /// The efficiency of as many processes, if measured.
    pub processes: Option<f64>,
}

/// Names the figures that a verdict on scaling rests on.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum EvidenceSource {
    /// Calls per second.
    #[default]
    Calls,
    /// Cycles per call, if calls per second are too disturbed.
    Cycles,
    /// None, because both are too disturbed.
    Nothing,
}

impl EvidenceSource {
    /// Returns the name in JSON.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            EvidenceSource::Calls => "calls",
            EvidenceSource::Cycles => "cycles",
            EvidenceSource::Nothing => "nothing",
        }
    }
}

/// A bottleneck, with its share of the lost time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BottleneckShare {
    pub what: Bottleneck,
    /// Its share of the lost time.
    pub share: f64,
}

/// Names what limits scaling.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Bottleneck {
    /// Threads wait for each other: blocked, in the kernel, or spinning. Processes do not.
    Locks,
    /// Threads wait for a CPU.
    Cpus,
    /// Hardware threads share a core.
    Smt,
    /// The core clock is lower with more threads.
    Clock,
    /// Calls take more cycles: caches, memory bandwidth, or shared writable data.
    Memory,
}

impl Bottleneck {
    /// Returns the name in JSON.
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
