//! How far each node of a fleet run is.

use crate::commands::fleet::look::{Looked, Measured};
use crate::document::{Case, Document, Outcome};
use cpb_fleet::{Fleet, State};
use cpb_model::SCHEMA;
use cpb_report::number::{percent, significant};
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, date, write_json};
use serde_json::json;
use std::io::Write;
use std::path::Path;

/// The nodes of a fleet run.
pub(crate) struct Status<'a> {
    pub(crate) fleet: &'a Fleet,
    pub(crate) folder: &'a Path,
    pub(crate) nodes: &'a [Looked],
}

impl Document for Status<'_> {
    fn command(&self) -> &'static str {
        "fleet status"
    }

    fn sections(&self) -> Vec<Section> {
        let mut table = Table::new(vec![
            Column::left("node"),
            Column::left("state"),
            Column::left("since (UTC)").rank(1),
            Column::right("took").rank(2),
            Column::right("times").rank(3),
            Column::right("rows"),
            Column::right("failed"),
            Column::right("quiet"),
            Column::left("saved as"),
        ]);
        for node in self.nodes {
            let became = &node.became;
            let measured = node.measured.as_ref();
            let failed = measured.map_or(0, Measured::failures);
            let rows = measured.map(|it| it.run.records.len().to_string());
            let quiet = measured.and_then(Measured::quiet);
            let quiet =
                quiet.map(|it| if it.assumed { "assumed".into() } else { percent(it.share) });
            let mut cells: Vec<Cell> = vec![
                node.node.as_str().into(),
                Cell::new(became.state.name(), style(became.state)),
                became.since.map(date::to_the_minute).unwrap_or_default().into(),
                became.seconds.map(took).unwrap_or_default().into(),
                if became.attempts > 1 { became.attempts.to_string() } else { String::new() }
                    .into(),
                rows.unwrap_or_default().into(),
                Cell::new(if failed == 0 { String::new() } else { failed.to_string() }, Style::Bad),
                quiet.unwrap_or_default().into(),
            ];
            match measured {
                Some(measured) => {
                    let number = measured.number.map(|number| format!("run {number}"));
                    cells.push(number.unwrap_or_else(|| "not yet".to_owned()).into());
                    table.row(cells);
                }
                None => {
                    let words = Cell::new(became.words.clone(), Style::Faint);
                    table.note(cells[..2].to_vec(), words);
                }
            }
        }
        vec![Section { before: self.head(), table, after: self.foot(), ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        Rows::of(COLUMNS, self.nodes.iter())
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let nodes: Vec<_> = self.nodes.iter().map(node).collect();
        let document = json!({
            "schema": SCHEMA,
            "fleet": self.fleet,
            "folder": self.folder.display().to_string(),
            "nodes": nodes,
        });
        write_json(output, &document)
    }

    fn cases(&self) -> Vec<Case> {
        let case = |node: &Looked| Case {
            name: node.node.clone(),
            outcome: match node.became.state {
                State::Done => Outcome::Passed,
                state if state.is_going_on() => Outcome::Unknown,
                _ => Outcome::Failed,
            },
            words: super::told(&node.became),
        };
        self.nodes.iter().map(case).collect()
    }
}

impl Status<'_> {
    fn head(&self) -> Vec<Cell> {
        let Fleet { suite, partition, constraint, store, submissions, name, .. } = self.fleet;
        let jobs: Vec<String> = submissions.iter().map(|it| it.job.to_string()).collect();
        let constraint = constraint.as_ref().map(|it| format!(" ({it})")).unwrap_or_default();
        let jobs = format!("{} {}", if jobs.len() == 1 { "job" } else { "jobs" }, jobs.join(", "));
        let about = format!("suite {suite} · partition {partition}{constraint} · {jobs} · {store}");
        vec![Cell::new(name.as_str(), Style::Strong), about.into()]
    }

    /// What there is to do.
    fn foot(&self) -> Vec<Cell> {
        let count = |is: &dyn Fn(State) -> bool| {
            self.nodes.iter().filter(|node| is(node.became.state)).count()
        };
        let done = count(&|state| state == State::Done);
        let going = count(&State::is_going_on);
        let lost = self.nodes.len() - done - going;
        let mut words = format!("{done} of {} nodes done", self.nodes.len());
        if going > 0 {
            words.push_str(&format!(", {going} at it"));
        }
        if lost > 0 {
            words.push_str(&format!(", {lost} without a run: cpb fleet again retries them"));
        }
        let folder = format!("logs and files: {}", self.folder.join("nodes").display());
        vec![words.into(), Cell::new(folder, Style::Faint)]
    }
}

fn style(state: State) -> Style {
    match state {
        State::Done => Style::Good,
        state if state.is_going_on() => Style::Plain,
        State::Unfit | State::Unknown | State::Absent => Style::Caution,
        _ => Style::Bad,
    }
}

/// `45 s`, `12 min`, `3.2 h`.
fn took(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", significant(seconds as f64 / 3600.0, 2)),
    }
}

/// A node as JSON, without its figures.
pub(super) fn node(node: &Looked) -> serde_json::Value {
    let became = &node.became;
    let measured = node.measured.as_ref();
    json!({
        "node": node.node,
        "state": became.state.name(),
        "reason": became.words,
        "since": became.since,
        "seconds": became.seconds,
        "attempts": became.attempts,
        "records": measured.map(|it| it.run.records.len()),
        "failures": measured.map(Measured::failures),
        "quiet": measured.and_then(Measured::quiet).map(|it| it.share),
        "id": measured.map(|it| it.run.id.as_str()),
        "run": measured.and_then(|it| it.number),
    })
}

/// A column's name, and its cell.
type Field = (&'static str, fn(&&Looked) -> String);

const COLUMNS: [Field; 11] = [
    ("node", |it| it.node.clone()),
    ("state", |it| it.became.state.name().to_owned()),
    ("reason", |it| it.became.words.clone()),
    ("since", |it| it.became.since.map(date::timestamp).unwrap_or_default()),
    ("seconds", |it| it.became.seconds.map(|it| it.to_string()).unwrap_or_default()),
    ("attempts", |it| it.became.attempts.to_string()),
    ("records", |it| of(it, |it| it.run.records.len().to_string())),
    ("failures", |it| of(it, |it| it.failures().to_string())),
    ("quiet", |it| {
        let quiet = it.measured.as_ref().and_then(Measured::quiet);
        quiet.map(|it| significant(it.share, 4)).unwrap_or_default()
    }),
    ("id", |it| of(it, |it| it.run.id.clone())),
    ("run", |it| {
        let number = it.measured.as_ref().and_then(|it| it.number);
        number.map(|it| it.to_string()).unwrap_or_default()
    }),
];

fn of(node: &Looked, what: fn(&Measured) -> String) -> String {
    node.measured.as_ref().map(what).unwrap_or_default()
}
