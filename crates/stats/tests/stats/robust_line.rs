//! Simulates the alternatives to [`cpb_stats::robust_line`], to show why it was chosen.
//!
//! The points are y = a + b x with multiplicative normal noise of 0.2 %, and some points disturbed
//! upwards by an exponential 20 % on average, at the lengths of a slope measurement. The
//! alternatives are the obvious ones: ordinary least squares, Theil-Sen with pairs weighted by |dx|
//! and the intercept by 1 / y, and least squares with weights 1 / y² re-weighted by Huber's
//! function.
//!
//! `cargo test -p cpb-stats --test stats robust_line -- --nocapture` prints the table.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests, which the exception for tests does not reach"
)]

use crate::normal;
use cpb_stats::{Line, least_squares, median_of, quantile_of, robust_line};
use fastrand::Rng;

type Fit = fn(&[(f64, f64)]) -> Option<Line>;

const FITS: [(&str, Fit); 4] = [
    ("least squares", least_squares),
    ("Theil-Sen", theil_sen),
    ("Huber", huber),
    ("robust_line", robust_line),
];
const ROBUST: usize = 3;
const RIVALS: [usize; 2] = [1, 2];

/// Relative errors of slope and intercept: median and 95th percentile.
#[derive(Clone, Copy, Debug)]
struct Errors {
    slope: [f64; 2],
    intercept: [f64; 2],
}

#[test]
fn robust_line_beats_its_rivals_where_points_are_disturbed() {
    for lengths in [few_lengths(), many_lengths()] {
        for truth in [(100.0, 1.5), (1000.0, 0.5)] {
            let errors = simulate(&lengths, truth, 0.05);
            for rival in RIVALS {
                let (ours, theirs) = (errors[ROBUST], errors[rival]);
                assert!(ours.slope[0] <= theirs.slope[0], "{ours:?} {theirs:?}");
                assert!(ours.slope[1] <= theirs.slope[1], "{ours:?} {theirs:?}");
                assert!(ours.intercept[0] <= theirs.intercept[0] * 1.06, "{ours:?} {theirs:?}");
                assert!(ours.intercept[1] <= theirs.intercept[1], "{ours:?} {theirs:?}");
            }
        }
    }
}

#[test]
fn robust_line_costs_little_where_none_is_disturbed() {
    for lengths in [few_lengths(), many_lengths()] {
        let errors = simulate(&lengths, (100.0, 1.5), 0.0);
        assert!(errors[ROBUST].slope[0] < 1.06 * errors[2].slope[0], "{errors:?}");
        assert!(errors[ROBUST].slope[0] < 0.8 * errors[1].slope[0], "{errors:?}");
        assert!(errors[ROBUST].slope[1] < 1.1 * errors[2].slope[1], "{errors:?}");
    }
}

fn few_lengths() -> Vec<f64> {
    vec![64.0, 256.0, 1024.0, 1536.0, 8192.0, 16384.0]
}

fn many_lengths() -> Vec<f64> {
    (0..65).map(|i| 16.0 + 64.0 * f64::from(i)).collect()
}

fn simulate(lengths: &[f64], truth: (f64, f64), disturbed: f64) -> Vec<Errors> {
    let (intercept, slope) = truth;
    let mut rng = Rng::with_seed(1);
    let runs: Vec<Vec<(f64, f64)>> = (0..12_000 / lengths.len())
        .map(|_| {
            let mut point = |x: f64| {
                let noise = 1.0 + 0.002 * normal(&mut rng);
                let hit = rng.f64() < disturbed;
                let disturbance = -0.2 * (1.0 - rng.f64()).ln();
                (x, (intercept + slope * x) * noise * if hit { 1.0 + disturbance } else { 1.0 })
            };
            lengths.iter().map(|&x| point(x)).collect()
        })
        .collect();
    println!("\n{} lengths, y = {intercept} + {slope} x, {disturbed} disturbed", lengths.len());
    println!("{:14}{:>20}{:>24}", "", "slope off by %", "intercept off by %");
    println!("{:14}{:>10}{:>10}{:>14}{:>10}", "", "median", "95th", "median", "95th");
    let mut all = Vec::new();
    for (name, fit) in FITS {
        let lines: Vec<Line> = runs.iter().map(|points| fit(points).unwrap()).collect();
        let slopes = lines.iter().map(|line| (line.slope / slope - 1.0).abs());
        let intercepts = lines.iter().map(|line| (line.intercept / intercept - 1.0).abs());
        let centre_and_tail =
            |errors: Vec<f64>| [median_of(&errors).unwrap(), quantile_of(&errors, 0.95).unwrap()];
        let errors = Errors {
            slope: centre_and_tail(slopes.collect()),
            intercept: centre_and_tail(intercepts.collect()),
        };
        let [slope, slope_tail] = errors.slope.map(|error| error * 100.0);
        let [intercept, intercept_tail] = errors.intercept.map(|error| error * 100.0);
        println!("{name:14}{slope:10.3}{slope_tail:10.3}{intercept:14.3}{intercept_tail:10.3}");
        all.push(errors);
    }
    all
}

fn theil_sen(points: &[(f64, f64)]) -> Option<Line> {
    let pairs =
        points.iter().enumerate().flat_map(|(i, p)| points[..i].iter().map(move |q| (p, q)));
    let slopes = pairs.map(|(p, q)| ((p.1 - q.1) / (p.0 - q.0), (p.0 - q.0).abs())).collect();
    let slope = weighted_median(slopes)?;
    let intercepts = points.iter().map(|&(x, y)| (y - slope * x, 1.0 / y)).collect();
    Some(Line { slope, intercept: weighted_median(intercepts)? })
}

fn weighted_median(mut weighted: Vec<(f64, f64)>) -> Option<f64> {
    weighted.sort_by(|one, other| one.0.total_cmp(&other.0));
    let half = weighted.iter().map(|entry| entry.1).sum::<f64>() / 2.0;
    let mut below = 0.0;
    weighted.iter().find_map(|entry| {
        below += entry.1;
        (below >= half).then_some(entry.0)
    })
}

fn huber(points: &[(f64, f64)]) -> Option<Line> {
    let mut weights = vec![1.0; points.len()];
    let mut line = relative_least_squares(points, &weights);
    for _ in 0..50 {
        let residuals: Vec<f64> =
            points.iter().map(|&(x, y)| ((y - line.at(x)) / y).abs()).collect();
        let cutoff = 1.345 * 1.4826 * median_of(&residuals)?;
        for (weight, residual) in weights.iter_mut().zip(&residuals) {
            *weight = (cutoff / residual).min(1.0);
        }
        line = relative_least_squares(points, &weights);
    }
    Some(line)
}

/// Minimises the weighted sum of ((y - a - b x) / y)² by its normal equations.
fn relative_least_squares(points: &[(f64, f64)], weights: &[f64]) -> Line {
    let (mut uu, mut uv, mut vv, mut u1, mut v1) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for (&(x, y), weight) in points.iter().zip(weights) {
        let (u, v) = (1.0 / y, x / y);
        uu += weight * u * u;
        uv += weight * u * v;
        vv += weight * v * v;
        u1 += weight * u;
        v1 += weight * v;
    }
    let determinant = uu * vv - uv * uv;
    Line { slope: (uu * v1 - uv * u1) / determinant, intercept: (vv * u1 - uv * v1) / determinant }
}
