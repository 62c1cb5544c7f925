//! What to measure and how, decided before anything runs.

use cpb_model::{Alignment, Contract, Method, Subject, Workload};
use std::time::Duration;

/// The clock the workers shall use.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ClockChoice {
    /// A counter's name; the best available where absent.
    pub counter: Option<String>,
    /// The core clock as the user states it, in MHz.
    pub megahertz: Option<f64>,
}

/// One row of the result: a subject at one or more message lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Row {
    /// What is measured.
    pub subject: Subject,
    /// What one timed call does.
    pub contract: Contract,
    /// Output length, for a primitive whose output length is free.
    pub output_bytes: Option<usize>,
    /// Where the message starts in memory.
    pub alignment: Alignment,
    /// The message lengths, in bytes, shortest first.
    pub message_bytes: Vec<usize>,
    /// Which of them a line is fitted through, under [`Method::Slope`].
    pub line_bytes: Vec<usize>,
    /// How samples become estimates.
    pub method: Method,
}

impl Row {
    /// The workload at one message length.
    #[must_use]
    pub fn workload(&self, message_bytes: usize) -> Workload {
        Workload {
            primitive: self.subject.primitive.clone(),
            operation: self.subject.operation,
            contract: self.contract,
            parameters: cpb_model::Parameters {
                message_bytes,
                output_bytes: self.output_bytes,
                alignment: self.alignment,
            },
        }
    }
}

/// How many rounds are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Rounds {
    /// This many.
    Fixed(u32),
    /// Until every row's interval is narrow enough, or time is up.
    Until {
        /// Relative half-width of the interval that is narrow enough.
        precision: f64,
        /// Rounds before a row may be found precise.
        at_least: u32,
        /// Rounds after which a row is given up as not precise.
        at_most: u32,
        /// No round starts after this, but for the second.
        budget: Duration,
    },
}

impl Rounds {
    /// The most rounds there may be.
    #[must_use]
    pub fn at_most(self) -> u32 {
        match self {
            Rounds::Fixed(rounds) => rounds,
            Rounds::Until { at_most, .. } => at_most,
        }
    }
}

/// How samples are taken.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sampling {
    /// Accepted samples per workload: in all under [`Rounds::Fixed`], in each
    /// round otherwise.
    pub samples: u32,
    /// How long one sample shall last.
    pub batch: Duration,
    /// How many rounds are taken.
    pub rounds: Rounds,
    /// How long a worker may stay silent.
    pub timeout: Duration,
}

impl Sampling {
    /// Accepted samples to take in round `round` (from 0).
    #[must_use]
    pub fn samples_in_round(&self, round: u32) -> u32 {
        match self.rounds {
            Rounds::Fixed(rounds) => {
                self.samples / rounds + u32::from(round < self.samples % rounds)
            }
            Rounds::Until { .. } => self.samples,
        }
    }
}

/// Everything [`crate::measure`] needs to know.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The rows, in the order of the result.
    pub rows: Vec<Row>,
    /// How samples are taken.
    pub sampling: Sampling,
    /// The clock.
    pub clock: ClockChoice,
    /// The CPU to pin workers to; one is chosen where absent.
    pub cpu: Option<usize>,
    /// Whether the run keeps its raw samples.
    pub keep_raw: bool,
    /// Seed of the order of jobs and of the bootstrap.
    pub seed: u64,
}
