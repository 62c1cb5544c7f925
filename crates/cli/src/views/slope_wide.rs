//! `cpb slope --wide`: beyond bench-slopes, with intercepts and intervals.

use crate::document::Document;
use crate::views::header;
use crate::views::run::{self, intercept};
use cpb_model::{Run, Verification};
use cpb_oldtools::slope::rows::{Figures, algorithm, group_name, mode};
use cpb_report::html::Source;
use cpb_report::number::{estimate, five_digits, half_width};
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, write_json};
use std::io::Write;

/// Slopes of a run.
pub(crate) struct Slopes<'a>(pub(crate) &'a Run);

impl Document for Slopes<'_> {
    fn command(&self) -> &'static str {
        "slope"
    }

    fn sections(&self) -> Vec<Section> {
        vec![Section { before: header::lines(self.0), ..Section::from(table(self.0)) }]
    }

    fn rows(&self) -> Rows<'_> {
        run::rows(self.0)
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        write_json(output, self.0)
    }

    fn runs(&self) -> Vec<Source<'_>> {
        vec![Source { name: "slope", run: self.0 }]
    }
}

fn table(run: &Run) -> Table {
    let (left, right) = (Column::left, Column::right);
    let mut table = Table::new(vec![
        left("library"),
        left("group").rank(3),
        left("algorithm"),
        left("mode"),
        right("c/B"),
        right("±"),
        right("intercept"),
        right("±").rank(4),
        right("ns/B").rank(2),
        right("MiB/s").rank(1),
        left("verified"),
    ]);
    for record in &run.records {
        let mut cells: Vec<Cell> = vec![
            record.subject.library.as_str().into(),
            group_name(record).into(),
            Cell::new(algorithm(record), Style::Strong),
            mode(record).into(),
        ];
        let (Some(figures), Some(line)) = (Figures::of(record), &record.line) else {
            let reason = record.failure.as_ref().map_or("no slope", |failure| &failure.reason);
            table.note(cells, Cell::new(reason, Style::Bad));
            continue;
        };
        let unknown = || ["–".to_owned(), "–".to_owned()];
        let [value, half] = intercept(line.cycles_per_call).unwrap_or_else(unknown);
        cells.extend([
            Cell::new(estimate(line.cycles_per_byte), Style::Strong),
            Cell::new(half_width(line.cycles_per_byte), Style::Faint),
            value.into(),
            Cell::new(half, Style::Faint),
            figures.at_most(five_digits(figures.nanoseconds)).into(),
            figures.at_least(five_digits(figures.mebibytes_per_second)).into(),
            match &record.verification {
                Some(Verification::Unverified { .. }) | None => {
                    Cell::new("unverified", Style::Caution)
                }
                Some(verification) => verification.name().into(),
            },
        ]);
        table.row(cells);
    }
    table
}
