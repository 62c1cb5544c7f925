//! Tests that equal code is called equal, and that planted differences are found, on the noise
//! of recorded runs.

use crate::coverage::{earlier, now};
use crate::{Row, not_placed, point, sets};
use cpb_figures::testing::record;
use cpb_figures::{Ratio, Status, Tolerance};
use cpb_model::{Figure, Record};
use cpb_stats::{Comparison, Family, Question, Verdict};

/// The rows of a gate, among which `cpb gate` shares the accepted error.
const ROWS: usize = 28;
const MEASUREMENTS: usize = 3;
const TOLERANCE: f64 = 0.02;

fn slower(rounds: &[f64], times: f64) -> Vec<f64> {
    rounds.iter().map(|round| round * times).collect()
}

fn record_of(rounds: &[f64]) -> Record {
    let mut record = record("sha256", "a", 1.0);
    record.points = vec![point(rounds, not_placed)];
    record
}

/// Returns the verdict of a gate on a row: it is measured up to three times, with more rounds
/// each time, and is slower if all of them say so.
fn gate(row: &Row, first: usize, times: f64) -> Status {
    let confidence = 1.0 - 2.0 * 0.05 / (ROWS * MEASUREMENTS) as f64;
    let tolerance = Tolerance { share: TOLERANCE, confidence };
    let runs = row.runs.len();
    let then = record_of(&row.runs[first]);
    let mut status = Status::Within;
    for (measurement, rounds) in [6, 16, 40].into_iter().enumerate() {
        let run = &row.runs[(first + 1 + measurement) % runs];
        let now = record_of(&slower(&run[..rounds.min(run.len())], times));
        status = tolerance.judge(&then, &now).unwrap().status;
        if status >= Status::Within {
            return status;
        }
    }
    status
}

#[test]
fn a_gate_passes_equal_code_and_stops_slower() {
    for (times, name) in [(1.0, "equal"), (1.03, "3 % slower"), (1.05, "5 % slower")] {
        let [mut all, mut stopped, mut open] = [0, 0, 0];
        for row in sets().iter().flatten() {
            for first in 0..row.runs.len() {
                let status = gate(row, first, times);
                all += 1;
                stopped += usize::from(status == Status::Slower);
                open += usize::from([Status::NotMeasured, Status::AtTolerance].contains(&status));
            }
        }
        println!("gate at 2 %, {name}: {stopped} of {all} rows slower, {open} left open");
        match times {
            1.0 => assert_eq!(stopped, 0),
            1.03 => assert!(stopped * 10 > all * 6, "{stopped} of {all}"),
            _ => assert!(stopped * 100 > all * 97, "{stopped} of {all}"),
        }
    }
}

/// Compares every two runs of a set, as `cpb compare` does with two saved ones.
#[test]
fn saved_runs_of_equal_code_do_not_differ() {
    let before = saved_runs(1.0, earlier);
    println!("two saved runs, equal, by the earlier estimator: {before:?}");
    assert!(before.slower + before.faster > 0, "{before:?}");
    for (times, name) in [(1.0, "equal"), (1.01, "1 % slower"), (1.03, "3 % slower")] {
        let (before, said) = (saved_runs(times, earlier), saved_runs(times, now));
        println!("two saved runs, {name}: {said:?}; by the earlier estimator {before:?}");
        let is_right = match times {
            1.0 => said.slower + said.faster == 0 && said.no_difference > before.no_difference,
            _ => said.faster == 0 && said.no_difference == 0 && said.slower > before.slower,
        };
        assert!(is_right, "{name}: {said:?} {before:?}");
    }
}

/// How two saved runs are compared.
const SAVED: Family = Family {
    question: Question::Difference,
    precision: 0.005,
    confidence: 0.95,
    verdicts: 16,
    looks: 1,
};

/// Counts the verdicts on all pairs of runs, where the later one's rounds take `times` times as
/// long.
fn saved_runs(times: f64, figure: fn(&[f64]) -> Figure) -> Said {
    let mut said = Said::default();
    for row in sets().iter().flatten() {
        let figures = |times: f64| -> Vec<Figure> {
            row.runs.iter().map(|run| figure(&slower(run, times))).collect()
        };
        let (then, now) = (figures(1.0), figures(times));
        for (first, then) in then.iter().enumerate() {
            for now in now.iter().skip(first + 1) {
                said.count(Ratio::of(&[[*then, *now]], &SAVED).unwrap().verdict);
            }
        }
    }
    said
}

/// Counts verdicts.
#[derive(Debug, Default)]
struct Said {
    slower: u32,
    faster: u32,
    no_difference: u32,
    cannot_tell: u32,
}

impl Said {
    fn count(&mut self, verdict: Verdict) {
        *match verdict {
            Verdict::Slower => &mut self.slower,
            Verdict::Faster => &mut self.faster,
            Verdict::NoDifference => &mut self.no_difference,
            Verdict::CannotTell => &mut self.cannot_tell,
        } += 1;
    }
}

/// Uses neighbouring rounds as the two sides of a live comparison.
#[test]
fn live_comparisons_of_equal_code_find_no_difference() {
    // There are nine lines at three lengths, at all looks.
    let family = Family { verdicts: 37, looks: 8, ..SAVED };
    for (times, name) in [(1.0, "equal"), (1.005, "0.5 %"), (1.01, "1 %"), (1.03, "3 %")] {
        let mut said = Said::default();
        for row in sets().iter().flatten() {
            // Rounds are paired with their neighbours in two ways; together the runs have as
            // many rounds as a comparison needs to decide.
            let rounds = row.runs.concat();
            for rounds in [&rounds[..], &rounds[1..]] {
                let pairs = rounds.as_chunks::<2>().0.iter().enumerate();
                // Either may be the baseline.
                let pair = |(index, [a, b]): (usize, &[f64; 2])| {
                    if index % 3 == 0 { [*b, a * times] } else { [*a, b * times] }
                };
                let pairs: Vec<[f64; 2]> = pairs.map(pair).collect();
                let judged = family.judge(|confidence| Comparison::paired(&pairs, confidence));
                said.count(judged.unwrap().verdict);
            }
        }
        println!("live comparisons, {name}: {said:?}");
        let is_right = match times {
            1.0 => said.slower + said.faster == 0,
            1.03 => said.slower >= 64 && said.faster + said.no_difference == 0,
            _ => said.faster == 0,
        };
        assert!(is_right, "{name}: {said:?}");
    }
}
