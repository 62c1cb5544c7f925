//! What one thread does.

use super::{Setting, start_values};
use crate::acceptance::Acceptance;
use cpb_clock::Clock;
use cpb_model::Samples;
use std::sync::Barrier;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a loop runs before it is timed, unless all iterations take less.
const WARM_UP: Duration = Duration::from_millis(100);
/// How long a bracketed batch lasts. Long against what entering a loop costs,
/// short against a time slice.
const BATCH: Duration = Duration::from_micros(100);
/// Time from one bracketed batch to the next, so that brackets take little of
/// it, and the number of samples for which shorter runs do with less time.
const PERIOD: Duration = Duration::from_millis(5);
const FEWEST_SAMPLES: u64 = 20;
/// Samples in a row that are tried in a period until one is accepted.
const TRIES: u32 = 3;
/// Rejections after which twice as much is tolerated.
const REJECTIONS_PER_DOUBLING: u32 = 30;

/// A thread's run.
pub(super) struct Timed {
    pub(super) start: Instant,
    pub(super) end: Instant,
    /// The lanes' last values.
    pub(super) lanes: Vec<[u8; 32]>,
    pub(super) samples: Samples,
}

/// What a thread measures with, where it does.
pub(super) struct Instruments {
    pub(super) clock: Clock,
    /// Whether the core's other hardware thread is a neighbour's, and watched.
    pub(super) has_neighbour: bool,
}

/// Warms up, waits for the others, and runs; `None` where it was told to stop.
pub(super) fn run(
    setting: &Setting,
    iterations: u64,
    barrier: &Barrier,
    stop: &AtomicBool,
    instruments: Option<&Instruments>,
) -> Option<Timed> {
    let start_line = StartLine(barrier);
    let per_iteration = warm_up(setting, iterations, stop);
    let mut lanes = start_values(setting.lanes());
    let mut sampler = Sampler::new(instruments, iterations, per_iteration, setting.lanes());
    // Also where it was told to stop: the others are waiting.
    drop(start_line);
    let start = Instant::now();
    let mut left = iterations;
    while left > 0 {
        if stop.load(Ordering::Relaxed) {
            return None;
        }
        let now = left.min(sampler.batch);
        let try_again = sampler.sample(now, || setting.iterate(&mut lanes, now));
        left -= now;
        if try_again {
            continue;
        }
        let unwatched = left.min(sampler.between);
        setting.iterate(&mut lanes, unwatched);
        left -= unwatched;
    }
    let end = Instant::now();
    Some(Timed { start, end, lanes, samples: sampler.samples })
}

/// Waits for the others when it is dropped, by a panic too: so that none waits for
/// one that is gone.
struct StartLine<'a>(&'a Barrier);

impl Drop for StartLine<'_> {
    fn drop(&mut self) {
        self.0.wait();
    }
}

/// Runs until caches, clock and vector units are awake; returns the least time
/// of an iteration of all lanes, in seconds.
fn warm_up(setting: &Setting, iterations: u64, stop: &AtomicBool) -> f64 {
    let mut lanes = start_values(setting.lanes());
    let (mut batch, mut done) = (16, 0);
    let mut least = f64::INFINITY;
    let start = Instant::now();
    while done < iterations && start.elapsed() < WARM_UP && !stop.load(Ordering::Relaxed) {
        let before = Instant::now();
        setting.iterate(&mut lanes, batch);
        let elapsed = before.elapsed();
        least = least.min(elapsed.as_secs_f64() / batch as f64);
        done += batch;
        if elapsed < BATCH {
            batch *= 2;
        }
    }
    std::hint::black_box(&lanes);
    least
}

/// Takes samples of a run now and then.
struct Sampler<'a> {
    instruments: Option<&'a Instruments>,
    /// Iterations that are bracketed, and that follow without.
    batch: u64,
    between: u64,
    samples: Samples,
    acceptance: Acceptance,
}

impl<'a> Sampler<'a> {
    fn new(
        instruments: Option<&'a Instruments>,
        iterations: u64,
        per_iteration: f64,
        lanes: usize,
    ) -> Self {
        let lasting = |time: Duration| ((time.as_secs_f64() / per_iteration) as u64).max(1);
        let batch = lasting(BATCH).min(iterations).max(1);
        let period = lasting(PERIOD).min(iterations / FEWEST_SAMPLES);
        let between = period.saturating_sub(batch);
        let calls = batch * lanes as u64;
        let room = (iterations / (batch + between)).min(1 << 16) as usize + 1;
        let samples = Samples { calls, ticks: Vec::with_capacity(room), ..Samples::default() };
        let step = instruments.map_or(1, |it| it.clock.calibration().step_ticks);
        let acceptance = Acceptance::new(step, REJECTIONS_PER_DOUBLING);
        Self { instruments, batch, between, samples, acceptance }
    }

    /// Runs `work`, which is `iterations` long, and brackets it where it is a
    /// whole batch; says whether the next should be bracketed at once, since
    /// this one was rejected.
    fn sample(&mut self, iterations: u64, work: impl FnOnce()) -> bool {
        let Some(instruments) = self.instruments.filter(|_| iterations == self.batch) else {
            work();
            return false;
        };
        let Instruments { clock, has_neighbour } = instruments;
        let probe = || has_neighbour.then(|| clock.probe());
        // The first run after so long finds its code gone from the caches.
        std::hint::black_box(clock.bracket());
        let probe_before = probe();
        let before = clock.bracket();
        let ticks = clock.time(work);
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

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_clock::counter;

    fn run_here(iterations: u64, stop: bool) -> Option<Timed> {
        let clock = Clock::calibrate(counter::open_best().unwrap(), Some(4000.0)).unwrap();
        let instruments = Instruments { clock, has_neighbour: true };
        let setting = Setting::scheduled(3, 1);
        let stop = AtomicBool::new(stop);
        run(&setting, iterations, &Barrier::new(1), &stop, Some(&instruments))
    }

    #[test]
    fn every_iteration_is_done_whatever_is_bracketed() {
        for iterations in [1, 2, 19, 1000, 12_345] {
            let timed = run_here(iterations, false).unwrap();
            let mut expected = start_values(3);
            Setting::scheduled(3, 1).iterate(&mut expected, iterations);
            assert_eq!(timed.lanes, expected, "{iterations}");
            assert!(timed.end >= timed.start);
            let Samples { ticks, probe_after, rejected, .. } = &timed.samples;
            assert!(ticks.len() as u64 + rejected >= 1);
            assert_eq!(ticks.len(), probe_after.len());
        }
    }

    #[test]
    fn a_thread_that_panics_leaves_no_other_waiting() {
        let barrier = std::sync::Arc::new(Barrier::new(2));
        let (told, arrived) = std::sync::mpsc::channel();
        let other = std::sync::Arc::clone(&barrier);
        std::thread::spawn(move || {
            drop(StartLine(&other));
            told.send(())
        });
        let panicking = std::thread::spawn(move || {
            let _start_line = StartLine(&barrier);
            std::panic::resume_unwind(Box::new("as a bug would"));
        });
        assert!(panicking.join().is_err());
        assert_eq!(arrived.recv_timeout(Duration::from_secs(20)), Ok(()));
    }

    #[test]
    fn told_to_stop_there_is_nothing() {
        assert!(run_here(u64::MAX, true).is_none());
    }
}
