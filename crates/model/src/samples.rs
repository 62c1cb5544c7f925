//! What a worker's timed loop brings home.

use serde::{Deserialize, Serialize};

/// The accepted samples of one workload from one worker process.
///
/// The three vectors have one entry per accepted sample, in the order taken:
/// the chain before it, the batch of calls, the chain after it, all in ticks
/// with the timing overhead still inside.
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
    /// Samples dropped because their brackets disagreed.
    pub rejected: u64,
    /// Samples dropped because the core's other hardware thread was busy.
    #[serde(default)]
    pub busy: u64,
    /// Samples accepted although it was: waiting took too long.
    #[serde(default)]
    pub busy_accepted: u64,
}
