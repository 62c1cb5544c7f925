//! `cpb slope --wide`: beyond bench-slopes, with fixed cost and intervals.

use crate::views::header;
use crate::views::run_table::intercept;
use cpb_model::{Figure, Run, Verification};
use cpb_oldtools::slope::rows::{Figures, algorithm, group_name, mode};
use cpb_report::number::{estimate, five_digits, half_width, significant};
use cpb_report::{Align, Cell, Column, Style, Table};

pub(crate) fn text(run: &Run) -> String {
    let column = |heading: &str, align| Column { heading: heading.to_owned(), align };
    let mut table = Table::new(vec![
        column("library", Align::Left),
        column("group", Align::Left),
        column("algorithm", Align::Left),
        column("mode", Align::Left),
        column("c/B", Align::Right),
        column("±", Align::Right),
        column("c/call", Align::Right),
        column("±", Align::Right),
        column("ns/B", Align::Right),
        column("MiB/s", Align::Right),
        column("verified", Align::Left),
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
        cells.extend([
            Cell::new(estimate(line.cycles_per_byte), Style::Strong),
            Cell::new(half_width(line.cycles_per_byte), Style::Faint),
            intercept(line.cycles_per_call).into(),
            Cell::new(absolute(line.cycles_per_call), Style::Faint),
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
    format!("{}\n{}", header::text(run), table.render())
}

fn absolute(figure: Figure) -> String {
    figure.interval.map_or_else(
        || "–".to_owned(),
        |interval| significant((interval.high - interval.low) / 2.0, 2),
    )
}
