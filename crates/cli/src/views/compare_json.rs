//! `cpb compare` as JSON: everything, with the cycles of every round.

use crate::comparison::{CONFIDENCE, Line, Outcome, verdict_name};
use crate::fault::Fault;
use crate::output;
use cpb_stats::Comparison;
use serde_json::{Value, json};

pub(crate) fn write(outcome: &Outcome) -> Result<(), Fault> {
    let value = json!({
        "schema": cpb_model::SCHEMA,
        "kind": "comparison",
        "a": outcome.names[0],
        "b": outcome.names[1],
        "paired": outcome.is_paired,
        "precision": outcome.precision,
        "confidence": CONFIDENCE,
        "sum": comparison(outcome.sum.as_ref(), outcome.precision),
        "workloads": outcome.lines.iter().map(|l| line(l, outcome.precision)).collect::<Vec<_>>(),
        "only_a": outcome.only[0],
        "only_b": outcome.only[1],
        "run": outcome.run,
    });
    Ok(output::print_json(&value)?)
}

fn line(line: &Line, precision: f64) -> Value {
    json!({
        "primitive": line.primitive,
        "operation": line.operation,
        "contract": line.contract,
        "aad_bytes": line.aad_bytes,
        "backend_a": line.backends[0],
        "backend_b": line.backends[1],
        "rounds": line.rounds,
        "comparison": comparison(line.comparison.as_ref(), precision),
        "lengths": line.lengths.iter().map(|length| json!({
            "length": length.length,
            "cycles_a": length.cycles[0],
            "cycles_b": length.cycles[1],
            "comparison": comparison(length.comparison.as_ref(), precision),
            "rounds": length.rounds,
        })).collect::<Vec<_>>(),
        "failure": line.failure,
    })
}

fn comparison(comparison: Option<&Comparison>, precision: f64) -> Value {
    comparison.map_or(Value::Null, |it| {
        json!({
            "ratio": it.ratio,
            "low": it.interval.low,
            "high": it.interval.high,
            "verdict": verdict_name(it.verdict(precision)),
        })
    })
}
