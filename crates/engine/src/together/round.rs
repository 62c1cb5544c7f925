//! Computes figures from what threads did in a round. Pure.

use crate::failures::wrong_answer;
use crate::together::job::{Ran, Taken};
use crate::workers::protocol::ThreadRun;
use cpb_figures::{centre_of, core_hertz, cycles_per_call, cycles_per_operation};
use cpb_model::{Calibration, ConcurrentRound, Failure, Samples, TimeShares};
use cpb_stats::{mean, median_of};

/// More calls per second than any CPU makes in a thread; the shortest plausible call is
/// defined elsewhere, too.
const MOST_CALLS_PER_SECOND: f64 = 2e10;

/// Returns the figures of round number `round`.
pub(crate) fn figures(round: u32, taken: &Taken) -> Result<ConcurrentRound, Failure> {
    let threads: Vec<&ThreadRun> = taken.threads().collect();
    let rates: Vec<f64> = threads.iter().map(|it| it.calls as f64 / seconds(it)).collect();
    let all: f64 = rates.iter().sum();
    let average = all / rates.len() as f64;
    let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
    if rates.iter().any(|&rate| rate > MOST_CALLS_PER_SECOND) {
        return Err(wrong_answer(format!(
            "a thread made {average:.3e} calls a second, which no CPU does: the library did not \
             make them"
        )));
    }
    let (mut cycles, mut hertz, mut probes) = (Vec::new(), Vec::new(), Vec::new());
    for (calibration, samples) in taken.0.iter().flat_map(Ran::clocked) {
        cycles.extend(centre_of(samples, &cycles_per_call(calibration, samples)));
        hertz.extend(median_of(&core_hertz(calibration, samples).collect::<Vec<_>>()));
        probes.extend(median_of(&probe_cycles(calibration, samples)));
    }
    Ok(ConcurrentRound {
        round,
        calls_per_second: all,
        slowest: Some(slowest / average),
        time: Some(shares(&threads)),
        cycles_per_call: mean(&cycles),
        core_hertz: mean(&hertz),
        probe_cycles: mean(&probes),
        samples: threads.iter().map(|it| it.samples.ticks.len() as u64).sum(),
        rejected: threads.iter().map(|it| it.samples.rejected).sum(),
        busy: 0,
        upper_bound: false,
    })
}

fn seconds(thread: &ThreadRun) -> f64 {
    thread.nanoseconds.max(1) as f64 / 1e9
}

/// Returns the cycles per operation of the probes behind `samples`.
pub(super) fn probe_cycles(calibration: &Calibration, samples: &Samples) -> Vec<f64> {
    let brackets = samples.before.iter().zip(&samples.after);
    let probes = brackets.zip(&samples.probe_after);
    probes
        .filter_map(|((&before, &after), &probe)| {
            cycles_per_operation(calibration, probe, (before, after))
        })
        .collect()
}

/// The longest plausible average of a sleep for a lock, in nanoseconds, unless a call
/// takes longer.
const LONGEST_SLEEP: u64 = 1_000_000;

/// Returns how all threads together spent their time.
fn shares(threads: &[&ThreadRun]) -> TimeShares {
    let sum = |value: fn(&ThreadRun) -> u64| -> f64 {
        threads.iter().map(|thread| value(thread) as f64).sum()
    };
    let all = sum(|it| it.nanoseconds);
    let on_cpu = sum(|it| it.on_cpu_nanoseconds) / all;
    let kernel = sum(|it| it.in_kernel_nanoseconds) / all;
    let is_counted = threads.iter().all(|it| it.waiting_nanoseconds.is_some());
    let blocked = is_counted.then(|| sum(asleep) / all);
    // The parts are read one after the other, so the remainder may be slightly negative.
    let waiting = blocked.map(|blocked| (1.0 - on_cpu - blocked).max(0.0));
    TimeShares { user: on_cpu - kernel, kernel, waiting, blocked }
}

/// Returns the nanoseconds in which a thread was off the CPU by its own choice. A thread
/// that hardly ever slept was ready all the time, and a hypervisor took its CPU.
fn asleep(thread: &ThreadRun) -> u64 {
    let waiting = thread.waiting_nanoseconds.unwrap_or_default();
    let neither = thread.nanoseconds.saturating_sub(thread.on_cpu_nanoseconds + waiting);
    let call = thread.nanoseconds / thread.calls.max(1);
    neither.min(thread.sleeps.saturating_mul(LONGEST_SLEEP.max(call)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::ticks;
    use crate::workers::protocol::Started;
    use cpb_figures::testing::calibration;

    /// Makes a thread with this number of calls in a second, 60 % of it on the CPU.
    fn thread(calls: u64, waiting_nanoseconds: Option<u64>) -> ThreadRun {
        let calibration = calibration(1);
        let cycles = |cycles: f64| ticks(&calibration, cycles);
        let bracket = cycles(calibration.bracket_links as f64 * 3.0);
        let probe = cycles(0.25 * calibration.probe_operations as f64);
        let samples = Samples {
            calls: 1000,
            ticks: vec![cycles(30_000.0); 8],
            before: vec![bracket; 8],
            after: vec![bracket; 8],
            probe_before: vec![probe; 8],
            probe_after: vec![probe; 8],
            rejected: 1,
            ..Samples::default()
        };
        ThreadRun {
            calls,
            nanoseconds: 1_000_000_000,
            on_cpu_nanoseconds: 600_000_000,
            in_kernel_nanoseconds: 100_000_000,
            sleeps: 1000,
            waiting_nanoseconds,
            samples,
            ..ThreadRun::default()
        }
    }

    fn ran(threads: Vec<ThreadRun>, calibrations: Vec<Option<Calibration>>) -> Ran {
        Ran { threads, started: Started { calibrations, no_cycles: None } }
    }

    #[test]
    fn threads_of_all_processes_are_taken_together() {
        let waits = Some(300_000_000);
        let ran = [
            ran(vec![thread(300, waits), thread(100, waits)], vec![Some(calibration(1)), None]),
            ran(vec![thread(200, waits)], vec![Some(calibration(1))]),
        ];
        let round = figures(3, &Taken(ran.into())).unwrap();
        assert_eq!((round.round, round.samples, round.rejected), (3, 24, 3));
        assert!((round.calls_per_second - 600.0).abs() < 1e-6);
        assert!((round.slowest.unwrap() - 0.5).abs() < 1e-9);
        assert!((round.cycles_per_call.unwrap() - 30.0).abs() < 0.1);
        assert!((round.probe_cycles.unwrap() - 0.25).abs() < 0.01);
        let TimeShares { user, kernel, waiting, blocked } = round.time.unwrap();
        assert!((user - 0.5).abs() < 1e-9 && (kernel - 0.1).abs() < 1e-9);
        assert!((waiting.unwrap() - 0.3).abs() < 1e-9 && (blocked.unwrap() - 0.1).abs() < 1e-9);
    }

    #[test]
    fn a_cpu_taken_away_is_no_sleep() {
        let stolen = ThreadRun { sleeps: 1, ..thread(300, Some(300_000_000)) };
        let TimeShares { waiting, blocked, .. } = shares(&[&stolen]);
        assert!((waiting.unwrap() - 0.397).abs() < 1e-3 && blocked.unwrap() < 0.01);
        // A single sleep may take as long as a call.
        let long = ThreadRun { sleeps: 1, ..thread(3, Some(300_000_000)) };
        assert!((shares(&[&long]).blocked.unwrap() - 0.1).abs() < 1e-9);
    }

    #[test]
    fn without_a_clock_there_are_no_cycles_and_without_counts_no_waiting() {
        let ran = [ran(vec![thread(300, None)], vec![None])];
        let round = figures(0, &Taken(ran.into())).unwrap();
        assert_eq!(
            (round.cycles_per_call, round.core_hertz, round.probe_cycles),
            (None, None, None)
        );
        let TimeShares { waiting, blocked, .. } = round.time.unwrap();
        assert_eq!((waiting, blocked), (None, None));
    }

    #[test]
    fn calls_that_nobody_made_are_found_out() {
        let ran = [ran(vec![thread(u64::MAX, None)], vec![None])];
        let failure = figures(0, &Taken(ran.into())).unwrap_err();
        assert_eq!(failure.kind, cpb_model::FailureKind::WrongAnswer);
    }
}
