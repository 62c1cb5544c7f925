//! Makes the page of a library and its versions, on one machine.

use super::changes::machine_field;
use super::{Answer, Context, Page, Refusal, events};
use crate::form::{Field, form};
use crate::markup::{Html, html};
use crate::page_request::{address, encoded};
use crate::parts::Part;
use crate::survey::{MachineSummary, Version};
use crate::table::{Column, cell, heads, scrolled, table};
use crate::words;
use cpb_report::number;
use cpb_store::Series;
use std::collections::{BTreeMap, HashMap};

pub(super) const PAGE: Page = Page {
    path: "/library/{name}",
    menu: "/libraries",
    parameters: &["machine", "text", Part::PARAMETER],
    answer,
};

const IN_A_PART: i64 = 100;
/// The number of versions that are shown side by side.
const ACROSS: usize = 4;
const VERSIONS: usize = 50;

/// Summarizes everything measured of a version.
struct Seen {
    first: i64,
    last: i64,
    readings: usize,
}

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    let (asked, findings) = (context.asked, context.findings);
    let label = asked.name.as_str();
    let briefs = || findings.of_machine("").filter(|(series, _)| series.library == label);
    let mut on: HashMap<&str, i64> = HashMap::new();
    for (_, brief) in briefs() {
        let last = on.entry(brief.machine_id.as_str()).or_insert(i64::MIN);
        *last = brief.last.0.max(*last);
    }
    let Some((usual, _)) = on.into_iter().max_by_key(|(id, last)| (*last, *id)) else {
        if findings.are_behind(context.mark) {
            return Ok(not_yet(context, label));
        }
        return Err(Refusal::Absent(format!("no saved run has a library '{label}'")));
    };
    let machine = match asked.text("machine") {
        "" => usual,
        machine => machine,
    };
    let text = asked.text("text");
    let here: Vec<(&Series, &MachineSummary)> =
        briefs().filter(|(_, brief)| brief.machine_id == machine).collect();
    let seen = seen(&here);
    let mut rows = here.clone();
    rows.retain(|(series, _)| is_meant(series, text));
    let part = Part::of(asked, IN_A_PART)?;
    let count = rows.len() as i64;
    let path = format!("/library/{}", encoded(label));
    let fields = [
        machine_field(context, machine, false)?,
        Field::Text { name: "text", label: "Text", value: text, hint: "sha3, seal …" },
    ];
    let changes = findings.steps.iter();
    let changes = changes.filter(|it| it.series.library == label && it.machine_id == machine);
    let all_changes = address("/changes", &[("library", label), ("machine", machine)]);
    let main = html!(
        "<h1>" (label) "</h1>\n<p class=\"lede\">" (words::counted(here.len(), "row"))
        " on machine " (words::machine(machine)) ", by " (words::counted(seen.len(), "version"))
        "</p>\n" (words::progress(findings, context.mark))
        (form(&path, "Rows to show", &fields, "Show"))
        (events::newest(changes, &all_changes))
        "<section aria-labelledby=\"versions\">\n<h2 id=\"versions\">Versions</h2>\n"
        (version_list(&seen))
        "</section>\n<section aria-labelledby=\"rows\">\n<h2 id=\"rows\">Figures by version</h2>\n"
        "<p class=\"note\">The last figure by each of the newest versions, and the change from one "
        "to the next.</p>\n"
        (figures(&part.take(rows), &seen, machine)) (part.links(asked, &path, count))
        "</section>\n"
    );
    Ok(Answer::Page { title: label.to_owned(), main })
}

fn not_yet(context: &Context<'_>, label: &str) -> Answer {
    let main = html!(
        "<h1>" (label) "</h1>\n" (words::progress(context.findings, context.mark))
        "<p class=\"nothing\">Nothing was found yet.</p>\n"
    );
    Answer::Page { title: label.to_owned(), main }
}

fn is_meant(series: &Series, text: &str) -> bool {
    let workload = words::workload(series);
    words::are_in(text, &[&series.workload.primitive, &workload, &series.backend])
}

/// Returns the versions, the most recently introduced first.
fn seen<'a>(here: &[(&'a Series, &'a MachineSummary)]) -> Vec<(&'a str, Seen)> {
    let mut all: BTreeMap<&str, Seen> = BTreeMap::new();
    for Version { name, first, last, readings, .. } in here.iter().flat_map(|it| &it.1.versions) {
        let new = || Seen { first: *first, last: *last, readings: 0 };
        let seen = all.entry(name).or_insert_with(new);
        seen.first = seen.first.min(*first);
        seen.last = seen.last.max(*last);
        seen.readings += readings;
    }
    let mut all: Vec<(&str, Seen)> = all.into_iter().collect();
    all.sort_by_key(|(_, seen)| std::cmp::Reverse(seen.first));
    all
}

fn version_list(seen: &[(&str, Seen)]) -> Html {
    const COLUMNS: [Column; 4] = [
        Column::text("version"),
        Column::whole("first run"),
        Column::whole("last run"),
        Column::number("figures"),
    ];
    let row = |(name, seen): &(&str, Seen)| {
        let readings = words::count(seen.readings);
        vec![cell(*name), words::minute(seen.first), words::minute(seen.last), cell(readings)]
    };
    let rows = seen.iter().take(VERSIONS).map(row).collect();
    table("Versions, the newest here first", &COLUMNS, rows, "None was measured on this machine.")
}

/// Makes a row for each of `rows`, with a figure for each of the newest versions.
fn figures(rows: &[(&Series, &MachineSummary)], seen: &[(&str, Seen)], machine: &str) -> Html {
    let mut across: Vec<&str> = seen.iter().take(ACROSS).map(|(name, _)| *name).collect();
    across.reverse();
    let heads = heads(["primitive", "workload", "unit"], across.iter().copied());
    if rows.is_empty() {
        return html!("<p class=\"nothing\">No such figure was measured on this machine.</p>\n");
    }
    let row = |(series, brief): &(&Series, &MachineSummary)| {
        let cells: Html = across
            .iter()
            .enumerate()
            .map(|(place, name)| {
                let find = |name: &str| brief.versions.iter().find(|it| it.name == name);
                let before = across[..place].iter().rev().find_map(|name| find(name));
                figure(find(name), before)
            })
            .collect();
        let backend = if series.backend == "default" { "" } else { &series.backend };
        html!(
            "<tr><th scope=\"row\">" (words::primitive(&series.workload.primitive, machine))
            " <span class=\"faint\">" (backend) "</span></th><td class=\"faint\">"
            (words::workload(series)) "</td><td>" (&series.unit) "</td>" (cells) "</tr>\n"
        )
    };
    let rows: Html = rows.iter().map(row).collect();
    scrolled("Figures by version", &heads, &rows)
}

/// Shows a version's figure, and the change from the version `before`.
fn figure(version: Option<&Version>, before: Option<&Version>) -> Html {
    let Some(version) = version else { return html!("<td class=\"number faint\">–</td>") };
    let change = before.map(|before| version.figure.estimate / before.figure.estimate - 1.0);
    // Figures of the same code differ by less than this from one build or boot to the
    // next.
    const NOTABLE: f64 = 0.01;
    let change = change.filter(|change| change.abs() >= NOTABLE).map(words::change);
    html!("<td class=\"number\">" (number::estimate(version.figure)) " " (change) "</td>")
}
