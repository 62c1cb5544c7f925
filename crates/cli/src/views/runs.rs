//! Lists of saved runs.

use crate::fault::Fault;
use cpb_model::{Run, SCHEMA};
use cpb_report::number::significant;
use cpb_report::{Align, Cell, Column, Style, Table, date, write_csv};
use cpb_store::RunEntry;

const HEADER: [&str; 12] = [
    "run", "id", "label", "started", "seconds", "version", "revision", "machine", "clock",
    "records", "failures", "command",
];

pub(crate) fn table(runs: &[RunEntry]) -> String {
    let column = |heading: &str, align| Column { heading: heading.to_owned(), align };
    let mut table = Table::new(vec![
        column("run", Align::Right),
        column("date (UTC)", Align::Left),
        column("label", Align::Left),
        column("cpb", Align::Left),
        column("rows", Align::Right),
        column("failed", Align::Right),
        column("machine", Align::Left),
        column("command", Align::Left),
    ]);
    for run in runs {
        let failed = if run.failures == 0 { String::new() } else { run.failures.to_string() };
        table.note(
            vec![
                run.number.to_string().into(),
                date::to_the_minute(run.started).into(),
                Cell::new(run.label.clone().unwrap_or_default(), Style::Strong),
                version(&run.version, run.revision.as_deref()).into(),
                run.records.to_string().into(),
                Cell::new(failed, Style::Bad),
                run.machine.as_str().into(),
            ],
            Cell::new(command(&run.command), Style::Faint),
        );
    }
    table.render()
}

pub(crate) fn csv(runs: &[RunEntry]) -> Result<(), Fault> {
    let rows = runs.iter().map(|run| {
        [
            run.number.to_string(),
            run.id.clone(),
            run.label.clone().unwrap_or_default(),
            date::timestamp(run.started),
            significant(run.seconds, 4),
            run.version.clone(),
            run.revision.clone().unwrap_or_default(),
            run.machine.clone(),
            run.clock.clone().unwrap_or_default(),
            run.records.to_string(),
            run.failures.to_string(),
            run.command.join(" "),
        ]
    });
    Ok(write_csv(&mut std::io::stdout().lock(), &HEADER.map(str::to_owned), rows)?)
}

pub(crate) fn json(runs: &[RunEntry]) -> serde_json::Value {
    let runs: Vec<_> = runs.iter().map(entry).collect();
    serde_json::json!({ "schema": SCHEMA, "runs": runs })
}

/// A run as JSON, without its records.
pub(crate) fn entry(run: &RunEntry) -> serde_json::Value {
    serde_json::json!({
        "run": run.number,
        "id": run.id,
        "label": run.label,
        "started": run.started,
        "seconds": run.seconds,
        "version": run.version,
        "revision": run.revision,
        "machine": run.machine,
        "clock": run.clock,
        "records": run.records,
        "failures": run.failures,
        "command": run.command,
    })
}

/// The line over a run that was saved.
pub(crate) fn title(run: &Run) -> String {
    let version = version(&run.version, run.revision.as_deref());
    let line = format!("{} · cpb {version} · {}", date::utc(run.started), command(&run.command));
    Style::Faint.paint(&line)
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
