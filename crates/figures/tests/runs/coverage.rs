//! Tests how often intervals cover what other runs find.

use crate::{in_turn, not_placed, point, sets};
use cpb_figures::{bootstrap, middle_of_runs};
use cpb_model::{Figure, Interval};
use cpb_stats::median_of;
use fastrand::Rng;

/// Computes the figure as before it was known that rounds share errors: their interquartile
/// mean, with the interval of their differences and 0.03 %.
pub(crate) fn earlier(rounds: &[f64]) -> Figure {
    let alone: Vec<[f64; 1]> = rounds.iter().map(|&round| [round]).collect();
    let estimate = cpb_stats::estimate(&alone, middle_of_runs).unwrap();
    let interval = bootstrap(1).interval(&alone, middle_of_runs).unwrap();
    let doubt = 0.0003 * estimate;
    let low = estimate - (estimate - interval.low).hypot(doubt);
    let high = estimate + (interval.high - estimate).hypot(doubt);
    Figure::new(estimate, Some(Interval { low, high, confidence: 0.95 }))
}

pub(crate) fn now(rounds: &[f64]) -> Figure {
    point(rounds, not_placed).cycles_per_call.times(0.001)
}

#[derive(Default)]
struct Held {
    all: u32,
    held: u32,
    half_widths: f64,
}

impl Held {
    fn see(&mut self, figure: Figure, truth: f64) {
        let interval = figure.interval.unwrap();
        self.all += 1;
        self.held += u32::from((interval.low..=interval.high).contains(&truth));
        self.half_widths += figure.relative_half_width().unwrap();
    }

    fn share(&self) -> f64 {
        f64::from(self.held) / f64::from(self.all)
    }

    /// Formats the percentage of intervals that held, and the mean half width in percent.
    fn words(&self) -> String {
        let half_width = 100.0 * self.half_widths / f64::from(self.all);
        format!("{:5.1} ±{half_width:.2}", 100.0 * self.share())
    }
}

/// Counts how often the interval of recorded runs' first rounds covers the median of the runs'
/// figures.
#[test]
fn intervals_hold_the_median_of_recorded_runs() {
    let [one, two, three] = sets();
    let both: Vec<_> = one.into_iter().chain(two).collect();
    for (name, set) in [("1, 2", both), ("3", three)] {
        let merged = |figure: fn(&[f64]) -> Figure, first: usize| {
            let mut held = Held::default();
            for row in &set {
                let same = set.iter().filter(|other| other.name == row.name);
                let others = same.flat_map(|row| &row.runs);
                let figures: Vec<f64> = others.map(|run| figure(run).estimate).collect();
                let truth = median_of(&figures).unwrap();
                for run in row.runs.iter().filter(|run| run.len() >= first.min(8)) {
                    held.see(figure(&run[..first.min(run.len())]), truth);
                }
            }
            held
        };
        for first in [5, 8, 12, 20, usize::MAX] {
            let [before, after] = [merged(earlier, first), merged(now, first)];
            let rounds = if first == usize::MAX { "all".to_owned() } else { first.to_string() };
            println!(
                "sets {name:4} {rounds:>3} rounds: earlier {}   now {}",
                before.words(),
                after.words()
            );
            assert!(after.share() >= 0.92, "{name} {rounds}: {}", after.share());
            let narrowed = after.half_widths / before.half_widths;
            assert!(narrowed < if first > 20 { 1.5 } else { 1.1 }, "{name} {rounds}: {narrowed}");
            assert!(first <= 20 || before.share() < 0.85, "{name}: {}", before.share());
        }
    }
}

const SIMULATED: usize = 400;
/// The relative standard deviation of simulated rounds.
const DEVIATION: f64 = 0.003;

/// Makes a run of rounds with a long tail upwards, which share a part of their error.
fn simulated(rng: &mut Rng, rounds: usize, shared: f64, layout: [f64; 8]) -> Vec<f64> {
    let shared = shared * normal(rng);
    let round = |index: usize| {
        let tail = if rng.f64() < 0.25 { -3.0 * (1.0 - rng.f64()).ln() } else { 0.0 };
        1.0 + layout[index % 8] + DEVIATION * (normal(rng) + tail + shared)
    };
    (0..rounds).map(round).collect()
}

/// Varies the part that the rounds of a run share, in standard deviations of a round.
#[test]
fn intervals_hold_what_long_runs_find_though_rounds_share_a_part() {
    const SLOW: [f64; 8] = [0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.09];
    for (name, layout, position) in [
        ("not placed", [0.0; 8], not_placed as fn(usize) -> Option<u8>),
        ("placed, no position differs", [0.0; 8], in_turn),
        ("placed, one costs 9 % more", SLOW, in_turn),
    ] {
        let long: Vec<f64> = (0..40)
            .map(|seed| {
                let run = simulated(&mut Rng::with_seed(1000 + seed), 400, 0.0, layout);
                point(&run, position).cycles_per_call.estimate
            })
            .collect();
        let truth = median_of(&long).unwrap();
        let mean = 1000.0 * layout.iter().sum::<f64>() / 8.0;
        let plain = simulated(&mut Rng::with_seed(7), 4000, 0.0, [0.0; 8]);
        let expected = point(&plain, not_placed).cycles_per_call.estimate + mean;
        assert!((truth / expected - 1.0).abs() < 0.001, "{name}: {truth}, not {expected}");
        for rounds in [5, 8, 12, 16, 24, 32, 45, 75] {
            print!("{name:28} {rounds:2} rounds:");
            for (shared, least) in [(0.0, 0.93), (0.3, 0.86), (0.5, 0.68)] {
                let mut held = Held::default();
                let mut rng = Rng::with_seed(rounds as u64);
                let mut sum = 0.0;
                for _ in 0..SIMULATED {
                    let run = simulated(&mut rng, rounds, shared, layout);
                    let figure = point(&run, position).cycles_per_call;
                    sum += figure.estimate / truth - 1.0;
                    held.see(figure, truth);
                }
                let off = 100.0 * sum / SIMULATED as f64;
                print!("   {shared:.1} shared {} off {off:+.2}", held.words());
                // With fewer than two rounds at a position it is unknown whether they were
                // disturbed, and with fewer than eight rounds not every position was measured.
                let is_placed = position(0).is_some();
                let least = if is_placed && rounds < 16 { least - 0.14 } else { least };
                let are_seen = !is_placed || layout == [0.0; 8] || rounds >= 8;
                let held = held.share();
                assert!(!are_seen || held >= least, "{name} {rounds} {shared}: {held}");
            }
            println!();
        }
    }
}

/// Counts how often a position is reported that differs, and one that does not.
#[test]
fn positions_are_told_of_that_differ() {
    for rounds in [8, 16, 24, 40, 72] {
        let told = |effect: f64| {
            let mut layout = [0.0; 8];
            layout[5] = effect;
            let mut rng = Rng::with_seed(rounds as u64);
            let (mut right, mut wrong) = (0, 0);
            for _ in 0..SIMULATED {
                let run = simulated(&mut rng, rounds, 0.3, layout);
                let layout = point(&run, in_turn).layout.unwrap();
                right += usize::from(layout.differing().any(|it| it.position == 5));
                wrong += usize::from(layout.differing().any(|it| it.position != 5));
            }
            [right, wrong].map(|count| count as f64 / SIMULATED as f64)
        };
        let found = [0.0, 0.01, 0.02, 0.09].map(told);
        println!(
            "{rounds:2} rounds: told of by chance {:.4}; of 1, 2, 9 %: {:.3?}",
            found[0][0] + found[0][1],
            found.map(|it| it[0])
        );
        assert!(found.iter().all(|it| it[1] <= 0.04), "{rounds}: {found:?}");
        assert!(rounds < 16 || found[3][0] > 0.97, "{rounds}: {found:?}");
        assert!(rounds >= 16 || found[3] == [0.0, 0.0], "one round says nothing: {found:?}");
    }
}

fn normal(rng: &mut Rng) -> f64 {
    (-2.0 * (1.0 - rng.f64()).ln()).sqrt() * (std::f64::consts::TAU * rng.f64()).cos()
}
