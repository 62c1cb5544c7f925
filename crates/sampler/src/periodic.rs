//! Takes samples during a run, periodically.

use crate::acceptance::Acceptance;
use crate::timed::shortest_batch;
use crate::work::{Amount, Work};
use cpb_clock::Clock;
use cpb_model::Samples;
use std::time::Duration;

/// The duration of a bracketed batch. It is long compared to the cost of entering a loop (0.5 % of
/// it for recursive SHA-256 on 16 lanes), and so short that most batches are undisturbed on a core
/// that is stalled every 50 µs.
pub const BATCH: Duration = Duration::from_micros(20);
/// The time from one bracketed batch to the next, so that brackets take little of it. Shorter runs
/// reduce it to take at least the second number of samples.
const PERIOD: Duration = Duration::from_millis(5);
const FEWEST_SAMPLES: u64 = 20;
/// The most attempts in a period to get an accepted sample.
const TRIES: u32 = 3;
/// The number of rejections after which the tolerance doubles.
const REJECTIONS_PER_DOUBLING: u32 = 30;

/// What a thread measures with, if it measures.
pub struct Instruments {
    /// Times batches and brackets.
    pub clock: Clock,
    /// Whether the core's other hardware thread belongs to a neighbour, and is watched.
    pub has_neighbour: bool,
}

/// Takes samples of a run.
pub struct Sampler<'a> {
    instruments: Option<&'a Instruments>,
    /// The number of calls per bracketed batch, and of calls that follow without brackets.
    pub batch: u64,
    pub between: u64,
    pub samples: Samples,
    acceptance: Acceptance,
}

impl<'a> Sampler<'a> {
    /// Creates a sampler for `work` whose calls take this time, in seconds.
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

    /// Makes `calls` by `run`, and brackets them if they are a whole batch. Returns whether the
    /// next batch should be bracketed at once, because this one was rejected.
    pub fn sample(&mut self, calls: u64, run: impl FnOnce()) -> bool {
        let Some(instruments) = self.instruments.filter(|_| calls == self.batch) else {
            run();
            return false;
        };
        let Instruments { clock, has_neighbour } = instruments;
        let probe = || has_neighbour.then(|| clock.probe());
        // The chain's code may have left the caches since the last period, so the first run is
        // discarded.
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
