//! Defines the results at one message length.

use crate::{Figure, Layout, Parameters, RawRounds};
use serde::{Deserialize, Serialize};

/// Names how calls too long to escape preemption were treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LongCalls {
    /// The estimate is the low quantile of the samples, because one call outlasts the time between
    /// two preemptions.
    LowQuantile,
}

/// The results at one message length.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Point {
    pub parameters: Parameters,
    /// Core cycles per call.
    pub cycles_per_call: Figure,
    /// Nanoseconds per call; for concurrent calls, of one thread's time.
    pub nanoseconds_per_call: f64,
    /// Relative spread of the rounds' medians: (max − min) ÷ median; absent with too few rounds.
    pub between_rounds: Option<f64>,
    /// The median over rounds of each round's median, in cycles per call; absent in older files.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// SUPERCOP's quartiles of all timings, in cycles per call, for results imported from its
    /// database.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quartiles: Option<[f64; 3]>,
    /// The median over rounds of each round's tenth percentile, in cycles per call. For concurrent
    /// calls, which have one mean per round, the smallest of these.
    pub low_quantile: f64,
    /// The smallest sample, in cycles per call; for concurrent calls, the smallest mean of a round.
    pub minimum: f64,
    /// Set if single calls are too long to escape preemption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_calls: Option<LongCalls>,
    /// The cost distribution of a call that uses rejection sampling.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draws: Option<RejectionSampling>,
    /// The cost at each position, if workers placed their library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// The cost of serial calls, if requested and possible.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_by_one: Option<SerialCalls>,
    /// Other events that the core counted per call, if its counters may be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<EventCounts>,
    /// The most calls per sample, as each round chooses their number; 0 if those of a round differ.
    pub calls_per_sample: u64,
    /// Samples behind the figure, over all rounds.
    pub samples: u64,
    /// Samples dropped: their brackets disagreed, or a neighbour was busy on the core's other
    /// hardware thread.
    pub rejected: u64,
    pub rounds: u32,
    /// The raw samples of each round; empty if not kept.
    #[serde(default, skip_serializing_if = "RawRounds::is_empty")]
    pub raw: RawRounds,
}

/// The cost of calls made one after the other, in cycles: between two calls, a word of the output
/// is read and written somewhere.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SerialCalls {
    /// The word goes elsewhere than the next input, so that calls may overlap.
    pub independent: Cost,
    /// The word goes into the next input, so that each call waits for the one before.
    pub dependent: Cost,
}

/// A cost, with its raw samples.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Core cycles per call.
    pub cycles_per_call: Figure,
    /// The raw samples of each round; empty if not kept.
    #[serde(default, skip_serializing_if = "RawRounds::is_empty")]
    pub raw: RawRounds,
}

/// The cost of a call that uses rejection sampling, in cycles. Its figure is the cost at the
/// expected number of attempts, or the mean if that number is unknown.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RejectionSampling {
    /// The mean number of attempts per call; absent if unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_attempts: Option<f64>,
    /// The cost of one more attempt; absent if that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles_per_attempt: Option<f64>,
    /// The median cost: by the distribution, or of the calls made.
    pub p50: f64,
    /// The 90th percentile of the cost.
    pub p90: f64,
    /// The 99th percentile of the cost.
    pub p99: f64,
}

impl RejectionSampling {
    /// The quantiles that are reported.
    pub const SHARES: [f64; 3] = [0.5, 0.9, 0.99];

    /// Computes the distribution from the cost at the expected number of attempts. Attempts succeed
    /// independently and equally often, so their number is geometric.
    pub fn new(cycles: f64, cycles_per_attempt: f64, expected_attempts: f64) -> Self {
        let failure = 1.0 - 1.0 / expected_attempts;
        let at = |share: f64| {
            let attempts = ((1.0 - share).ln() / failure.ln()).ceil().max(1.0);
            cycles + cycles_per_attempt * (attempts - expected_attempts)
        };
        let [p50, p90, p99] = Self::SHARES.map(at);
        let [expected_attempts, cycles_per_attempt] =
            [expected_attempts, cycles_per_attempt].map(Some);
        Self { expected_attempts, cycles_per_attempt, p50, p90, p99 }
    }

    /// Creates the distribution of calls whose attempts are unknown, from its quantiles.
    pub fn seen([p50, p90, p99]: [f64; 3]) -> Self {
        Self { expected_attempts: None, cycles_per_attempt: None, p50, p90, p99 }
    }
}

/// Events that a core counted in user space per call: medians over the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EventCounts {
    /// Core cycles, by the core's own counter.
    pub cycles: f64,
    /// Instructions retired.
    pub instructions: f64,
    /// Mispredicted branches; absent if the core does not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_misses: Option<f64>,
    /// Loads that missed the first-level data cache; absent if the core does not count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l1_data_misses: Option<f64>,
}

impl EventCounts {
    pub fn instructions_per_cycle(&self) -> f64 {
        self.instructions / self.cycles
    }

    /// Divides the events of `calls` calls by their number.
    #[must_use]
    pub fn of_one(self, calls: u64) -> Self {
        let share = |count: f64| count / calls.max(1) as f64;
        Self {
            cycles: share(self.cycles),
            instructions: share(self.instructions),
            branch_misses: self.branch_misses.map(share),
            l1_data_misses: self.l1_data_misses.map(share),
        }
    }
}
