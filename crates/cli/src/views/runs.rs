//! Lists of saved runs.

use crate::document::Document;
use cpb_model::{Run, SCHEMA};
use cpb_report::number::significant;
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, date, write_json};
use cpb_store::RunEntry;
use serde_json::json;
use std::io::Write;

/// Saved runs, oldest first.
pub(crate) struct SavedRuns<'a>(pub(crate) &'a [RunEntry]);

impl Document for SavedRuns<'_> {
    fn command(&self) -> &'static str {
        "history"
    }

    fn sections(&self) -> Vec<Section> {
        let mut table = Table::new(vec![
            Column::right("run"),
            Column::left("date (UTC)"),
            Column::left("label"),
            Column::left("cpb").rank(2),
            Column::right("rows"),
            Column::right("failed"),
            Column::left("machine").rank(1),
            Column::left("command"),
        ]);
        for run in self.0 {
            let failed = if run.failures == 0 { String::new() } else { run.failures.to_string() };
            table.row(vec![
                run.number.to_string().into(),
                date::to_the_minute(run.started).into(),
                Cell::new(run.label.clone().unwrap_or_default(), Style::Strong),
                run.program().into(),
                run.records.to_string().into(),
                Cell::new(failed, Style::Bad),
                run.machine.as_str().into(),
                Cell::new(command(&run.command), Style::Faint),
            ]);
        }
        vec![table.into()]
    }

    fn rows(&self) -> Rows<'_> {
        Rows::of(COLUMNS, self.0.iter())
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let runs: Vec<_> = self.0.iter().map(entry).collect();
        write_json(output, &json!({ "schema": SCHEMA, "runs": runs }))
    }
}

/// A column's name, and its cell.
type Field = (&'static str, fn(&&RunEntry) -> String);

const COLUMNS: [Field; 13] = [
    ("run", |run| run.number.to_string()),
    ("id", |run| run.id.clone()),
    ("label", |run| run.label.clone().unwrap_or_default()),
    ("started", |run| date::timestamp(run.started)),
    ("seconds", |run| significant(run.seconds, 4)),
    ("version", |run| run.version.clone()),
    ("revision", |run| run.revision.clone().unwrap_or_default()),
    ("machine", |run| run.machine.clone()),
    ("machine_id", |run| run.machine_id.clone().unwrap_or_default()),
    ("clock", |run| run.clock.clone().unwrap_or_default()),
    ("records", |run| run.records.to_string()),
    ("failures", |run| run.failures.to_string()),
    ("command", |run| run.command.join(" ")),
];

/// A run as JSON, without its records.
pub(crate) fn entry(run: &RunEntry) -> serde_json::Value {
    json!({
        "run": run.number,
        "id": run.id,
        "label": run.label,
        "started": run.started,
        "seconds": run.seconds,
        "version": run.version,
        "revision": run.revision,
        "machine": run.machine,
        "machine_id": run.machine_id,
        "clock": run.clock,
        "records": run.records,
        "failures": run.failures,
        "command": run.command,
    })
}

/// The line over a run that was saved.
pub(crate) fn title(run: &Run) -> Cell {
    let version = version(&run.version, run.revision.as_deref());
    let line = format!("{} · cpb {version} · {}", date::utc(run.started), command(&run.command));
    Cell::new(line, Style::Faint)
}

/// `0.1.0 (83b1d5a)`.
pub(crate) fn version(version: &str, revision: Option<&str>) -> String {
    revision.map_or_else(|| version.to_owned(), |revision| format!("{version} ({revision})"))
}

/// The command line, by the program's name instead of its path.
fn command(words: &[String]) -> String {
    let Some((program, rest)) = words.split_first() else { return String::new() };
    let name = program.rsplit('/').next().unwrap_or(program);
    [name].into_iter().chain(rest.iter().map(String::as_str)).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_command_has_no_path() {
        assert_eq!(
            command(&["/a/cpb".to_owned(), "run".to_owned(), "x/y".to_owned()]),
            "cpb run x/y"
        );
        assert_eq!(command(&[]), "");
    }
}
