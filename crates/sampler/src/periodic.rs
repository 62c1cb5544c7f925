//! Samples of a run, taken now and then.

use crate::acceptance::Acceptance;
use crate::timed::shortest_batch;
use crate::work::{Amount, Work};
use cpb_clock::Clock;
use cpb_model::Samples;
use std::time::Duration;

/// How long a bracketed batch lasts. Long against what entering a loop costs (of recursive SHA-256
/// on 16 lanes 0.5 % of it), and so short that a core that is stalled every 50 µs runs most of
/// them undisturbed.
pub const BATCH: Duration = Duration::from_micros(20);
/// Time from one bracketed batch to the next, so that brackets take little of
/// it, and the number of samples for which shorter runs do with less time.
const PERIOD: Duration = Duration::from_millis(5);
const FEWEST_SAMPLES: u64 = 20;
/// Samples in a row that are tried in a period until one is accepted.
const TRIES: u32 = 3;
/// Rejections after which twice as much is tolerated.
const REJECTIONS_PER_DOUBLING: u32 = 30;

/// What a thread measures with, where it does.
pub struct Instruments {
    /// Times batches and brackets.
    pub clock: Clock,
    /// Whether the core's other hardware thread is a neighbour's, and watched.
    pub has_neighbour: bool,
}

/// Takes samples of a run.
pub struct Sampler<'a> {
    instruments: Option<&'a Instruments>,
    /// Calls that are bracketed, and that follow without.
    pub batch: u64,
    pub between: u64,
    pub samples: Samples,
    acceptance: Acceptance,
}

impl<'a> Sampler<'a> {
    /// For `work` whose calls last so many seconds.
    pub fn new(instruments: Option<&'a Instruments>, work: &Work, seconds_per_call: f64) -> Self {
        let lasting = |time: Duration| ((time.as_secs_f64() / seconds_per_call) as u64).max(1);
        let all = match work.amount {
            Amount::Calls(calls) => calls,
            Amount::Time(time) => lasting(time),
        };
        let least = instruments.map(|it| shortest_batch(it.clock.calibration()));
        let batch = lasting(BATCH.max(least.unwrap_or_default())).min(all).max(1);
        let period = lasting(PERIOD).min(all / FEWEST_SAMPLES);
        let between = period.saturating_sub(batch);
        let calls = batch * work.operations;
        let room = (all / (batch + between)).min(1 << 16) as usize + 1;
        let samples = Samples { calls, ticks: Vec::with_capacity(room), ..Samples::default() };
        let step = instruments.map_or(1, |it| it.clock.calibration().step_ticks);
        let acceptance = Acceptance::new(step, REJECTIONS_PER_DOUBLING);
        Self { instruments, batch, between, samples, acceptance }
    }

    /// Makes `calls` by `run`, and brackets them where they are a whole batch;
    /// says whether the next should be bracketed at once, since this one was
    /// rejected.
    pub fn sample(&mut self, calls: u64, run: impl FnOnce()) -> bool {
        let Some(instruments) = self.instruments.filter(|_| calls == self.batch) else {
            run();
            return false;
        };
        let Instruments { clock, has_neighbour } = instruments;
        let probe = || has_neighbour.then(|| clock.probe());
        // The first run after so long finds its code gone from the caches.
        std::hint::black_box(clock.bracket());
        let probe_before = probe();
        let before = clock.bracket();
        let ticks = clock.time(run);
        let probe_after = probe();
        let after = clock.bracket();
        let samples = &mut self.samples;
        if !self.acceptance.accepts(before, ticks, after) {
            samples.rejected += 1;
            return !self.acceptance.rejected_in_a_row().is_multiple_of(TRIES);
        }
        samples.ticks.push(ticks);
        samples.before.push(before);
        samples.after.push(after);
        samples.probe_before.extend(probe_before);
        samples.probe_after.extend(probe_after);
        false
    }
}
