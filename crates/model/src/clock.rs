//! Defines what a run records about its clock, and about neighbours on its cores.

use crate::{Calibration, Figure, Quiet, WindowCurve};
use serde::{Deserialize, Serialize};

/// The clock over a whole run.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct ClockSummary {
    /// The counter with its cycle source: `amd64-tsc+chain`.
    pub name: String,
    /// The calibrations. Only the first few workers make one each; later ones share them.
    pub calibrations: Vec<Calibration>,
    /// Median core clock during the samples, in Hz.
    pub core_hertz: f64,
    /// Worker processes that took samples; 0 in older files, whose workers have a calibration each.
    #[serde(default)]
    pub workers: u64,
    /// The 1st and 99th percentile of the core clock over samples, in Hz.
    pub core_hertz_range: (f64, f64),
    /// Samples whose brackets agree.
    pub samples: u64,
    /// Samples dropped because their brackets disagree.
    pub rejected: u64,
    /// Evidence about neighbours on the cores' other hardware threads; absent in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<Quiet>,
    /// The two levels of the window loop that distinguish quiet from busy on this CPU; absent if
    /// not seen.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_curve: Option<WindowCurve>,
    /// Loops of known cycles, measured among the rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_loops: Vec<KnownLoop>,
    /// Why the core's event counters could not be read; absent if they could, or were not tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_events: Option<String>,
}

/// A measured loop whose cycles on a quiet core are known.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownLoop {
    /// The loop's name, such as `chain-checksum`.
    pub name: String,
    /// Known cycles per instruction: a chain's documented latency, or the learned value of a loop.
    pub known: f64,
    /// Measured cycles per instruction.
    pub measured: Figure,
}

impl KnownLoop {
    /// Returns (measured − known) ÷ known.
    pub fn off(&self) -> f64 {
        self.measured.estimate / self.known - 1.0
    }

    /// Returns the least deviation from what is known, as [`Figure::least_off`].
    pub fn least_off(&self) -> f64 {
        self.measured.least_off(self.known)
    }
}
