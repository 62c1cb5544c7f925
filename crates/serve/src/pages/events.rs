//! Groups steps that came with one run, of one library, with the same other changes.

use crate::markup::{Html, html};
use crate::page_request::address;
use crate::survey::Stepped;
use crate::table::{Column, table};
use crate::words;
use cpb_report::group_by;
use std::collections::HashSet;
use std::sync::Arc;

/// The most events that are shown.
const EVENTS: usize = 15;
/// The most primitives that are named for each event.
const NAMED: usize = 4;

/// Makes the section of the newest changes: the events in `steps`, which come newest first, and a
/// link to all of them at the address `all`.
pub(super) fn newest<'a>(steps: impl Iterator<Item = &'a Arc<Stepped>>, all: &str) -> Html {
    const CAPTION: &str = "Newest changes";
    const COLUMNS: [Column; 7] = [
        Column::whole("since"),
        Column::whole("change"),
        Column::text("library"),
        Column::text("of"),
        Column::text("what else changed"),
        Column::text("machine"),
        Column::number("run"),
    ];
    let steps: Vec<&Arc<Stepped>> = steps.collect();
    let events = group_by(steps.iter().copied(), |step| {
        (step.runs[1], step.series.library.as_str(), step.relative < 0.0, step.words.as_str())
    });
    let rows = events.iter().take(EVENTS).map(|event| row(event)).collect();
    let nothing = "No figure stepped from one level to another and stayed there.";
    html!(
        "<section aria-labelledby=\"changes\">\n<h2 id=\"changes\">" (CAPTION) "</h2>\n"
        (table(CAPTION, &COLUMNS, rows, nothing)) (words::all_changes(steps.len(), all))
        "</section>\n"
    )
}

/// Makes the row of an event: of steps that came together, at least one.
fn row(event: &[&Arc<Stepped>]) -> Vec<Html> {
    let first = event[0];
    let run = first.runs[1].to_string();
    let library = first.series.library.as_str();
    let became = if first.relative < 0.0 { "faster" } else { "slower" };
    let all = address("/changes", &[("run", &run), ("library", library), ("became", became)]);
    let changes = || event.iter().map(|step| step.relative.abs());
    let (least, most) = (changes().fold(f64::INFINITY, f64::min), changes().fold(0.0, f64::max));
    let sign = if first.relative < 0.0 { "−" } else { "+" };
    let shown = |share: f64| format!("{:.1}", share * 100.0);
    let range = match shown(least) == shown(most) {
        true => format!("{sign}{} %", shown(least)),
        false => format!("{sign}{} to {sign}{} %", shown(least), shown(most)),
    };
    let class = if first.relative < 0.0 { "good strong" } else { "bad strong" };
    vec![
        words::minute(first.started),
        html!(
            "<span class=\"" (class) "\">" (range) " <span class=\"unseen\">" (became) "</span></span><br>"
            (words::link(&all, &words::counted(event.len(), "row")))
        ),
        words::library(library),
        named(event),
        html!("<span class=\"faint\">" (&first.words) "</span>"),
        words::machine_with_cpu(&first.machine, &first.machine_id),
        words::run(first.runs[1]),
    ]
}

/// Names the primitives, with links to their pages.
fn named(event: &[&Arc<Stepped>]) -> Html {
    let mut seen = HashSet::new();
    let names = event.iter().map(|step| step.series.workload.primitive.as_str());
    let names: Vec<&str> = names.filter(|name| seen.insert(*name)).collect();
    let machine = event[0].machine_id.as_str();
    let links = names.iter().take(NAMED).enumerate().map(|(place, name)| {
        let comma = (place > 0).then_some(", ");
        html!((comma)(words::primitive(name, machine)))
    });
    let links: Html = links.collect();
    let more = names.len().saturating_sub(NAMED);
    let more = (more > 0).then(|| format!(" and {} more", words::count(more)));
    html!((links)(more))
}
