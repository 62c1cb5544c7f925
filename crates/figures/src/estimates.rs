//! Computes figures from rounds.
//!
//! Intervals come from the differences between rounds, and from what rounds of one run are known to
//! share, because a figure is reproducible only if another run finds it, too.

use crate::PointSamples;
use crate::round::Centre;
use cpb_model::{
    Cost, Figure, Fit, FitRange, Interval, Layout, Line, LongCalls, Misfit, Parameters, Point,
    Position, RawRounds, RejectionSampling, SerialCalls,
};
use cpb_stats::{
    Bootstrap, least_squares, longest_two, low_mean, mean, median_of, midmean_of, positions,
    robust_line,
};

/// The relative error of cycles that all rounds of a run may share, however well they agree:
/// calibrations differ that much from run to run.
const CLOCK_DOUBT: f64 = 0.0006;

/// The factor by which a figure may be further off than it moves with half as many samples in the
/// mode. If it moves at all, it is unclear which samples are undisturbed.
const UNCLEAR: f64 = 2.0;

/// The accepted deviation of a line from measured points, relative to these: no cost is exactly
/// linear.
const LINE_TOLERANCE: f64 = 0.01;

/// The minimum of processes for an interval: fewer cannot show how much they differ.
pub const FEWEST_ROUNDS: u32 = 4;

/// Resamples of the bootstrap, and the confidence of its intervals.
const RESAMPLES: usize = 200;
const CONFIDENCE: f64 = 0.95;

/// Specifies the estimates from a row's rounds: a point for each length, and a line.
#[derive(Debug, Clone, PartialEq)]
pub struct EstimateSpec {
    /// The parameters of each length, smallest first.
    pub parameters: Vec<Parameters>,
    /// The lengths through which a line is fitted, and how, if one is requested.
    pub line: Option<(Fit, Vec<usize>)>,
    /// The seed of the bootstrap.
    pub seed: u64,
}

impl EstimateSpec {
    /// Returns the figures from the rounds of each length: the points, without their raw samples,
    /// and the line. The cells of the lengths may be followed by two more for each: those of the
    /// same calls made one by one, independent and dependent.
    #[must_use]
    pub fn figures(&self, cells: &[PointSamples]) -> (Vec<Point>, Option<Line>) {
        let (cells, one_by_one) = cells.split_at(self.parameters.len().min(cells.len()));
        let mut one_by_one = one_by_one.as_chunks().0.iter();
        let points = self.parameters.iter().zip(cells);
        let points = points.filter_map(|(parameters, cell)| {
            let one_by_one = one_by_one.next().and_then(|cells| self.one_by_one(cells));
            Some(Point { one_by_one, ..self.point(*parameters, cell)? })
        });
        (points.collect(), self.line(cells))
    }

    fn one_by_one(&self, [independent, dependent]: &[PointSamples; 2]) -> Option<SerialCalls> {
        let cost = |cell: &PointSamples| {
            let cycles_per_call = self.cycles_per_call(cell)?;
            Some(Cost { cycles_per_call, raw: RawRounds::default() })
        };
        Some(SerialCalls { independent: cost(independent)?, dependent: cost(dependent)? })
    }

    /// Returns the line through a row's points, if its method requests one: through those from a
    /// quiet core, if these are at least half of all and at least two. If they certainly lie on no
    /// line, and the fit allows that, returns the line through the two longest, without an
    /// intercept.
    fn line(&self, cells: &[PointSamples]) -> Option<Line> {
        let (fitted_by, lengths) = self.line.as_ref()?;
        let fit = match fitted_by {
            Fit::LeastSquares => least_squares,
            Fit::Robust | Fit::RobustOrLongest => robust_line,
        };
        let all = self.parameters.iter().map(Parameters::length).zip(cells);
        let asked: Vec<(usize, &PointSamples)> =
            all.filter(|(length, cell)| lengths.contains(length) && cell.rounds() != 0).collect();
        let quiet: Vec<(usize, &PointSamples)> =
            asked.iter().copied().filter(|(_, cell)| !cell.is_bound()).collect();
        let fitted = |cells: &[(usize, &PointSamples)]| {
            let lengths = cells.iter().map(|(length, _)| *length).collect();
            Some(FitRange { fit: *fitted_by, lengths })
        };
        if quiet.len() < 2 || 2 * quiet.len() < asked.len() {
            return self.bounded_line(&asked, fitted(&asked));
        }
        let fitted = fitted(&quiet);
        let by = |value: RoundValue| {
            move |(length, cell): (usize, &PointSamples)| {
                let rounds = cell.of_all_positions(value(cell)).into_iter();
                cpb_stats::Point { x: length as f64, rounds: rounds.map(Vec::from_iter).collect() }
            }
        };
        let rounds_at = by(centre);
        let points: Vec<cpb_stats::Point> = quiet.iter().copied().map(rounds_at).collect();
        let are_enough = |point: &cpb_stats::Point| {
            point.rounds.iter().filter(|round| !round.is_empty()).count() >= FEWEST_ROUNDS as usize
        };
        let intervals = Some(&points).filter(|points| points.iter().all(are_enough));
        let narrow: Vec<_> = quiet.iter().copied().map(by(narrow_centre)).collect();
        let misfit = intervals.filter(|_| *fitted_by == Fit::RobustOrLongest).and_then(|points| {
            let least = *lengths.iter().min()?;
            let shorter = self.parameters.iter().map(Parameters::length).zip(cells);
            let shorter = shorter.filter(|(length, cell)| *length < least && !cell.is_bound());
            let shorter: Vec<_> = shorter.map(rounds_at).filter(are_enough).collect();
            let bend = |points: &[_]| {
                bootstrap(self.seed).bend(points, &shorter, low_rounds, fit, LINE_TOLERANCE)
            };
            let found = bend(points)?;
            // A bend that depends on which samples count as undisturbed may be gone in the next run.
            bend(&narrow)?;
            Some(Misfit { length: found.x as usize, off: found.off })
        });
        let fit = if misfit.is_some() { longest_two } else { fit };
        let line = fit(&cpb_stats::centres(&points, low_rounds)?)?;
        let narrow = fit(&cpb_stats::centres(&narrow, low_rounds)?)?;
        let intervals =
            intervals.and_then(|points| bootstrap(self.seed).line(points, low_rounds, fit));
        let rounds = points.iter().map(|point| point.rounds.len()).max()?;
        let slope = intervals.map(|both| both.slope.of_another_run(line.slope, rounds));
        let intercept = intervals.map(|both| both.intercept.of_another_run(line.intercept, rounds));
        Some(Line {
            fitted,
            cycles_per_byte: cycles(line.slope, slope, doubt(line.slope, narrow.slope)),
            cycles_per_call: misfit.is_none().then(|| {
                let unclear = UNCLEAR * (narrow.intercept - line.intercept);
                cycles(line.intercept, intercept, unclear)
            }),
            misfit,
        })
    }

    /// Returns an upper bound of the line if its points are upper bounds. If the cost is not
    /// negative and rises with length, a byte costs no more than a whole message divided by its
    /// length, and a call no more than the cheapest message.
    fn bounded_line(
        &self,
        cells: &[(usize, &PointSamples)],
        fitted: Option<FitRange>,
    ) -> Option<Line> {
        let costs = || cells.iter().filter_map(|&(length, it)| Some((length, self.estimate(it)?)));
        let per_byte = costs().map(|(length, cost)| cost / length.max(1) as f64);
        Some(Line {
            fitted,
            cycles_per_byte: Figure::at_most(per_byte.min_by(f64::total_cmp)?),
            cycles_per_call: Some(Figure::at_most(costs().map(|it| it.1).min_by(f64::total_cmp)?)),
            misfit: None,
        })
    }

    fn point(&self, parameters: Parameters, cell: &PointSamples) -> Option<Point> {
        let of_rounds = |value| cell.values(value);
        let hertz = median_of(&of_rounds(|round| round.hertz))?;
        let medians = of_rounds(|round| round.median);
        let cycles_per_call = self.cycles_per_call(cell)?;
        let estimate = cycles_per_call.estimate;
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
            layout: cell.layout(centre(cell)),
            calls_per_sample: cell.calls?,
            samples,
            rejected,
            rounds: cell.rounds(),
            ..Point::default()
        })
    }

    fn cycles_per_call(&self, cell: &PointSamples) -> Option<Figure> {
        let estimate = self.estimate(cell)?;
        Some(match cell.is_bound() {
            true => Figure::at_most(estimate),
            false => {
                let narrow = over_rounds(cell)(&mut [rounds(cell, narrow_centre)])?;
                cycles(estimate, self.interval(cell), doubt(estimate, narrow))
            }
        })
    }

    /// Returns the cost of a call in cycles: the centre over rounds, or an upper bound. If draws
    /// are hidden, the mean alone is no bound, because it may be low by chance.
    fn estimate(&self, cell: &PointSamples) -> Option<f64> {
        if cell.is_bound() && !cell.has_hidden_draws() {
            return cell.bound();
        }
        let centre = over_rounds(cell)(&mut [rounds(cell, centre)]);
        let interval = cell.is_bound().then(|| self.interval(cell)).flatten();
        interval.map_or(centre, |interval| Some(interval.high))
    }

    /// Returns the interval for another run, if there are enough rounds. If draws are hidden, the
    /// differences are chance, which the rounds of a run do not share.
    fn interval(&self, cell: &PointSamples) -> Option<cpb_stats::Interval> {
        let rounds: Vec<[f64; 1]> = rounds(cell, centre).into_iter().map(|round| [round]).collect();
        if rounds.len() < FEWEST_ROUNDS as usize {
            return None;
        }
        let interval = bootstrap(self.seed).interval(&rounds, over_rounds(cell))?;
        if cell.has_hidden_draws() {
            return Some(interval);
        }
        let estimate = cpb_stats::estimate(&rounds, over_rounds(cell))?;
        Some(interval.of_another_run(estimate, rounds.len()))
    }
}

/// Returns the value of each round that counts, as if its library had lain at all positions.
fn rounds(cell: &PointSamples, value: RoundValue) -> Vec<f64> {
    cell.of_all_positions(value(cell)).into_iter().flatten().collect()
}

/// Chooses the value that represents a round, by what kind of calls it measured.
type RoundValue = fn(&PointSamples) -> fn(&Centre) -> f64;

/// Represents a round by the mean around the mode of its samples, which stalled samples do not move.
/// Calls that cannot escape preemption are represented by their low quantile.
fn centre(cell: &PointSamples) -> fn(&Centre) -> f64 {
    if cell.is_long() { |round| round.low_quantile } else { |round| round.modal_mean }
}

/// Returns the same as [`centre`], with half as many samples in the mode.
fn narrow_centre(cell: &PointSamples) -> fn(&Centre) -> f64 {
    if cell.is_long() { centre(cell) } else { |round| round.narrow_mean }
}

/// Describes the differences between calls that draw, if one costs `estimate`.
fn draws(cell: &PointSamples, estimate: f64) -> Option<RejectionSampling> {
    match cell.per_attempt() {
        Some((each, expected)) => Some(RejectionSampling::new(estimate, each, expected)),
        None => cell.seen(RejectionSampling::SHARES).map(RejectionSampling::seen),
    }
}

/// Whether there are points, and the intervals of all points, and of the slope if there is one, are
/// at most `precision` to either side. A slope is also precise if its uncertainty is at most this
/// share of the longest call, because if calls cost the same at any length, no number of rounds
/// makes the slope of zero relatively precise. If a position with only one round stands out,
/// another round must show whether it is slow or was disturbed.
#[must_use]
pub fn is_precise(points: &[Point], line: Option<&Line>, precision: f64) -> bool {
    let within = |it: Figure| it.relative_half_width().is_some_and(|width| width <= precision);
    !points.is_empty()
        && points.iter().flat_map(figures_of).all(within)
        && !points.iter().filter_map(|it| it.layout.as_ref()).any(is_open)
        && line.is_none_or(|line| {
            let slope = line.cycles_per_byte;
            within(slope) || slope_adds_at_most(precision, slope, points)
        })
}

/// Whether a position with one round stands out so that the figure counts it as slow.
fn is_open(layout: &Layout) -> bool {
    let lone = |position: &Position| position.rounds == 1;
    let all = &layout.positions;
    let each: Vec<(u8, f64)> = all.iter().map(|it| (it.position, it.cycles_per_call)).collect();
    all.iter().any(lone)
        && positions::levels(&each)
            .iter()
            .zip(all)
            .any(|(level, it)| lone(it) && level.effect != 0.0)
}

/// Whether calls certainly take longer than `others` at every length; both must have the same
/// lengths.
#[must_use]
pub fn is_behind(points: &[Point], others: &[Point]) -> bool {
    let surely = |(point, other): (&Point, &Point)| {
        let (own, other) = (point.cycles_per_call.interval, other.cycles_per_call.interval);
        own.zip(other).is_some_and(|(own, other)| own.low > other.high)
    };
    let lengths = |points: &[Point]| -> Vec<_> {
        points.iter().map(|point| point.parameters.length()).collect()
    };
    !points.is_empty()
        && lengths(points) == lengths(others)
        && points.iter().zip(others).all(surely)
}

/// Iterates over the figures of a point, however its calls were made.
fn figures_of(point: &Point) -> impl Iterator<Item = Figure> {
    let one_by_one = point.one_by_one.iter().flat_map(|it| [&it.independent, &it.dependent]);
    std::iter::once(point.cycles_per_call).chain(one_by_one.map(|it| it.cycles_per_call))
}

/// Whether the uncertainty of `slope` is at most `share` of the longest call.
fn slope_adds_at_most(share: f64, slope: Figure, points: &[Point]) -> bool {
    let Some(longest) = points.iter().max_by_key(|point| point.parameters.length()) else {
        return false;
    };
    slope.interval.is_some_and(|interval| {
        let open = (interval.high - interval.low) / 2.0 * longest.parameters.length() as f64;
        open <= share * longest.cycles_per_call.estimate
    })
}

/// Returns the centre over rounds: the mean of the low ones. Effects of the machine on all rounds
/// of a minute, and unlucky placement of pages, mostly add time, so low rounds are the steadier
/// ones.
fn low_rounds(rounds: &mut [Vec<f64>]) -> Option<f64> {
    low_mean(&rounds.concat())
}

/// Returns the centre over concurrent or repeated runs: the interquartile mean.
pub fn middle_of_runs(runs: &mut [Vec<f64>]) -> Option<f64> {
    midmean_of(&runs.concat())
}

/// Returns the function that represents all rounds of a cell. If draws are hidden, low rounds would
/// lie below the long-run cost.
fn over_rounds(cell: &PointSamples) -> fn(&mut [Vec<f64>]) -> Option<f64> {
    if cell.has_hidden_draws() { |rounds| mean(&rounds.concat()) } else { low_rounds }
}

/// Returns the bootstrap with which intervals are computed.
#[must_use]
pub fn bootstrap(seed: u64) -> Bootstrap {
    // A round's centre already includes the noise inside the round; drawing samples as well would
    // count that noise twice.
    Bootstrap { resamples: RESAMPLES, confidence: CONFIDENCE, seed }
}

/// Returns the error that rounds do not show: of the clock, and of choosing the undisturbed samples,
/// where `narrow` is the estimate from half as many.
fn doubt(estimate: f64, narrow: f64) -> f64 {
    (CLOCK_DOUBT * estimate).hypot(UNCLEAR * (narrow - estimate))
}

/// Returns a figure in cycles whose interval also covers `doubt`. The errors are independent, so
/// their squares add up.
fn cycles(estimate: f64, interval: Option<cpb_stats::Interval>, doubt: f64) -> Figure {
    let wider = |interval: cpb_stats::Interval| cpb_stats::Interval {
        low: estimate - (estimate - interval.low).hypot(doubt),
        high: estimate + (interval.high - estimate).hypot(doubt),
        ..interval
    };
    figure(estimate, interval.map(wider))
}

/// Converts an estimate and its interval to a figure.
#[must_use]
pub fn figure(estimate: f64, interval: Option<cpb_stats::Interval>) -> Figure {
    let interval = interval.map(|interval| Interval {
        low: interval.low,
        high: interval.high,
        confidence: interval.confidence,
    });
    Figure::new(estimate, interval)
}

/// Combines single values of several runs by their `centre`.
pub fn of_runs(values: &[f64], centre: impl Fn(&mut [Vec<f64>]) -> Option<f64>) -> Option<Figure> {
    const SEED: u64 = 0;
    let rounds: Vec<[f64; 1]> = values.iter().map(|&value| [value]).collect();
    let estimate = cpb_stats::estimate(&rounds, &centre)?;
    Some(figure(estimate, bootstrap(SEED).interval(&rounds, &centre)))
}

#[cfg(test)]
mod tests;
