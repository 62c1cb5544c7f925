//! `cpb compare` as JSON: everything, with the cycles of every round.

use crate::comparison::{Line, Outcome};
use crate::fault::Fault;
use crate::output;
use cpb_figures::{CONFIDENCE, Ratio, verdict_name};
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
        "sum": comparison(outcome.sum),
        "workloads": outcome.lines.iter().map(line).collect::<Vec<_>>(),
        "only_a": outcome.only[0],
        "only_b": outcome.only[1],
        "run": outcome.run,
    });
    Ok(output::print_json(&value)?)
}

fn line(line: &Line) -> Value {
    json!({
        "primitive": line.primitive,
        "operation": line.operation,
        "contract": line.contract,
        "aad_bytes": line.aad_bytes,
        "backend_a": line.backends[0],
        "backend_b": line.backends[1],
        "rounds": line.rounds,
        "beside_neighbour": line.beside_neighbour,
        "comparison": comparison(line.ratio),
        "lengths": line.lengths.iter().map(|length| json!({
            "length": length.length,
            "cycles_a": length.cycles[0].estimate,
            "cycles_b": length.cycles[1].estimate,
            "upper_bound_a": length.cycles[0].upper_bound,
            "upper_bound_b": length.cycles[1].upper_bound,
            "comparison": comparison(length.ratio),
            "rounds": length.rounds,
        })).collect::<Vec<_>>(),
        "failure": line.failure,
    })
}

fn comparison(ratio: Option<Ratio>) -> Value {
    ratio.map_or(Value::Null, |it| {
        json!({
            "ratio": it.value,
            "low": it.interval.map(|interval| interval.low),
            "high": it.interval.map(|interval| interval.high),
            "verdict": verdict_name(it.verdict),
            "state": it.known.name(),
        })
    })
}
