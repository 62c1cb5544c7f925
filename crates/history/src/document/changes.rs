//! Makes the document of steps in figures, and of what else changed then.

use super::history;
use crate::{Change, HistoryPoint, HistorySegment};
use cpb_model::SCHEMA;
use cpb_report::Document;
use cpb_report::number::counted;
use cpb_report::{Cell, Fields, Rows, Section, Style, Table, Value, left, right};
use serde_json::json;

/// The steps of several histories.
pub struct Changes<'a> {
    stretches: Vec<(&'a HistorySegment<'a>, Vec<Change<'a>>)>,
}

impl<'a> Changes<'a> {
    /// Finds the steps of each of `stretches`.
    pub fn of(stretches: &'a [HistorySegment<'a>]) -> Self {
        Self { stretches: stretches.iter().map(|stretch| (stretch, stretch.changes())).collect() }
    }

    fn all(&self) -> impl Iterator<Item = (&HistorySegment<'a>, &Change<'a>)> {
        self.stretches.iter().flat_map(|(stretch, all)| all.iter().map(move |it| (*stretch, it)))
    }
}

impl Document for Changes<'_> {
    fn command(&self) -> &'static str {
        "history"
    }

    fn sections(&self) -> Vec<Section> {
        let fields = fields();
        let is_any = self.all().next().is_some();
        let mut table = if is_any { fields.table() } else { Table::default() };
        for (stretch, changes) in self.stretches.iter().filter(|(_, changes)| !changes.is_empty()) {
            stretch.head(&mut table);
            for change in changes {
                let words = Cell::new(change.describe(), Style::Faint);
                fields.add(&mut table, &(stretch, change), Some(words));
            }
        }
        let legend = format!(
            "{} in {} series · before, after: the median of all runs of that level · a change is reported with the third run after it, later where figures are less certain, never if it does not last",
            counted(self.all().count(), "change"),
            self.stretches.len(),
        );
        let after = vec![Cell::new(legend, Style::Faint)];
        vec![Section { table, after, ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        fields().rows(self.all())
    }

    fn data(&self) -> serde_json::Value {
        let changes = self.all().map(|(stretch, change)| {
            let mut all = stretch.description();
            let entry = |entry: &HistoryPoint<'_>| {
                json!({ "run": super::runs::entry(entry.run),
                        "library_version": entry.reading.build.version,
                        "build": history::build(&entry.reading.build) })
            };
            let circumstances = change
                .circumstances
                .iter()
                .map(|(what, [then, now])| json!({ "what": what, "before": then, "after": now }));
            all.extend([
                ("last_before".to_owned(), entry(change.before)),
                ("first_after".to_owned(), entry(change.after)),
                ("before".to_owned(), change.step.before.into()),
                ("after".to_owned(), change.step.after.into()),
                ("change".to_owned(), change.relative().into()),
                ("circumstances".to_owned(), circumstances.collect()),
            ]);
            serde_json::Value::from(all)
        });
        json!({ "schema": SCHEMA, "changes": changes.collect::<Vec<_>>() })
    }
}

fn fields<'a>() -> Fields<'a, (&'a HistorySegment<'a>, &'a Change<'a>)> {
    let change = Fields::<&Change>::new()
        .field("run", right("since run"), |it| it.after.run.number)
        .field("started", left("date (UTC)"), |it| Value::Time(it.after.run.started))
        .table_only(left("label").rank(1), |it| it.after.run.label.clone())
        .field("before", right("before"), |it| it.step.before)
        .field("after", right("after").style(Style::Strong), |it| it.step.after)
        .data_only("change", |it| Value::Number(it.relative(), 4))
        .shown_as(right("change"), |it| {
            let style = if it.relative() < 0.0 { Style::Good } else { Style::Bad };
            Cell::new(format!("{:+.2} %", it.relative() * 100.0), style)
        })
        .naming()
        .field("what_else_changed", left("what else changed"), |it| it.describe());
    Fields::<(&HistorySegment, &Change)>::new()
        .with(history::of_stretch(), |it| it.0)
        .with(change, |it| it.1)
}
