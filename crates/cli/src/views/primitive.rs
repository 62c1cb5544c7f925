//! `cpb primitive`, and its list of names.

use crate::document::Document;
use crate::views::header;
use cpb_oldtools::milo::json;
use cpb_oldtools::milo::names::Name;
use cpb_oldtools::milo::outcome::{Figures, Outcome, View};
use cpb_report::html::Source;
use cpb_report::number::{five_digits, half_width, rate};
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, write_json};
use std::io::Write;

/// The list of names.
pub(crate) struct Names<'a>(pub(crate) &'a [&'a Name]);

/// A column's name, and its cell.
type NameField = (&'static str, fn(&&Name) -> String);

const NAMES: [NameField; 5] = [
    ("name", |name| name.name.clone()),
    ("primitive", |name| name.member.primitive.to_owned()),
    ("operation", |name| name.member.operation.name().to_owned()),
    ("backend", |name| backend(name)),
    ("unavailable", |name| name.offer.as_ref().err().cloned().unwrap_or_default()),
];

impl Document for Names<'_> {
    fn command(&self) -> &'static str {
        "primitive"
    }

    fn sections(&self) -> Vec<Section> {
        let mut table =
            Table::new(NAMES[..4].iter().map(|(name, _)| Column::left(*name)).collect());
        for name in self.0 {
            let operation = name.member.operation.name();
            let called = Cell::new(name.name.as_str(), Style::Strong);
            let mut cells = vec![called, name.member.primitive.into(), operation.into()];
            match &name.offer {
                Ok(offer) => {
                    cells.push(offer.backend.as_str().into());
                    table.row(cells);
                }
                Err(reason) => table.note(cells, Cell::new(reason.as_str(), Style::Faint)),
            }
        }
        vec![table.into()]
    }

    fn rows(&self) -> Rows<'_> {
        Rows::of(NAMES, self.0.iter().copied())
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let entry = |name: &&Name| {
            serde_json::json!({
                "name": name.name,
                "primitive": name.member.primitive,
                "operation": name.member.operation,
                "backend": backend(name),
                "unavailable": name.offer.as_ref().err(),
            })
        };
        let entries: Vec<_> = self.0.iter().map(entry).collect();
        write_json(output, &serde_json::json!({ "primitives": entries }))
    }
}

fn backend(name: &Name) -> String {
    match &name.offer {
        Ok(offer) => offer.backend.clone(),
        Err(_) => name.backend.clone().unwrap_or_default(),
    }
}

/// What was measured by milo's names.
pub(crate) struct PrimitiveDocument<'a> {
    pub(crate) view: View<'a>,
    /// Whether the JSON tells command, project and compiler, too.
    pub(crate) verbose: bool,
    /// Whether it is indented, instead of on one line.
    pub(crate) indented: bool,
}

impl Document for PrimitiveDocument<'_> {
    fn command(&self) -> &'static str {
        "primitive"
    }

    fn sections(&self) -> Vec<Section> {
        let before = header::lines(self.view.run);
        vec![Section { before, ..Section::from(table(&self.view)) }]
    }

    fn rows(&self) -> Rows<'_> {
        Rows::of(
            COLUMNS,
            self.view.results().map(|it| Row { view: &self.view, figures: it.figures(), it }),
        )
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let text = match self.verbose {
            true => {
                json::text(&json::verbose(&self.view, option_env!("CPB_COMPILER")), self.indented)
            }
            false => json::text(&json::document(&self.view), self.indented),
        };
        Ok(output.write_all(text?.as_bytes())?)
    }

    fn runs(&self) -> Vec<Source<'_>> {
        vec![Source { name: "primitive", run: self.view.run }]
    }
}

struct Row<'a> {
    view: &'a View<'a>,
    figures: Result<Figures, String>,
    it: Outcome<'a>,
}

/// A column's name, and its cell.
type Field = (&'static str, fn(&Row<'_>) -> String);

const COLUMNS: [Field; 20] = [
    ("name", |row| row.it.chosen.name.name.clone()),
    ("primitive", |row| row.it.chosen.name.member.primitive.to_owned()),
    ("operation", |row| row.it.chosen.name.member.operation.name().to_owned()),
    ("backend", |row| row.it.backend().unwrap_or_default().to_owned()),
    ("parameters", |row| {
        let parameters = row.it.chosen.parameters.iter();
        let parameters = parameters.map(|(name, value)| format!("{}={value}", name.name()));
        parameters.collect::<Vec<_>>().join(" ")
    }),
    ("repeats_time", |row| row.view.repeats.repeats_time.to_string()),
    ("repeats_warm", |row| row.view.repeats.repeats_warm.to_string()),
    ("nanoseconds_per_call", |row| row.digits(|it| Some(it.nanoseconds))),
    ("median", |row| row.digits(|it| it.median)),
    ("interval_low", |row| row.digits(|it| Some(it.interval?[0]))),
    ("interval_high", |row| row.digits(|it| Some(it.interval?[1]))),
    ("state", |row| row.text(|it| if it.upper_bound { "bound" } else { "measured" }.to_owned())),
    ("spread", |row| row.digits(|it| it.spread)),
    ("cycles_per_call", |row| row.digits(|it| Some(it.cycles))),
    ("cycles_per_byte", |row| row.digits(|it| it.per_byte(it.cycles))),
    ("megabytes_per_second", |row| row.digits(Figures::megabytes_per_second)),
    ("calls", |row| row.text(|it| it.calls.to_string())),
    ("counter", |row| match row.figures {
        Ok(_) => row.view.counter().unwrap_or_default().to_owned(),
        Err(_) => String::new(),
    }),
    ("verified", |row| match row.figures {
        Ok(_) => row.it.verified().unwrap_or_default().to_owned(),
        Err(_) => String::new(),
    }),
    ("error", |row| row.figures.as_ref().err().cloned().unwrap_or_default()),
];

impl Row<'_> {
    fn text(&self, text: fn(&Figures) -> String) -> String {
        self.figures.as_ref().map(text).unwrap_or_default()
    }

    fn digits(&self, value: fn(&Figures) -> Option<f64>) -> String {
        self.figures.as_ref().ok().and_then(value).map(five_digits).unwrap_or_default()
    }
}

fn table(view: &View<'_>) -> Table {
    let mut columns = vec![Column::left("name"), Column::left("backend")];
    columns.extend(["ns/call", "±", "c/call", "c/B", "MB/s"].map(Column::right));
    columns.push(Column::left("verified"));
    let mut table = Table::new(columns);
    for result in view.results() {
        let name = Cell::new(result.chosen.name.name.as_str(), Style::Strong);
        let mut cells = vec![name, result.backend().unwrap_or_default().into()];
        match (result.figures(), result.point()) {
            (Ok(figures), Some(point)) => {
                let at_most = |digits: String| match figures.upper_bound {
                    true => format!("≤ {digits}"),
                    false => digits,
                };
                cells.extend([
                    at_most(five_digits(figures.nanoseconds)).into(),
                    Cell::new(half_width(point.cycles_per_call), Style::Faint),
                    at_most(five_digits(figures.cycles)).into(),
                    figures
                        .per_byte(figures.cycles)
                        .map(|cycles| at_most(five_digits(cycles)))
                        .unwrap_or_default()
                        .into(),
                    figures
                        .megabytes_per_second()
                        .map(|speed| rate(speed, 4, figures.upper_bound))
                        .unwrap_or_default()
                        .into(),
                    result.verified().unwrap_or_default().into(),
                ]);
                table.row(cells);
            }
            (Err(reason), _) => table.note(cells, Cell::new(reason, Style::Bad)),
            (Ok(_), None) => {}
        }
    }
    table
}
