//! The timed loop.

use cpb_clock::Clock;
use cpb_clock::counter::IMPLAUSIBLE_INTERVAL;
use cpb_libraries::Prepared;
use cpb_model::Samples;
use std::time::{Duration, Instant};

/// How far the brackets of a sample may be apart.
const BRACKET_TOLERANCE: f64 = 0.01;
/// The same in steps of the counter, where those are coarse.
const BRACKET_TOLERANCE_STEPS: f64 = 2.5;
/// How long a call is repeated before it is timed.
const WARM_UP: Duration = Duration::from_micros(300);
/// Samples between two throughput probes.
const SAMPLES_PER_PROBE: usize = 32;
const PROBE_BLOCKS: u32 = 400;
/// A loop that accepts fewer than one in this many samples gives up.
const ATTEMPTS_PER_SAMPLE: u64 = 50;
const LEAST_ATTEMPTS: u64 = 500;

/// What to take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Accepted samples.
    pub(crate) samples: u32,
    /// Calls in a batch; found by timing where absent.
    pub(crate) calls: Option<u64>,
    /// How long a batch shall last.
    pub(crate) batch: Duration,
}

/// Takes samples of `prepared`; fewer than wanted where the machine does not
/// hold still.
pub(crate) fn take_samples(clock: &Clock, prepared: &mut dyn Prepared, wanted: Wanted) -> Samples {
    let found = warm_up(prepared, wanted.batch);
    let calls = wanted.calls.unwrap_or(found);
    let capacity = wanted.samples as usize;
    let mut samples = Samples {
        calls,
        ticks: Vec::with_capacity(capacity),
        before: Vec::with_capacity(capacity),
        after: Vec::with_capacity(capacity),
        rejected: 0,
        probes: vec![clock.probe(PROBE_BLOCKS)],
    };
    let most_rejected = (u64::from(wanted.samples) * ATTEMPTS_PER_SAMPLE).max(LEAST_ATTEMPTS);
    let step = clock.calibration().step_ticks as f64;
    let mut before = clock.bracket();
    while samples.ticks.len() < capacity && samples.rejected < most_rejected {
        let ticks = clock.time(|| prepared.run(calls));
        let mut after = clock.bracket();
        let counted = before.max(ticks).max(after) < IMPLAUSIBLE_INTERVAL;
        if counted && brackets_agree(before, after, step) {
            samples.ticks.push(ticks);
            samples.before.push(before);
            samples.after.push(after);
            if samples.ticks.len().is_multiple_of(SAMPLES_PER_PROBE) {
                samples.probes.push(clock.probe(PROBE_BLOCKS));
                after = clock.bracket();
            }
        } else {
            samples.rejected += 1;
        }
        before = after;
    }
    samples
}

fn brackets_agree(before: u64, after: u64, step: f64) -> bool {
    let mean = (before as f64 + after as f64) / 2.0;
    let tolerance = (BRACKET_TOLERANCE * mean).max(BRACKET_TOLERANCE_STEPS * step);
    before.abs_diff(after) as f64 <= tolerance
}

/// Runs until caches, predictors and vector units are awake, and returns how
/// many calls last as long as a batch shall.
fn warm_up(prepared: &mut dyn Prepared, batch: Duration) -> u64 {
    let start = Instant::now();
    let mut calls = 1_u64;
    let mut nanoseconds_per_call = f64::INFINITY;
    loop {
        let before = Instant::now();
        prepared.run(calls);
        let elapsed = before.elapsed();
        nanoseconds_per_call =
            nanoseconds_per_call.min((elapsed.as_nanos() as f64 / calls as f64).max(0.1));
        if start.elapsed() >= WARM_UP && elapsed * 4 >= batch {
            break;
        }
        if elapsed < batch / 2 {
            calls *= 2;
        }
    }
    (batch.as_nanos() as f64 / nanoseconds_per_call).round().max(1.0) as u64
}

#[cfg(test)]
mod tests {
    use super::brackets_agree;

    #[test]
    fn brackets_agree_within_a_percent_or_a_few_steps() {
        assert!(brackets_agree(18_000, 18_150, 26.0));
        assert!(!brackets_agree(18_000, 18_250, 26.0));
        assert!(brackets_agree(1_000, 1_060, 26.0));
        assert!(!brackets_agree(1_000, 1_070, 26.0));
    }
}
