//! Compares later runs with the first as JSON, as `cpb compare` does.

use crate::differences::differences;
use crate::json::rounded;
use crate::{Paired, Source};
use cpb_figures::{
    LengthPair, Ratio, RatioBound, RowPair, RunComparison, USUAL_LENGTHS, USUAL_PRECISION, compare,
    verdict_name,
};
use cpb_model::{Record, Run};
use serde_json::{Value, json};

const DIGITS: usize = 6;

/// Explains a ratio of two primitives.
const TWO_PRIMITIVES: &str =
    "Two primitives, not one: which is cheaper, not which is faster at the same.";

/// Compares `later` with `first` by their figures; `data` describes the shape.
pub(super) fn comparison(first: &Source, later: &Source) -> Value {
    let runs = [first.run, later.run];
    let all = runs.map(|run| (0..run.records.len()).collect::<Vec<usize>>());
    let comparison = compare(runs, [&all[0], &all[1]], &USUAL_LENGTHS, USUAL_PRECISION);
    let only = [0, 1].map(|side| {
        let places = comparison.only[side].iter().map(|&place| &runs[side].records[place]);
        places.map(called).collect::<Vec<String>>()
    });
    shape(runs, &comparison, USUAL_PRECISION, &only, false)
}

/// Returns the comparison of runs measured next to each other.
pub(super) fn of_pairs(first: &Source, later: &Source, paired: &Paired) -> Value {
    shape([first.run, later.run], &paired.compared, paired.precision, &paired.only, true)
}

fn shape(
    runs: [&Run; 2],
    comparison: &RunComparison,
    precision: f64,
    only: &[Vec<String>; 2],
    is_paired: bool,
) -> Value {
    let primitive =
        |side: usize, row: &RowPair| &runs[side].records[row.places[side]].subject.primitive;
    let are_two = comparison.rows.iter().any(|row| primitive(0, row) != primitive(1, row));
    let notes = are_two.then(|| TWO_PRIMITIVES.to_owned()).into_iter();
    let notes: Vec<String> = notes.chain(differences(runs[0], runs[1])).collect();
    json!({
        "notes": notes,
        "paired": is_paired,
        "precision": precision,
        "mean": comparison.all.map(|all| ratio(&all)),
        "counted": comparison.counted,
        "only": only,
        "pairs": comparison.rows.iter().map(|row| pair(runs, row)).collect::<Vec<Value>>(),
    })
}

fn called(record: &Record) -> String {
    let subject = &record.subject;
    format!("{} {} of {}", subject.primitive, subject.operation.name(), subject.library)
}

fn pair(runs: [&Run; 2], row: &RowPair) -> Value {
    let [first, later] = row.places;
    let failures = [&runs[0].records[first], &runs[1].records[later]];
    let failure = failures.into_iter().find_map(|record| {
        let failure = record.failure.as_ref()?;
        Some(format!("{}: {}", record.subject.library, failure.reason))
    });
    let lengths: Vec<Value> =
        row.lengths.iter().map(|it| json!([it.length, length_ratio(it)])).collect();
    json!([first, later, lengths, row.ratio.as_ref().map(ratio), failure])
}

/// Returns the ratio at a length; the plain ratio of the figures if nothing more is known.
fn length_ratio(length: &LengthPair) -> Value {
    let plain = || {
        let [a, b] = length.cycles.map(|figure| figure.estimate);
        let known = RatioBound::of(length.cycles)?;
        Some(json!([rounded(b / a, DIGITS), null, null, "", known.mark()]))
    };
    length.ratio.as_ref().map(ratio).or_else(plain).unwrap_or(Value::Null)
}

fn ratio(ratio: &Ratio) -> Value {
    let (low, high) = ratio.interval.map(|interval| (interval.low, interval.high)).unzip();
    let end = |value: Option<f64>| value.map_or(Value::Null, |value| rounded(value, DIGITS));
    let verdict = verdict_name(ratio.verdict);
    json!([rounded(ratio.value, DIGITS), end(low), end(high), verdict, ratio.known.mark()])
}
