//! Rounds to figures.
//!
//! Intervals come from how rounds differ, which is what reproducibility means.

use crate::cell::Cell;
use crate::round::Centre;
use cpb_model::{
    Draws, Figure, Fit, Fitted, Interval, Line, LongCalls, Method, Parameters, Point, RawRounds,
};
use cpb_stats::{Bootstrap, Levels, least_squares, mean, median_of, midmean_of, robust_line};

/// How far cycles may be off in all rounds of a run alike, relatively: calibrations
/// differ so much from run to run, while the rounds of one run share what they found.
const CLOCK_DOUBT: f64 = 0.0003;

/// Processes without which no interval is claimed: fewer cannot tell how much they
/// differ.
pub const FEWEST_ROUNDS: u32 = 4;

/// Resamples of the bootstrap, and the confidence of its intervals.
const RESAMPLES: usize = 200;
const CONFIDENCE: f64 = 0.95;

/// What is asked of the rounds of a row: a point for each length, and a line.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    /// How samples become estimates.
    pub method: Method,
    /// The parameters of each length, smallest first.
    pub parameters: Vec<Parameters>,
    /// Which lengths a line is fitted through, and how, under [`Method::Slope`].
    pub line: Option<(Fit, Vec<usize>)>,
    /// Seed of the bootstrap.
    pub seed: u64,
}

impl Asked {
    /// What the rounds of each length say: the points, without their raw samples, and
    /// the line.
    #[must_use]
    pub fn figures(&self, cells: &[Cell]) -> (Vec<Point>, Option<Line>) {
        let points = self.parameters.iter().zip(cells);
        let points = points.filter_map(|(parameters, cell)| self.point(*parameters, cell));
        (points.collect(), self.line(cells))
    }

    /// The line through a row's points, where its method asks for one: through
    /// those from a quiet core, where these are half of all and two at least.
    fn line(&self, cells: &[Cell]) -> Option<Line> {
        let (fitted_by, lengths) = self.line.as_ref()?;
        let fit = match fitted_by {
            Fit::LeastSquares => least_squares,
            Fit::Robust => robust_line,
        };
        let all = self.parameters.iter().map(Parameters::length).zip(cells);
        let asked: Vec<(usize, &Cell)> =
            all.filter(|(length, cell)| lengths.contains(length) && cell.rounds() != 0).collect();
        let quiet: Vec<(usize, &Cell)> =
            asked.iter().copied().filter(|(_, cell)| !cell.is_bound()).collect();
        let fitted = |cells: &[(usize, &Cell)]| {
            let lengths = cells.iter().map(|(length, _)| *length).collect();
            Some(Fitted { fit: *fitted_by, lengths })
        };
        if quiet.len() < 2 || 2 * quiet.len() < asked.len() {
            return self.bounded_line(&asked, fitted(&asked));
        }
        let fitted = fitted(&quiet);
        let points: Vec<cpb_stats::Point> = quiet
            .into_iter()
            .map(|(length, cell)| cpb_stats::Point {
                x: length as f64,
                rounds: cell.by_round(self.centre(cell)).into_iter().map(Vec::from_iter).collect(),
            })
            .collect();
        let line = fit(&cpb_stats::centres(&points, centre_of_rounds)?)?;
        let are_enough = |point: &cpb_stats::Point| {
            point.rounds.iter().filter(|round| !round.is_empty()).count() >= FEWEST_ROUNDS as usize
        };
        let intervals = Some(&points).filter(|points| points.iter().all(are_enough));
        let intervals =
            intervals.and_then(|points| bootstrap(self.seed).line(points, centre_of_rounds, fit));
        Some(Line {
            fitted,
            cycles_per_byte: cycles(line.slope, intervals.map(|both| both.slope)),
            cycles_per_call: figure(line.intercept, intervals.map(|both| both.intercept)),
        })
    }

    /// What a line is not above whose points are upper bounds. With a cost that
    /// rises with length from nothing or more, a byte costs no more than the whole
    /// of a message shared out, and a call no more than the cheapest message.
    fn bounded_line(&self, cells: &[(usize, &Cell)], fitted: Option<Fitted>) -> Option<Line> {
        let costs = || cells.iter().filter_map(|&(length, it)| Some((length, self.estimate(it)?)));
        let per_byte = costs().map(|(length, cost)| cost / length.max(1) as f64);
        Some(Line {
            fitted,
            cycles_per_byte: Figure::at_most(per_byte.min_by(f64::total_cmp)?),
            cycles_per_call: Figure::at_most(costs().map(|it| it.1).min_by(f64::total_cmp)?),
        })
    }

    fn point(&self, parameters: Parameters, cell: &Cell) -> Option<Point> {
        let of_rounds = |value| cell.values(value);
        let hertz = median_of(&of_rounds(|round| round.hertz))?;
        let medians = of_rounds(|round| round.median);
        let estimate = self.estimate(cell)?;
        let cycles_per_call = if cell.is_bound() {
            Figure::at_most(estimate)
        } else {
            cycles(estimate, self.interval(cell))
        };
        let (samples, rejected) = cell.samples();
        Some(Point {
            parameters,
            cycles_per_call,
            nanoseconds_per_call: estimate / hertz * 1e9,
            between_rounds: cpb_stats::relative_range(&medians).filter(|_| medians.len() > 1),
            median: median_of(&medians),
            low_quantile: median_of(&of_rounds(|round| round.low_quantile))?,
            minimum: cell.minimum()?,
            long_calls: (cell.is_long() && !cell.has_hidden_draws())
                .then_some(LongCalls::LowQuantile),
            draws: draws(cell, estimate),
            calls_per_sample: cell.calls?,
            samples,
            rejected,
            rounds: cell.rounds(),
            raw: RawRounds::default(),
        })
    }

    /// The cost of a call, in cycles: the centre over rounds, or an upper bound. Where draws
    /// are hidden, the mean is no bound by itself, since chance may have been kind.
    fn estimate(&self, cell: &Cell) -> Option<f64> {
        if cell.is_bound() && !cell.has_hidden_draws() {
            return cell.bound();
        }
        let centre = over_rounds(cell)(&mut [cell.values(self.centre(cell))]);
        let interval = cell.is_bound().then(|| self.interval(cell)).flatten();
        interval.map_or(centre, |interval| Some(interval.high))
    }

    /// What the rounds leave open of it, where they are enough to tell.
    fn interval(&self, cell: &Cell) -> Option<cpb_stats::Interval> {
        let centres = cell.values(self.centre(cell)).into_iter().map(|centre| [centre]);
        let centres: Vec<[f64; 1]> = centres.collect();
        let are_enough = centres.len() >= FEWEST_ROUNDS as usize;
        are_enough.then(|| bootstrap(self.seed).interval(&centres, over_rounds(cell))).flatten()
    }

    /// What stands for a round. Trials have a median by name; for a line it is the
    /// interquartile mean, since samples come from different places of the stack,
    /// and the median of two kinds is now the one and now the other. A number of
    /// calls has a mean, of the middle half for the sake of what was interrupted.
    /// Calls that cannot escape preemption have their low quantile.
    fn centre(&self, cell: &Cell) -> fn(&Centre) -> f64 {
        match (cell.is_long(), self.method) {
            (true, _) => |round| round.low_quantile,
            (false, Method::Trials) => |round| round.median,
            (false, Method::Slope | Method::Throughput | Method::Calls) => |round| round.midmean,
        }
    }
}

/// How calls that draw differ, of which one costs `estimate`.
fn draws(cell: &Cell, estimate: f64) -> Option<Draws> {
    match cell.per_attempt() {
        Some((each, expected)) => Some(Draws::new(estimate, each, expected)),
        None => cell.seen(Draws::SHARES).map(Draws::seen),
    }
}

/// Whether the intervals of every point, and of the slope where there is one,
/// are at most `precision` to either side. A slope is that, too, where what it
/// leaves open of the longest call is at most this share of the call: where a
/// call costs the same at any length, no number of rounds makes a share of the
/// nothing that a byte costs.
#[must_use]
pub fn is_precise(points: &[Point], line: Option<&Line>, precision: f64) -> bool {
    let within = |it: Figure| it.relative_half_width().is_some_and(|width| width <= precision);
    points.iter().all(|point| within(point.cycles_per_call))
        && line.is_none_or(|line| {
            let slope = line.cycles_per_byte;
            within(slope) || slope_adds_at_most(precision, slope, points)
        })
}

/// Whether the width of `slope` leaves at most `share` of the longest call open.
fn slope_adds_at_most(share: f64, slope: Figure, points: &[Point]) -> bool {
    let Some(longest) = points.iter().max_by_key(|point| point.parameters.length()) else {
        return false;
    };
    slope.interval.is_some_and(|interval| {
        let open = (interval.high - interval.low) / 2.0 * longest.parameters.length() as f64;
        open <= share * longest.cycles_per_call.estimate
    })
}

/// The centre over rounds: the interquartile mean. Processes differ to either
/// side (by where their pages lie), and of what only adds, a neighbour, there
/// is nothing left in samples from a quiet core.
pub fn centre_of_rounds(rounds: &mut [Vec<f64>]) -> Option<f64> {
    midmean_of(&rounds.concat())
}

/// What stands for all rounds of a cell: the middle of those whose draws are hidden would lie
/// below what calls cost in the long run.
fn over_rounds(cell: &Cell) -> fn(&mut [Vec<f64>]) -> Option<f64> {
    if cell.has_hidden_draws() { |rounds| mean(&rounds.concat()) } else { centre_of_rounds }
}

/// How far a figure is to be trusted.
#[must_use]
pub fn bootstrap(seed: u64) -> Bootstrap {
    // A round's centre already carries the noise inside the round; drawing
    // samples, too, would count that noise twice.
    Bootstrap { resamples: RESAMPLES, confidence: CONFIDENCE, seed, levels: Levels::Rounds }
}

/// A figure in cycles: to what the rounds leave open comes what the clock does. Of the
/// two errors, which have nothing to do with each other, the squares add up.
fn cycles(estimate: f64, interval: Option<cpb_stats::Interval>) -> Figure {
    let doubt = CLOCK_DOUBT * estimate.abs();
    let wider = |interval: cpb_stats::Interval| cpb_stats::Interval {
        low: estimate - (estimate - interval.low).hypot(doubt),
        high: estimate + (interval.high - estimate).hypot(doubt),
        ..interval
    };
    figure(estimate, interval.map(wider))
}

/// A figure of an estimate and its interval.
#[must_use]
pub fn figure(estimate: f64, interval: Option<cpb_stats::Interval>) -> Figure {
    let interval = interval.map(|interval| Interval {
        low: interval.low,
        high: interval.high,
        confidence: interval.confidence,
    });
    Figure::new(estimate, interval)
}

/// What single values of several runs say together, by their `centre`.
pub fn of_runs(values: &[f64], centre: impl Fn(&mut [Vec<f64>]) -> Option<f64>) -> Option<Figure> {
    const SEED: u64 = 0;
    let rounds: Vec<[f64; 1]> = values.iter().map(|&value| [value]).collect();
    let estimate = cpb_stats::estimate(&rounds, &centre)?;
    Some(figure(estimate, bootstrap(SEED).interval(&rounds, &centre)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::calibration as simulated;
    use crate::{Gate, add_round};
    use cpb_model::{Calibration, RawRound, Samples};

    const TICKS_PER_SECOND: f64 = 2.6e9;
    const OVERHEAD: f64 = 55.0;
    const LINKS: u64 = 10_000;

    fn calibration() -> Calibration {
        Calibration {
            ticks_per_second: TICKS_PER_SECOND,
            overhead_ticks: OVERHEAD,
            bracket_links: LINKS,
            probe_operations: 0,
            ..simulated(1)
        }
    }

    fn asked(lengths: &[usize]) -> Asked {
        let at = |&message_bytes| Parameters { message_bytes, ..Parameters::default() };
        Asked {
            method: Method::Slope,
            parameters: lengths.iter().map(at).collect(),
            line: Some((Fit::Robust, lengths.to_vec())),
            seed: 0,
        }
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
            // One process in six has pages in each other's way.
            let bias = if round == 4 { 1.2 } else { 0.999 + 0.002 * random.f64() };
            add(&mut cell, samples(cycles * bias, random));
        }
        cell
    }

    fn add(cell: &mut Cell, samples: Samples) {
        let round = RawRound { calibration: 0, overhead_ticks: OVERHEAD, samples };
        add_round(std::slice::from_mut(cell), &[calibration()], Gate::default(), &[round]).unwrap();
    }

    #[test]
    fn estimates_hold_under_a_wandering_clock_interruptions_and_a_bad_process() {
        let mut random = fastrand::Rng::with_seed(1);
        let lengths = [1024, 4096, 16_384];
        let cycles = |bytes: usize| 400.0 + 5.25 * bytes as f64;
        let cells: Vec<Cell> = lengths.iter().map(|&l| cell(cycles(l), &mut random)).collect();
        let (points, line) = asked(&lengths).figures(&cells);
        for (point, &length) in points.iter().zip(&lengths) {
            let off = point.cycles_per_call.estimate / cycles(length) - 1.0;
            assert!(off.abs() < 0.001, "{length}: {off}");
            assert!(point.minimum <= point.low_quantile);
            assert_eq!((point.rounds, point.samples), (6, 600));
            // The clock wanders between 3.7 and 4 GHz.
            let clock = point.cycles_per_call.estimate / point.nanoseconds_per_call;
            assert!((3.75..3.95).contains(&clock), "{clock}");
        }
        let line = line.unwrap();
        assert!((line.cycles_per_byte.estimate / 5.25 - 1.0).abs() < 0.002, "{line:?}");
        assert!((line.cycles_per_call.estimate - 400.0).abs() < 20.0, "{line:?}");
        assert!(line.cycles_per_byte.interval.unwrap().low < 5.25);
    }

    #[test]
    fn calls_too_long_to_escape_preemption_use_the_low_quantile() {
        let mut random = fastrand::Rng::with_seed(2);
        let cells = vec![cell(4e6, &mut random)];
        let (points, _) = asked(&[1 << 20]).figures(&cells);
        assert_eq!(points[0].long_calls, Some(LongCalls::LowQuantile));
        let (estimate, low) = (points[0].cycles_per_call.estimate, points[0].low_quantile);
        assert!((estimate / low - 1.0).abs() < 0.001, "{estimate} {low}");
    }

    /// Long ones, of which each may be interrupted.
    #[test]
    fn calls_that_draw_cost_what_the_expected_number_of_attempts_does() {
        const EXPECTED: f64 = 4.0;
        let mut random = fastrand::Rng::with_seed(4);
        let [mut known, mut hidden] = [vec![Cell::default()], vec![Cell::default()]];
        for _ in 0..8 {
            let mut drawn = Samples { calls: 1, expected_attempts: EXPECTED, ..Samples::default() };
            for index in 0..60 {
                let failed =
                    std::iter::repeat_with(|| random.f64()).take_while(|it| *it > 1.0 / EXPECTED);
                let attempts = 1 + failed.count() as u64;
                let ticks = |cycles: f64| (cycles / 3.7e9 * TICKS_PER_SECOND + OVERHEAD) as u64;
                let interruption = if index % 20 == 3 { 500_000 } else { 0 };
                drawn.ticks.push(ticks(3e5 + 4e5 * attempts as f64) + interruption);
                drawn.before.push(ticks(LINKS as f64 * 3.0));
                drawn.after.push(ticks(LINKS as f64 * 3.0));
                drawn.attempts.push(attempts);
            }
            let nobody_knows = Samples { attempts: Vec::new(), ..drawn.clone() };
            for (cell, samples) in [(&mut known, drawn), (&mut hidden, nobody_knows)] {
                add(&mut cell[0], samples);
            }
        }
        let cost = 3e5 + 4e5 * EXPECTED;
        let point = |cells: &[Cell]| asked(&[32]).figures(cells).0.remove(0);
        let (known, hidden) = (point(&known), point(&hidden));
        assert!((known.cycles_per_call.estimate / cost - 1.0).abs() < 0.002, "{known:?}");
        let draws = known.draws.unwrap();
        assert!((draws.cycles_per_attempt.unwrap() / 4e5 - 1.0).abs() < 0.002, "{draws:?}");
        // Three attempts at most in half of all calls, nine in nine of ten.
        assert!((draws.p50 / (3e5 + 3.0 * 4e5) - 1.0).abs() < 0.01, "{draws:?}");
        assert!((draws.p90 / (3e5 + 9.0 * 4e5) - 1.0).abs() < 0.01, "{draws:?}");
        let seen = hidden.draws.unwrap();
        assert_eq!((seen.expected_attempts, seen.cycles_per_attempt), (None, None));
        for (seen, known) in [(seen.p50, draws.p50), (seen.p90, draws.p90)] {
            // One attempt more or less, by chance.
            assert!((seen - known).abs() < 4.1e5, "{seen} {known}");
        }
        assert!(seen.p99 > seen.p90, "{seen:?}");
        let interval = hidden.cycles_per_call.interval.unwrap();
        assert!(interval.low < cost && cost < interval.high, "{interval:?}");
        assert!(interval.high - interval.low > 0.05 * cost, "{interval:?}");
        // The tenth percentile, which stands for other long calls, would be that of luck.
        assert_eq!((known.long_calls.is_some(), hidden.long_calls), (true, None));
    }

    /// One key of each process, and most of them beside the mean.
    #[test]
    fn hidden_draws_cost_their_mean_and_a_bound_of_it_leaves_room_for_chance() {
        let mut random = fastrand::Rng::with_seed(6);
        let ticks = |cycles: f64| (cycles / 3.7e9 * TICKS_PER_SECOND + OVERHEAD) as u64;
        let costs: Vec<f64> = (0..40).map(|_| 1e7 - 4e7 * random.f64().ln()).collect();
        let mut cell = Cell::default();
        for cost in &costs {
            let mut samples = Samples { calls: 1, expected_attempts: 1.0, ..Samples::default() };
            samples.ticks.push(ticks(*cost));
            samples.before.push(ticks(LINKS as f64 * 3.0));
            samples.after.push(ticks(LINKS as f64 * 3.0));
            add(&mut cell, samples);
        }
        let mean = costs.iter().sum::<f64>() / costs.len() as f64;
        let cells = [cell];
        let point = asked(&[0]).figures(&cells).0.remove(0);
        let found = point.cycles_per_call;
        assert!((found.estimate / mean - 1.0).abs() < 0.001, "{found:?}, not {mean}");
        assert!(point.low_quantile < mean && point.long_calls.is_none());
        let at_most = |share: f64| {
            let mut sorted = costs.clone();
            sorted.sort_by(f64::total_cmp);
            sorted[(share * 39.0) as usize]..=sorted[(share * 39.0).ceil() as usize]
        };
        let draws = point.draws.unwrap();
        for (share, seen) in [(0.5, draws.p50), (0.9, draws.p90), (0.99, draws.p99)] {
            let range = at_most(share);
            let is_within = *range.start() * 0.999 < seen && seen < *range.end() * 1.001;
            assert!(is_within, "{share}: {seen} is not within {range:?}");
        }
    }

    #[test]
    fn below_four_processes_there_is_no_interval_and_nothing_is_precise() {
        let mut random = fastrand::Rng::with_seed(3);
        let mut cells = vec![Cell::default(), Cell::default()];
        for rounds in 1..=FEWEST_ROUNDS {
            for (cell, cycles) in cells.iter_mut().zip([1000.0, 2000.0]) {
                add(cell, samples(cycles, &mut random));
            }
            let (points, line) = asked(&[64, 128]).figures(&cells);
            let slope = line.as_ref().unwrap().cycles_per_byte;
            let is_enough = rounds == FEWEST_ROUNDS;
            assert_eq!(points[0].cycles_per_call.interval.is_some(), is_enough);
            assert_eq!(slope.interval.is_some(), is_enough);
            assert_eq!(points[0].between_rounds.is_some(), rounds > 1);
            assert_eq!(is_precise(&points, line.as_ref(), 1.0), is_enough);
        }
    }

    #[test]
    fn a_slope_of_nothing_is_precise_where_it_moves_no_call() {
        let mut random = fastrand::Rng::with_seed(4);
        let mut cells = vec![Cell::default(), Cell::default()];
        for _ in 0..2 * FEWEST_ROUNDS {
            for cell in &mut cells {
                add(cell, samples(60_000.0, &mut random));
            }
        }
        let (points, line) = asked(&[64, 16_384]).figures(&cells);
        let slope = line.as_ref().unwrap().cycles_per_byte;
        assert!(slope.relative_half_width().unwrap() > 0.05, "{slope:?}");
        assert!(is_precise(&points, line.as_ref(), 0.05));
        assert!(!is_precise(&points, line.as_ref(), 1e-9));
    }
}
