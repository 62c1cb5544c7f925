//! Runs the work of one thread.

use crate::periodic::{BATCH, Instruments, Sampler};
use crate::start_line::Place;
use crate::work::{Amount, Work};
use cpb_clock::ThreadTime;
use cpb_libraries::Prepared;
use cpb_model::{Failure, FailureKind, Samples};
use std::time::{Duration, Instant};

/// The time for which a call is repeated before it is timed, unless all calls take less.
const WARM_UP: Duration = Duration::from_millis(100);
/// The same for runs of a fixed time, as a fraction of it.
const WARM_UP_SHARE: u32 = 5;

/// The result of a thread's run.
pub struct Timed {
    /// The time when its first call began.
    pub start: Instant,
    /// The time when its last call ended.
    pub end: Instant,
    /// The number of calls in between.
    pub calls: u64,
    /// How its time was spent.
    pub time: ThreadTime,
    /// The output of the last call.
    pub output: Vec<u8>,
    /// The samples of the bracketed batches.
    pub samples: Samples,
}

/// Warms up, waits for the others, and runs; `None` if one of the others failed.
pub fn run(
    work: &Work,
    place: Place,
    instruments: Option<&Instruments>,
) -> Result<Option<Timed>, Failure> {
    let mut call = (work.prepare)()?;
    let seconds_per_call = warm_up(call.as_mut(), work.amount);
    if let Amount::Calls(_) = work.amount {
        // A fresh call starts without the state of the warm-up.
        call = (work.prepare)()?;
    }
    let mut sampler = Sampler::new(instruments, work, seconds_per_call);
    let Some(start) = place.wait() else { return Ok(None) };
    // This is read before the start, because waiting for a CPU then counts as waiting.
    let before = ThreadTime::now();
    std::thread::sleep(start.saturating_duration_since(Instant::now()));
    let began = Instant::now();
    let calls = make(call.as_mut(), work.amount, start, &mut sampler);
    let (end, time) = (Instant::now(), ThreadTime::now().since(before));
    let failed = |reason| Failure { kind: FailureKind::WrongAnswer, reason };
    let output = call.output().map_err(failed)?;
    // Runs of a fixed time all begin at the same moment, whether or not the thread had a
    // CPU then.
    let start = if let Amount::Calls(_) = work.amount { began } else { start };
    Ok(Some(Timed { start, end, calls, time, output, samples: sampler.samples }))
}

/// Makes calls, and returns how many.
fn make(call: &mut dyn Prepared, amount: Amount, start: Instant, sampler: &mut Sampler<'_>) -> u64 {
    let (most, end) = match amount {
        Amount::Calls(calls) => (calls, None),
        Amount::Time(time) => (u64::MAX, Some(start + time)),
    };
    let is_over = || end.is_some_and(|end| Instant::now() >= end);
    // A run of a fixed time checks the clock as often as after each batch.
    let at_once = end.map_or(u64::MAX, |_| sampler.batch);
    let mut left = most;
    while left > 0 {
        let now = left.min(sampler.batch);
        let try_again = sampler.sample(now, || call.run(now));
        left -= now;
        let mut unwatched = if try_again { 0 } else { left.min(sampler.between) };
        while unwatched > 0 && !is_over() {
            let now = unwatched.min(at_once);
            call.run(now);
            unwatched -= now;
            left -= now;
        }
        if is_over() {
            break;
        }
    }
    most - left
}

/// Runs until caches, clock and vector units are warm; returns the minimum time of a call
/// in seconds.
fn warm_up(call: &mut dyn Prepared, amount: Amount) -> f64 {
    let (calls, time) = match amount {
        Amount::Calls(calls) => (calls, WARM_UP),
        Amount::Time(time) => (u64::MAX, time / WARM_UP_SHARE),
    };
    let (mut batch, mut done) = (1, 0);
    let mut least = f64::INFINITY;
    let start = Instant::now();
    while done < calls && start.elapsed() < time {
        let before = Instant::now();
        call.run(batch);
        let elapsed = before.elapsed();
        least = least.min(elapsed.as_secs_f64() / batch as f64);
        done = done.saturating_add(batch);
        if elapsed < BATCH {
            // Without this condition, a call that takes no time would be repeated
            // forever.
            batch = batch.saturating_mul(2);
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::start_line::place;
    use cpb_clock::{Clock, counter};
    use std::sync::Arc;

    /// Counts its calls.
    struct Count(u64);

    impl Prepared for Count {
        fn run(&mut self, calls: u64) {
            for _ in 0..calls {
                self.0 = std::hint::black_box(self.0 + 1);
            }
        }

        fn output(&self) -> Result<Vec<u8>, String> {
            Ok(self.0.to_le_bytes().to_vec())
        }
    }

    fn run_here(amount: Amount) -> Timed {
        let clock = Clock::calibrate(counter::open_best().unwrap(), Some(4000.0)).unwrap();
        let instruments = Instruments { clock, has_neighbour: true };
        let prepare = Arc::new(|| Ok(Box::new(Count(0)) as Box<dyn Prepared>));
        let work = Work { prepare, amount, operations: 3, threads: 1, others: Vec::new() };
        let (place, waiting) = place();
        waiting.start(Instant::now());
        run(&work, place, Some(&instruments)).unwrap().unwrap()
    }

    #[test]
    fn every_call_is_made_whatever_is_bracketed() {
        for calls in [1, 2, 19, 1000, 12_345] {
            let timed = run_here(Amount::Calls(calls));
            assert_eq!((timed.calls, timed.output), (calls, calls.to_le_bytes().to_vec()));
            assert!(timed.end >= timed.start);
            let Samples { ticks, probe_after, rejected, .. } = &timed.samples;
            assert!(ticks.len() as u64 + rejected >= 1);
            assert_eq!(ticks.len(), probe_after.len());
        }
    }

    #[test]
    fn calls_are_made_until_the_time_is_over_and_counted() {
        let time = Duration::from_millis(2);
        let timed = run_here(Amount::Time(time));
        assert!(timed.end >= timed.start + time && timed.calls > 0);
        let warmed_up = u64::from_le_bytes(timed.output.try_into().unwrap()) - timed.calls;
        assert!(warmed_up > 0);
    }
}
