//! `cpb slope --wide`: beyond bench-slopes, with intercepts and intervals.

use crate::document::Document;
use crate::order::Order;
use crate::views::header;
use crate::views::run::{self, intercept};
use cpb_model::{Record, Run, Verification};
use cpb_oldtools::slope::rows::{Figures, algorithm, group_name, is_of_key_pairs, mode};
use cpb_report::number::{estimate, five_digits, half_width};
use cpb_report::{Cell, Rows, Section, Style, Table, left, right};

/// Slopes of a run.
pub(crate) struct Slopes<'a>(pub(crate) &'a Run);

impl Document for Slopes<'_> {
    fn command(&self) -> &'static str {
        "slope"
    }

    fn sections(&self) -> Vec<Section> {
        let (by_call, by_length): (Vec<&Record>, _) =
            self.0.records.iter().partition(|record| is_of_key_pairs(record));
        let mut sections = Vec::new();
        if !by_length.is_empty() || by_call.is_empty() {
            sections.push(Section::from(table(&by_length)));
        }
        if !by_call.is_empty() {
            sections.push(Section::from(calls(&by_call)));
        }
        sections[0].before = header::lines(self.0);
        sections
    }

    fn rows(&self) -> Rows<'_> {
        run::rows(self.0, Order::Slope)
    }

    fn run(&self) -> Option<&Run> {
        Some(self.0)
    }
}

fn table(records: &[&Record]) -> Table {
    let (left, right) = (left, right);
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
    for record in records {
        let mut cells = names(record);
        let (Some(figures), Some(line)) = (Figures::of(record), &record.line) else {
            let reason = record.failure.as_ref().map_or("no slope", |failure| &failure.reason);
            table.note(cells, Cell::new(reason, Style::Bad));
            continue;
        };
        let unknown = || ["–".to_owned(), "–".to_owned()];
        let [value, half] = line.cycles_per_call.and_then(intercept).unwrap_or_else(unknown);
        cells.extend([
            Cell::new(estimate(line.cycles_per_byte), Style::Strong),
            Cell::new(half_width(line.cycles_per_byte), Style::Faint),
            value.into(),
            Cell::new(half, Style::Faint),
            figures.at_most(five_digits(figures.nanoseconds)).into(),
            figures.at_least(five_digits(figures.mebibytes_per_second)).into(),
            verified(record),
        ]);
        table.row(cells);
    }
    table
}

/// What works with key pairs costs by the call.
fn calls(records: &[&Record]) -> Table {
    let (left, right) = (left, right);
    let mut table = Table::new(vec![
        left("library"),
        left("group").rank(2),
        left("algorithm"),
        left("mode"),
        right("c/call"),
        right("±"),
        right("ns/call").rank(1),
        left("verified"),
    ]);
    for record in records {
        let mut cells = names(record);
        let (Some(figures), Some(point)) = (Figures::of(record), record.points.last()) else {
            let reason = record.failure.as_ref().map_or("no figure", |failure| &failure.reason);
            table.note(cells, Cell::new(reason, Style::Bad));
            continue;
        };
        cells.extend([
            Cell::new(estimate(point.cycles_per_call), Style::Strong),
            Cell::new(half_width(point.cycles_per_call), Style::Faint),
            figures.at_most(five_digits(figures.nanoseconds)).into(),
            verified(record),
        ]);
        table.row(cells);
    }
    table
}

fn names(record: &Record) -> Vec<Cell> {
    vec![
        record.subject.library.as_str().into(),
        group_name(record).into(),
        Cell::new(algorithm(record), Style::Strong),
        mode(record).into(),
    ]
}

fn verified(record: &Record) -> Cell {
    match &record.verification {
        Some(Verification::Unverified { .. }) | None => Cell::new("unverified", Style::Caution),
        Some(verification) => verification.name().into(),
    }
}
