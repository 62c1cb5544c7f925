//! What a worker's timed loop brings home.

use serde::{Deserialize, Serialize};

/// The samples of one workload from one worker process.
///
/// The five vectors have one entry per sample, in the order taken: the batch of
/// calls, the bracketing chain before and after it, and the throughput probe
/// before and after it, all in ticks with the timing overhead still inside.
/// Whether a sample counts is for those to decide who summarise it.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// Calls in each batch.
    pub calls: u64,
    /// Ticks of each batch.
    pub ticks: Vec<u64>,
    /// Ticks of the bracket before each batch.
    pub before: Vec<u64>,
    /// Ticks of the bracket after each batch.
    pub after: Vec<u64>,
    /// Ticks of the probe before each batch; empty where none was taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe_before: Vec<u64>,
    /// Ticks of the probe after each batch; empty where none was taken.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe_after: Vec<u64>,
    /// How often the calls of each sample began anew, all together, where calls draw until
    /// something fits and it can be told; else empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<u64>,
    /// Attempts that a call takes on average, where calls draw; else 0. Where a call is a draw
    /// as a whole, so that there is nothing to count, 1.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub expected_attempts: f64,
    /// Quiet samples that were wanted; 0 in files from before this was kept.
    #[serde(default)]
    pub wanted: u64,
    /// Samples dropped because their brackets disagreed.
    pub rejected: u64,
    /// Samples dropped because a neighbour was busy on the core's other
    /// hardware thread, beyond the few of these that are kept.
    #[serde(default)]
    pub busy: u64,
    /// How long the core was watched, in nanoseconds.
    #[serde(default)]
    pub watched_nanoseconds: u64,
    /// How long of that no neighbour was seen.
    #[serde(default)]
    pub quiet_nanoseconds: u64,
}

fn is_zero(number: &f64) -> bool {
    *number == 0.0
}
