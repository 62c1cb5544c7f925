//! Computes intervals of a line whose lengths were all measured in the same processes.

use crate::estimator::filled;
use crate::{Bootstrap, Interval, Line, estimate};

/// The rounds of one length.
#[derive(Clone, Debug, PartialEq)]
pub struct Point {
    /// The length, in the unit of the line's x.
    pub x: f64,
    /// `rounds[r]` holds the samples of process `r`, the same process in every point. Empty, or
    /// missing at the end, where that process has no samples of this length.
    pub rounds: Vec<Vec<f64>>,
}

/// The intervals of both parameters of a [`Line`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LineIntervals {
    /// Interval of the slope, in units of y per unit of x.
    pub slope: Interval,
    /// Interval of the intercept, in units of y.
    pub intercept: Interval,
}

/// Returns `(x, estimate)` of every point with samples, to fit the line to.
///
/// `None` if `estimator` gives none for a point with samples, or if a sample is not finite.
pub fn centres(
    points: &[Point],
    mut estimator: impl FnMut(&mut [Vec<f64>]) -> Option<f64>,
) -> Option<Vec<(f64, f64)>> {
    points
        .iter()
        .filter(|point| point.rounds.iter().any(|round| !round.is_empty()))
        .map(|point| Some((point.x, estimate(&point.rounds, &mut estimator)?)))
        .collect()
}

impl Bootstrap {
    /// Returns the intervals of the line that `fit` lays through the estimates of `estimator` at
    /// each point.
    ///
    /// Each resample draws processes once and uses that draw for all points: an effect of one
    /// process on all lengths must move the whole line, not look like scatter around it. A point
    /// without any drawn round is missing from that resample's line.
    ///
    /// The small-sample factor counts the processes with samples in any point, so where many rounds
    /// are missing the intervals are somewhat narrow.
    ///
    /// `None` if fewer than two processes have samples, if a sample is not finite, if `estimator`
    /// or `fit` gives none for one resample, or if the settings are out of range.
    pub fn line(
        &self,
        points: &[Point],
        mut estimator: impl FnMut(&mut [Vec<f64>]) -> Option<f64>,
        mut fit: impl FnMut(&[(f64, f64)]) -> Option<Line>,
    ) -> Option<LineIntervals> {
        let (mut slopes, mut intercepts) = (Vec::new(), Vec::new());
        let processes = self.lines(points, &mut estimator, &mut fit, |_, line| {
            slopes.push(line.slope);
            intercepts.push(line.intercept);
        })?;
        Some(LineIntervals {
            slope: self.enclose(slopes, processes)?,
            intercept: self.enclose(intercepts, processes)?,
        })
    }

    /// Passes every resample's points and their line to `each`, and returns the number of
    /// processes. `None` as for [`line`](Self::line).
    pub(crate) fn lines(
        &self,
        points: &[Point],
        estimator: &mut impl FnMut(&mut [Vec<f64>]) -> Option<f64>,
        fit: &mut impl FnMut(&[(f64, f64)]) -> Option<Line>,
        mut each: impl FnMut(&[(f64, f64)], &Line),
    ) -> Option<usize> {
        for point in points {
            filled(&point.rounds)?;
        }
        let processes = processes(points);
        let mut resampler = self.resampler(processes.len())?;
        let mut drawn = vec![Vec::new(); processes.len()];
        let mut line_points = Vec::with_capacity(points.len());
        for _ in 0..self.resamples {
            resampler.draw_rounds();
            line_points.clear();
            for point in points {
                let mut count = 0;
                for &process in &resampler.rounds {
                    let round = samples(point, processes[process]);
                    if !round.is_empty() {
                        round.clone_into(&mut drawn[count]);
                        count += 1;
                    }
                }
                if count > 0 {
                    line_points.push((point.x, estimator(&mut drawn[..count])?));
                }
            }
            each(&line_points, &fit(&line_points)?);
        }
        Some(processes.len())
    }
}

/// Returns the indices of the processes that have samples in any point.
fn processes(points: &[Point]) -> Vec<usize> {
    let most = points.iter().map(|point| point.rounds.len()).max().unwrap_or(0);
    (0..most)
        .filter(|&process| points.iter().any(|point| !samples(point, process).is_empty()))
        .collect()
}

fn samples(point: &Point, process: usize) -> &[f64] {
    point.rounds.get(process).map_or(&[], Vec::as_slice)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{least_squares, mean_of_rounds, median, robust_line};

    const FEW: Bootstrap = Bootstrap { resamples: 200, confidence: 0.95, seed: 7 };

    /// The cost of process r is `factor(r)` times 100 + 1.5 x.
    fn points(factors: &[f64]) -> Vec<Point> {
        [16.0, 64.0, 256.0, 1024.0]
            .iter()
            .map(|&x| {
                let rounds = factors.iter().map(|f| vec![f * (100.0 + 1.5 * x); 5]).collect();
                Point { x, rounds }
            })
            .collect()
    }

    #[test]
    fn a_process_moves_the_whole_line() {
        // Every resample is an exact line, so the slope's interval is that of the mean of factors.
        let factors = [0.99, 1.0, 1.02, 1.01, 0.98];
        let joint = FEW.line(&points(&factors), mean_of_rounds(median), robust_line).unwrap();
        let alone: Vec<Vec<f64>> = factors.iter().map(|&f| vec![f]).collect();
        let expected = FEW.interval(&alone, mean_of_rounds(median)).unwrap();
        assert!((joint.slope.low / (1.5 * expected.low) - 1.0).abs() < 1e-9);
        assert!((joint.slope.high / (1.5 * expected.high) - 1.0).abs() < 1e-9);
        assert!((joint.intercept.low / (100.0 * expected.low) - 1.0).abs() < 1e-8);
        assert!(joint.slope.contains(1.5) && joint.intercept.contains(100.0));
    }

    #[test]
    fn exact_data_gives_a_point() {
        let line =
            FEW.line(&points(&[1.0, 1.0, 1.0]), mean_of_rounds(median), least_squares).unwrap();
        assert!((line.slope.high - line.slope.low).abs() < 1e-9 && line.slope.contains(1.5));
        assert!((line.intercept.high - line.intercept.low).abs() < 1e-9);
    }

    #[test]
    fn missing_rounds_are_skipped() {
        let mut points = points(&[0.99, 1.0, 1.01, 1.0]);
        points[1].rounds[2].clear();
        points[2].rounds.truncate(2);
        points.push(Point { x: 4096.0, rounds: vec![] });
        for point in &mut points {
            point.rounds.push(vec![]);
        }
        let line = FEW.line(&points, mean_of_rounds(median), robust_line).unwrap();
        assert!(line.slope.contains(1.5) && line.slope.high - line.slope.low < 0.15);
        let centres = centres(&points, mean_of_rounds(median)).unwrap();
        assert_eq!(centres.len(), 4);
        assert_eq!(centres[2].1, 0.995 * (100.0 + 1.5 * 256.0));
    }

    #[test]
    fn empty_processes_do_not_count_as_rounds() {
        let full = points(&[0.99, 1.0, 1.02]);
        let mut padded = full.clone();
        for point in &mut padded {
            point.rounds.insert(1, vec![]);
        }
        let line = |points: &[Point]| FEW.line(points, mean_of_rounds(median), robust_line);
        assert_eq!(line(&full), line(&padded));
    }

    #[test]
    fn unfit_input_gives_none() {
        let line = |points: &[Point]| FEW.line(points, mean_of_rounds(median), least_squares);
        assert_eq!(line(&[]), None);
        assert_eq!(line(&points(&[1.0])), None);
        assert_eq!(line(&points(&[1.0, 1.0])[..1]), None);
        let mut broken = points(&[1.0, 1.0]);
        broken[0].rounds[0][0] = f64::NAN;
        assert_eq!(line(&broken), None);
        assert_eq!(centres(&broken, mean_of_rounds(median)), None);
    }

    #[test]
    fn same_seed_same_intervals() {
        let points = points(&[0.99, 1.0, 1.02, 1.01]);
        let line = |seed| {
            Bootstrap { seed, ..FEW }.line(&points, mean_of_rounds(median), robust_line).unwrap()
        };
        assert_eq!(line(1), line(1));
        assert_ne!(line(1), line(2));
    }
}
