//! Defines the samples that a worker's timed loop returns.

use serde::{Deserialize, Serialize};

/// The samples of one workload from one worker process.
///
/// The five vectors have one entry per sample, in the order taken: the batch of calls, the chain
/// that brackets it, before and after, and the throughput probe, before and after. All are in ticks
/// and include the timing overhead. Code that summarises them decides which count.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Samples {
    /// Calls per batch.
    pub calls: u64,
    /// Ticks of each batch.
    pub ticks: Vec<u64>,
    /// Ticks of the bracket before each batch.
    pub before: Vec<u64>,
    /// Ticks of the bracket after each batch.
    pub after: Vec<u64>,
    /// Ticks of the probe before each batch; empty without probes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe_before: Vec<u64>,
    /// Ticks of the probe after each batch; empty without probes.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub probe_after: Vec<u64>,
    /// Attempts of each sample's calls together, if they use rejection sampling and it can be
    /// counted; otherwise empty.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub attempts: Vec<u64>,
    /// The mean number of attempts per call with rejection sampling; 0 without. 1 if a call is one
    /// draw as a whole, so that nothing can be counted.
    #[serde(default, skip_serializing_if = "crate::schema::is_default")]
    pub expected_attempts: f64,
    /// Quiet samples requested; 0 in older files.
    #[serde(default)]
    pub wanted: u64,
    /// Samples dropped because their brackets disagree.
    pub rejected: u64,
    /// Samples dropped because a neighbour was busy on the core's other hardware thread, except the
    /// few of these that are kept.
    #[serde(default)]
    pub busy: u64,
    /// How long the core was watched, in nanoseconds.
    #[serde(default)]
    pub watched_nanoseconds: u64,
    /// How long of that it was quiet, in nanoseconds.
    #[serde(default)]
    pub quiet_nanoseconds: u64,
}
