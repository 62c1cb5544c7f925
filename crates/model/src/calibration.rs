//! How ticks become core cycles.

use crate::GateLoop;
use serde::{Deserialize, Serialize};

/// Where core cycles come from.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CycleSource {
    /// The counter counts core cycles.
    Counted,
    /// A chain of known cycles around every sample.
    Chain,
    /// The user stated the core clock; cycles are time × clock.
    StatedClock {
        /// The stated clock, in MHz.
        megahertz: f64,
    },
}

/// What calibrating a clock in one process found.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The counter's name, such as `amd64-tsc`.
    pub counter: String,
    /// The version of the library behind the counter, where there is one.
    pub version: Option<String>,
    /// Where core cycles come from.
    pub cycle_source: CycleSource,
    /// Ticks of the counter in a second, against the monotonic clock.
    pub ticks_per_second: f64,
    /// The smallest step of the counter, in ticks.
    pub step_ticks: u64,
    /// Ticks that timing nothing takes.
    pub overhead_ticks: f64,
    /// Links of the multiply chain in one bracket.
    pub bracket_links: u64,
    /// The loop that probes run.
    #[serde(default)]
    pub gate_loop: GateLoop,
    /// Instructions of it in one probe; 0 in files from before samples had probes.
    #[serde(default)]
    pub probe_operations: u64,
    /// Cycles of one link, found against a one-cycle chain; absent where the
    /// two are in no whole ratio.
    pub multiply_latency: Option<u32>,
    /// Time of a multiply link over that of a one-cycle link.
    pub chain_ratio: f64,
    /// Core cycles in a second while calibrating, by the cycle source.
    pub core_hertz: f64,
    /// The same by the chain, whatever the cycle source; absent where the
    /// chain cannot tell.
    pub chain_hertz: Option<f64>,
}

impl Calibration {
    /// The counter's name with how cycles were made of it: `amd64-tsc+chain`.
    #[must_use]
    pub fn name(&self) -> String {
        match self.cycle_source {
            CycleSource::Counted => self.counter.clone(),
            CycleSource::Chain => format!("{}+chain", self.counter),
            CycleSource::StatedClock { megahertz } => format!("{}@{megahertz}MHz", self.counter),
        }
    }
}
