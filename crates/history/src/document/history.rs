//! Makes the document of figures over time.

use super::runs::entry;
use crate::{Difference, HistoryPoint, HistorySegment};
use cpb_model::{Contract, Estimator, SCHEMA, Workload};
use cpb_report::Document;
use cpb_report::number::{half_width, significant};
use cpb_report::{Cell, Fields, Rows, Section, Style, Table, Value, left, right};
use cpb_store::{Build, Series};
use serde_json::{Map, json};

/// The figures of series over the saved runs.
pub struct History<'a>(pub &'a [HistorySegment<'a>]);

impl HistorySegment<'_> {
    /// Writes the heading of a history.
    pub(super) fn head(&self, table: &mut Table) {
        let Series { workload, library, backend, unit, .. } = &self.series;
        table.blank();
        let backend = if backend == "default" { String::new() } else { format!(" {backend}") };
        let Workload { primitive, operation, contract, .. } = workload;
        table.title(format!("{primitive} ({}) · {library}{backend}", operation.name()));
        let clock = self.clock.unwrap_or("no clock");
        let machine_id = self.machine_id.map(|id| format!(" · {id}")).unwrap_or_default();
        let machine = format!("{}{machine_id}", self.machine);
        let estimator = match self.is_first_estimator() {
            true => format!(" · {}, as figures were before", Estimator::default().describe()),
            false => String::new(),
        };
        let keyed = if *contract == Contract::Keyed { "keyed, " } else { "" };
        let of = self.series.describe();
        let about = format!("{unit}, {keyed}{of} · {machine} · {clock}{estimator}");
        table.note(Vec::new(), Cell::new(about, Style::Faint));
    }

    /// Returns that heading as data.
    pub(super) fn description(&self) -> Map<String, serde_json::Value> {
        let mut all = of_stretch().json(&self);
        let estimator = self.estimator.unwrap_or(Estimator::default().name());
        let (spelling, method) = (&*self.series.spelling, &*self.series.method);
        let more = [("spelling", spelling), ("method", method), ("estimator", estimator)];
        all.extend(more.map(|(name, text)| (name.to_owned(), text.into())));
        all
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
        let fields = fields();
        let mut table = fields.table();
        for stretch in self.0 {
            stretch.head(&mut table);
            stretch.entries.iter().for_each(|it| table.row(fields.cells(&(stretch, it))));
        }
        vec![Section { table, after, ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        let all = self.0.iter().flat_map(|it| it.entries.iter().map(move |entry| (it, entry)));
        fields().rows(all)
    }

    fn data(&self) -> serde_json::Value {
        json!({ "schema": SCHEMA, "history": self.0.iter().map(stretch).collect::<Vec<_>>() })
    }
}

/// Returns the fields that identify a history.
pub(super) fn of_stretch<'a>() -> Fields<'a, &'a HistorySegment<'a>> {
    Fields::<&HistorySegment>::new()
        .data_only("primitive", |it| it.series.workload.primitive.clone())
        .data_only("operation", |it| it.series.workload.operation.name())
        .data_only("library", |it| it.series.library.clone())
        .data_only("backend", |it| it.series.backend.clone())
        .data_only("contract", |it| it.series.workload.contract.name())
        .data_only("workload", |it| it.series.workload.to_string())
        .data_only("setup", |it| it.series.setup.modifiers().join(", "))
        .data_only("lengths", |it| it.series.lengths.clone())
        .data_only("unit", |it| it.series.unit.clone())
        .data_only("machine", |it| it.machine.to_owned())
        .data_only("machine_id", |it| it.machine_id.map(str::to_owned))
        .data_only("clock", |it| it.clock.map(str::to_owned))
}

fn fields<'a>() -> Fields<'a, (&'a HistorySegment<'a>, &'a HistoryPoint<'a>)> {
    let entry = Fields::<&HistoryPoint>::new()
        .field("run", right("run"), |it| it.run.number)
        .field("started", left("date (UTC)"), |it| Value::Time(it.run.started))
        .field("label", left("label"), |it| it.run.label.clone())
        .data_only("version", |it| it.run.version.clone())
        .shown_as(left("cpb").rank(2), |it| it.run.program())
        .data_only("revision", |it| it.run.revision.clone())
        .field("library_version", left("library").rank(1), |it| it.reading.build.version.clone())
        .field("estimate low high state", right("figure").style(Style::Strong), |it| {
            it.reading.figure
        })
        .table_only(right("±").style(Style::Faint), |it| half_width(it.reading.figure))
        .data_only("change", |it| Some(significant(it.difference.as_ref()?.relative, 4)))
        .shown_as(right("change"), |it| it.difference.as_ref().map(change_cell))
        .data_only("intervals_apart", |it| it.difference.as_ref()?.apart)
        .data_only("change_state", |it| Some(it.difference.as_ref()?.known.name()))
        .data_only("commit", |it| it.reading.build.revision.clone())
        .data_only("digest", |it| it.reading.build.digest.clone())
        .data_only("path", |it| it.reading.build.path.clone());
    Fields::<(&HistorySegment, &HistoryPoint)>::new()
        .with(of_stretch(), |it| it.0)
        .with(entry, |it| it.1)
}

fn stretch(stretch: &HistorySegment<'_>) -> serde_json::Value {
    let readings = stretch.entries.iter().map(|HistoryPoint { run, reading, difference }| {
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
    described.into()
}

/// Returns a library's build besides its version as data; unknown values are null.
pub(super) fn build(build: &Build) -> serde_json::Value {
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
