//! Measures how often a comparison with several looks errs, and what it finds, on simulated
//! rounds. Seeds are fixed; the documentation of `looks` has the figures.

#![allow(clippy::print_stdout, reason = "the figures are wanted")]

use crate::normal;
use cpb_stats::looks::{LOOKS, confidence_of_a_look};
use cpb_stats::{Comparison, Verdict};
use fastrand::Rng;

const RUNS: u64 = 400;
const CONFIDENCE: f64 = 0.95;
/// Three standard errors of 5 % in that many runs.
const ALLOWANCE: f64 = 0.033;

/// The rounds up to which every round is looked at, in the counter-example.
const MOST: usize = 60;

/// The effect of a process on all its costs.
type Disturbance = fn(&mut Rng) -> f64;

const DISTURBANCES: [(&str, Disturbance); 3] = [
    ("normal", |rng| 1.0 + 0.002 * normal(rng)),
    ("some processes slow", |rng| {
        let slow = if rng.f64() < 0.1 { 0.2 * rng.f64() } else { 0.0 };
        1.0 + slow + 0.002 * normal(rng)
    }),
    ("two kinds of process", |rng| 1.0 + 0.02 * f64::from(rng.bool()) + 0.001 * normal(rng)),
];

/// Returns the costs of both sides, where the candidate's is `ratio` times the baseline's.
fn rounds(rng: &mut Rng, disturbance: Disturbance, ratio: f64) -> Vec<[f64; 2]> {
    let most = LOOKS[LOOKS.len() - 1];
    (0..most).map(|_| [disturbance(rng), ratio * disturbance(rng)]).collect()
}

/// Does the same as `cpb compare`: returns verdict, ratio and rounds at the end.
fn outcome(rounds: &[[f64; 2]], precision: f64) -> (Verdict, f64, usize) {
    let mut last = (Verdict::CannotTell, 1.0, 0);
    for look in LOOKS {
        let confidence = confidence_of_a_look(CONFIDENCE);
        let comparison = Comparison::paired(&rounds[..look], confidence).expect("sound rounds");
        last = (comparison.verdict(precision), comparison.ratio, look);
        if comparison.verdict(precision) != Verdict::CannotTell {
            break;
        }
    }
    last
}

fn is_difference(verdict: Verdict) -> bool {
    matches!(verdict, Verdict::Faster | Verdict::Slower)
}

#[test]
fn equal_sides_are_rarely_told_apart_at_any_look() {
    for (name, disturbance) in DISTURBANCES {
        let mut rng = Rng::with_seed(1);
        let (mut wrong, mut wrong_at_default) = (0, 0);
        for _ in 0..RUNS {
            let rounds = rounds(&mut rng, disturbance, 1.0);
            let confidence = confidence_of_a_look(CONFIDENCE);
            let differs = |&look: &usize| {
                let comparison = Comparison::paired(&rounds[..look], confidence);
                !comparison.expect("sound rounds").interval.contains(1.0)
            };
            wrong += u64::from(LOOKS.iter().any(differs));
            wrong_at_default += u64::from(is_difference(outcome(&rounds, 0.005).0));
        }
        let [wrong, at_default] = [wrong, wrong_at_default].map(|count| count as f64 / RUNS as f64);
        println!("{name}: {wrong:.3} without 1, {at_default:.3} wrong at 0.5 %");
        assert!(wrong < 1.0 - CONFIDENCE + ALLOWANCE, "{name}: {wrong}");
        assert!(at_default <= wrong && at_default < 0.03, "{name}: {at_default}");
    }
}

/// This shows why the rules exist, and proves that the test above can fail.
#[test]
fn looking_after_every_round_errs_far_more_often() {
    for (name, disturbance) in DISTURBANCES {
        let mut rng = Rng::with_seed(1);
        let wrong = (0..RUNS / 4).filter(|_| {
            let rounds = rounds(&mut rng, disturbance, 1.0);
            (LOOKS[0]..=MOST).any(|look| {
                let comparison = Comparison::paired(&rounds[..look], CONFIDENCE);
                !comparison.expect("sound rounds").interval.contains(1.0)
            })
        });
        let wrong = wrong.count() as f64 / (RUNS / 4) as f64;
        println!("{name}: {wrong:.3} wrong when looking after every round");
        assert!(wrong > 0.12, "{name}: {wrong}");
    }
}

#[test]
fn differences_are_found_and_sized() {
    for (name, disturbance) in &DISTURBANCES[..2] {
        for (ratio, precision, most_off) in [(1.01, 0.005, 0.002), (0.97, 0.005, 0.004)] {
            let mut rng = Rng::with_seed(2);
            let (mut found, mut sized, mut taken) = (0, 0, 0);
            let runs = RUNS / 4;
            for _ in 0..runs {
                let rounds = rounds(&mut rng, *disturbance, ratio);
                let (verdict, estimate, look) = outcome(&rounds, precision);
                let right = if ratio > 1.0 { Verdict::Slower } else { Verdict::Faster };
                found += u64::from(verdict == right);
                sized += u64::from((estimate / ratio - 1.0).abs() < most_off);
                taken += look;
            }
            let [found, sized] = [found, sized].map(|count| count as f64 / runs as f64);
            let taken = taken as f64 / runs as f64;
            println!("{name}, {ratio}: found {found:.3}, sized {sized:.3}, {taken:.1} rounds");
            assert!(found > 0.99 && sized > 0.94, "{name} {ratio}: {found} {sized}");
        }
    }
}

#[test]
fn a_difference_of_three_in_a_thousand_is_found_at_one_in_a_thousand() {
    let mut rng = Rng::with_seed(3);
    // It must be known to half the precision, which needs processes that differ by no more than
    // that.
    let disturbance: Disturbance = |rng| 1.0 + 0.001 * normal(rng);
    let found = (0..RUNS / 5).filter(|_| {
        let rounds = rounds(&mut rng, disturbance, 1.003);
        outcome(&rounds, 0.001).0 == Verdict::Slower
    });
    let found = found.count() as f64 / (RUNS / 5) as f64;
    assert!(found > 0.98, "{found}");
}
