//! Samples to estimates. Pure.

use crate::cycles::{core_hertz, cycles_per_call};
use crate::plan::Row;
use cpb_model::{
    Calibration, ClockSummary, Figure, Interval, Line, LongCalls, Method, Point, Samples,
};
use cpb_stats::{Bootstrap, estimate, median, midmean_of, quantile_of, robust_line};

/// Resamples of the bootstrap, and the confidence of its intervals.
const RESAMPLES: usize = 200;
const CONFIDENCE: f64 = 0.95;
/// Calls longer than this cannot dodge preemption on a loaded machine.
const LONG_CALL_NANOSECONDS: f64 = 300_000.0;
const LOW_QUANTILE: f64 = 0.1;

/// The samples of one workload from one round.
#[derive(Debug, Clone)]
pub(crate) struct CellRound {
    /// Index of the worker's calibration.
    pub(crate) calibration: usize,
    pub(crate) samples: Samples,
}

/// The calibrations with the median of their overheads: it is the same code
/// on the same machine in every worker, and only its measurement differs.
pub(crate) fn with_common_overhead(calibrations: &[Calibration]) -> Vec<Calibration> {
    let overheads: Vec<f64> = calibrations.iter().map(|c| c.overhead_ticks).collect();
    let common = cpb_stats::median_of(&overheads);
    calibrations
        .iter()
        .map(|calibration| Calibration {
            overhead_ticks: common.unwrap_or(calibration.overhead_ticks),
            ..calibration.clone()
        })
        .collect()
}

/// One point for each message length that was measured.
pub(crate) fn points(
    row: &Row,
    cells: &[Vec<CellRound>],
    calibrations: &[Calibration],
    seed: u64,
) -> Vec<Point> {
    row.message_bytes
        .iter()
        .zip(cells)
        .filter_map(|(&message_bytes, cell)| {
            let bootstrap = bootstrap(seed);
            point(row, message_bytes, cell, calibrations, bootstrap)
        })
        .collect()
}

/// The line through a row's points, where its method asks for one.
pub(crate) fn line(
    row: &Row,
    cells: &[Vec<CellRound>],
    calibrations: &[Calibration],
    seed: u64,
) -> Option<Line> {
    if row.method != Method::Slope {
        return None;
    }
    let points: Vec<cpb_stats::Point> = row
        .message_bytes
        .iter()
        .zip(cells)
        .filter(|(bytes, _)| row.line_bytes.contains(bytes))
        .map(|(&bytes, cell)| cpb_stats::Point {
            x: bytes as f64,
            rounds: rounds(cell, calibrations),
        })
        .collect();
    let centres = cpb_stats::centres(&points, centre_of_rounds(median))?;
    let line = robust_line(&centres)?;
    let intervals = bootstrap(seed).line(&points, centre_of_rounds(median), robust_line);
    Some(Line {
        cycles_per_byte: figure(line.slope, intervals.map(|both| both.slope)),
        cycles_per_call: figure(line.intercept, intervals.map(|both| both.intercept)),
    })
}

/// Whether every point's interval is at most `precision` to either side.
pub(crate) fn is_precise(points: &[Point], precision: f64) -> bool {
    points.iter().all(|point| {
        let Figure { estimate, interval } = point.cycles_per_call;
        interval.is_some_and(|i| (i.high - i.low) / 2.0 <= precision * estimate)
    })
}

/// The clock over all samples of a run.
pub(crate) fn clock<'a>(
    calibrations: &[Calibration],
    cells: impl Iterator<Item = &'a CellRound>,
) -> Option<ClockSummary> {
    let first = calibrations.first()?;
    let (mut hertz, mut probes) = (Vec::new(), Vec::new());
    let (mut samples, mut rejected) = (0, 0);
    for cell in cells {
        let calibration = &calibrations[cell.calibration];
        hertz.extend(core_hertz(calibration, &cell.samples));
        probes.extend(probe_cycles(calibration, &cell.samples));
        samples += cell.samples.ticks.len() as u64;
        rejected += cell.samples.rejected;
    }
    let while_calibrating = || {
        let all: Vec<f64> = calibrations.iter().map(|c| c.core_hertz).collect();
        cpb_stats::median_of(&all)
    };
    let core_hertz = cpb_stats::median_of(&hertz).or_else(while_calibrating)?;
    let range = quantile_of(&hertz, 0.01).zip(quantile_of(&hertz, 0.99));
    let slow_and_fast = quantile_of(&probes, 0.95).zip(quantile_of(&probes, 0.05));
    Some(ClockSummary {
        name: first.name(),
        calibrations: calibrations.to_vec(),
        core_hertz,
        core_hertz_range: range.unwrap_or((core_hertz, core_hertz)),
        samples,
        rejected,
        probe_ratio: slow_and_fast.map(|(slow, fast)| slow / fast),
    })
}

/// The probes' cycles, by the clock of the samples around them.
fn probe_cycles(calibration: &Calibration, samples: &Samples) -> Vec<f64> {
    let hertz: Vec<f64> = core_hertz(calibration, samples).collect();
    let Some(hertz) = cpb_stats::median_of(&hertz) else { return Vec::new() };
    let cycles_per_tick = hertz / calibration.ticks_per_second;
    let ticks = samples.probes.iter().map(|&ticks| ticks as f64 - calibration.overhead_ticks);
    ticks.map(|ticks| ticks * cycles_per_tick).collect()
}

fn point(
    row: &Row,
    message_bytes: usize,
    cell: &[CellRound],
    calibrations: &[Calibration],
    bootstrap: Bootstrap,
) -> Option<Point> {
    let rounds = rounds(cell, calibrations);
    let all = rounds.concat();
    let hertz: Vec<f64> = cell
        .iter()
        .flat_map(|round| core_hertz(&calibrations[round.calibration], &round.samples))
        .collect();
    let hertz = cpb_stats::median_of(&hertz)?;
    let nanoseconds = |cycles: f64| cycles / hertz * 1e9;

    let low = |values: &mut [f64]| cpb_stats::quantile(values, LOW_QUANTILE);
    let low_quantile = estimate(&rounds, centre_of_rounds(low))?;
    let long_calls =
        (nanoseconds(low_quantile) > LONG_CALL_NANOSECONDS).then_some(LongCalls::LowQuantile);
    let (estimate, interval) = match long_calls {
        None => (
            estimate(&rounds, centre_of_rounds(median))?,
            bootstrap.interval(&rounds, centre_of_rounds(median)),
        ),
        Some(LongCalls::LowQuantile) => {
            (low_quantile, bootstrap.interval(&rounds, centre_of_rounds(low)))
        }
    };
    let centres: Vec<f64> = rounds.iter().filter_map(|round| cpb_stats::median_of(round)).collect();
    Some(Point {
        parameters: row.workload(message_bytes).parameters,
        cycles_per_call: figure(estimate, interval),
        nanoseconds_per_call: nanoseconds(estimate),
        between_rounds: cpb_stats::relative_range(&centres).filter(|_| centres.len() > 1),
        low_quantile,
        minimum: all.iter().copied().min_by(f64::total_cmp)?,
        long_calls,
        calls_per_sample: cell.first()?.samples.calls,
        samples: all.len() as u64,
        rejected: cell.iter().map(|round| round.samples.rejected).sum(),
        rounds: rounds.len() as u32,
        raw: Vec::new(),
    })
}

/// The interquartile mean over rounds of each round's centre. What disturbs
/// whole rounds (a neighbour on the other hardware thread of the core) falls
/// outside; among the others every process counts.
fn centre_of_rounds(
    centre: impl Fn(&mut [f64]) -> Option<f64>,
) -> impl Fn(&mut [Vec<f64>]) -> Option<f64> {
    move |rounds| {
        let centres: Option<Vec<f64>> = rounds.iter_mut().map(|round| centre(round)).collect();
        midmean_of(&centres?)
    }
}

fn rounds(cell: &[CellRound], calibrations: &[Calibration]) -> Vec<Vec<f64>> {
    cell.iter()
        .map(|round| cycles_per_call(&calibrations[round.calibration], &round.samples))
        .collect()
}

fn bootstrap(seed: u64) -> Bootstrap {
    Bootstrap { resamples: RESAMPLES, confidence: CONFIDENCE, seed, ..Bootstrap::default() }
}

fn figure(estimate: f64, interval: Option<cpb_stats::Interval>) -> Figure {
    let interval = interval.map(|interval| Interval {
        low: interval.low,
        high: interval.high,
        confidence: interval.confidence,
    });
    Figure { estimate, interval }
}
