//! Measures how often intervals cover the truth, on simulated rounds.
//!
//! A round is an offset of its own plus samples with normal noise around it. Seeds are fixed, so
//! the tables in the documentation of `bootstrap` are what these tests print with
//! `cargo test -p cpb-stats --test stats coverage -- --nocapture --test-threads 1`.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests, which the exception for tests does not reach"
)]

use crate::normal;
use cpb_stats::{
    Bootstrap, Line, Point, least_squares, mean_of_rounds, median, quantile_of, robust_line,
};
use fastrand::Rng;

const TRUTH: f64 = 100.0;
const RUNS: u64 = 400;
const SAMPLES: usize = 20;
/// About three standard errors of a coverage of 95 % observed in that many runs.
const ALLOWANCE: f64 = 0.033;

/// The parameters of simulated rounds; deviations are in percent.
#[derive(Clone, Copy)]
struct Situation {
    /// Standard deviation of the rounds' offsets.
    between: f64,
    /// Whether those offsets are exponential, shifted to mean zero, instead of normal.
    skewed: bool,
    /// Standard deviation of samples inside a round.
    within: f64,
}

const DIFFER: Situation = Situation { between: 0.2, skewed: false, within: 0.2 };
/// The median of 20 samples scatters as much as the rounds do.
const MIXED: Situation = Situation { within: 0.73, ..DIFFER };
const AGREE: Situation = Situation { between: 0.0, ..MIXED };
const SKEWED: Situation = Situation { skewed: true, ..DIFFER };

fn bootstrap(seed: u64) -> Bootstrap {
    Bootstrap { resamples: 200, confidence: 0.95, seed }
}

#[test]
fn intervals_over_rounds_cover() {
    for rounds in [3, 5, 8, 10] {
        let [differ, mixed, agree, skewed] = coverages(rounds);
        for coverage in [differ, mixed, agree] {
            assert!((0.94 - coverage).abs() < ALLOWANCE, "{rounds} rounds: {coverage}");
        }
        assert!(skewed > 0.82);
    }
}

#[test]
fn stopping_when_narrow_costs_little() {
    let unsteady = Situation { between: 0.4, within: 0.4, ..DIFFER };
    let mut rng = Rng::with_seed(4);
    let (mut covered, mut total) = (0, 0);
    for seed in 0..RUNS {
        let mut rounds = simulated_rounds(&mut rng, 5, TRUTH, unsteady);
        let interval = loop {
            let interval = bootstrap(seed).interval(&rounds, mean_of_rounds(median)).unwrap();
            if interval.high - interval.low <= 0.005 * TRUTH {
                break interval;
            }
            rounds.extend(simulated_rounds(&mut rng, 1, TRUTH, unsteady));
        };
        covered += u64::from(interval.contains(TRUTH));
        total += rounds.len();
    }
    let (covered, rounds) = (covered as f64 / RUNS as f64, total as f64 / RUNS as f64);
    println!("stopped when narrow: {covered:.3} covered, after {rounds:.1} rounds on average");
    assert!(covered > 0.93 - ALLOWANCE);
}

#[test]
fn line_intervals_cover() {
    for (name, fit) in [
        ("least_squares", least_squares as fn(&[(f64, f64)]) -> Option<Line>),
        ("robust_line", robust_line),
    ] {
        let mut rng = Rng::with_seed(3);
        let runs = 400;
        let (mut slope, mut intercept) = (0, 0);
        for seed in 0..runs {
            let points = simulated_points(&mut rng);
            let found = bootstrap(seed).line(&points, mean_of_rounds(median), fit).unwrap();
            slope += usize::from(found.slope.contains(1.5));
            intercept += usize::from(found.intercept.contains(100.0));
        }
        let [slope, intercept] = [slope, intercept].map(|count| count as f64 / runs as f64);
        println!("8 rounds, 5 lengths, {name}: slope {slope:.3}, intercept {intercept:.3}");
        assert!(slope > 0.95 - 0.033 && intercept > 0.95 - 0.033);
    }
}

/// Prints and returns the coverage of 95 % intervals.
fn coverages(rounds: usize) -> [f64; 4] {
    let mut plain_covered = Vec::new();
    let shares = [DIFFER, MIXED, AGREE, SKEWED].map(|situation| {
        let mut rng = Rng::with_seed(1);
        let mut plain = 0;
        let covered = (0..RUNS).filter(|&seed| {
            let data = simulated_rounds(&mut rng, rounds, TRUTH, situation);
            let estimator = mean_of_rounds(median);
            let mut estimates = Vec::new();
            let recording = |drawn: &mut [Vec<f64>]| {
                let value = estimator(drawn)?;
                estimates.push(value);
                Some(value)
            };
            let interval = bootstrap(seed).interval(&data, recording).unwrap();
            let [low, high] = [0.025, 0.975].map(|q| quantile_of(&estimates, q).unwrap());
            plain += u64::from(low <= TRUTH && TRUTH <= high);
            interval.contains(TRUTH)
        });
        let covered = covered.count() as f64 / RUNS as f64;
        plain_covered.push(plain as f64 / RUNS as f64);
        covered
    });
    let [differ, mixed, agree, skewed] = shares;
    println!("{rounds:2} rounds: {differ:.3} | {mixed:.3} | {agree:.3} | {skewed:.3}");
    println!("    plain percentiles: {plain_covered:.3?}");
    shares
}

fn simulated_rounds(
    rng: &mut Rng,
    rounds: usize,
    truth: f64,
    situation: Situation,
) -> Vec<Vec<f64>> {
    (0..rounds)
        .map(|_| {
            let offset = if situation.skewed { -(1.0 - rng.f64()).ln() - 1.0 } else { normal(rng) };
            let centre = truth * (1.0 + situation.between / 100.0 * offset);
            let within = situation.within / 100.0 * truth;
            (0..SAMPLES).map(|_| centre + within * normal(rng)).collect()
        })
        .collect()
}

/// Makes lengths measured in 8 processes, each with its own cost per byte and cost per message.
fn simulated_points(rng: &mut Rng) -> Vec<Point> {
    let processes: Vec<Line> = (0..8)
        .map(|_| Line {
            slope: 1.5 * (1.0 + 0.002 * normal(rng)),
            intercept: 100.0 * (1.0 + 0.01 * normal(rng)),
        })
        .collect();
    [64.0, 256.0, 1024.0, 4096.0, 16384.0]
        .iter()
        .map(|&x| {
            let mut round = |process: &Line| -> Vec<f64> {
                (0..10).map(|_| process.at(x) * (1.0 + 0.002 * normal(rng))).collect()
            };
            Point { x, rounds: processes.iter().map(&mut round).collect() }
        })
        .collect()
}
