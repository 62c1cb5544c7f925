//! A comparison as CSV: a workload over all its lengths, and each of these.

use crate::comparison::{Length, Line};
use cpb_figures::{Ratio, verdict_name};
use cpb_model::Figure;
use cpb_report::Rows;
use cpb_report::number::five_digits;

pub(super) fn rows(lines: &[Line]) -> Rows<'_> {
    Rows::of(COLUMNS, lines.iter().flat_map(parts))
}

/// A workload over all its lengths, or one of these.
struct Part<'a> {
    line: &'a Line,
    length: Option<&'a Length>,
}

/// First the workload over all its lengths, then each length.
fn parts(line: &Line) -> impl Iterator<Item = Part<'_>> {
    let lengths = line.lengths.iter().map(Some);
    [None].into_iter().chain(lengths).map(move |length| Part { line, length })
}

/// A column's name, and its cell.
type Field = (&'static str, fn(&Part<'_>) -> String);

const COLUMNS: [Field; 25] = [
    ("primitive", |it| it.line.workload.primitive.clone()),
    ("operation", |it| it.line.workload.operation.name().to_owned()),
    ("contract", |it| it.line.workload.contract.name().to_owned()),
    ("aad_bytes", |it| it.line.workload.aad.to_string()),
    ("backend_a", |it| it.line.backends[0].clone()),
    ("backend_b", |it| it.line.backends[1].clone()),
    ("length", |it| it.length.map_or_else(|| "all".to_owned(), |it| it.length.to_string())),
    ("cycles_a", |it| it.cycles(0)),
    ("cycles_b", |it| it.cycles(1)),
    ("ratio", |it| it.of_ratio(|ratio| Some(ratio.value))),
    ("ratio_low", |it| it.of_ratio(|ratio| Some(ratio.interval?.low))),
    ("ratio_high", |it| it.of_ratio(|ratio| Some(ratio.interval?.high))),
    ("verdict", |it| it.ratio().map_or("", |ratio| verdict_name(ratio.verdict)).to_owned()),
    ("rounds", |it| it.line.rounds.to_string()),
    ("error", |it| it.line.failure.clone().unwrap_or_default()),
    ("beside_neighbour", |it| it.line.beside_neighbour.to_string()),
    ("state_a", |it| it.state(0)),
    ("state_b", |it| it.state(1)),
    ("ratio_state", |it| it.ratio().map_or("", |ratio| ratio.known.name()).to_owned()),
    ("threads", |it| it.line.threads.map(|it| it.to_string()).unwrap_or_default()),
    ("library_a", |it| it.line.libraries[0].clone()),
    ("library_b", |it| it.line.libraries[1].clone()),
    ("workload", |it| it.line.workload.to_string()),
    ("workload_b", |it| it.line.workload_b().to_string()),
    ("setup", |it| it.line.setup.words().join(", ")),
];

impl Part<'_> {
    fn ratio(&self) -> Option<Ratio> {
        self.length.map_or(self.line.ratio, |length| length.ratio)
    }

    fn of_ratio(&self, value: fn(&Ratio) -> Option<f64>) -> String {
        let value = self.ratio().as_ref().and_then(value);
        value.map(|value| format!("{value:.6}")).unwrap_or_default()
    }

    fn figure(&self, side: usize) -> Option<Figure> {
        self.length.map(|length| length.cycles[side])
    }

    fn cycles(&self, side: usize) -> String {
        self.figure(side).map(|figure| five_digits(figure.estimate)).unwrap_or_default()
    }

    fn state(&self, side: usize) -> String {
        self.figure(side).map_or("", Figure::state).to_owned()
    }
}
