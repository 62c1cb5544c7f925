//! Where figures stepped from one level to another, and what else changed then.

use crate::document::Document;
use crate::views::history::{self, Entry, Stretch};
use crate::views::runs::version;
use cpb_model::{Run, SCHEMA};
use cpb_report::number::{counted, five_digits, significant};
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, date, write_json};
use cpb_stats::change_points::{Observation, Step, change_points};
use cpb_store::StoreError;
use serde_json::{Value, json};
use std::io::Write;

/// Half the width of a 95 % interval in standard errors.
const STANDARD_ERRORS: f64 = 1.96;

/// The steps of some stretches.
pub(crate) struct Changes<'a> {
    stretches: Vec<(&'a Stretch<'a>, Vec<Change<'a>>)>,
}

/// A step, and what is known of the run after it and the one before.
struct Change<'a> {
    step: Step,
    before: &'a Entry<'a>,
    after: &'a Entry<'a>,
    /// What else changed between the two: what it is, then and now.
    circumstances: Vec<(&'static str, [String; 2])>,
}

impl<'a> Changes<'a> {
    /// Those of each of `stretches`; `describe` tells of a run without its records.
    pub(crate) fn of(
        stretches: &'a [Stretch<'a>],
        describe: impl Fn(i64) -> Result<Run, StoreError>,
    ) -> Result<Self, StoreError> {
        let of_stretch = |stretch: &'a Stretch<'a>| {
            let observed: Vec<Observation> = stretch.entries.iter().map(observation).collect();
            let change = |step: Step| {
                let (before, after) =
                    (&stretch.entries[step.place - 1], &stretch.entries[step.place]);
                let runs = [describe(before.run.number)?, describe(after.run.number)?];
                let circumstances = circumstances([before, after], &runs);
                Ok(Change { step, before, after, circumstances })
            };
            let changes = change_points(&observed).into_iter().map(change);
            Ok((stretch, changes.collect::<Result<_, StoreError>>()?))
        };
        Ok(Self { stretches: stretches.iter().map(of_stretch).collect::<Result<_, StoreError>>()? })
    }

    fn all(&self) -> impl Iterator<Item = (&Stretch<'a>, &Change<'a>)> {
        self.stretches.iter().flat_map(|(stretch, all)| all.iter().map(move |it| (*stretch, it)))
    }
}

fn observation(entry: &Entry<'_>) -> Observation {
    let figure = entry.reading.figure;
    Observation {
        value: figure.estimate,
        relative_error: figure.relative_half_width().unwrap_or(0.0) / STANDARD_ERRORS,
        is_upper_bound: figure.upper_bound,
    }
}

/// What differs between two runs besides the figure.
fn circumstances(
    [before, after]: [&Entry<'_>; 2],
    [then, now]: &[Run; 2],
) -> Vec<(&'static str, [String; 2])> {
    let of = |entry: &Entry<'_>, run: &Run| {
        let text = |text: &Option<String>| text.clone().unwrap_or_else(|| "unknown".to_owned());
        [
            ("library", entry.reading.library_version.clone()),
            ("cpb", version(&run.version, run.revision.as_deref())),
            ("kernel", text(&run.host.kernel)),
            ("microcode", text(&run.host.microcode)),
        ]
    };
    let both = of(before, then).into_iter().zip(of(after, now));
    let differ = both.filter(|((_, then), (_, now))| then != now);
    differ.map(|((what, then), (_, now))| (what, [then, now])).collect()
}

impl Change<'_> {
    /// Above 0 it became slower.
    fn relative(&self) -> f64 {
        self.step.after / self.step.before - 1.0
    }

    fn words(&self) -> String {
        let word = |(what, [then, now]): &(&str, [String; 2])| format!("{what} {then} → {now}");
        let words: Vec<String> = self.circumstances.iter().map(word).collect();
        if words.is_empty() { "nothing else that is saved".to_owned() } else { words.join(", ") }
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
            "{} in {} series · before, after: the median of all runs of that level · a change is \
             told by the third run after it, later where figures are less sure, and not at all \
             where it does not stay",
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
                        "library_version": entry.reading.library_version })
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
