//! Figures over time.

use crate::fault::Fault;
use crate::views::runs::{entry, version};
use cpb_figures::Known;
use cpb_model::{Figure, SCHEMA};
use cpb_report::number::{estimate, five_digits, half_width, significant};
use cpb_report::{Align, Cell, Column, Style, Table, date, write_csv};
use cpb_store::{Reading, RunEntry, Series};
use serde_json::{Value, json};

/// The figures of a series on one machine by one clock, oldest first.
pub(crate) struct Section<'a> {
    pub(crate) series: &'a Series,
    pub(crate) machine: &'a str,
    pub(crate) clock: Option<&'a str>,
    pub(crate) entries: Vec<Entry<'a>>,
}

/// A figure, and what changed since the one before.
pub(crate) struct Entry<'a> {
    run: &'a RunEntry,
    reading: Reading,
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

pub(crate) fn table(sections: &[Section<'_>]) -> String {
    let column = |heading: &str, align| Column { heading: heading.to_owned(), align };
    let mut table = Table::new(vec![
        column("run", Align::Right),
        column("date (UTC)", Align::Left),
        column("label", Align::Left),
        column("cpb", Align::Left),
        column("library", Align::Left),
        column("figure", Align::Right),
        column("±", Align::Right),
        column("change", Align::Right),
    ]);
    for section in sections {
        let Series { primitive, operation, library, backend, contract, workload, unit, .. } =
            section.series;
        table.blank();
        let backend = if backend == "default" { String::new() } else { format!(" {backend}") };
        table.title(format!("{primitive} ({}) · {library}{backend}", operation.name()));
        let clock = section.clock.unwrap_or("no clock");
        let about = format!("{unit}, {contract}, {workload} · {} · {clock}", section.machine);
        table.note(Vec::new(), Cell::new(about, Style::Faint));
        for Entry { run, reading, change } in &section.entries {
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
    let legend = "± half the 95 % interval · change to the run before, coloured where the \
                  intervals are apart\n";
    format!("{}\n{}", table.render(), Style::Faint.paint(legend.trim_end()) + "\n")
}

pub(crate) fn csv(sections: &[Section<'_>]) -> Result<(), Fault> {
    let header = [
        "primitive",
        "operation",
        "library",
        "backend",
        "contract",
        "workload",
        "unit",
        "machine",
        "clock",
        "run",
        "started",
        "label",
        "version",
        "revision",
        "library_version",
        "estimate",
        "low",
        "high",
        "state",
        "change",
        "intervals_apart",
        "change_state",
    ];
    let rows = sections.iter().flat_map(|section| {
        section.entries.iter().map(move |Entry { run, reading, change }| {
            let series = section.series;
            let bound = |value: Option<f64>| value.map(five_digits).unwrap_or_default();
            let relative = change.as_ref().map(|change| significant(change.relative, 4));
            let apart = change.as_ref().and_then(|change| change.apart);
            [
                series.primitive.clone(),
                series.operation.name().to_owned(),
                series.library.clone(),
                series.backend.clone(),
                series.contract.clone(),
                series.workload.clone(),
                series.unit.clone(),
                section.machine.to_owned(),
                section.clock.unwrap_or_default().to_owned(),
                run.number.to_string(),
                date::timestamp(run.started),
                run.label.clone().unwrap_or_default(),
                run.version.clone(),
                run.revision.clone().unwrap_or_default(),
                reading.library_version.clone(),
                five_digits(reading.figure.estimate),
                bound(reading.figure.interval.map(|it| it.low)),
                bound(reading.figure.interval.map(|it| it.high)),
                reading.figure.state().to_owned(),
                relative.unwrap_or_default(),
                apart.map(|apart| apart.to_string()).unwrap_or_default(),
                change.as_ref().map(|change| change.known.name()).unwrap_or_default().to_owned(),
            ]
        })
    });
    Ok(write_csv(&mut std::io::stdout().lock(), &header.map(str::to_owned), rows)?)
}

pub(crate) fn json(sections: &[Section<'_>]) -> Value {
    let sections: Vec<_> = sections
        .iter()
        .map(|section| {
            let series = section.series;
            let entries: Vec<_> = section
                .entries
                .iter()
                .map(|Entry { run, reading, change }| {
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
                })
                .collect();
            json!({
                "primitive": series.primitive,
                "operation": series.operation,
                "library": series.library,
                "spelling": series.spelling,
                "backend": series.backend,
                "contract": series.contract,
                "workload": series.workload,
                "unit": series.unit,
                "machine": section.machine,
                "clock": section.clock,
                "readings": entries,
            })
        })
        .collect();
    json!({ "schema": SCHEMA, "history": sections })
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
