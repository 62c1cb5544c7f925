//! What one thread does.

use super::Work;
use super::sampler::{BATCH, Instruments, Sampler};
use super::start_line::StartLine;
use cpb_libraries::Prepared;
use cpb_model::{Failure, FailureKind, Samples};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a call is repeated before it is timed, unless all calls take less.
const WARM_UP: Duration = Duration::from_millis(100);

/// A thread's run.
pub(super) struct Timed {
    pub(super) start: Instant,
    pub(super) end: Instant,
    /// What the last call put out.
    pub(super) output: Vec<u8>,
    pub(super) samples: Samples,
}

/// Warms up, waits for the others, and runs; nothing where it was told to stop,
/// or where one of the others failed.
pub(super) fn run(
    work: &Work,
    line: &StartLine,
    stop: &AtomicBool,
    instruments: Option<&Instruments>,
) -> Result<Option<Timed>, Failure> {
    let runner = line.runner();
    let seconds_per_call = warm_up((work.prepare)()?.as_mut(), work.calls, stop);
    let mut call = (work.prepare)()?;
    let mut sampler = Sampler::new(instruments, work, seconds_per_call);
    if !runner.go() {
        return Ok(None);
    }
    let start = Instant::now();
    let mut left = work.calls;
    while left > 0 {
        if stop.load(Ordering::Relaxed) {
            return Ok(None);
        }
        let now = left.min(sampler.batch);
        let try_again = sampler.sample(now, || call.run(now));
        left -= now;
        if try_again {
            continue;
        }
        let unwatched = left.min(sampler.between);
        call.run(unwatched);
        left -= unwatched;
    }
    let end = Instant::now();
    let failed = |reason| Failure { kind: FailureKind::WrongAnswer, reason };
    let output = call.output().map_err(failed)?;
    Ok(Some(Timed { start, end, output, samples: sampler.samples }))
}

/// Runs until caches, clock and vector units are awake; returns the least time
/// of a call, in seconds.
fn warm_up(call: &mut dyn Prepared, calls: u64, stop: &AtomicBool) -> f64 {
    let (mut batch, mut done) = (1, 0);
    let mut least = f64::INFINITY;
    let start = Instant::now();
    while done < calls && start.elapsed() < WARM_UP && !stop.load(Ordering::Relaxed) {
        let before = Instant::now();
        call.run(batch);
        let elapsed = before.elapsed();
        least = least.min(elapsed.as_secs_f64() / batch as f64);
        done += batch;
        if elapsed < BATCH {
            batch *= 2;
        }
    }
    least
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_clock::{Clock, counter};
    use std::sync::Arc;

    /// Counts its calls.
    struct Count(u64);

    impl Prepared for Count {
        fn run(&mut self, calls: u64) {
            self.0 += std::hint::black_box(calls);
        }

        fn output(&self) -> Result<Vec<u8>, String> {
            Ok(self.0.to_le_bytes().to_vec())
        }
    }

    fn run_here(calls: u64, stop: bool) -> Option<Timed> {
        let clock = Clock::calibrate(counter::open_best().unwrap(), Some(4000.0)).unwrap();
        let instruments = Instruments { clock, has_neighbour: true };
        let prepare = Arc::new(|| Ok(Box::new(Count(0)) as Box<dyn Prepared>));
        let work = Work { prepare, calls, operations: 3, threads: 1 };
        let stop = AtomicBool::new(stop);
        run(&work, &StartLine::new(1), &stop, Some(&instruments)).unwrap()
    }

    #[test]
    fn every_call_is_made_whatever_is_bracketed() {
        for calls in [1, 2, 19, 1000, 12_345] {
            let timed = run_here(calls, false).unwrap();
            assert_eq!(timed.output, calls.to_le_bytes());
            assert!(timed.end >= timed.start);
            let Samples { ticks, probe_after, rejected, .. } = &timed.samples;
            assert!(ticks.len() as u64 + rejected >= 1);
            assert_eq!(ticks.len(), probe_after.len());
        }
    }

    #[test]
    fn told_to_stop_there_is_nothing() {
        assert!(run_here(u64::MAX, true).is_none());
    }
}
