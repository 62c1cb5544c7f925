//! Samples to estimates. Pure.
//!
//! Samples are summarised round by round as they arrive, since those of a long
//! run do not fit into memory; intervals then come from how rounds differ,
//! which is what reproducibility means.

use crate::cycles::{chain_hertz, core_hertz, cycles_per_call};
use crate::plan::Row;
use cpb_model::{
    Calibration, ClockSummary, Figure, Fit, Fitted, Interval, Line, LongCalls, Method, Point,
    RawRound, RawRounds, Samples,
};
use cpb_stats::{
    Bootstrap, Levels, least_squares, mean_between, median_of, midmean_of, quantile_of, robust_line,
};

/// Resamples of the bootstrap, and the confidence of its intervals.
const RESAMPLES: usize = 200;
const CONFIDENCE: f64 = 0.95;
/// Calls longer than this cannot dodge preemption on a loaded machine.
const LONG_CALL_NANOSECONDS: f64 = 300_000.0;
const LOW_QUANTILE: f64 = 0.1;
/// Share of busy samples above which a round was a busy one, and the rounds on
/// a quiet core beside which busy ones are left out.
const BUSY_SHARE: f64 = 0.25;
const FEWEST_QUIET: usize = 6;

/// What the rounds so far say of one workload.
#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct Cell {
    rounds: Vec<Round>,
    /// The smallest sample, in cycles per call.
    minimum: Option<f64>,
    /// Calls in each sample; the first round finds how many.
    pub(crate) calls: Option<u64>,
    accepted: u64,
    rejected: u64,
}

impl Cell {
    /// How many rounds there are.
    pub(crate) fn rounds(&self) -> u32 {
        self.rounds.len() as u32
    }

    /// A value of each round that counts: of those on a quiet core, where they
    /// are enough, and of all otherwise.
    fn values(&self, value: fn(&Round) -> f64) -> impl Iterator<Item = f64> + '_ {
        let all =
            !are_enough(self.rounds.iter().filter(|round| !round.busy).count(), self.rounds.len());
        let counting = self.rounds.iter().filter(move |round| all || !round.busy);
        counting.map(value)
    }
}

/// What one round says of one workload.
#[derive(Debug, Clone, Copy, PartialEq)]
struct Round {
    /// In cycles per call.
    median: f64,
    midmean: f64,
    low_quantile: f64,
    /// The median core clock around the samples, in Hz.
    hertz: f64,
    /// Whether the core's other hardware thread was busy during many of the
    /// samples of this round, at any length.
    busy: bool,
}

/// Whether `quiet` rounds of `rounds` will do without the others.
pub(crate) fn are_enough(quiet: usize, rounds: usize) -> bool {
    quiet >= FEWEST_QUIET.max(rounds.div_ceil(4))
}

/// What the samples tell of the clock, collected over a run.
#[derive(Debug, Clone, Default)]
pub(crate) struct ClockWatch {
    /// Median, lowest and highest core clock in each worker's time on a row,
    /// in Hz; the extremes are the first and 99th percentile.
    medians: Vec<f64>,
    lows: Vec<f64>,
    highs: Vec<f64>,
    accepted: u64,
    rejected: u64,
    busy: u64,
    busy_accepted: u64,
}

impl ClockWatch {
    /// Watches a round of a row.
    pub(crate) fn watch(&mut self, calibration: &Calibration, measured: &[Samples]) {
        measured.iter().for_each(|samples| self.count(samples));
        let clocks: Vec<f64> =
            measured.iter().flat_map(|samples| chain_hertz(calibration, samples)).collect();
        self.see(&clocks);
    }

    /// Counts what became of `samples`.
    pub(crate) fn count(&mut self, samples: &Samples) {
        self.accepted += samples.ticks.len() as u64;
        self.rejected += samples.rejected;
        self.busy += samples.busy;
        self.busy_accepted += samples.busy_accepted;
    }

    /// Adds the core clocks around the samples of one worker, in Hz.
    pub(crate) fn see(&mut self, hertz: &[f64]) {
        self.medians.extend(median_of(hertz));
        self.lows.extend(quantile_of(hertz, 0.01));
        self.highs.extend(quantile_of(hertz, 0.99));
    }
}

/// Adds a round of a row, with samples for each length, to the row's cells.
/// `None` where the calibration of its worker is not among `calibrations`.
pub(crate) fn add_round(
    cells: &mut [Cell],
    calibrations: &[Calibration],
    measured: &[RawRound],
) -> Option<()> {
    let accepted: usize = measured.iter().map(|round| round.samples.ticks.len()).sum();
    let busy: u64 = measured.iter().map(|round| round.samples.busy_accepted).sum();
    let busy = busy as f64 > BUSY_SHARE * accepted as f64;
    for (cell, raw) in cells.iter_mut().zip(measured) {
        let calibration = calibration_of(raw, calibrations)?;
        let RawRound { samples, .. } = raw;
        let hertz: Vec<f64> = core_hertz(&calibration, samples).collect();
        let cycles = cycles_per_call(&calibration, samples);
        let round = median_of(&cycles).zip(median_of(&hertz)).and_then(|(median, hertz)| {
            let (midmean, low) = (midmean_of(&cycles)?, quantile_of(&cycles, LOW_QUANTILE)?);
            Some(Round { median, midmean, low_quantile: low, hertz, busy })
        });
        let Some(round) = round else { continue };
        cell.minimum = cycles.into_iter().chain(cell.minimum).min_by(f64::total_cmp);
        cell.calls = Some(samples.calls);
        cell.accepted += samples.ticks.len() as u64;
        cell.rejected += samples.rejected + samples.busy;
        cell.rounds.push(round);
    }
    Some(())
}

/// The cells of a row, from its raw samples by length. `None` as in [`add_round`].
pub(crate) fn cells<'a>(
    by_length: impl IntoIterator<Item = &'a RawRounds>,
    calibrations: &[Calibration],
) -> Option<Vec<Cell>> {
    let mut lengths: Vec<_> = by_length.into_iter().map(RawRounds::iter).collect();
    let mut cells = vec![Cell::default(); lengths.len()];
    loop {
        let round: Vec<RawRound> = lengths.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            return Some(cells);
        }
        add_round(&mut cells, calibrations, &round)?;
    }
}

/// The worker's calibration, with the overhead that goes with the round.
fn calibration_of(round: &RawRound, calibrations: &[Calibration]) -> Option<Calibration> {
    let overhead_ticks = round.overhead_ticks;
    Some(Calibration { overhead_ticks, ..calibrations.get(round.calibration)?.clone() })
}

/// The median of all overheads found so far: it is the same code on the same
/// machine in every worker, and only its measurement differs.
pub(crate) fn common_overhead(calibrations: &[Calibration]) -> Option<f64> {
    let overheads: Vec<f64> = calibrations.iter().map(|c| c.overhead_ticks).collect();
    median_of(&overheads)
}

/// What a call cost in each round, in cycles: the interquartile mean of its
/// samples, or their low quantile for calls too long to dodge preemption. With
/// whether the core's other hardware thread was busy meanwhile.
pub(crate) fn round_costs(cell: &Cell, long: bool) -> impl Iterator<Item = (f64, bool)> + '_ {
    let cost: fn(&Round) -> f64 =
        if long { |round| round.low_quantile } else { |round| round.midmean };
    cell.rounds.iter().map(move |round| (cost(round), round.busy))
}

/// One point for each length that was measured, without its raw samples.
pub(crate) fn points(row: &Row, cells: &[Cell], seed: u64) -> Vec<Point> {
    row.lengths
        .iter()
        .zip(cells)
        .filter_map(|(&length, cell)| point(row, length, cell, seed))
        .collect()
}

/// The line through a row's points, where its method asks for one.
pub(crate) fn line(row: &Row, cells: &[Cell], seed: u64) -> Option<Line> {
    let (fitted_by, lengths) = row.line.as_ref()?;
    let fit = match fitted_by {
        Fit::LeastSquares => least_squares,
        Fit::Robust => robust_line,
    };
    let points: Vec<cpb_stats::Point> = row
        .lengths
        .iter()
        .zip(cells)
        .filter(|(length, _)| lengths.contains(length))
        .map(|(&length, cell)| cpb_stats::Point {
            x: length as f64,
            rounds: centres(row, cell).into_iter().map(|centre| vec![centre]).collect(),
        })
        .collect();
    let line = fit(&cpb_stats::centres(&points, centre_of_rounds)?)?;
    let intervals = bootstrap(seed).line(&points, centre_of_rounds, fit);
    Some(Line {
        fitted: Some(Fitted { fit: *fitted_by, lengths: lengths.clone() }),
        cycles_per_byte: figure(line.slope, intervals.map(|both| both.slope)),
        cycles_per_call: figure(line.intercept, intervals.map(|both| both.intercept)),
    })
}

/// Whether the intervals of every point, and of the slope where there is one,
/// are at most `precision` to either side.
pub(crate) fn is_precise(points: &[Point], line: Option<&Line>, precision: f64) -> bool {
    let slope = line.map(|line| line.cycles_per_byte);
    points.iter().map(|point| point.cycles_per_call).chain(slope).all(|figure| {
        let half_width = |i: Interval| (i.high - i.low) / 2.0;
        figure.interval.is_some_and(|i| half_width(i) <= precision * figure.estimate.abs())
    })
}

/// The clock over a whole run.
pub(crate) fn clock(calibrations: Vec<Calibration>, watch: &ClockWatch) -> Option<ClockSummary> {
    let first = calibrations.first()?;
    let while_calibrating = || {
        let all: Vec<f64> = calibrations.iter().map(|c| c.core_hertz).collect();
        median_of(&all)
    };
    let core_hertz = median_of(&watch.medians).or_else(while_calibrating)?;
    let range = quantile_of(&watch.lows, 0.01).zip(quantile_of(&watch.highs, 0.99));
    Some(ClockSummary {
        name: first.name(),
        core_hertz,
        core_hertz_range: range.unwrap_or((core_hertz, core_hertz)),
        samples: watch.accepted,
        rejected: watch.rejected,
        busy: watch.busy,
        busy_accepted: watch.busy_accepted,
        calibrations,
    })
}

fn point(row: &Row, length: usize, cell: &Cell, seed: u64) -> Option<Point> {
    let of_rounds = |value| cell.values(value).collect::<Vec<f64>>();
    let hertz = median_of(&of_rounds(|round| round.hertz))?;
    let medians = of_rounds(|round| round.median);
    let centres: Vec<[f64; 1]> = centres(row, cell).into_iter().map(|centre| [centre]).collect();
    let estimate = centre_of_rounds(&mut [centres.as_flattened().to_vec()])?;
    Some(Point {
        parameters: row.workload(length).parameters,
        cycles_per_call: figure(estimate, bootstrap(seed).interval(&centres, centre_of_rounds)),
        nanoseconds_per_call: estimate / hertz * 1e9,
        between_rounds: cpb_stats::relative_range(&medians).filter(|_| medians.len() > 1),
        median: median_of(&medians),
        low_quantile: median_of(&of_rounds(|round| round.low_quantile))?,
        minimum: cell.minimum?,
        long_calls: are_long(cell).then_some(LongCalls::LowQuantile),
        calls_per_sample: cell.calls?,
        samples: cell.accepted,
        rejected: cell.rejected,
        rounds: cell.rounds.len() as u32,
        raw: RawRounds::default(),
    })
}

/// The centre of each round. Trials have a median by name; for a line it is the
/// interquartile mean, since samples come from different places of the stack,
/// and the median of two kinds is now the one and now the other. A number of
/// calls has a mean, of the middle half for the sake of what was interrupted.
/// Calls that cannot dodge preemption have their low quantile.
fn centres(row: &Row, cell: &Cell) -> Vec<f64> {
    let centre: fn(&Round) -> f64 = match (are_long(cell), row.method()) {
        (true, _) => |round| round.low_quantile,
        (false, Method::Trials) => |round| round.median,
        (false, Method::Slope | Method::Throughput | Method::Calls) => |round| round.midmean,
    };
    cell.values(centre).collect()
}

/// Whether calls are too long to dodge preemption.
pub(crate) fn are_long(cell: &Cell) -> bool {
    let lasting: Vec<f64> = cell.values(|round| round.low_quantile / round.hertz * 1e9).collect();
    median_of(&lasting).is_some_and(|nanoseconds| nanoseconds > LONG_CALL_NANOSECONDS)
}

/// The centre over rounds: the mean between their first and fifth decile. What
/// disturbs a round (a neighbour on the core's other hardware thread, one's own
/// pages in each other's way) only adds to it, so that the upper half wanders.
pub(crate) fn centre_of_rounds(rounds: &mut [Vec<f64>]) -> Option<f64> {
    mean_between(&rounds.concat(), 0.1, 0.5)
}

pub(crate) fn bootstrap(seed: u64) -> Bootstrap {
    // A round's centre already carries the noise inside the round; drawing
    // samples, too, would count that noise twice.
    Bootstrap { resamples: RESAMPLES, confidence: CONFIDENCE, seed, levels: Levels::Rounds }
}

pub(crate) fn figure(estimate: f64, interval: Option<cpb_stats::Interval>) -> Figure {
    let interval = interval.map(|interval| Interval {
        low: interval.low,
        high: interval.high,
        confidence: interval.confidence,
    });
    Figure { estimate, interval }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{Contract, CycleSource, Lengths, Offer, Operation};

    const TICKS_PER_SECOND: f64 = 2.6e9;
    const OVERHEAD: f64 = 55.0;
    const LINKS: u64 = 10_000;

    fn calibration() -> Calibration {
        Calibration {
            counter: "amd64-tsc".to_owned(),
            version: None,
            cycle_source: CycleSource::Chain,
            ticks_per_second: TICKS_PER_SECOND,
            step_ticks: 1,
            overhead_ticks: OVERHEAD,
            bracket_links: LINKS,
            multiply_latency: Some(3),
            chain_ratio: 3.0,
            core_hertz: 4e9,
            chain_hertz: Some(4e9),
        }
    }

    fn row(lengths: &[usize]) -> Row {
        let offer = Offer {
            primitive: "x".to_owned(),
            operation: Operation::Hash,
            spelling: "x".to_owned(),
            backend: "default".to_owned(),
            default_backend: true,
            row: None,
            lengths: Lengths::default(),
            unavailable: None,
        };
        let line = Some((Fit::Robust, lengths.to_vec()));
        Row { line, ..Row::new("x", &offer, Contract::Keyed, lengths.to_vec()) }
    }

    /// Samples of a call of `cycles`, on a core whose clock wanders between
    /// samples, with now and then one that was interrupted.
    fn samples(cycles: f64, random: &mut fastrand::Rng) -> Samples {
        let calls = (100_000.0 / cycles).ceil();
        let mut samples = Samples { calls: calls as u64, ..Samples::default() };
        for index in 0..100 {
            let hertz = 3.7e9 + 0.3e9 * random.f64();
            let ticks = |cycles: f64| (cycles / hertz * TICKS_PER_SECOND + OVERHEAD).round() as u64;
            let interruption = if index % 17 == 3 { 50_000 } else { 0 };
            samples.ticks.push(ticks(cycles * calls) + interruption);
            samples.before.push(ticks(LINKS as f64 * 3.0));
            samples.after.push(ticks(LINKS as f64 * 3.0));
        }
        samples
    }

    /// Rounds of a call, of which each process has its own small bias.
    fn cell(cycles: f64, random: &mut fastrand::Rng) -> Cell {
        let mut cell = Cell::default();
        for round in 0..6 {
            // One process in six has a busy neighbour all the time.
            let bias = if round == 4 { 1.2 } else { 0.999 + 0.002 * random.f64() };
            add(&mut cell, samples(cycles * bias, random));
        }
        cell
    }

    fn add(cell: &mut Cell, samples: Samples) {
        let round = RawRound { calibration: 0, overhead_ticks: OVERHEAD, samples };
        add_round(std::slice::from_mut(cell), &[calibration()], &[round]).unwrap();
    }

    #[test]
    fn estimates_hold_under_a_wandering_clock_interruptions_and_a_bad_process() {
        let mut random = fastrand::Rng::with_seed(1);
        let lengths = [1024, 4096, 16_384];
        let cycles = |bytes: usize| 400.0 + 5.25 * bytes as f64;
        let cells: Vec<Cell> = lengths.iter().map(|&l| cell(cycles(l), &mut random)).collect();
        let row = row(&lengths);
        for (point, &length) in points(&row, &cells, 0).iter().zip(&lengths) {
            let off = point.cycles_per_call.estimate / cycles(length) - 1.0;
            assert!(off.abs() < 0.001, "{length}: {off}");
            assert!(point.minimum <= point.low_quantile);
            assert_eq!((point.rounds, point.samples), (6, 600));
            // The clock wanders between 3.7 and 4 GHz.
            let clock = point.cycles_per_call.estimate / point.nanoseconds_per_call;
            assert!((3.75..3.95).contains(&clock), "{clock}");
        }
        let line = line(&row, &cells, 0).unwrap();
        assert!((line.cycles_per_byte.estimate / 5.25 - 1.0).abs() < 0.002, "{line:?}");
        assert!((line.cycles_per_call.estimate - 400.0).abs() < 20.0, "{line:?}");
        assert!(line.cycles_per_byte.interval.unwrap().low < 5.25);
    }

    #[test]
    fn calls_too_long_to_dodge_preemption_use_the_low_quantile() {
        let mut random = fastrand::Rng::with_seed(2);
        let cells = vec![cell(4e6, &mut random)];
        let points = points(&row(&[1 << 20]), &cells, 0);
        assert_eq!(points[0].long_calls, Some(LongCalls::LowQuantile));
        let (estimate, low) = (points[0].cycles_per_call.estimate, points[0].low_quantile);
        assert!((estimate / low - 1.0).abs() < 0.001, "{estimate} {low}");
    }

    #[test]
    fn the_clock_is_watched() {
        let mut random = fastrand::Rng::with_seed(4);
        let mut watch = ClockWatch::default();
        watch.watch(&calibration(), &[samples(1000.0, &mut random)]);
        let clock = clock(vec![calibration()], &watch).unwrap();
        let (low, high) = clock.core_hertz_range;
        assert!(3.65e9 < low && low < clock.core_hertz && clock.core_hertz < high && high < 4.05e9);
        assert_eq!((clock.samples, clock.rejected), (100, 0));
    }

    #[test]
    fn rounds_beside_a_busy_sibling_do_not_count_where_others_are_enough() {
        let mut random = fastrand::Rng::with_seed(5);
        let estimate = |quiet: usize, random: &mut fastrand::Rng| {
            let mut only = Cell::default();
            for round in 0..20 {
                let is_quiet = round < quiet;
                let mut taken = samples(if is_quiet { 1000.0 } else { 1300.0 }, random);
                taken.busy_accepted = if is_quiet { 10 } else { 60 };
                add(&mut only, taken);
            }
            let point = points(&row(&[64]), &[only], 0).remove(0);
            assert_eq!(point.rounds, 20);
            point.cycles_per_call.estimate
        };
        assert!((estimate(7, &mut random) / 1000.0 - 1.0).abs() < 0.001);
        assert!(estimate(5, &mut random) > 1100.0);
    }

    #[test]
    fn one_process_has_no_interval_and_is_never_precise() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut only = Cell::default();
        add(&mut only, samples(1000.0, &mut random));
        let points = points(&row(&[64]), &[only], 0);
        assert_eq!(points[0].cycles_per_call.interval, None);
        assert_eq!(points[0].between_rounds, None);
        assert!(!is_precise(&points, None, 1.0));
    }

    #[test]
    fn the_overhead_is_one_for_all_workers() {
        let with = |overhead_ticks| Calibration { overhead_ticks, ..calibration() };
        assert_eq!(common_overhead(&[with(50.0), with(54.0), with(300.0)]), Some(54.0));
        assert_eq!(common_overhead(&[]), None);
    }
}
