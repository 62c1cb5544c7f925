//! What a throughput measurement found: lanes × threads.

use crate::{Failure, Figure, Method, Subject, Verification};
use serde::{Deserialize, Serialize};

/// A loop that runs some lanes at once.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Loop {
    /// The backend it belongs to.
    pub backend: String,
    /// Its lanes.
    pub lanes: usize,
}

/// One row: a subject on so many lanes in each of so many threads.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Throughput {
    /// What was measured; the backends of a mixture are joined by `+`.
    pub subject: Subject,
    /// [`Method::Throughput`].
    pub method: Method,
    /// Independent chains in each thread.
    pub lanes: usize,
    /// The loops the lanes were spread over, one after the other; empty where
    /// the backend chose them itself.
    pub loops: Vec<Loop>,
    /// Threads, all started together.
    pub threads: usize,
    /// The CPU of each thread; empty where they were not pinned.
    pub cpus: Vec<usize>,
    /// Iterations of each lane.
    pub iterations: u64,
    /// What every lane's last value was compared with; absent where it never
    /// got so far.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verification: Option<Verification>,
    /// Hashes a second of all threads, by the wall clock: the median of the
    /// repetitions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub hashes_per_second: Option<Figure>,
    /// Core cycles of one core for one hash; absent where cycles cannot be
    /// told.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles_per_hash: Option<Figure>,
    /// Relative spread of the repetitions' cycles: (max − min) ÷ median.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub between_repetitions: Option<f64>,
    /// The runs, in order.
    pub repetitions: Vec<Repetition>,
    /// Why there is no figure.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub failure: Option<Failure>,
}

/// One timed run.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Repetition {
    /// From the first thread's start to the last one's end, in seconds.
    pub seconds: f64,
    /// Core cycles for one operation, such as a hash: the mean over threads of the
    /// interquartile mean of each thread's samples.
    #[serde(rename = "cycles_per_hash")]
    pub cycles: Option<f64>,
    /// Median core clock around the samples, in Hz.
    pub core_hertz: Option<f64>,
    /// Samples of all threads that the cycles are made of.
    pub samples: u64,
    /// Samples dropped because their brackets disagreed.
    pub rejected: u64,
    /// Samples that do not count because a neighbour was busy on the core's
    /// other hardware thread.
    pub busy: u64,
    /// Whether the cycles are an upper bound, since a core was hardly ever
    /// quiet.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub upper_bound: bool,
}
