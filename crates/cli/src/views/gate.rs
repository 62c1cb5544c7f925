//! `cpb gate`: what offends first.

use crate::document::{Case, Document, Outcome};
use crate::verdict::{GateRow, Verdict, rows};
use crate::views::{header, layout};
use cpb_figures::{Known, Status, WorstRatio};
use cpb_model::Figure;
use cpb_report::html::Source;
use cpb_report::number::{estimate, five_digits, percent};
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, write_json};
use cpb_stats::Comparison;
use serde_json::json;
use std::io::Write;

/// Rows that are fine, of which people are shown no more than these.
const MOST_FINE: usize = 20;

impl Document for Verdict {
    fn command(&self) -> &'static str {
        "gate"
    }

    fn sections(&self) -> Vec<Section> {
        let (status, right) = (Column::left(""), Column::right);
        let mut table = Table::new(vec![
            status,
            Column::left("row"),
            right("length"),
            right("then").rank(2),
            right("now").rank(2),
            right("ratio"),
            right("interval").rank(1),
        ]);
        let fine = self.rows.iter().filter(|row| row.status >= Status::Within).count();
        let left_out = fine.saturating_sub(MOST_FINE);
        for row in &self.rows[..self.rows.len() - left_out] {
            let status = Cell::new(row.status.name(), style(row.status));
            let cells = vec![status, row.name.clone().into()];
            match figures(row) {
                Some(figures) => {
                    table.row(cells.into_iter().chain(figures.map(Cell::from)).collect());
                }
                None => table.note(cells, Cell::new(reason(row), Style::Bad)),
            }
        }
        let mut before = header::lines(&self.run);
        before.push(summary(self).into());
        let more = (left_out != 0).then(|| format!("{left_out} more within tolerance").into());
        let after = more.into_iter().chain(layout::line(&self.run.records)).collect();
        vec![Section { before, table, after, ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        Rows::of(COLUMNS, self.rows.iter())
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let rows = self.rows.iter().map(|row| {
            let worst = row.worst.as_ref();
            let compared = worst.and_then(|worst| worst.comparison);
            json!({
                "name": row.name,
                "status": row.status.name(),
                "reason": row.reason,
                "measurements": row.measurements,
                "beside_baseline": row.beside,
                "length": worst.map(|worst| worst.length),
                "cycles_then": worst.map(|worst| worst.cycles[0].estimate),
                "cycles_then_upper_bound": worst.map(|worst| worst.cycles[0].upper_bound),
                "cycles_now": worst.map(|worst| worst.cycles[1].estimate),
                "cycles_now_upper_bound": worst.map(|worst| worst.cycles[1].upper_bound),
                "ratio": compared.map(|it| it.ratio),
                "low": compared.map(|it| it.interval.low),
                "high": compared.map(|it| it.interval.high),
            })
        });
        let value = json!({
            "schema": cpb_model::SCHEMA,
            "kind": "gate",
            "baseline": self.baseline,
            "tolerance": self.tolerance,
            "rows": rows.collect::<Vec<_>>(),
            "run": self.run,
        });
        write_json(output, &value)
    }

    fn runs(&self) -> Vec<Source<'_>> {
        vec![Source { name: "gate", run: &self.run }]
    }

    fn cases(&self) -> Vec<Case> {
        let case = |row: &GateRow| {
            let figures = figures(row).map(|[length, then, now, ratio, interval]| {
                format!(
                    "length {length}: {then} cycles then, {now} now, ratio {ratio} ({interval})"
                )
            });
            let words = [figures, row.reason.clone()].into_iter().flatten();
            Case {
                name: row.name.clone(),
                outcome: match row.status {
                    Status::Slower => Outcome::Failed,
                    Status::NotMeasured => Outcome::Unknown,
                    _ => Outcome::Passed,
                },
                words: words.collect::<Vec<_>>().join("; "),
            }
        };
        self.rows.iter().map(case).collect()
    }
}

/// The verdict in a sentence.
fn summary(verdict: &Verdict) -> String {
    let tolerance = percent(verdict.tolerance);
    let (slower, unknown) = (verdict.count(Status::Slower), verdict.count(Status::NotMeasured));
    let all = rows(verdict.rows.len());
    let slower = match slower {
        0 => format!("no regression in {all} against {} (tolerance {tolerance})", verdict.baseline),
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
fn figures(row: &GateRow) -> Option<[String; 5]> {
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

fn reason(row: &GateRow) -> String {
    row.reason.clone().unwrap_or_default()
}

fn style(status: Status) -> Style {
    match status {
        Status::Slower | Status::NotMeasured => Style::Bad,
        Status::AtTolerance | Status::Layout => Style::Caution,
        Status::Within => Style::Plain,
        Status::Faster => Style::Good,
    }
}

/// A column's name, and its cell.
type Field = (&'static str, fn(&&GateRow) -> String);

const COLUMNS: [Field; 12] = [
    ("row", |it| it.name.clone()),
    ("status", |it| it.status.name().to_owned()),
    ("length", |it| it.worst.as_ref().map(|it| it.length.to_string()).unwrap_or_default()),
    ("cycles_then", |it| of_side(it, 0, |figure| five_digits(figure.estimate))),
    ("cycles_now", |it| of_side(it, 1, |figure| five_digits(figure.estimate))),
    ("ratio", |it| compared(it, |it| it.ratio)),
    ("ratio_low", |it| compared(it, |it| it.interval.low)),
    ("ratio_high", |it| compared(it, |it| it.interval.high)),
    ("then_state", |it| of_side(it, 0, |figure| figure.state().to_owned())),
    ("now_state", |it| of_side(it, 1, |figure| figure.state().to_owned())),
    ("measurements", |it| it.measurements.to_string()),
    ("reason", |it| reason(it)),
];

fn of_side(row: &GateRow, side: usize, text: fn(Figure) -> String) -> String {
    row.worst.as_ref().map(|worst| text(worst.cycles[side])).unwrap_or_default()
}

fn compared(row: &GateRow, value: fn(&Comparison) -> f64) -> String {
    let compared = row.worst.as_ref().and_then(|WorstRatio { comparison, .. }| comparison.as_ref());
    compared.map(|it| format!("{:.6}", value(it))).unwrap_or_default()
}
