//! What was measured at one message length.

use crate::{Figure, Layout, Parameters, RawRounds};
use serde::{Deserialize, Serialize};

/// How calls too long to escape preemption were treated.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum LongCalls {
    /// One call lasts longer than the time between two preemptions; the estimate
    /// is the low quantile of the samples.
    LowQuantile,
}

/// The measurement of one message length.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Point {
    /// Lengths and placement.
    pub parameters: Parameters,
    /// Core cycles of one call.
    pub cycles_per_call: Figure,
    /// Nanoseconds of one call; of calls made by many at once, of a thread's time.
    pub nanoseconds_per_call: f64,
    /// Relative spread of the rounds' medians: (max − min) ÷ median.
    pub between_rounds: Option<f64>,
    /// The median over rounds of each round's median, in cycles per call; absent in
    /// what older versions saved.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub median: Option<f64>,
    /// SUPERCOP's three quartiles of all timings, in cycles per call, of what was taken from
    /// its database: a quarter, half and three quarters of them cost about so much at most.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub quartiles: Option<[f64; 3]>,
    /// The median over rounds of each round's tenth percentile, in cycles per
    /// call. Of calls made by many at once, rounds have a mean alone: the least of these.
    pub low_quantile: f64,
    /// The smallest sample, in cycles per call; of calls made by many at once, as above.
    pub minimum: f64,
    /// Set where single calls are too long to escape preemption.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub long_calls: Option<LongCalls>,
    /// Of a call that draws until something fits.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub draws: Option<RejectionSampling>,
    /// What it costs by position, where workers placed their library.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub layout: Option<Layout>,
    /// What the same call costs that is made one by one, where that was asked for and can be.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub one_by_one: Option<SerialCalls>,
    /// What else the core counted in a call, where its counters may be read.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub events: Option<EventCounts>,
    /// Calls in each sample; 0 where samples are of different numbers of calls.
    pub calls_per_sample: u64,
    /// Samples that the figure is made of, over all rounds.
    pub samples: u64,
    /// Samples that do not count: their brackets disagreed, or a neighbour was
    /// busy on the core's other hardware thread.
    pub rejected: u64,
    /// Worker processes that measured it.
    pub rounds: u32,
    /// The raw samples of each round; empty where they were not kept.
    #[serde(default, skip_serializing_if = "RawRounds::is_empty")]
    pub raw: RawRounds,
}

/// What calls cost that are made one by one, in cycles: between two of them a word of what
/// the one put out is read, and written.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct SerialCalls {
    /// Where it is written beside what the next is given, so that calls may overlap.
    pub independent: Cost,
    /// Where it is written into that, so that each waits for the one before.
    pub dependent: Cost,
}

/// What a call costs, and what this was made of.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Cost {
    /// Core cycles of one call.
    pub cycles_per_call: Figure,
    /// The raw samples of each round; empty where they were not kept.
    #[serde(default, skip_serializing_if = "RawRounds::is_empty")]
    pub raw: RawRounds,
}

/// What a call costs by how often it draws, in cycles. The figure of such a call is the cost
/// at the number of attempts expected; where nobody knows how often it draws, the mean.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct RejectionSampling {
    /// Attempts that a call takes on average; absent where nobody knows how often it draws.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub expected_attempts: Option<f64>,
    /// What one attempt more costs; absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cycles_per_attempt: Option<f64>,
    /// What half of all calls cost at most: by the distribution, or of those that were made.
    pub p50: f64,
    /// What nine calls in ten cost at most.
    pub p90: f64,
    /// What 99 calls in a hundred cost at most.
    pub p99: f64,
}

impl RejectionSampling {
    /// The shares of all calls whose cost is told.
    pub const SHARES: [f64; 3] = [0.5, 0.9, 0.99];

    /// Of a call that costs `cycles` at the number of attempts expected, of which each
    /// succeeds as often as the others: a geometric distribution.
    #[must_use]
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

    /// Of calls of which nobody knows how often they draw, and which cost this much at most.
    #[must_use]
    pub fn seen([p50, p90, p99]: [f64; 3]) -> Self {
        Self { expected_attempts: None, cycles_per_attempt: None, p50, p90, p99 }
    }
}

/// What a core counted in user space: of a call the median of the rounds.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct EventCounts {
    /// Core cycles, by the core's own counter.
    pub cycles: f64,
    /// Instructions that were retired.
    pub instructions: f64,
    /// Branches that were predicted wrong; absent where the core does not tell.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub branch_misses: Option<f64>,
    /// Loads that the first cache of data did not have; absent likewise.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub l1_data_misses: Option<f64>,
}

impl EventCounts {
    /// Instructions of a cycle.
    #[must_use]
    pub fn instructions_per_cycle(&self) -> f64 {
        self.instructions / self.cycles
    }

    /// Of so many calls, those of one.
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
