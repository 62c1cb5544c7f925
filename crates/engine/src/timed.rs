//! The timed loop.

use crate::brackets::Acceptance;
use crate::depth::at_depth;
use crate::lookout::{Look, Lookout};
use crate::protocol::Quota;
use cpb_libraries::Prepared;
use cpb_model::Samples;
use std::time::Duration;

/// Rejections after which twice as much is tolerated.
const REJECTIONS_PER_DOUBLING: u32 = 100;
/// How long a few samples of any kind are waited for when time is up.
const GRACE: Duration = Duration::from_millis(500);
/// How long the call is run again on a CPU that was just gone to.
const WARM_AGAIN: Duration = Duration::from_micros(100);

/// What to take.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Wanted {
    /// Quiet samples.
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
    /// Until when quiet is waited for, by the timer's own time.
    pub(crate) until: Duration,
}

/// How often calls are timed to find out how many make a batch, since any of
/// these may be interrupted; but for calls much longer than a batch.
const TIMES: u32 = 3;
const LONG_AGAINST_BATCH: u32 = 8;

/// Samples that are taken however long they last.
const FEWEST_SAMPLES: u32 = 3;
/// The same of calls that are so short that a sample holds several: the middle half
/// of fewer is no mean.
const FEWEST_OF_SHORT_CALLS: u64 = 12;
/// Samples taken beside a neighbour, for an upper bound where quiet never
/// comes; and looks between two of them.
const LOUD_SAMPLES: usize = 8;
const LOOKS_PER_LOUD_SAMPLE: u32 = 8;

/// Takes samples of `prepared`, as many from a quiet core as are wanted or come
/// in time, and a few others; `None` where the machine does not hold still.
pub(crate) fn take_samples(
    lookout: &mut Lookout<'_>,
    prepared: &mut dyn Prepared,
    wanted: Wanted,
) -> Option<Samples> {
    if let Some(quota) = wanted.quota {
        prepared.run(quota.warm);
    }
    let call = warm_up(lookout, prepared, &wanted);
    let fitting = (wanted.batch.as_secs_f64() / call.as_secs_f64()).round().max(1.0) as u64;
    let calls = wanted.calls.unwrap_or(fitting);
    let affordable = wanted.limit.map_or(wanted.samples, |limit| {
        (limit.as_secs_f64() / (call.as_secs_f64() * calls as f64)) as u32
    });
    let capacity = match wanted.quota {
        None => wanted.samples.min(affordable.max(FEWEST_SAMPLES)) as usize,
        Some(quota) => samples_for(quota, calls) as usize,
    };
    let mut taken = Taken::new(lookout, calls, capacity);
    let mut turn = 0;
    lookout.refresh();
    lookout.take_times();
    let mut before = lookout.look();
    while !taken.is_enough() && !taken.is_late(lookout.now(), wanted.until) {
        if before.is_quiet || taken.wants_loud_sample() {
            let mut ticks = 0;
            at_depth(turn, &mut || ticks = lookout.timer().time(&mut || prepared.run(calls)));
            turn += 1;
            let after = lookout.look();
            taken.add(before, ticks, after);
            before = after;
        } else {
            if lookout.wait() {
                warm_again(lookout, prepared, calls);
            }
            before = lookout.look();
        }
    }
    let (watched, quiet) = lookout.take_times();
    let mut samples = taken.samples;
    samples.watched_nanoseconds = watched.as_nanos() as u64;
    samples.quiet_nanoseconds = quiet.as_nanos() as u64;
    let fewest = capacity.min(FEWEST_SAMPLES as usize);
    (samples.ticks.len() >= fewest).then_some(samples)
}

/// The samples so far.
struct Taken {
    samples: Samples,
    acceptance: Acceptance,
    /// Quiet samples that are wanted.
    capacity: usize,
    /// Others that are wanted.
    loud_capacity: usize,
    quiet: usize,
    loud: usize,
    /// Looks since the last sample.
    looks: u32,
}

impl Taken {
    fn new(lookout: &mut Lookout<'_>, calls: u64, capacity: usize) -> Self {
        let step = lookout.timer().calibration().step_ticks;
        let knows_quiet = lookout.knows_quiet();
        let loud_capacity = if knows_quiet { capacity.min(LOUD_SAMPLES) } else { capacity };
        let room = || Vec::with_capacity(capacity + loud_capacity);
        let samples = Samples {
            calls,
            ticks: room(),
            before: room(),
            after: room(),
            probe_before: room(),
            probe_after: room(),
            ..Samples::default()
        };
        Self {
            samples,
            acceptance: Acceptance::new(step, REJECTIONS_PER_DOUBLING),
            // What is not known cannot be waited for.
            capacity: if knows_quiet { capacity } else { 0 },
            loud_capacity,
            quiet: 0,
            loud: 0,
            looks: 0,
        }
    }

    fn is_enough(&self) -> bool {
        self.quiet >= self.capacity && (self.capacity != 0 || self.loud >= self.loud_capacity)
    }

    fn is_late(&self, now: Duration, until: Duration) -> bool {
        let has_some = self.quiet + self.loud >= FEWEST_SAMPLES as usize;
        now >= until + if has_some { Duration::ZERO } else { GRACE }
    }

    /// Whether to take a sample on a busy core: now and then, until there are
    /// enough.
    fn wants_loud_sample(&mut self) -> bool {
        self.looks += 1;
        let is_due = self.capacity == 0 || self.looks.is_multiple_of(LOOKS_PER_LOUD_SAMPLE);
        is_due && self.loud < self.loud_capacity
    }

    fn add(&mut self, before: Look, ticks: u64, after: Look) {
        if !self.acceptance.accepts(before.bracket, ticks, after.bracket) {
            self.samples.rejected += 1;
            return;
        }
        if before.is_quiet && after.is_quiet {
            self.quiet += 1;
        } else if self.loud < self.loud_capacity {
            self.loud += 1;
        } else {
            self.samples.busy += 1;
            return;
        }
        let samples = &mut self.samples;
        samples.ticks.push(ticks);
        samples.before.push(before.bracket);
        samples.after.push(after.bracket);
        samples.probe_before.push(before.probe);
        samples.probe_after.push(after.probe);
    }
}

/// Samples of `calls` calls each whose middle half, of which the mean is taken, holds
/// the quota.
fn samples_for(quota: Quota, calls: u64) -> u64 {
    let fewest = if calls > 1 { FEWEST_OF_SHORT_CALLS } else { 1 };
    (2 * quota.timed).div_ceil(calls).max(fewest)
}

/// Runs until caches, predictors and vector units are awake, and returns how
/// long a call lasts.
fn warm_up(lookout: &Lookout<'_>, prepared: &mut dyn Prepared, wanted: &Wanted) -> Duration {
    let start = lookout.now();
    let mut calls = 1;
    let mut nanoseconds_per_call = f64::INFINITY;
    let mut times = 0;
    loop {
        let before = lookout.now();
        prepared.run(calls);
        let now = lookout.now();
        let elapsed = now.saturating_sub(before);
        nanoseconds_per_call =
            nanoseconds_per_call.min((elapsed.as_nanos() as f64 / calls as f64).max(0.1));
        let long_enough = wanted.calls.is_some() || elapsed * 4 >= wanted.batch;
        times += u32::from(long_enough);
        let is_sure = times >= TIMES || elapsed >= wanted.batch * LONG_AGAINST_BATCH;
        if now.saturating_sub(start) >= wanted.warm_up && long_enough && is_sure {
            break;
        }
        if !long_enough {
            calls *= 2;
        }
    }
    Duration::from_secs_f64(nanoseconds_per_call / 1e9)
}

/// Fills the caches of another CPU.
fn warm_again(lookout: &mut Lookout<'_>, prepared: &mut dyn Prepared, calls: u64) {
    let start = lookout.now();
    loop {
        prepared.run(calls);
        if lookout.now().saturating_sub(start) >= WARM_AGAIN {
            break;
        }
    }
    lookout.refresh();
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
