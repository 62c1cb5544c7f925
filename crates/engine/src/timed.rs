//! The timed loop.

use crate::brackets::Acceptance;
use crate::depth::at_depth;
use crate::protocol::Quota;
use crate::sibling::{self, SiblingWatch};
use cpb_clock::Clock;
use cpb_libraries::Prepared;
use cpb_model::Samples;
use std::time::{Duration, Instant};

/// Rejections after which twice as much is tolerated.
const REJECTIONS_PER_DOUBLING: u32 = 100;
/// Rejections in a row after which the loop gives up: by then any brackets
/// would do that a working counter gives.
const MOST_REJECTIONS: u32 = 2000;

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
    let calibration = clock.calibration();
    let mut acceptance = Acceptance::new(calibration.step_ticks, REJECTIONS_PER_DOUBLING);
    let mut before = clock.bracket();
    let mut turn = 0;
    while samples.ticks.len() < capacity && acceptance.rejected_in_a_row() < MOST_REJECTIONS {
        let start = Instant::now();
        let mut ticks = 0;
        at_depth(turn, &mut || ticks = clock.time(|| prepared.run(calls)));
        turn += 1;
        let probe = sibling::probe(clock);
        let after = clock.bracket();
        let is_busy = sibling.is_busy(calibration, probe, (before, after));
        if !acceptance.accepts(before, ticks, after) {
            samples.rejected += 1;
        } else if is_busy && sibling.waits(start.elapsed()) {
            samples.busy += 1;
        } else {
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

/// What so many calls together take no time for does nothing.
const MOST_CALLS: u64 = 1 << 40;

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
        let long_enough =
            wanted.calls.is_some() || elapsed * 4 >= wanted.batch || calls >= MOST_CALLS;
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
}
