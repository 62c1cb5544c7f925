//! Figures over time.

use crate::document::Document;
use crate::views::runs::entry;
use cpb_history::{Difference, Entry, Stretch};
use cpb_model::{Contract, Estimator, SCHEMA, Workload};
use cpb_report::number::{estimate, five_digits, half_width, significant};
use cpb_report::{Cell, Column, Named, Rows, Section, Style, Table, WriteError, date, write_json};
use cpb_store::{Build, Series};
use serde_json::{Value, json};
use std::io::Write;

/// Figures of series through the saved runs.
pub(crate) struct History<'a>(pub(crate) &'a [Stretch<'a>]);

/// A stretch as documents show it.
pub(crate) trait Shown {
    /// What it is a stretch of, above its lines.
    fn head(&self, table: &mut Table);

    /// The same for programs.
    fn description(&self) -> serde_json::Map<String, Value>;
}

impl Shown for Stretch<'_> {
    fn head(&self, table: &mut Table) {
        let Series { workload, library, backend, unit, .. } = &self.series;
        table.blank();
        let backend = if backend == "default" { String::new() } else { format!(" {backend}") };
        let Workload { primitive, operation, contract, .. } = workload;
        table.title(format!("{primitive} ({}) · {library}{backend}", operation.name()));
        let clock = self.clock.unwrap_or("no clock");
        let machine_id = self.machine_id.map(|id| format!(" · {id}")).unwrap_or_default();
        let machine = format!("{}{machine_id}", self.machine);
        let estimator = match self.is_of_before() {
            true => format!(" · {}, as figures were before", Estimator::default().words()),
            false => String::new(),
        };
        let keyed = if *contract == Contract::Keyed { "keyed, " } else { "" };
        let of = self.series.words();
        let about = format!("{unit}, {keyed}{of} · {machine} · {clock}{estimator}");
        table.note(Vec::new(), Cell::new(about, Style::Faint));
    }

    fn description(&self) -> serde_json::Map<String, Value> {
        let series = &self.series;
        let (key, setup) = (series.workload.to_string(), series.setup.words().join(", "));
        let all = [
            ("workload", key.as_str()),
            ("primitive", &series.workload.primitive),
            ("operation", series.workload.operation.name()),
            ("library", &series.library),
            ("spelling", &series.spelling),
            ("backend", &series.backend),
            ("contract", series.workload.contract.name()),
            ("lengths", &series.lengths),
            ("setup", &setup),
            ("method", &series.method),
            ("unit", &series.unit),
            ("machine", self.machine),
        ];
        let texts = all.into_iter().map(|(name, text)| (name.to_owned(), text.into()));
        let estimator = self.estimator.unwrap_or(Estimator::default().name());
        let maybe = [
            ("machine_id", json!(self.machine_id)),
            ("clock", json!(self.clock)),
            ("estimator", json!(estimator)),
        ];
        texts.chain(maybe.map(|(name, value)| (name.to_owned(), value))).collect()
    }
}

impl Document for History<'_> {
    fn command(&self) -> &'static str {
        "history"
    }

    fn sections(&self) -> Vec<Section> {
        let legend = "± half-width of the 95 % interval · change to the run before, coloured where the \
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
        for Entry { run, reading, difference } in &stretch.entries {
            table.row(vec![
                run.number.to_string().into(),
                date::to_the_minute(run.started).into(),
                run.label.clone().unwrap_or_default().into(),
                run.program().into(),
                reading.build.version.as_str().into(),
                Cell::new(estimate(reading.figure), Style::Strong),
                Cell::new(half_width(reading.figure), Style::Faint),
                difference.as_ref().map_or_else(Cell::default, change_cell),
            ]);
        }
    }
    table
}

/// A column's name, and its cell.
type OfStretch = (&'static str, fn(&Stretch<'_>) -> String);
type OfEntry = (&'static str, fn(&Entry<'_>) -> String);

/// What a stretch is of.
const OF_STRETCH: [OfStretch; 12] = [
    ("primitive", |it| it.series.workload.primitive.clone()),
    ("operation", |it| it.series.workload.operation.name().to_owned()),
    ("library", |it| it.series.library.clone()),
    ("backend", |it| it.series.backend.clone()),
    ("contract", |it| it.series.workload.contract.name().to_owned()),
    ("workload", |it| it.series.workload.to_string()),
    ("setup", |it| it.series.setup.words().join(", ")),
    ("lengths", |it| it.series.lengths.clone()),
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

const COLUMNS: [OfEntry; 16] = [
    ("run", |entry| entry.run.number.to_string()),
    ("started", |entry| date::timestamp(entry.run.started)),
    ("label", |entry| entry.run.label.clone().unwrap_or_default()),
    ("version", |entry| entry.run.version.clone()),
    ("revision", |entry| entry.run.revision.clone().unwrap_or_default()),
    ("library_version", |entry| entry.reading.build.version.clone()),
    ("estimate", |entry| five_digits(entry.reading.figure.estimate)),
    ("low", |entry| end(entry, |it| it.low)),
    ("high", |entry| end(entry, |it| it.high)),
    ("state", |entry| entry.reading.figure.state().to_owned()),
    ("change", |entry| of_change(entry, |it| Some(significant(it.relative, 4)))),
    ("intervals_apart", |entry| of_change(entry, |it| it.apart.map(|it| it.to_string()))),
    ("change_state", |entry| of_change(entry, |it| Some(it.known.name().to_owned()))),
    ("commit", |entry| entry.reading.build.revision.clone()),
    ("digest", |entry| entry.reading.build.digest.clone()),
    ("path", |entry| entry.reading.build.path.clone()),
];

fn end(entry: &Entry<'_>, end: fn(cpb_model::Interval) -> f64) -> String {
    entry.reading.figure.interval.map(|interval| five_digits(end(interval))).unwrap_or_default()
}

fn of_change(entry: &Entry<'_>, text: fn(&Difference) -> Option<String>) -> String {
    entry.difference.as_ref().and_then(text).unwrap_or_default()
}

fn stretch(stretch: &Stretch<'_>) -> Value {
    let readings = stretch.entries.iter().map(|Entry { run, reading, difference }| {
        json!({
            "run": entry(run),
            "library_version": reading.build.version,
            "build": build(&reading.build),
            "estimate": reading.figure.estimate,
            "low": reading.figure.interval.map(|it| it.low),
            "high": reading.figure.interval.map(|it| it.high),
            "upper_bound": reading.figure.upper_bound,
            "change": difference.as_ref().map(|change| change.relative),
            "intervals_apart": difference.as_ref().and_then(|change| change.apart),
            "change_state": difference.as_ref().map(|change| change.known.name()),
        })
    });
    let mut described = stretch.description();
    described.insert("readings".to_owned(), readings.collect());
    Value::Object(described)
}

/// A library's build beside its version; what is not known of it is null.
pub(crate) fn build(build: &Build) -> Value {
    let known = |text: &str| (!text.is_empty()).then(|| text.to_owned());
    json!({
        "commit": known(&build.revision),
        "digest": known(&build.digest),
        "path": known(&build.path),
    })
}

fn change_cell(change: &Difference) -> Cell {
    let style = match change.apart {
        Some(true) if change.relative < 0.0 => Style::Good,
        Some(true) => Style::Bad,
        _ => Style::Faint,
    };
    Cell::new(format!("{}{:+.2} %", change.known.mark(), change.relative * 100.0), style)
}
