//! Shows the result of `cpb gate`, worst rows first.

use crate::verdict::{GateRow, Verdict};
use cpb_figures::{RatioBound, Status};
use cpb_report::number::{counted, estimate, percent};
use cpb_report::{
    Case, Cell, Document, Fields, Outcome, Rows, Section, Source, Style, header, layout, left,
    right,
};
use cpb_stats::Comparison;
use serde_json::json;

/// The most fine rows that are shown to people.
const MOST_FINE: usize = 20;

impl Document for Verdict {
    fn command(&self) -> &'static str {
        "gate"
    }

    fn sections(&self) -> Vec<Section> {
        let fields = fields();
        let mut table = fields.table();
        let fine = self.rows.iter().filter(|row| row.status >= Status::Within).count();
        let left_out = fine.saturating_sub(MOST_FINE);
        for row in &self.rows[..self.rows.len() - left_out] {
            let is_open = compared(row).is_none();
            fields.add(&mut table, &row, is_open.then(|| Cell::new(reason(row), Style::Bad)));
        }
        let mut before = header(&self.run);
        before.push(summary(self).into());
        let more = (left_out != 0).then(|| format!("{left_out} more within tolerance").into());
        let after = more.into_iter().chain(layout::line(&self.run.records)).collect();
        vec![Section { before, table, after, ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        fields().rows(self.rows.iter())
    }

    fn data(&self) -> serde_json::Value {
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
        json!({
            "schema": cpb_model::SCHEMA,
            "kind": "gate",
            "baseline": self.baseline,
            "tolerance": self.tolerance,
            "rows": rows.collect::<Vec<_>>(),
            "run": self.run,
        })
    }

    fn runs(&self) -> Vec<Source<'_>> {
        vec![Source { name: "gate", run: &self.run }]
    }

    fn cases(&self) -> Vec<Case> {
        let case = |row: &GateRow| {
            let figures = compared(row).and(row.worst.as_ref()).map(|worst| {
                let [then, now] = worst.cycles.map(estimate);
                let [ratio, interval] = compared(row).unwrap_or_default();
                format!(
                    "length {}: {then} cycles then, {now} now, ratio {ratio} ({interval})",
                    worst.length
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

/// Returns the verdict as a sentence.
fn summary(verdict: &Verdict) -> String {
    let tolerance = percent(verdict.tolerance);
    let (slower, unknown) = (verdict.count(Status::Slower), verdict.count(Status::NotMeasured));
    let all = counted(verdict.rows.len(), "row");
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

/// Returns ratio and interval.
fn compared(row: &GateRow) -> Option<[String; 2]> {
    let worst = row.worst.as_ref()?;
    match worst.comparison {
        Some(Comparison { ratio, interval }) => {
            Some([format!("{ratio:.4}"), format!("{:.4} to {:.4}", interval.low, interval.high)])
        }
        // Within the tolerance, as an upper bound.
        None if row.status == Status::Within => {
            let ratio = worst.cycles[1].estimate / worst.cycles[0].estimate;
            Some([format!("{}{ratio:.4}", RatioBound::AtMost.mark()), "bound".to_owned()])
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

fn fields<'a>() -> Fields<'a, &'a GateRow> {
    let cycles = |row: &GateRow, side: usize| Some(row.worst.as_ref()?.cycles[side]);
    let of_ratio = |row: &GateRow, value: fn(&Comparison) -> f64| {
        let comparison = row.worst.as_ref()?.comparison.as_ref()?;
        Some(format!("{:.6}", value(comparison)))
    };
    Fields::<&GateRow>::new()
        .ordered("row status length cycles_then cycles_now ratio ratio_low ratio_high")
        .data_only("status", |it| it.status.name())
        .shown_as(left(""), |it| Cell::new(it.status.name(), style(it.status)))
        .field("row", left("row"), |it| it.name.clone())
        .naming()
        .field("length", right("length"), |it| Some(it.worst.as_ref()?.length))
        .field("cycles_then _ _ then_state", right("then").rank(2), move |it| cycles(it, 0))
        .field("cycles_now _ _ now_state", right("now").rank(2), move |it| cycles(it, 1))
        .data_only("ratio", move |it| of_ratio(it, |it| it.ratio))
        .shown_as(right("ratio"), |it| compared(it).map(|[ratio, _]| ratio))
        .data_only("ratio_low", move |it| of_ratio(it, |it| it.interval.low))
        .data_only("ratio_high", move |it| of_ratio(it, |it| it.interval.high))
        .table_only(right("interval").rank(1), |it| compared(it).map(|[_, interval]| interval))
        .data_only("measurements", |it| it.measurements)
        .data_only("reason", |it| it.reason.clone())
}
