//! Makes lists of saved runs.

use cpb_model::{Run, SCHEMA};
use cpb_report::Document;
use cpb_report::{Cell, Fields, Rows, Section, Style, Value, date, left, right};
use cpb_store::RunEntry;
use serde_json::json;

/// Saved runs, oldest first.
pub struct SavedRuns<'a>(pub &'a [RunEntry]);

impl Document for SavedRuns<'_> {
    fn command(&self) -> &'static str {
        "history"
    }

    fn sections(&self) -> Vec<Section> {
        vec![fields().table_of(self.0).into()]
    }

    fn rows(&self) -> Rows<'_> {
        fields().rows(self.0.iter())
    }

    fn data(&self) -> serde_json::Value {
        json!({ "schema": SCHEMA, "runs": fields().array(self.0) })
    }
}

fn fields<'a>() -> Fields<'a, &'a RunEntry> {
    let order = "run id label started seconds version revision machine machine_id clock records \
                 failures command";
    Fields::<&RunEntry>::new()
        .ordered(order)
        .field("run", right("run"), |it| it.number)
        .field("started", left("date (UTC)"), |it| Value::Time(it.started))
        .field("label", left("label").style(Style::Strong), |it| it.label.clone())
        .table_only(left("cpb").rank(2), |it| it.program())
        .field("records", right("rows"), |it| it.records)
        .data_only("failures", |it| it.failures)
        .shown_as(right("failed").style(Style::Bad), |it| (it.failures != 0).then_some(it.failures))
        .field("machine", left("machine").rank(1), |it| it.machine.clone())
        .data_only("command", |it| it.command.clone())
        .shown_as(left("command").style(Style::Faint), |it| command_line(&it.command))
        .data_only("id", |it| it.id.clone())
        .data_only("seconds", |it| Value::Number(it.seconds, 4))
        .data_only("version", |it| it.version.clone())
        .data_only("revision", |it| it.revision.clone())
        .data_only("machine_id", |it| it.machine_id.clone())
        .data_only("clock", |it| it.clock.clone())
}

/// Returns a run as JSON, without its records.
pub(super) fn entry(run: &RunEntry) -> serde_json::Value {
    fields().json(&run).into()
}

/// Returns the heading of a saved run.
pub fn run_title(run: &Run) -> Cell {
    let version = version(&run.version, run.revision.as_deref());
    let command = command_line(&run.command);
    let line = format!("{} · cpb {version} · {command}", date::utc(run.started));
    Cell::new(line, Style::Faint)
}

/// Formats the version: `0.1.0 (83b1d5a)`.
fn version(version: &str, revision: Option<&str>) -> String {
    revision.map_or_else(|| version.to_owned(), |revision| format!("{version} ({revision})"))
}

/// Formats the command line, with the program's name instead of its path.
pub fn command_line(words: &[String]) -> String {
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
            command_line(&["/a/cpb".to_owned(), "run".to_owned(), "x/y".to_owned()]),
            "cpb run x/y"
        );
        assert_eq!(command_line(&[]), "");
    }
}
