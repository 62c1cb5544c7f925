//! Where figures stepped from one level to another, and what else changed then.

use crate::document::Document;
use crate::views::history::{self, Shown};
use cpb_history::{Change, Entry, Stretch};
use cpb_model::SCHEMA;
use cpb_report::number::{counted, five_digits, significant};
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, date, write_json};
use serde_json::{Value, json};
use std::io::Write;

/// The steps of some stretches.
pub(crate) struct Changes<'a> {
    stretches: Vec<(&'a Stretch<'a>, Vec<Change<'a>>)>,
}

impl<'a> Changes<'a> {
    /// Those of each of `stretches`.
    pub(crate) fn of(stretches: &'a [Stretch<'a>]) -> Self {
        Self { stretches: stretches.iter().map(|stretch| (stretch, stretch.changes())).collect() }
    }

    fn all(&self) -> impl Iterator<Item = (&Stretch<'a>, &Change<'a>)> {
        self.stretches.iter().flat_map(|(stretch, all)| all.iter().map(move |it| (*stretch, it)))
    }
}

impl Document for Changes<'_> {
    fn command(&self) -> &'static str {
        "history"
    }

    fn sections(&self) -> Vec<Section> {
        let columns = vec![
            Column::right("since run"),
            Column::left("date (UTC)"),
            Column::left("label").rank(1),
            Column::right("before"),
            Column::right("after"),
            Column::right("change"),
            Column::left("what else changed"),
        ];
        let is_any = self.all().next().is_some();
        let mut table = Table::new(if is_any { columns } else { Vec::new() });
        for (stretch, changes) in self.stretches.iter().filter(|(_, changes)| !changes.is_empty()) {
            stretch.head(&mut table);
            for change in changes {
                let run = change.after.run;
                let style = if change.relative() < 0.0 { Style::Good } else { Style::Bad };
                let cells = vec![
                    run.number.to_string().into(),
                    date::to_the_minute(run.started).into(),
                    run.label.clone().unwrap_or_default().into(),
                    five_digits(change.step.before).into(),
                    Cell::new(five_digits(change.step.after), Style::Strong),
                    Cell::new(format!("{:+.2} %", change.relative() * 100.0), style),
                ];
                table.note(cells, Cell::new(change.words(), Style::Faint));
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
        history::rows(COLUMNS, self.all())
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let changes = self.all().map(|(stretch, change)| {
            let mut all = stretch.description();
            let entry = |entry: &Entry<'_>| {
                json!({ "run": crate::views::runs::entry(entry.run),
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
            Value::Object(all)
        });
        write_json(output, &json!({ "schema": SCHEMA, "changes": changes.collect::<Vec<_>>() }))
    }
}

/// A column's name, and its cell.
type OfChange = (&'static str, fn(&Change<'_>) -> String);

const COLUMNS: [OfChange; 6] = [
    ("run", |change| change.after.run.number.to_string()),
    ("started", |change| date::timestamp(change.after.run.started)),
    ("before", |change| five_digits(change.step.before)),
    ("after", |change| five_digits(change.step.after)),
    ("change", |change| significant(change.relative(), 4)),
    ("what_else_changed", |change| change.words()),
];
