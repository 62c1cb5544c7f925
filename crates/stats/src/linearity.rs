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
