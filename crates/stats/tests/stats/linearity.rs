//! Tests how often a line is called bent, of costs that are linear and of such that are not.

#![allow(
    clippy::unwrap_used,
    reason = "helpers of tests, which the exception for tests does not reach"
)]

use crate::normal;
use cpb_stats::linearity::FALSE_ALARMS;
use cpb_stats::{Bend, Bootstrap, Point, longest_two, low_mean, robust_line};
use fastrand::Rng;

type Cost<'a> = &'a dyn Fn(f64) -> f64;

const LENGTHS: [f64; 5] = [1024.0, 2048.0, 4096.0, 8192.0, 16_384.0];
const SHORT: [f64; 1] = [64.0];
const BOOTSTRAP: Bootstrap = Bootstrap { resamples: 200, confidence: 0.95, seed: 0 };
const TOLERANCE: f64 = 0.01;
const ROWS: u64 = 200;

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
