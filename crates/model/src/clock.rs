//! What a run tells of its clock, and of who shares its cores.

use crate::{Calibration, Figure, Quiet, WindowCurve};
use serde::{Deserialize, Serialize};

/// The clock over a whole run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct ClockSummary {
    /// The counter and how cycles were made of it: `amd64-tsc+chain`.
    pub name: String,
    /// The calibrations that workers have; the first few make one each.
    pub calibrations: Vec<Calibration>,
    /// Median core clock during the samples, in Hz.
    pub core_hertz: f64,
    /// Worker processes that samples were taken in; 0 in files from before this
    /// was kept, where each has a calibration.
    #[serde(default)]
    pub workers: u64,
    /// Lowest and highest core clock among samples (1st and 99th percentile),
    /// in Hz.
    pub core_hertz_range: (f64, f64),
    /// Samples taken between brackets that agree.
    pub samples: u64,
    /// Samples dropped because their brackets disagreed.
    pub rejected: u64,
    /// What is known of neighbours on the cores' other hardware threads; absent
    /// in files from before this was kept.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quiet: Option<Quiet>,
    /// The two levels by which this CPU tells quiet from busy; absent where it has shown none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub window_curve: Option<WindowCurve>,
    /// Loops of known cycles, measured beside the rows.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub known_loops: Vec<KnownLoop>,
    /// Why the core's other counters could not be read; absent where they could, or nobody
    /// tried.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub no_events: Option<String>,
}

/// A loop whose cycles on a quiet core are known, as it was measured.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct KnownLoop {
    /// Such as `chain-checksum`.
    pub name: String,
    /// Cycles of an instruction: of a chain its documented latency, of a loop what was
    /// learned.
    pub known: f64,
    /// Cycles of an instruction as measured.
    pub measured: Figure,
}

impl KnownLoop {
    /// How far the measured cycles are from the known ones, relatively.
    #[must_use]
    pub fn off(&self) -> f64 {
        self.measured.estimate / self.known - 1.0
    }
}
