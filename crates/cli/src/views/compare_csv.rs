//! `cpb compare` as CSV: one line for each workload and one for each of its
//! lengths.

use crate::comparison::{Line, Outcome, verdict_name};
use crate::fault::Fault;
use cpb_report::number::five_digits;
use cpb_report::write_csv;
use cpb_stats::{Comparison, Finding};

const HEADER: [&str; 16] = [
    "primitive",
    "operation",
    "contract",
    "aad_bytes",
    "backend_a",
    "backend_b",
    "length",
    "cycles_a",
    "cycles_b",
    "ratio",
    "ratio_low",
    "ratio_high",
    "verdict",
    "rounds",
    "error",
    "beside_neighbour",
];

pub(crate) fn write(outcome: &Outcome) -> Result<(), Fault> {
    let rows = outcome.lines.iter().flat_map(rows);
    Ok(write_csv(&mut std::io::stdout().lock(), &HEADER.map(str::to_owned), rows)?)
}

/// First the workload over all its lengths, then each length.
fn rows(line: &Line) -> Vec<Vec<String>> {
    let row = |length: &str, cycles: [String; 2], finding: Option<Finding>| {
        let [a, b] = cycles;
        let value = |value: fn(&Comparison) -> f64| {
            finding.map(|it| format!("{:.6}", value(&it.comparison))).unwrap_or_default()
        };
        let verdict = finding.map(|it| verdict_name(it.verdict));
        vec![
            line.primitive.clone(),
            line.operation.name().to_owned(),
            line.contract.name().to_owned(),
            line.aad_bytes.to_string(),
            line.backends[0].clone(),
            line.backends[1].clone(),
            length.to_owned(),
            a,
            b,
            value(|it| it.ratio),
            value(|it| it.interval.low),
            value(|it| it.interval.high),
            verdict.unwrap_or_default().to_owned(),
            line.rounds.to_string(),
            line.failure.clone().unwrap_or_default(),
            line.beside_neighbour.to_string(),
        ]
    };
    let none = || [String::new(), String::new()];
    let mut rows = vec![row("all", none(), line.finding)];
    rows.extend(line.lengths.iter().map(|length| {
        let cycles = length.cycles.map(five_digits);
        row(&length.length.to_string(), cycles, length.finding)
    }));
    rows
}
