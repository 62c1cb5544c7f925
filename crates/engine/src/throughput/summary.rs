//! Runs to a record. Pure.

use super::member::Timed;
use super::{Plan, Setting};
use crate::cycles::{core_hertz, cycles_per_call};
use crate::summary::{ClockWatch, bootstrap, centre_of_rounds, figure};
use cpb_model::{
    Calibration, Failure, Figure, Method, Operation, Repetition, Samples, Subject, Throughput,
    Verification,
};
use cpb_stats::{mean, median_of, median_of_rounds, midmean_of, relative_range};
use std::time::Duration;

/// The share of a thread's samples that must be from a quiet core for the
/// others to be dropped.
const QUIET_SHARE: f64 = 0.2;
const SEED: u64 = 0;

/// What one run says.
pub(super) fn repetition(
    timed: &[Timed],
    calibrations: &[Option<Calibration>],
    watch: &mut ClockWatch,
) -> Repetition {
    let mut run = Repetition {
        seconds: wall(timed).as_secs_f64(),
        cycles_per_hash: None,
        core_hertz: None,
        samples: 0,
        rejected: 0,
        busy: 0,
        busy_accepted: 0,
    };
    let (mut centres, mut clocks) = (Vec::new(), Vec::new());
    for (timed, calibration) in timed.iter().zip(calibrations) {
        let Some(calibration) = calibration else { continue };
        let samples = choose(&timed.quiet, &timed.busy);
        let hertz: Vec<f64> = core_hertz(calibration, &samples).collect();
        watch.count(&samples);
        watch.see(&hertz);
        run.samples += samples.ticks.len() as u64;
        run.rejected += samples.rejected;
        run.busy += samples.busy;
        run.busy_accepted += samples.busy_accepted;
        centres.extend(midmean_of(&cycles_per_call(calibration, &samples)));
        clocks.extend(hertz);
    }
    run.cycles_per_hash = mean(&centres);
    run.core_hertz = median_of(&clocks);
    run
}

/// The samples from a quiet core where they are enough, else all.
fn choose(quiet: &Samples, busy: &Samples) -> Samples {
    let (few, many) = (quiet.ticks.len(), busy.ticks.len());
    let mut chosen = quiet.clone();
    if few as f64 >= QUIET_SHARE * (few + many) as f64 {
        chosen.busy += many as u64;
    } else {
        chosen.ticks.extend(&busy.ticks);
        chosen.before.extend(&busy.before);
        chosen.after.extend(&busy.after);
        chosen.busy_accepted += many as u64;
    }
    chosen
}

/// From the first start to the last end.
fn wall(timed: &[Timed]) -> Duration {
    let first = timed.iter().map(|timed| timed.start).min();
    let last = timed.iter().map(|timed| timed.end).max();
    first.zip(last).map_or(Duration::ZERO, |(first, last)| last.duration_since(first))
}

/// The row of `setting`; `None` where neither a run nor a failure is known.
pub(super) fn record(
    plan: &Plan,
    setting: &Setting,
    cpus: &[usize],
    runs: Vec<Repetition>,
    verification: Option<Verification>,
    failure: Option<Failure>,
) -> Option<Throughput> {
    if runs.is_empty() && failure.is_none() {
        return None;
    }
    let hashes = plan.iterations as f64 * setting.lanes() as f64 * setting.threads() as f64;
    let rates: Vec<f64> = runs.iter().map(|run| hashes / run.seconds).collect();
    let cycles: Option<Vec<f64>> = runs.iter().map(|run| run.cycles_per_hash).collect();
    let cycles = cycles.unwrap_or_default();
    Some(Throughput {
        subject: Subject {
            primitive: "recursive-sha256".to_owned(),
            operation: Operation::Iterate,
            library: "native".to_owned(),
            spelling: "recursive-sha256".to_owned(),
            backend: setting.backend_name(),
            default_backend: *setting == Setting::scheduled(setting.lanes(), setting.threads()),
            row: None,
        },
        method: Method::Throughput,
        lanes: setting.lanes(),
        loops: setting.loops(),
        threads: setting.threads(),
        cpus: cpus.iter().copied().take(setting.threads()).collect(),
        iterations: plan.iterations,
        verification,
        hashes_per_second: summarise(&rates, median_of_rounds(|run| median_of(run))),
        cycles_per_hash: summarise(&cycles, centre_of_rounds),
        between_repetitions: relative_range(&cycles).filter(|_| cycles.len() > 1),
        repetitions: runs,
        failure,
    })
}

fn summarise(values: &[f64], centre: impl Fn(&mut [Vec<f64>]) -> Option<f64>) -> Option<Figure> {
    let rounds: Vec<[f64; 1]> = values.iter().map(|&value| [value]).collect();
    let estimate = cpb_stats::estimate(&rounds, &centre)?;
    Some(figure(estimate, bootstrap(SEED).interval(&rounds, &centre)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::CycleSource;
    use std::time::Instant;

    fn calibration() -> Calibration {
        Calibration {
            counter: "amd64-tsc".to_owned(),
            version: None,
            cycle_source: CycleSource::Chain,
            ticks_per_second: 2e9,
            step_ticks: 1,
            overhead_ticks: 0.0,
            bracket_links: 10_000,
            multiply_latency: Some(3),
            chain_ratio: 3.0,
            core_hertz: 4e9,
            chain_hertz: Some(4e9),
        }
    }

    /// Samples of 1000 hashes at 4 GHz against a counter of 2 GHz.
    fn samples(cycles_per_hash: f64, count: usize) -> Samples {
        Samples {
            calls: 1000,
            ticks: vec![(cycles_per_hash * 500.0) as u64; count],
            before: vec![15_000; count],
            after: vec![15_000; count],
            ..Samples::default()
        }
    }

    #[test]
    fn threads_are_averaged_and_the_wall_spans_them_all() {
        let epoch = Instant::now();
        let thread = |from: u64, to: u64, quiet: Samples, busy: Samples| Timed {
            start: epoch + Duration::from_millis(from),
            end: epoch + Duration::from_millis(to),
            lanes: Vec::new(),
            quiet,
            busy,
        };
        let timed = [
            thread(3, 10, samples(30.0, 10), samples(60.0, 10)),
            thread(1, 9, samples(40.0, 1), samples(44.0, 9)),
            thread(2, 12, Samples::default(), Samples::default()),
        ];
        let calibrations = [Some(calibration()), Some(calibration()), None];
        let run = repetition(&timed, &calibrations, &mut ClockWatch::default());
        assert!((run.seconds - 0.011).abs() < 1e-9);
        // The second thread was quiet too seldom: all of its samples count.
        assert_eq!((run.samples, run.busy, run.busy_accepted), (20, 10, 9));
        assert!((run.cycles_per_hash.unwrap() - (30.0 + 44.0) / 2.0).abs() < 0.3);
        assert!((run.core_hertz.unwrap() / 4e9 - 1.0).abs() < 1e-9);
    }

    #[test]
    fn without_a_clock_there_is_a_rate_and_there_are_no_cycles() {
        let now = Instant::now();
        let timed = [Timed {
            start: now,
            end: now + Duration::from_secs(1),
            lanes: Vec::new(),
            quiet: Samples::default(),
            busy: Samples::default(),
        }];
        let run = repetition(&timed, &[None], &mut ClockWatch::default());
        assert_eq!(run.cycles_per_hash, None);
        let plan = Plan {
            settings: vec![Setting::scheduled(1, 1)],
            iterations: 1000,
            repetitions: 1,
            pin: false,
            clock: crate::ClockChoice::default(),
        };
        let record = record(&plan, &plan.settings[0], &[], vec![run], None, None).unwrap();
        assert_eq!(record.cycles_per_hash, None);
        assert_eq!(record.hashes_per_second.map(|rate| rate.estimate), Some(1000.0));
    }
}
