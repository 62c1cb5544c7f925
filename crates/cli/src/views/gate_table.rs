//! `cpb gate` for people: what offends first.

use crate::verdict::{Judged, Verdict, rows};
use crate::views::header;
use cpb_figures::{Known, Status};
use cpb_report::number::{estimate, percent};
use cpb_report::{Align, Cell, Column, Style, Table};
use cpb_stats::Comparison;

pub(crate) fn text(verdict: &Verdict) -> String {
    let column = |heading: &str, align| Column { heading: heading.to_owned(), align };
    let mut table = Table::new(vec![
        column("", Align::Left),
        column("", Align::Left),
        column("length", Align::Right),
        column("then", Align::Right),
        column("now", Align::Right),
        column("ratio", Align::Right),
        column("interval", Align::Right),
    ]);
    for row in &verdict.rows {
        let cells = vec![Cell::new(row.status.name(), style(row.status)), row.name.clone().into()];
        match cells_of(row) {
            Some(figures) => {
                table.row(cells.into_iter().chain(figures.map(Cell::from)).collect());
            }
            None => table.note(cells, Cell::new(reason(row), Style::Bad)),
        }
    }
    format!("{}{}\n\n{}", header::text(&verdict.run), summary(verdict), table.render())
}

/// The verdict in a sentence.
pub(crate) fn summary(verdict: &Verdict) -> String {
    let tolerance = percent(verdict.tolerance);
    let (slower, unknown) = (verdict.count(Status::Slower), verdict.count(Status::NotMeasured));
    let all = rows(verdict.rows.len());
    let slower = match slower {
        0 => format!("none of {all} is slower than {} by more than {tolerance}", verdict.baseline),
        count => {
            format!("{count} of {all} slower than {} by more than {tolerance}", verdict.baseline)
        }
    };
    match unknown {
        0 => slower,
        count => format!("{slower}; {count} not measured"),
    }
}

/// Length, cycles then and now, ratio, interval.
pub(crate) fn cells_of(row: &Judged) -> Option<[String; 5]> {
    let worst = row.worst.as_ref()?;
    let [then, now] = worst.cycles.map(estimate);
    match worst.comparison {
        Some(Comparison { ratio, interval }) => Some([
            worst.length.to_string(),
            then,
            now,
            format!("{ratio:.4}"),
            format!("{:.4} to {:.4}", interval.low, interval.high),
        ]),
        // Within the tolerance as an upper bound.
        None if row.status == Status::Within => {
            let ratio = worst.cycles[1].estimate / worst.cycles[0].estimate;
            let ratio = format!("{}{ratio:.4}", Known::AtMost.mark());
            Some([worst.length.to_string(), then, now, ratio, "bound".to_owned()])
        }
        None => None,
    }
}

pub(crate) fn reason(row: &Judged) -> String {
    row.reason.clone().unwrap_or_default()
}

fn style(status: Status) -> Style {
    match status {
        Status::Slower | Status::NotMeasured => Style::Bad,
        Status::AtTolerance => Style::Caution,
        Status::Within => Style::Plain,
        Status::Faster => Style::Good,
    }
}
