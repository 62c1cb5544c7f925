//! Tests the promises of figures on recorded and simulated runs: that another run finds them within
//! their intervals, and that equal code is called equal.
//!
//! `cargo test -p cpb-figures --test runs -- --nocapture --test-threads 1` prints the tables.

#![allow(
    clippy::unwrap_used,
    clippy::print_stdout,
    reason = "helpers of tests, which the exception for tests does not reach"
)]

mod coverage;
mod verdicts;

use cpb_figures::testing::calibration;
use cpb_figures::{EstimateSpec, PointSamples, QuietCriterion, add_round};
use cpb_model::{Parameters, Point, RawRound, Samples};

/// Holds a row in the runs of a set: the rounds of each run, around 1.
struct Row {
    name: String,
    runs: Vec<Vec<f64>>,
}

/// Returns the recorded sets; `README.md` in their folder describes them.
fn sets() -> [Vec<Row>; 3] {
    [include_str!("1.csv"), include_str!("2.csv"), include_str!("3.csv")].map(|text| {
        let mut rows: Vec<Row> = Vec::new();
        for line in text.lines() {
            let [primitive, length, _, rounds] =
                line.split(',').collect::<Vec<_>>().try_into().unwrap();
            let name = format!("{primitive} {length}");
            let round = |it: &str| 1.0 + it.parse::<f64>().unwrap() / 1e5;
            let rounds = rounds.split(' ').map(round).collect();
            match rows.last_mut().filter(|row| row.name == name) {
                Some(row) => row.runs.push(rounds),
                None => rows.push(Row { name, runs: vec![rounds] }),
            }
        }
        rows
    })
}

/// Returns the point that cpb computes from rounds with these costs, around 1.
fn point(rounds: &[f64], position: impl Fn(usize) -> Option<u8>) -> Point {
    const CALLS: f64 = 1000.0;
    const CYCLES: f64 = 1000.0;
    let calibration = calibration(1);
    let ticks = |cycles: f64| (cycles * 0.65 + calibration.overhead_ticks).round() as u64;
    let bracket = ticks(calibration.bracket_links as f64 * 3.0);
    let mut cell = PointSamples::default();
    for (index, round) in rounds.iter().enumerate() {
        let samples = Samples {
            calls: CALLS as u64,
            ticks: vec![ticks(round * CALLS * CYCLES)],
            before: vec![bracket],
            after: vec![bracket],
            ..Samples::default()
        };
        let overhead_ticks = calibration.overhead_ticks;
        let round = RawRound { calibration: 0, overhead_ticks, position: position(index), samples };
        let cells = std::slice::from_mut(&mut cell);
        add_round(cells, std::slice::from_ref(&calibration), QuietCriterion::default(), &[round])
            .unwrap();
    }
    let parameters = vec![Parameters::default()];
    let asked = EstimateSpec { parameters, line: None, seed: 1 };
    asked.figures(&[cell]).0.remove(0)
}

fn not_placed(_: usize) -> Option<u8> {
    None
}

fn in_turn(round: usize) -> Option<u8> {
    Some((round % 8) as u8)
}
