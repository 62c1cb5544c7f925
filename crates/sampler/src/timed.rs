//! Implements the timed loop.

use crate::cases::CaseCursor;
use crate::no_samples::{NoSamples, check_cycles};
use crate::quiet_monitor::QuietMonitor;
use crate::round_samples::RoundSamples;
use crate::stack_places::at_stack_place;
use cpb_figures::{core_hertz, cycles_per_call};
use cpb_model::{Calibration, Samples};
use serde::{Deserialize, Serialize};
use std::time::Duration;

/// The time of a sample besides its batch, and the slowdown of a core that is mostly quiet.
const BESIDE_BATCH: Duration = Duration::from_micros(12);
const LOADED: u32 = 2;
/// The minimum of counter steps per batch. A step is then a third of a percent, and averages out over
/// samples.
const STEPS_PER_BATCH: f64 = 300.0;
/// The clock, in Hz, at which a batch takes the requested time. At any other clock it has as many
/// cycles, and so as many calls: its calls share the cost of entering and leaving a batch, and runs
/// agree only if they share it equally.
const REFERENCE_HERTZ: f64 = 4e9;
/// Before each sample, the call is made once more if it takes at most this many batches. In a
/// longer call the effect of what ran before it is negligible.
const LONGEST_REPEATED: u32 = 3;
/// The time for which the call runs untimed after a change of CPU.
const WARM_AGAIN: Duration = Duration::from_micros(100);

/// Specifies the samples of one workload in one round.
#[derive(Debug, Clone, Copy)]
pub struct SampleRequest {
    /// The number of quiet samples.
    pub samples: u32,
    /// The number in earlier rounds: cases continue where the last round ended.
    pub samples_before: u64,
    /// Calls per batch; found by timing if absent.
    pub calls: Option<u64>,
    /// Whether to empty the caches before each sample, which then has a single call.
    pub evicts: bool,
    /// The duration of a batch at a fixed reference clock, 4 GHz.
    pub batch: Duration,
    /// The time for which the call runs before it is timed.
    pub warm_up: Duration,
    /// The approximate limit of all samples together. If batches are so long that fewer fit, fewer are
    /// taken, except the first few. Slow calls, and calls with cold caches, may take a multiple of it,
    /// but not longer than `until`.
    pub limit: Option<Duration>,
    /// The number of calls to make, instead of a number of samples.
    pub quota: Option<CallQuota>,
    /// The time until which to wait for quiet, by the timer's clock.
    pub until: Duration,
}

/// The minimum of calls of each workload in one round.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct CallQuota {
    /// Calls in accepted samples.
    pub timed: u64,
    /// Calls before these.
    pub warm: u64,
}

/// The number of timings to find the calls per batch, because any timing may be interrupted; fewer
/// if a call is much longer than a batch. If the calls are known, one timing is enough: it only
/// decides how many samples can be afforded, and whether a call is repeated.
const TIMES: u32 = 3;
const TIMES_OF_LONG_CALLS: u32 = 2;
const LONG_AGAINST_BATCH: u32 = 8;

/// The minimum number of samples, however long they take; fewer for slow calls, which may take a
/// second each.
const FEWEST_SAMPLES: u32 = 3;
const FEWEST_OF_SLOW_CALLS: u32 = 1;
/// The factor of the time limit for slow calls, and for calls with cold caches. Otherwise most of the
/// time would go into starting processes that make one or two calls.
const SLOW_LIMIT: u32 = 10;
/// The minimum of samples that hold several calls each. A quarter of fewer samples has no mode.
const FEWEST_OF_SHORT_CALLS: u64 = 12;
/// The minimum duration of a call, in nanoseconds, at a clock that no CPU reaches.
const SHORTEST_CALL_NANOSECONDS: f64 = 0.05;

/// Takes samples of `call`: as many from a quiet core as are wanted or can be taken in time, and a
/// few others.
pub fn take_samples(
    monitor: &mut QuietMonitor<'_>,
    call: &mut CaseCursor<'_>,
    wanted: SampleRequest,
) -> Result<Samples, NoSamples> {
    let Amount { calls, repeats, capacity, fewest, until } = amount(monitor, call, &wanted)?;
    let mut taken = RoundSamples::new(monitor, calls, fewest, capacity, wanted.evicts);
    taken.keeps_all = call.is_slow;
    // Rounds of few samples continue where the last one ended.
    let mut turn = wanted.samples_before as usize;
    call.turn_to(wanted.samples_before.wrapping_mul(calls));
    monitor.start_watching();
    let mut before = monitor.look();
    // Whether the caches are in the state that the next sample needs.
    let mut is_prepared = !wanted.evicts;
    while !taken.is_enough() && !taken.is_late(monitor.now(), until) {
        if !is_prepared {
            evict(monitor, true)?;
            is_prepared = true;
            monitor.refresh();
            before = monitor.look();
        } else if before.is_quiet || taken.wants_loud_sample() {
            is_prepared = !wanted.evicts;
            let mut ticks = 0;
            at_stack_place(turn, &mut || {
                if repeats {
                    call.run(1);
                }
                ticks = monitor.timer().time(&mut || call.run(calls));
            });
            turn += 1;
            let after = monitor.look();
            let is_quiet = monitor.was_quiet(before, after);
            taken.add(before, ticks, after, is_quiet, call.attempts_of_last(calls));
            // A stalled bracket would also spoil the next sample.
            let is_believed = taken.acceptance.believes(after.bracket);
            before = if is_believed { after } else { monitor.bracket_again(after) };
        } else {
            if monitor.wait() {
                taken.acceptance.forget_clock();
                if !wanted.evicts {
                    warm_again(monitor, call, calls);
                }
            }
            before = monitor.look();
        }
    }
    let (watched, quiet) = monitor.take_times();
    let mut samples = taken.samples;
    samples.watched_nanoseconds = watched.as_nanos() as u64;
    samples.quiet_nanoseconds = quiet.as_nanos() as u64;
    samples.expected_attempts = call.expected_attempts;
    if samples.ticks.len() < capacity.min(fewest) {
        return Err(NoSamples::Disturbed);
    }
    check_cycles(&cycles_per_call(monitor.timer().calibration(), &samples), calls)?;
    Ok(samples)
}

/// The number of samples, and their calls.
struct Amount {
    /// Calls per sample.
    calls: u64,
    /// Whether to make an untimed call before each sample. Then the first timed call follows
    /// another call, as all others do, and not the work between two samples.
    repeats: bool,
    /// The quiet samples that are wanted, and the minimum to wait for.
    capacity: usize,
    fewest: usize,
    /// The time until which to wait for the others.
    until: Duration,
}

/// Warms up, and derives the number of samples from the time that a call takes.
fn amount(
    monitor: &mut QuietMonitor<'_>,
    call: &mut CaseCursor<'_>,
    wanted: &SampleRequest,
) -> Result<Amount, NoSamples> {
    if let Some(quota) = wanted.quota {
        call.run(quota.warm);
    }
    // The first eviction takes longer, so it is not timed.
    evict(monitor, wanted.evicts)?;
    let lasting = warm_up(monitor, call, wanted)? + evict(monitor, wanted.evicts)?;
    let is_dear = call.is_slow || wanted.evicts;
    let fewest = if call.is_slow { FEWEST_OF_SLOW_CALLS } else { FEWEST_SAMPLES };
    let batch = wanted.batch.max(shortest_batch(monitor.timer().calibration()));
    let calls = wanted.calls.unwrap_or_else(|| fitting(monitor, batch, lasting));
    // If a call takes cases in turn, every other case would never be timed.
    let repeats =
        !wanted.evicts && call.is_always_the_same() && lasting <= batch * LONGEST_REPEATED;
    let calls_of_each = calls.saturating_add(u64::from(repeats)) as f64;
    let each = Duration::try_from_secs_f64(lasting.as_secs_f64() * calls_of_each);
    let each = each.unwrap_or(Duration::MAX);
    let affordable = wanted.limit.map_or(wanted.samples, |limit| {
        let limit = if is_dear {
            (limit * SLOW_LIMIT).min(wanted.until.saturating_sub(monitor.now()))
        } else {
            limit
        };
        (limit.as_secs_f64() / each.as_secs_f64()) as u32
    });
    let capacity = match wanted.quota {
        None => wanted.samples.min(affordable.max(fewest)) as usize,
        Some(quota) => samples_for(quota, calls) as usize,
    };
    // The deadline is extended so that the requested samples can be taken on a quiet core.
    let needed = each
        .saturating_add(BESIDE_BATCH)
        .saturating_mul(u32::try_from(capacity).unwrap_or(u32::MAX));
    let until = wanted.until.max(monitor.now().saturating_add(needed.saturating_mul(LOADED)));
    Ok(Amount { calls, repeats, capacity, fewest: fewest as usize, until })
}

/// Returns how many calls fill a batch, in cycles, if each takes `lasting` at the present clock.
fn fitting(monitor: &mut QuietMonitor<'_>, batch: Duration, lasting: Duration) -> u64 {
    let bracket = vec![monitor.shortest_bracket()];
    let brackets = Samples { before: bracket.clone(), after: bracket, ..Samples::default() };
    let calibration = monitor.timer().calibration();
    let hertz = core_hertz(calibration, &brackets).next().unwrap_or(REFERENCE_HERTZ);
    let cycles = lasting.as_secs_f64() * hertz;
    (batch.as_secs_f64() * REFERENCE_HERTZ / cycles).round().max(1.0) as u64
}

/// Returns the shortest batch that spans enough steps of the counter.
pub(crate) fn shortest_batch(calibration: &Calibration) -> Duration {
    let step = calibration.step_ticks as f64 / calibration.ticks_per_second;
    Duration::from_secs_f64(STEPS_PER_BATCH * step)
}

/// Empties the caches if `evicts` is set, and returns how long that takes.
fn evict(monitor: &mut QuietMonitor<'_>, evicts: bool) -> Result<Duration, NoSamples> {
    let start = monitor.now();
    if evicts {
        monitor.timer().evict()?;
    }
    Ok(monitor.now().saturating_sub(start))
}

/// Returns the number of samples of `calls` calls of which half hold the quota, because the other half
/// may have been stalled.
fn samples_for(quota: CallQuota, calls: u64) -> u64 {
    let fewest = if calls > 1 { FEWEST_OF_SHORT_CALLS } else { 1 };
    (2 * quota.timed).div_ceil(calls).max(fewest)
}

/// Runs until caches, predictors and vector units are warm, and returns how long a call takes.
fn warm_up(
    monitor: &QuietMonitor<'_>,
    call: &mut CaseCursor<'_>,
    wanted: &SampleRequest,
) -> Result<Duration, NoSamples> {
    let start = monitor.now();
    let mut calls = 1;
    let mut nanoseconds_per_call = f64::INFINITY;
    let mut times = 0;
    loop {
        let before = monitor.now();
        call.run(calls);
        let now = monitor.now();
        let elapsed = now.saturating_sub(before);
        if (elapsed.as_nanos() as f64) < calls as f64 * SHORTEST_CALL_NANOSECONDS {
            return Err(NoSamples::NoTimeSpent { calls, nanoseconds: elapsed.as_nanos() });
        }
        nanoseconds_per_call =
            nanoseconds_per_call.min((elapsed.as_nanos() as f64 / calls as f64).max(0.1));
        let long_enough = wanted.calls.is_some() || elapsed * 4 >= wanted.batch;
        times += u32::from(long_enough);
        let is_long = elapsed >= wanted.batch * LONG_AGAINST_BATCH;
        let is_sure = call.is_slow
            || wanted.calls.is_some()
            || times >= if is_long { TIMES_OF_LONG_CALLS } else { TIMES };
        if now.saturating_sub(start) >= wanted.warm_up && long_enough && is_sure {
            break;
        }
        if !long_enough {
            calls *= 2;
        }
    }
    Ok(Duration::from_secs_f64(nanoseconds_per_call / 1e9))
}

/// Fills the caches after a change of CPU.
fn warm_again(monitor: &mut QuietMonitor<'_>, call: &mut CaseCursor<'_>, calls: u64) {
    let start = monitor.now();
    loop {
        call.run(calls);
        if monitor.now().saturating_sub(start) >= WARM_AGAIN {
            break;
        }
    }
    monitor.refresh();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_spans_hundreds_of_steps_of_a_coarse_counter() {
        let of = |ticks_per_second, step_ticks| {
            let calibration = cpb_figures::testing::calibration(step_ticks);
            shortest_batch(&Calibration { ticks_per_second, ..calibration }).as_nanos()
        };
        // The first counter runs at 25 MHz, the second at 3 GHz in steps of two.
        assert_eq!((of(25e6, 1), of(3e9, 2)), (12_000, 200));
    }

    #[test]
    fn half_of_the_samples_holds_the_quota() {
        let samples = |timed, calls| samples_for(CallQuota { timed, warm: 0 }, calls);
        for timed in [1, 2, 128, 1000] {
            for calls in [1, 2, 15, 6000] {
                assert!(samples(timed, calls) * calls >= 2 * timed, "{timed} by {calls}");
            }
        }
        assert_eq!(samples(128, 15), 18);
        assert_eq!((samples(1, 1), samples(128, 6000)), (2, FEWEST_OF_SHORT_CALLS));
    }
}
