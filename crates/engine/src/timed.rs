//! The timed loop.

use crate::depth::at_depth;
use crate::protocol::Quota;
use crate::sibling::SiblingWatch;
use cpb_clock::Clock;
use cpb_clock::counter::IMPLAUSIBLE_INTERVAL;
use cpb_libraries::Prepared;
use cpb_model::Samples;
use std::time::{Duration, Instant};

/// How far the brackets of a sample may be apart.
const BRACKET_TOLERANCE: f64 = 0.01;
/// The same in steps of the counter, where those are coarse.
const BRACKET_TOLERANCE_STEPS: f64 = 2.5;
/// Rejections in a row after which twice as much is tolerated: a machine that
/// never holds still is measured too, if less well.
const REJECTIONS_PER_DOUBLING: u32 = 100;
/// A loop that accepts fewer than one in this many samples gives up.
const ATTEMPTS_PER_SAMPLE: u64 = 50;
const LEAST_ATTEMPTS: u64 = 2000;

/// What to take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Accepted samples.
    pub(crate) samples: u32,
    /// Calls in a batch; found by timing where absent.
    pub(crate) calls: Option<u64>,
    /// How long a batch shall last.
    pub(crate) batch: Duration,
    /// How long the call is repeated before it is timed.
    pub(crate) warm_up: Duration,
    /// About how long the samples may take in all: where batches last so long
    /// that fewer samples fit, fewer are taken, but for the first few.
    pub(crate) limit: Option<Duration>,
    /// How many calls to make, instead of a number of samples.
    pub(crate) quota: Option<Quota>,
}

/// Samples that are taken however long they last.
const FEWEST_SAMPLES: u32 = 3;
/// The same of calls that are so short that a sample holds several: the middle half
/// of fewer is no mean.
const FEWEST_OF_SHORT_CALLS: u64 = 12;

/// Takes samples of `prepared`; `None` where the machine does not hold still.
pub(crate) fn take_samples(
    clock: &Clock,
    sibling: &mut SiblingWatch,
    prepared: &mut dyn Prepared,
    wanted: Wanted,
) -> Option<Samples> {
    if let Some(quota) = wanted.quota {
        prepared.run(quota.warm);
    }
    let call = warm_up(prepared, &wanted);
    let fitting = (wanted.batch.as_secs_f64() / call.as_secs_f64()).round().max(1.0) as u64;
    let calls = wanted.calls.unwrap_or(fitting);
    let affordable = wanted.limit.map_or(wanted.samples, |limit| {
        (limit.as_secs_f64() / (call.as_secs_f64() * calls as f64)) as u32
    });
    let capacity = match wanted.quota {
        None => wanted.samples.min(affordable.max(FEWEST_SAMPLES)) as usize,
        Some(quota) => samples_for(quota, calls) as usize,
    };
    let mut samples = Samples {
        calls,
        ticks: Vec::with_capacity(capacity),
        before: Vec::with_capacity(capacity),
        after: Vec::with_capacity(capacity),
        ..Samples::default()
    };
    let most_rejected = (capacity as u64 * ATTEMPTS_PER_SAMPLE).max(LEAST_ATTEMPTS);
    let step = clock.calibration().step_ticks as f64;
    let mut before = clock.bracket();
    let (mut turn, mut in_a_row) = (0, 0);
    while samples.ticks.len() < capacity && samples.rejected < most_rejected {
        let start = Instant::now();
        let mut ticks = 0;
        at_depth(turn, &mut || ticks = clock.time(|| prepared.run(calls)));
        turn += 1;
        let is_busy = sibling.is_busy(clock, before);
        let after = clock.bracket();
        let counted = before.max(ticks).max(after) < IMPLAUSIBLE_INTERVAL;
        let tolerated = 2_f64.powf((in_a_row / REJECTIONS_PER_DOUBLING).into());
        if !(counted && brackets_agree(before, after, step, tolerated)) {
            samples.rejected += 1;
            in_a_row += 1;
        } else if is_busy && sibling.waits(start.elapsed()) {
            samples.busy += 1;
        } else {
            in_a_row = 0;
            samples.ticks.push(ticks);
            samples.before.push(before);
            samples.after.push(after);
            samples.busy_accepted += u64::from(is_busy);
        }
        before = after;
    }
    (samples.ticks.len() == capacity).then_some(samples)
}

/// Samples of `calls` calls each whose middle half, of which the mean is taken, holds
/// the quota.
fn samples_for(quota: Quota, calls: u64) -> u64 {
    let fewest = if calls > 1 { FEWEST_OF_SHORT_CALLS } else { 1 };
    (2 * quota.timed).div_ceil(calls).max(fewest)
}

/// Whether two brackets saw the same clock; `tolerated` widens what counts so.
pub(crate) fn brackets_agree(before: u64, after: u64, step: f64, tolerated: f64) -> bool {
    let mean = (before as f64 + after as f64) / 2.0;
    let tolerance = (tolerated * BRACKET_TOLERANCE * mean).max(BRACKET_TOLERANCE_STEPS * step);
    before.abs_diff(after) as f64 <= tolerance
}

/// Runs until caches, predictors and vector units are awake, and returns how
/// long a call lasts.
fn warm_up(prepared: &mut dyn Prepared, wanted: &Wanted) -> Duration {
    let start = Instant::now();
    let mut calls = 1;
    let mut nanoseconds_per_call = f64::INFINITY;
    loop {
        let before = Instant::now();
        prepared.run(calls);
        let elapsed = before.elapsed();
        nanoseconds_per_call =
            nanoseconds_per_call.min((elapsed.as_nanos() as f64 / calls as f64).max(0.1));
        let long_enough = wanted.calls.is_some() || elapsed * 4 >= wanted.batch;
        if start.elapsed() >= wanted.warm_up && long_enough {
            break;
        }
        if !long_enough {
            calls *= 2;
        }
    }
    Duration::from_secs_f64(nanoseconds_per_call / 1e9)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_middle_half_of_the_samples_holds_the_quota() {
        let samples = |timed, calls| samples_for(Quota { timed, warm: 0 }, calls);
        for timed in [1, 2, 128, 1000] {
            for calls in [1, 2, 15, 6000] {
                assert!(samples(timed, calls) * calls >= 2 * timed, "{timed} by {calls}");
            }
        }
        assert_eq!(samples(128, 15), 18);
        assert_eq!((samples(1, 1), samples(128, 6000)), (2, FEWEST_OF_SHORT_CALLS));
    }

    #[test]
    fn brackets_agree_within_a_percent_or_a_few_steps() {
        assert!(brackets_agree(18_000, 18_150, 26.0, 1.0));
        assert!(!brackets_agree(18_000, 18_250, 26.0, 1.0));
        assert!(brackets_agree(18_000, 18_250, 26.0, 2.0));
        assert!(brackets_agree(1_000, 1_060, 26.0, 1.0));
        assert!(!brackets_agree(1_000, 1_070, 26.0, 1.0));
    }
}
