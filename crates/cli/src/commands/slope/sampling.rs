//! Decides how many samples of a slope are taken, and in how many processes.

use super::Arguments;
use crate::{sampling, time_budget};
use cpb_engine::{Rounds, Sampling};
use std::time::Duration;

/// The number of fresh processes over which the repetitions are spread: the maximum for few rows,
/// fewer for many, which would take too long. Differences between processes (page placement) move
/// fast ciphers by a percent, and only many processes average them out.
const ROUNDS: std::ops::RangeInclusive<u32> = 5..=64;
/// The minimum of rounds, and the half-width of the interval at which there are enough.
const SURE_ROUNDS: u32 = 24;
const PRECISION: f64 = 0.002;
const ROWS_TIMES_ROUNDS: usize = 800;
const BATCH: Duration = Duration::from_micros(8);
const WARM_UP: Duration = Duration::from_micros(200);
const RAW_REPETITIONS: u32 = 64;
/// Repetitions per round, or in total if there are so many rows that each gets the fewest rounds:
/// with 65 lengths, 1300 samples per row, since all 1600 rows must be done in minutes.
const REPETITIONS: u32 = 8;
const REPETITIONS_OF_MANY: u32 = 20;
const MOST_REPETITIONS: u32 = 1_000_000;

impl Arguments {
    /// Returns the sampling for this many rows, in the time that is left if there is a maximum.
    pub(super) fn sampling(&self, rows: usize, left: Option<Duration>) -> Sampling {
        let repetitions = self.repetitions.or(self.raw.then_some(RAW_REPETITIONS));
        let (samples, rounds) = rounds(rows, repetitions);
        let time = (left, time_budget::SLOPE.of(rows));
        let usual = sampling::of_rows(samples, rounds, time, self.timeout);
        Sampling { batch: BATCH, warm_up: WARM_UP, limit: None, ..usual }
    }
}

/// Returns how many samples of each length to take, and in how many rounds: enough to make a row
/// precise, or the requested number of repetitions.
fn rounds(rows: usize, repetitions: Option<u32>) -> (u32, Rounds) {
    let affordable = u32::try_from(ROWS_TIMES_ROUNDS / rows.max(1)).unwrap_or(u32::MAX);
    let at_most = affordable.clamp(*ROUNDS.start(), *ROUNDS.end());
    match repetitions {
        Some(repetitions) => (repetitions, Rounds::Fixed(at_most.min(repetitions))),
        None => {
            // With this many rows, imprecise ones get no additional rounds.
            if at_most == *ROUNDS.start() {
                return (REPETITIONS_OF_MANY, Rounds::Fixed(at_most));
            }
            let at_least = at_most.min(SURE_ROUNDS);
            (REPETITIONS, Rounds::Until { precision: PRECISION, coarse: None, at_least, at_most })
        }
    }
}

/// Parses a number of repetitions.
pub(super) fn repetitions(text: &str) -> Result<u32, String> {
    // bench-slopes parses 1e1 as 10, but 2.9 as 2, and 10x as 10.
    let number = text.parse::<f64>().ok().filter(|number| number.fract() == 0.0);
    let number = number.map(|number| number as u32);
    number.filter(|number| (1..=MOST_REPETITIONS).contains(number)).ok_or_else(|| {
        format!(
            "the number of repetitions is a whole number from 1 to {MOST_REPETITIONS}, not '{text}'"
        )
    })
}
