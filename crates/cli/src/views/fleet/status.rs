//! Shows the state of each node of a fleet run.

use crate::commands::fleet::look::{Looked, Measured};
use cpb_fleet::{Fleet, State};
use cpb_model::{Quiet, SCHEMA};
use cpb_report::number::{percent, significant};
use cpb_report::{Case, Cell, Document, Fields, Outcome, Rows, Section, Style, Value, left, right};
use serde_json::json;
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
        let fields = fields();
        let mut table = fields.table();
        for node in self.nodes {
            let words = Cell::new(node.became.words.clone(), Style::Faint);
            fields.add(&mut table, &node, node.measured.is_none().then_some(words));
        }
        vec![Section { before: self.head(), table, after: self.foot(), ..Section::default() }]
    }

    fn rows(&self) -> Rows<'_> {
        fields().rows(self.nodes.iter())
    }

    fn data(&self) -> serde_json::Value {
        json!({
            "schema": SCHEMA,
            "fleet": self.fleet,
            "folder": self.folder.display().to_string(),
            "nodes": fields().array(self.nodes),
        })
    }

    fn cases(&self) -> Vec<Case> {
        let case = |node: &Looked| Case {
            name: node.node.clone(),
            outcome: match node.became.state {
                State::Done => Outcome::Passed,
                state if state.is_going_on() => Outcome::Unknown,
                _ => Outcome::Failed,
            },
            words: node.became.to_string(),
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

    /// Describes what to do next.
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

/// Formats a duration: `45 s`, `12 min`, `3.2 h`.
fn took(seconds: i64) -> String {
    match seconds {
        ..120 => format!("{seconds} s"),
        120..7200 => format!("{} min", seconds / 60),
        _ => format!("{} h", significant(seconds as f64 / 3600.0, 2)),
    }
}

/// Returns a node as JSON, without its figures.
pub(super) fn node(node: &Looked) -> serde_json::Value {
    fields().json(&node).into()
}

fn fields<'a>() -> Fields<'a, &'a Looked> {
    let not_one = |count: usize| (count > 1).then_some(count);
    Fields::<&Looked>::new()
        .field("node", left("node"), |it| it.node.clone())
        .data_only("state", |it| it.became.state.name())
        .shown_as(left("state"), |it| Cell::new(it.became.state.name(), style(it.became.state)))
        .naming()
        .data_only("reason", |it| it.became.words.clone())
        .field("since", left("since (UTC)").rank(1), |it| it.became.since.map(Value::Time))
        .data_only("seconds", |it| it.became.seconds)
        .shown_as(right("took").rank(2), |it| it.became.seconds.map(took))
        .data_only("attempts", |it| it.became.attempts)
        .shown_as(right("times").rank(3), move |it| not_one(it.became.attempts))
        .field("records", right("rows"), |it| Some(it.measured.as_ref()?.run.records.len()))
        .data_only("failures", |it| it.measured.as_ref().map(Measured::failures))
        .shown_as(right("failed").style(Style::Bad), |it| {
            it.measured.as_ref().map(Measured::failures).filter(|failed| *failed != 0)
        })
        .data_only("quiet", |it| Some(Value::Number(quiet(it)?.share, 4)))
        .shown_as(right("quiet"), |it| {
            quiet(it).map(|it| if it.assumed { "assumed".into() } else { percent(it.share) })
        })
        .data_only("id", |it| Some(it.measured.as_ref()?.run.id.clone()))
        .data_only("run", |it| it.measured.as_ref()?.number)
        .shown_as(left("saved as").missing("not yet"), |it| {
            Some(format!("run {}", it.measured.as_ref()?.number?))
        })
}

fn quiet(node: &Looked) -> Option<Quiet> {
    node.measured.as_ref()?.quiet()
}
