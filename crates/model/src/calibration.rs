//! Defines how ticks become core cycles.

use crate::GateLoop;
use serde::{Deserialize, Serialize};

/// Names the source of core cycles.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CycleSource {
    /// The counter counts core cycles.
    Counted,
    /// A chain of known cycles brackets every sample.
    Chain,
    /// The user stated the core clock: cycles are time × clock.
    StatedClock { megahertz: f64 },
}

/// The result of calibrating a clock in one process.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Calibration {
    /// The counter's name, such as `amd64-tsc`.
    pub counter: String,
    /// The version of the library behind the counter, if any.
    pub version: Option<String>,
    pub cycle_source: CycleSource,
    /// Ticks per second, by the monotonic clock.
    pub ticks_per_second: f64,
    /// The smallest step of the counter, in ticks.
    pub step_ticks: u64,
    /// The ticks that an empty measurement takes.
    pub overhead_ticks: f64,
    /// Links of the multiply chain per bracket.
    pub bracket_links: u64,
    /// The loop that probes run.
    #[serde(default)]
    pub gate_loop: GateLoop,
    /// Instructions of the loop per probe; 0 in files from before probes.
    #[serde(default)]
    pub probe_operations: u64,
    /// Cycles per multiply link, found against a one-cycle chain; absent if their ratio is not a
    /// whole number.
    pub multiply_latency: Option<u32>,
    /// Time of a multiply link ÷ time of a one-cycle link.
    pub chain_ratio: f64,
    /// The core clock during calibration in Hz, by the cycle source.
    pub core_hertz: f64,
    /// The same by the chain, whatever the cycle source; absent if the chain cannot tell.
    pub chain_hertz: Option<f64>,
}

impl Calibration {
    /// Returns the counter's name with its cycle source: `amd64-tsc+chain`.
    pub fn name(&self) -> String {
        match self.cycle_source {
            CycleSource::Counted => self.counter.clone(),
            CycleSource::Chain => format!("{}+chain", self.counter),
            CycleSource::StatedClock { megahertz } => format!("{}@{megahertz}MHz", self.counter),
        }
    }
}
