//! Computes figures from runs. Pure.

use crate::together::job::Ran;
use crate::workers::protocol::ThreadRun;
use cpb_figures::{
    LOW_QUANTILE, QuietCriterion, centre_of, core_hertz, cycles_per_call, middle_of_runs, of_runs,
};
use cpb_model::{ConcurrentRound, Figure};
use cpb_stats::{mean, median_of, median_of_rounds, quantile_of, relative_range};
use std::time::Duration;

/// The minimum number of samples of a thread from a quiet core; with fewer, its cycles are an
/// upper bound.
const FEWEST_QUIET: usize = 12;

/// The figures of several runs of the same work.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Figures {
    /// Operations per second of all threads, by the wall clock: the median of the runs.
    pub(crate) per_second: Option<Figure>,
    /// Core cycles of one core per operation; absent if cycles cannot be measured.
    pub(crate) cycles: Option<Figure>,
    /// The relative spread of the runs' cycles: (max − min) ÷ median.
    pub(crate) spread: Option<f64>,
}

impl Figures {
    /// Computes the figures of `runs` of the same work.
    pub(crate) fn of(runs: &[ConcurrentRound]) -> Self {
        let rates: Vec<f64> = runs.iter().map(|run| run.calls_per_second).collect();
        let cycles = |run: &ConcurrentRound| run.cycles_per_call;
        let is_measured = |run: &&ConcurrentRound| !run.upper_bound;
        let quiet: Vec<f64> = runs.iter().filter(is_measured).filter_map(cycles).collect();
        let all: Vec<f64> = runs.iter().map(cycles).collect::<Option<_>>().unwrap_or_default();
        let is_quiet = quiet.len() >= runs.len().min(2) && 2 * quiet.len() >= runs.len();
        Self {
            per_second: of_runs(&rates, median_of_rounds(|run| median_of(run))),
            cycles: if is_quiet {
                of_runs(&quiet, middle_of_runs)
            } else {
                median_of(&all).map(Figure::at_most)
            },
            spread: relative_range(&all).filter(|_| all.len() > 1),
        }
    }
}

/// Returns the figures of run number `round`, with `operations` of all threads together,
/// where `gate` decides which samples are quiet.
pub(crate) fn repetition(
    round: u32,
    operations: f64,
    ran: &[Ran],
    gate: QuietCriterion,
) -> ConcurrentRound {
    let calls_per_second = operations / wall(ran).as_secs_f64().max(1e-9);
    let mut run = ConcurrentRound { round, calls_per_second, ..ConcurrentRound::default() };
    let (mut centres, mut clocks) = (Vec::new(), Vec::new());
    for (calibration, samples) in ran.iter().flat_map(Ran::clocked) {
        let all = cycles_per_call(calibration, samples);
        let states = gate.states(calibration, samples);
        let quiet: Vec<f64> =
            states.zip(&all).filter(|(state, _)| state.is_quiet()).map(|(_, &it)| it).collect();
        run.rejected += samples.rejected;
        let is_bound = quiet.len() < FEWEST_QUIET.min(all.len());
        if is_bound {
            run.samples += all.len() as u64;
            centres.extend(quantile_of(&all, LOW_QUANTILE));
        } else {
            run.samples += quiet.len() as u64;
            run.busy += (all.len() - quiet.len()) as u64;
            centres.extend(centre_of(samples, &quiet));
        }
        run.upper_bound |= is_bound;
        clocks.extend(core_hertz(calibration, samples));
    }
    run.cycles_per_call = mean(&centres);
    run.core_hertz = median_of(&clocks);
    run
}

/// Returns the time from the first start to the last end.
fn wall(ran: &[Ran]) -> Duration {
    let threads = || ran.iter().flat_map(|ran| &ran.threads);
    let first = threads().map(|it| it.late_nanoseconds).min().unwrap_or(0);
    let last = |it: &ThreadRun| it.late_nanoseconds + it.nanoseconds;
    let last = threads().map(last).max().unwrap_or(0);
    Duration::from_nanos(last.saturating_sub(first))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::simulated::ticks;
    use crate::workers::protocol::Started;
    use cpb_figures::testing::calibration;
    use cpb_model::{GateLoop, Samples};

    const GATE: QuietCriterion =
        QuietCriterion { gate_loop: GateLoop::Chains, quiet: Some(0.25), assumed: false };

    /// Makes samples with this number of cycles per operation: quiet ones, and some beside a
    /// neighbour that halves the speed.
    fn samples(cycles_per_operation: f64, quiet: usize, busy: usize) -> Samples {
        let calibration = calibration(1);
        let cycles = |cycles: f64| ticks(&calibration, cycles);
        let probe = 0.25 * calibration.probe_operations as f64;
        let mut samples = Samples { calls: 1000, ..Samples::default() };
        for factor in (0..quiet).map(|_| 1.0).chain((0..busy).map(|_| 2.0)) {
            samples.ticks.push(cycles(1000.0 * cycles_per_operation * factor));
            samples.before.push(cycles(calibration.bracket_links as f64 * 3.0));
            samples.after.push(cycles(calibration.bracket_links as f64 * 3.0));
            samples.probe_before.push(cycles(probe * factor));
            samples.probe_after.push(cycles(probe * factor));
        }
        samples
    }

    /// Makes a thread that ran between these milliseconds; without samples it had no clock.
    fn thread(from: u64, to: u64, samples: Samples) -> Ran {
        let calibration = (!samples.ticks.is_empty()).then(|| calibration(1));
        let thread = ThreadRun {
            calls: 1000,
            late_nanoseconds: from * 1_000_000,
            nanoseconds: (to - from) * 1_000_000,
            samples,
            ..ThreadRun::default()
        };
        let started = Started { calibrations: vec![calibration], no_cycles: None };
        Ran { threads: vec![thread], started }
    }

    #[test]
    fn threads_are_averaged_and_the_wall_spans_them_all() {
        let ran = [
            thread(3, 10, samples(30.0, 20, 10)),
            thread(1, 9, samples(40.0, 15, 40)),
            thread(2, 12, Samples::default()),
        ];
        let run = repetition(0, 1100.0, &ran, GATE);
        assert!((run.calls_per_second / 100_000.0 - 1.0).abs() < 1e-9);
        assert_eq!((run.samples, run.busy, run.upper_bound), (35, 50, false));
        assert!((run.cycles_per_call.unwrap() - (30.0 + 40.0) / 2.0).abs() < 0.1);
        assert!((run.core_hertz.unwrap() / 4e9 - 1.0).abs() < 1e-3);
    }

    #[test]
    fn a_thread_that_is_hardly_ever_quiet_makes_a_bound() {
        let ran = [thread(0, 1, samples(30.0, 20, 10)), thread(0, 1, samples(40.0, 2, 40))];
        let run = repetition(0, 1100.0, &ran, GATE);
        assert!(run.upper_bound && run.cycles_per_call.unwrap() > (30.0 + 40.0) / 2.0);
    }

    #[test]
    fn without_a_clock_there_is_a_rate_and_there_are_no_cycles() {
        let run = repetition(0, 1000.0, &[thread(0, 1000, Samples::default())], GATE);
        assert_eq!(run.cycles_per_call, None);
        let figures = Figures::of(&[run]);
        assert_eq!((figures.cycles, figures.spread), (None, None));
        assert_eq!(figures.per_second.map(|rate| rate.estimate), Some(1000.0));
    }
}
