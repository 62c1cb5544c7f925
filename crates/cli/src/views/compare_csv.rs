//! `cpb compare` as CSV: one line for each workload and one for each of its
//! lengths.

use crate::comparison::{Line, Outcome};
use crate::fault::Fault;
use cpb_figures::{Ratio, verdict_name};
use cpb_model::Figure;
use cpb_report::number::five_digits;
use cpb_report::write_csv;

const HEADER: [&str; 19] = [
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
    "state_a",
    "state_b",
    "ratio_state",
];

pub(crate) fn write(outcome: &Outcome) -> Result<(), Fault> {
    let rows = outcome.lines.iter().flat_map(rows);
    Ok(write_csv(&mut std::io::stdout().lock(), &HEADER.map(str::to_owned), rows)?)
}

/// First the workload over all its lengths, then each length.
fn rows(line: &Line) -> Vec<Vec<String>> {
    let row = |length: &str, cycles: [Option<Figure>; 2], ratio: Option<Ratio>| {
        let [a, b] = cycles.map(|it| it.map(|it| five_digits(it.estimate)).unwrap_or_default());
        let [state_a, state_b] = cycles.map(|it| it.map(Figure::state).unwrap_or_default());
        let value = |value: fn(&Ratio) -> Option<f64>| {
            let value = ratio.as_ref().and_then(value);
            value.map(|value| format!("{value:.6}")).unwrap_or_default()
        };
        let verdict = ratio.map(|it| verdict_name(it.verdict));
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
            value(|it| Some(it.value)),
            value(|it| Some(it.interval?.low)),
            value(|it| Some(it.interval?.high)),
            verdict.unwrap_or_default().to_owned(),
            line.rounds.to_string(),
            line.failure.clone().unwrap_or_default(),
            line.beside_neighbour.to_string(),
            state_a.to_owned(),
            state_b.to_owned(),
            ratio.map(|it| it.known.name()).unwrap_or_default().to_owned(),
        ]
    };
    let mut rows = vec![row("all", [None; 2], line.ratio)];
    rows.extend(
        line.lengths
            .iter()
            .map(|length| row(&length.length.to_string(), length.cycles.map(Some), length.ratio)),
    );
    rows
}
