//! Checks whether points lie on the line that was fitted through them.
//!
//! The cost of code bends where another code path begins, where caches end, and where a call
//! overlaps with the next one. A line through such points still has a slope and an intercept with
//! narrow intervals, but neither is meaningful.
//!
//! No cost is exactly linear, and with enough rounds any bend is detected. So a line fails only if
//! it is certainly off by more than a tolerance. All points of a row are tested together, and the
//! line at 0: each test uses Student's distribution at its part of [`FALSE_ALARMS`] (Bonferroni),
//! so at most that share of rows with linear cost is called bent. In practice it is far less,
//! because a linear cost also deviates by less than the tolerance.

use crate::distribution::student_two_sided;
use crate::{Bootstrap, Line, Point, centres, mean};

/// The share of rows with linear cost that may be called bent.
pub const FALSE_ALARMS: f64 = 0.01;

/// The point at which a line is most wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Bend {
    /// The x of that point; 0 for the intercept.
    pub x: f64,
    /// (Measured − line) ÷ measured there; at 0, the intercept relative to the cost of the
    /// shortest point on the line.
    pub off: f64,
}

impl Bootstrap {
    /// Returns the point that lies furthest from the line, if it is certainly off by more than
    /// `tolerance` of its measured value. `fit` computes the line from the values of `estimator` at
    /// each point. At 0 the line must not be negative, nor exceed the cost of any of the `shorter`
    /// points.
    ///
    /// Returns `None` if the line holds, or if that cannot be determined: with fewer than three
    /// points, or if there is no [`line`](Self::line).
    pub fn bend(
        &self,
        points: &[Point],
        shorter: &[Point],
        mut estimator: impl FnMut(&mut [Vec<f64>]) -> Option<f64>,
        mut fit: impl FnMut(&[(f64, f64)]) -> Option<Line>,
        tolerance: f64,
    ) -> Option<Bend> {
        let found = centres(points, &mut estimator)?;
        if found.len() < 3 {
            return None;
        }
        let line = fit(&found)?;
        let shorter = centres(shorter, &mut estimator)?;
        let (mut offs, mut intercepts) = (Vec::new(), Vec::new());
        let rounds = self.lines(points, &mut estimator, &mut fit, |points, line| {
            // A resample may lack a point.
            for at in points {
                let place = found.iter().position(|it| it.0 == at.0);
                offs.extend(place.map(|place| (place, off(*at, line))));
            }
            intercepts.push(line.intercept);
        })?;
        let tests = found.len() + shorter.len() + 1;
        let student = student_two_sided(1.0 - FALSE_ALARMS / tests as f64, rounds - 1);
        // As for intervals, more rounds do not reveal what all of them share.
        let few = (rounds as f64 / (rounds as f64 - 1.0)).sqrt();
        let shared = (1.0 + rounds as f64 / crate::interval::A_RUN_COUNTS_FOR).sqrt();
        let margin = |values: &[f64]| Some(student * few * shared * deviation(values)?);
        let surely = |off: f64, margin: f64| off.abs() - margin > tolerance;
        let mut bends: Vec<Bend> = Vec::new();
        for (place, at) in found.iter().enumerate() {
            let its = offs.iter().filter(|(of, _)| *of == place).map(|(_, off)| *off);
            let off = off(*at, &line);
            if surely(off, margin(&its.collect::<Vec<f64>>())?) {
                bends.push(Bend { x: at.0, off });
            }
        }
        let open = margin(&intercepts)?;
        let shortest = found.iter().map(|it| it.1).fold(f64::INFINITY, f64::min);
        if surely(line.intercept.min(0.0) / shortest, open / shortest) {
            bends.push(Bend { x: 0.0, off: line.intercept / shortest });
        }
        for at in shorter {
            let above = (line.intercept - at.1).max(0.0) / at.1;
            if surely(above, open / at.1) {
                bends.push(Bend { x: at.0, off: off(at, &line) });
            }
        }
        bends.into_iter().max_by(|a, b| a.off.abs().total_cmp(&b.off.abs()))
    }
}

/// Returns the line through the longest point and the longest one of at most half its x.
///
/// `None` without such points, or if a coordinate is not finite.
pub fn longest_two(points: &[(f64, f64)]) -> Option<Line> {
    let longest = points.iter().max_by(|a, b| a.0.total_cmp(&b.0))?;
    let half = points.iter().filter(|it| 2.0 * it.0 <= longest.0);
    let half = half.max_by(|a, b| a.0.total_cmp(&b.0))?;
    crate::least_squares(&[*half, *longest])
}

fn off((x, y): (f64, f64), line: &Line) -> f64 {
    (y - line.at(x)) / y
}

/// Returns the standard deviation of resampled values.
fn deviation(values: &[f64]) -> Option<f64> {
    let centre = mean(values)?;
    let squares: Vec<f64> = values.iter().map(|value| (value - centre).powi(2)).collect();
    Some(mean(&squares)?.sqrt())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{low_mean, robust_line};
    use fastrand::Rng;

    type Cost<'a> = &'a dyn Fn(f64) -> f64;

    const LENGTHS: [f64; 5] = [1024.0, 2048.0, 4096.0, 8192.0, 16_384.0];
    const SHORT: [f64; 1] = [64.0];
    const BOOTSTRAP: Bootstrap = Bootstrap { resamples: 200, confidence: 0.95, seed: 0 };
    const TOLERANCE: f64 = 0.01;
    const ROWS: u64 = 200;

    /// Draws a normally distributed number with standard deviation 1.
    fn normal(random: &mut Rng) -> f64 {
        (-2.0 * (1.0 - random.f64()).ln()).sqrt() * (std::f64::consts::TAU * random.f64()).cos()
    }

    /// Makes rounds of processes that differ by `noise` each, and by as much again at each length.
    fn measured(cost: Cost, rounds: usize, noise: f64, seed: u64) -> [Vec<Point>; 2] {
        let mut random = Rng::with_seed(seed);
        let processes: Vec<f64> = (0..rounds).map(|_| noise * normal(&mut random)).collect();
        let mut at = |x: &f64| Point {
            x: *x,
            rounds: (processes.iter())
                .map(|process| vec![cost(*x) * (1.0 + process + noise * normal(&mut random))])
                .collect(),
        };
        let long = LENGTHS.iter().map(&mut at).collect();
        [long, SHORT.iter().map(&mut at).collect()]
    }

    fn bend(cost: Cost, rounds: usize, noise: f64, seed: u64) -> Option<Bend> {
        let low = |rounds: &mut [Vec<f64>]| low_mean(&rounds.concat());
        let [long, short] = measured(cost, rounds, noise, seed);
        BOOTSTRAP.bend(&long, &short, low, robust_line, TOLERANCE)
    }

    fn share(cost: Cost, rounds: usize, noise: f64) -> f64 {
        let found = (0..ROWS).filter(|&seed| bend(cost, rounds, noise, seed).is_some()).count();
        found as f64 / ROWS as f64
    }

    #[test]
    fn a_linear_cost_is_not_called_bent() {
        for cost in [&(|x: f64| 300.0 + 5.0 * x) as Cost, &|x| 0.3 * x, &|x| 80.0 + 0.1 * x] {
            for (rounds, noise) in [(4, 0.002), (8, 0.002), (8, 0.02), (30, 0.01), (8, 0.1)] {
                let share = share(cost, rounds, noise);
                assert!(share <= FALSE_ALARMS, "{share} of rows, {rounds} rounds, {noise}");
            }
        }
    }

    #[test]
    fn a_cost_that_bends_is_seen() {
        let step = |x: f64| 300.0 + 5.0 * x + if x >= 8192.0 { 3000.0 } else { 0.0 };
        let two_paths = |x: f64| if x < 4096.0 { 100.0 + 2.0 * x } else { 4000.0 + 1.0 * x };
        let cache = |x: f64| 300.0 + 0.5 * x * if x > 8192.0 { 1.2 } else { 1.0 };
        let negative = |x: f64| if x < 512.0 { 5.0 * x } else { 0.75 * x - 84.0 };
        let short_path = |x: f64| if x < 512.0 { 100.0 + x } else { 900.0 + x };
        let all: [(Cost, &[f64]); 5] = [
            // The line decides which of the two halves lies off it.
            (&step, &[]),
            (&two_paths, &[]),
            (&cache, &[16_384.0]),
            (&negative, &[0.0]),
            (&short_path, &[64.0]),
        ];
        for (place, (cost, at)) in all.into_iter().enumerate() {
            for (rounds, noise) in [(8, 0.002), (8, 0.005), (30, 0.005)] {
                let share = share(cost, rounds, noise);
                assert!(share > 0.9, "{place}: {share} of rows, {rounds} rounds, {noise}");
            }
            let worst = bend(cost, 8, 0.002, 1).unwrap();
            assert!(at.is_empty() || at.contains(&worst.x), "{place}: {worst:?}");
        }
    }

    #[test]
    fn less_than_the_tolerance_is_no_bend_however_sure() {
        let stairs = |x: f64| (300.0 + 5.0 * x) * if x == 4096.0 { 1.006 } else { 1.0 };
        assert_eq!(share(&stairs, 30, 0.0002), 0.0);
    }

    #[test]
    fn two_points_bend_nowhere_and_give_a_line() {
        let low = |rounds: &mut [Vec<f64>]| low_mean(&rounds.concat());
        let [long, short] = measured(&|x| x * x, 8, 0.001, 1);
        assert_eq!(BOOTSTRAP.bend(&long[..2], &short, low, robust_line, TOLERANCE), None);
        assert_eq!(BOOTSTRAP.bend(&[], &[], low, robust_line, TOLERANCE), None);
        let points = [(1024.0, 10.0), (8100.0, 50.0), (16_000.0, 90.0), (16_384.0, 100.0)];
        let line = longest_two(&points).unwrap();
        assert!((line.slope - 50.0 / 8284.0).abs() < 1e-12);
        assert_eq!((longest_two(&points[2..]), longest_two(&[])), (None, None));
    }
}
