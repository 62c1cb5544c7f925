//! Figures over time.

use crate::document::Document;
use crate::views::runs::{entry, version};
use cpb_figures::Known;
use cpb_model::{Figure, SCHEMA};
use cpb_report::number::{estimate, five_digits, half_width, significant};
use cpb_report::{Cell, Column, Named, Rows, Section, Style, Table, WriteError, date, write_json};
use cpb_store::{Reading, RunEntry, Series};
use serde_json::{Value, json};
use std::io::Write;

/// Figures of series through the saved runs.
pub(crate) struct History<'a>(pub(crate) &'a [Stretch<'a>]);

/// The figures of a series on one machine by one clock, oldest first.
pub(crate) struct Stretch<'a> {
    pub(crate) series: &'a Series,
    pub(crate) machine: &'a str,
    pub(crate) machine_id: Option<&'a str>,
    pub(crate) clock: Option<&'a str>,
    pub(crate) entries: Vec<Entry<'a>>,
}

impl Stretch<'_> {
    /// What it is a stretch of, above its lines.
    pub(crate) fn head(&self, table: &mut Table) {
        let Series { primitive, operation, library, backend, contract, workload, unit, .. } =
            self.series;
        table.blank();
        let backend = if backend == "default" { String::new() } else { format!(" {backend}") };
        table.title(format!("{primitive} ({}) · {library}{backend}", operation.name()));
        let clock = self.clock.unwrap_or("no clock");
        let machine_id = self.machine_id.map(|id| format!(" · {id}")).unwrap_or_default();
        let machine = format!("{}{machine_id}", self.machine);
        let about = format!("{unit}, {contract}, {workload} · {machine} · {clock}");
        table.note(Vec::new(), Cell::new(about, Style::Faint));
    }

    /// The same for programs.
    pub(crate) fn description(&self) -> serde_json::Map<String, Value> {
        let series = self.series;
        let all = [
            ("primitive", series.primitive.as_str()),
            ("operation", series.operation.name()),
            ("library", &series.library),
            ("spelling", &series.spelling),
            ("backend", &series.backend),
            ("contract", &series.contract),
            ("workload", &series.workload),
            ("unit", &series.unit),
            ("machine", self.machine),
        ];
        let texts = all.into_iter().map(|(name, text)| (name.to_owned(), text.into()));
        let maybe = [("machine_id", json!(self.machine_id)), ("clock", json!(self.clock))];
        texts.chain(maybe.map(|(name, value)| (name.to_owned(), value))).collect()
    }
}

/// A figure, and what changed since the one before.
pub(crate) struct Entry<'a> {
    pub(crate) run: &'a RunEntry,
    pub(crate) reading: Reading,
    change: Option<Change>,
}

struct Change {
    /// Relative to the figure before: above 0 it became slower.
    relative: f64,
    /// Whether that is a bound only, since one of the figures is.
    known: Known,
    /// Whether the two intervals have nothing in common; absent where one of
    /// the figures has none.
    apart: Option<bool>,
}

impl<'a> Entry<'a> {
    pub(crate) fn after(before: Option<&Entry<'_>>, run: &'a RunEntry, reading: Reading) -> Self {
        let change = before.and_then(|before| Change::of([before.reading.figure, reading.figure]));
        Self { run, reading, change }
    }
}

impl Change {
    /// From one figure to the next; `None` between two bounds, which say nothing of it.
    fn of(figures: [Figure; 2]) -> Option<Self> {
        let [before, now] = figures;
        let apart = now.interval.zip(before.interval);
        Some(Self {
            relative: now.estimate / before.estimate - 1.0,
            known: Known::of(figures)?,
            apart: apart.map(|(now, before)| now.high < before.low || before.high < now.low),
        })
    }
}

impl Document for History<'_> {
    fn command(&self) -> &'static str {
        "history"
    }

    fn sections(&self) -> Vec<Section> {
        let legend = "± half the 95 % interval · change to the run before, coloured where the \
                      intervals are apart";
        let after = vec![Cell::new(legend, Style::Faint)];
        vec![Section { table: table(self.0), after, ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        let readings = self.0.iter().flat_map(|it| it.entries.iter().map(move |entry| (it, entry)));
        rows(COLUMNS, readings)
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let stretches: Vec<_> = self.0.iter().map(stretch).collect();
        write_json(output, &json!({ "schema": SCHEMA, "history": stretches }))
    }
}

fn table(stretches: &[Stretch<'_>]) -> Table {
    let mut table = Table::new(vec![
        Column::right("run"),
        Column::left("date (UTC)"),
        Column::left("label"),
        Column::left("cpb").rank(2),
        Column::left("library").rank(1),
        Column::right("figure"),
        Column::right("±"),
        Column::right("change"),
    ]);
    for stretch in stretches {
        stretch.head(&mut table);
        for Entry { run, reading, change } in &stretch.entries {
            table.row(vec![
                run.number.to_string().into(),
                date::to_the_minute(run.started).into(),
                run.label.clone().unwrap_or_default().into(),
                version(&run.version, run.revision.as_deref()).into(),
                reading.library_version.as_str().into(),
                Cell::new(estimate(reading.figure), Style::Strong),
                Cell::new(half_width(reading.figure), Style::Faint),
                change.as_ref().map_or_else(Cell::default, change_cell),
            ]);
        }
    }
    table
}

/// A column's name, and its cell.
type OfStretch = (&'static str, fn(&Stretch<'_>) -> String);
type OfEntry = (&'static str, fn(&Entry<'_>) -> String);

/// What a stretch is of.
const OF_STRETCH: [OfStretch; 10] = [
    ("primitive", |it| it.series.primitive.clone()),
    ("operation", |it| it.series.operation.name().to_owned()),
    ("library", |it| it.series.library.clone()),
    ("backend", |it| it.series.backend.clone()),
    ("contract", |it| it.series.contract.clone()),
    ("workload", |it| it.series.workload.clone()),
    ("unit", |it| it.series.unit.clone()),
    ("machine", |it| it.machine.to_owned()),
    ("machine_id", |it| it.machine_id.unwrap_or_default().to_owned()),
    ("clock", |it| it.clock.unwrap_or_default().to_owned()),
];

/// A row for each of `items`, which are parts of stretches: what the stretch is of, and `columns`.
pub(crate) fn rows<'a, T, const COLUMNS: usize>(
    columns: [Named<T>; COLUMNS],
    items: impl Iterator<Item = (&'a Stretch<'a>, &'a T)> + 'a,
) -> Rows<'a>
where
    T: 'a,
{
    let names = OF_STRETCH.iter().map(|(name, _)| *name).chain(columns.iter().map(|it| it.0));
    let names = names.map(str::to_owned).collect();
    let cells = move |(stretch, item): (&Stretch<'_>, &T)| {
        let of_stretch = OF_STRETCH.iter().map(|(_, cell)| cell(stretch));
        of_stretch.chain(columns.iter().map(|(_, cell)| cell(item))).collect()
    };
    Rows::new(names, items.map(cells))
}

const COLUMNS: [OfEntry; 13] = [
    ("run", |entry| entry.run.number.to_string()),
    ("started", |entry| date::timestamp(entry.run.started)),
    ("label", |entry| entry.run.label.clone().unwrap_or_default()),
    ("version", |entry| entry.run.version.clone()),
    ("revision", |entry| entry.run.revision.clone().unwrap_or_default()),
    ("library_version", |entry| entry.reading.library_version.clone()),
    ("estimate", |entry| five_digits(entry.reading.figure.estimate)),
    ("low", |entry| end(entry, |it| it.low)),
    ("high", |entry| end(entry, |it| it.high)),
    ("state", |entry| entry.reading.figure.state().to_owned()),
    ("change", |entry| of_change(entry, |it| Some(significant(it.relative, 4)))),
    ("intervals_apart", |entry| of_change(entry, |it| it.apart.map(|it| it.to_string()))),
    ("change_state", |entry| of_change(entry, |it| Some(it.known.name().to_owned()))),
];

fn end(entry: &Entry<'_>, end: fn(cpb_model::Interval) -> f64) -> String {
    entry.reading.figure.interval.map(|interval| five_digits(end(interval))).unwrap_or_default()
}

fn of_change(entry: &Entry<'_>, text: fn(&Change) -> Option<String>) -> String {
    entry.change.as_ref().and_then(text).unwrap_or_default()
}

fn stretch(stretch: &Stretch<'_>) -> Value {
    let readings = stretch.entries.iter().map(|Entry { run, reading, change }| {
        json!({
            "run": entry(run),
            "library_version": reading.library_version,
            "estimate": reading.figure.estimate,
            "low": reading.figure.interval.map(|it| it.low),
            "high": reading.figure.interval.map(|it| it.high),
            "upper_bound": reading.figure.upper_bound,
            "change": change.as_ref().map(|change| change.relative),
            "intervals_apart": change.as_ref().and_then(|change| change.apart),
            "change_state": change.as_ref().map(|change| change.known.name()),
        })
    });
    let mut described = stretch.description();
    described.insert("readings".to_owned(), readings.collect());
    Value::Object(described)
}

fn change_cell(change: &Change) -> Cell {
    let style = match change.apart {
        Some(true) if change.relative < 0.0 => Style::Good,
        Some(true) => Style::Bad,
        _ => Style::Faint,
    };
    Cell::new(format!("{}{:+.2} %", change.known.mark(), change.relative * 100.0), style)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_figures::testing::figure;

    #[test]
    fn a_change_from_or_to_a_bound_is_one() {
        let known = |figures| Change::of(figures).map(|change| change.known);
        let (sure, bound) = (figure(5.0), Figure::at_most(4.0));
        assert_eq!(known([sure, sure]), Some(Known::About));
        assert_eq!(known([sure, bound]), Some(Known::AtMost));
        assert_eq!(known([bound, sure]), Some(Known::AtLeast));
        assert_eq!(known([bound, bound]), None);
        assert_eq!(Change::of([sure, figure(6.0)]).and_then(|change| change.apart), Some(true));
        assert_eq!(Change::of([sure, bound]).and_then(|change| change.apart), None);
    }
}
