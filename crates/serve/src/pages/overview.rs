//! Makes the first page: recent runs and changes.

use super::{Answer, Context, Page, Refusal, events};
use crate::form::{Field, form};
use crate::markup::{Html, html};
use crate::table::{Column, cell, table};
use crate::{pages::runs, words};
use cpb_report::date;
use cpb_store::{Among, Machine, State, StoreLocation};

pub(super) const PAGE: Page = Page { path: "/", menu: "/", parameters: &[], answer };

const RUNS: i64 = 10;
const MACHINES: usize = 40;

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    let newest = context.store.newest_runs(&Among::default(), 0, RUNS)?;
    let Some(last) = newest.first() else { return Ok(first_run(context.store.place())) };
    let machines = context.machines()?;
    let findings = context.findings;
    let lede = format!(
        "{} of {}, the newest of {}",
        words::counted(context.mark.runs, "run"),
        words::counted(machines.len(), "machine"),
        date::utc(last.started)
    );
    let fields =
        [Field::Text { name: "text", label: "Primitive", value: "", hint: "sha256, aes …" }];
    let more = |address: &str, words: &str| html!("<p class=\"more\">" (words::link(address, words)) "</p>\n");
    let main = html!(
        "<h1>What became slower or faster</h1>\n<p class=\"lede\">" (lede) "</p>\n"
        (words::progress(findings, context.mark))
        (form("/primitives", "Primitives", &fields, "Find"))
        (events::newest(findings.steps.iter(), "/changes"))
        "<section aria-labelledby=\"runs\">\n<h2 id=\"runs\">Newest runs</h2>\n"
        (runs::list(&newest, false)) (more("/runs", "All runs"))
        "</section>\n<section aria-labelledby=\"machines\">\n<h2 id=\"machines\">Machines</h2>\n"
        (machine_list(context, &machines, MACHINES)) (more("/machines", "All machines"))
        "</section>\n"
    );
    Ok(Answer::Page { title: "Overview".to_owned(), main })
}

/// Says how to begin if no run is saved.
fn first_run(place: &StoreLocation) -> Answer {
    let command = place.first_run();
    let main = html!(
        "<h1>No runs are saved yet</h1>\n"
        "<p class=\"lede\">In a terminal, this measures SHA-256 in every library here, and saves \
         what it found:</p>\n<pre>" (command) "</pre>\n"
        "<p>Then reload this page. <code>cpb run --help</code> says what else there is to measure; \
         <code>cpb import</code> takes runs from files of other machines.</p>\n"
    );
    Answer::Page { title: "Overview".to_owned(), main }
}

/// Makes a table of machines, the one with the latest run first.
pub(super) fn machine_list(
    context: &Context<'_>,
    machines: &[(Machine, Vec<State>)],
    most: usize,
) -> Html {
    const COLUMNS: [Column; 7] = [
        Column::text("machine"),
        Column::text("CPU"),
        Column::number("runs"),
        Column::whole("last run"),
        Column::rare("last kernel"),
        Column::rare("microcode"),
        Column::number("changes"),
    ];
    let changes = context.findings.changes_by(|step| Some(&step.machine_id));
    let last = |states: &[State]| states.iter().map(|state| state.last).max().unwrap_or(0);
    let mut sorted: Vec<&(Machine, Vec<State>)> = machines.iter().collect();
    sorted.sort_by_key(|(_, states)| std::cmp::Reverse(last(states)));
    let row = |(machine, states): &&(Machine, Vec<State>)| {
        let newest = states.iter().max_by_key(|state| state.last);
        let runs: i64 = states.iter().map(|state| state.runs).sum();
        let steps = changes.get(machine.id.as_str()).copied().unwrap_or(0);
        let address = crate::page_request::address("/changes", &[("machine", &machine.id)]);
        vec![
            words::machine(&machine.id),
            cell(words::about(machine)),
            cell(words::count(runs)),
            words::minute(last(states)),
            cell(newest.and_then(|state| state.kernel.as_ref())),
            cell(newest.and_then(|state| state.microcode.as_ref())),
            if steps == 0 { cell("0") } else { words::link(&address, &words::count(steps)) },
        ]
    };
    let rows = sorted.iter().take(most).map(row).collect();
    table("Machines", &COLUMNS, rows, "No machine is known yet.")
}
