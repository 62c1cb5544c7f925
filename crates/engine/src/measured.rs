//! Defines the results of a measurement.

use cpb_model::{ClockSummary, LibraryBuild, Record, Steal};

/// The results of a measurement.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Measured {
    /// One record for each row of the plan and each of its sizes, in order, without raw samples.
    pub records: Vec<Record>,
    /// The clock; absent if no worker calibrated one.
    pub clock: Option<ClockSummary>,
    /// Why there are no cycles, if only rates could be measured.
    pub no_cycles: Option<String>,
    /// The library builds that the workers opened.
    pub libraries: Vec<LibraryBuild>,
    /// The CPUs on which samples were taken; empty if the system chose them.
    pub cpus: Vec<usize>,
    /// The time that the hypervisor took from those CPUs.
    pub steal: Option<Steal>,
    /// Whether `stop` was set before all was done. Rows then have fewer rounds than planned; those
    /// with none have a failure.
    pub interrupted: bool,
}
