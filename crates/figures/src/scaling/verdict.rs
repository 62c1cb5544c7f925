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

cpb_model::named! {
    /// Names the figures that a verdict on scaling rests on.
    #[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
    pub enum EvidenceSource {
        /// Calls per second.
        #[default]
        Calls = "calls",
        /// Cycles per call, if calls per second are too disturbed.
        Cycles = "cycles",
        /// None, because both are too disturbed.
        Nothing = "nothing",
    }
}

/// A bottleneck, with its share of the lost time.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct BottleneckShare {
    pub what: Bottleneck,
    /// Its share of the lost time.
    pub share: f64,
}

cpb_model::named! {
    /// Names what limits scaling.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Bottleneck {
        /// Threads wait for each other: blocked, in the kernel, or spinning. Processes do not.
        Locks = "locks",
        /// Threads wait for a CPU.
        Cpus = "cpus",
        /// Hardware threads share a core.
        Smt = "smt",
        /// The core clock is lower with more threads.
        Clock = "clock",
        /// Calls take more cycles: caches, memory bandwidth, or shared writable data.
        Memory = "memory",
    }
}
