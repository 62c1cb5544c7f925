//! Makes the page of a machine: its states, runs, changes, and what was measured on
//! it.

use super::{Answer, Context, Page, Refusal, events};
use crate::markup::{Html, html};
use crate::page_request::address;
use crate::pages::{primitives, runs};
use crate::table::{Column, cell, table};
use crate::words;
use cpb_store::{Among, Machine, State};

pub(super) const PAGE: Page =
    Page { path: "/machine/{name}", menu: "/machines", parameters: &[], answer };

const RUNS: i64 = 15;
const STATES: usize = 100;

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    let name = context.asked.name.as_str();
    let machines = context.machines()?;
    let mut found = machines.iter().filter(|(machine, _)| machine.id.starts_with(name));
    let (machine, states) = match (found.next(), found.next()) {
        (Some(only), None) if !name.is_empty() => only,
        (Some(_), Some(_)) => {
            return Err(Refusal::Wrong(format!(
                "more than one machine's name begins with '{name}'"
            )));
        }
        _ => return Err(Refusal::Absent(format!("no run is of a machine '{name}'"))),
    };
    let id = machine.id.as_str();
    let among = Among { machine: id, ..Among::default() };
    let newest = context.store.newest_runs(&among, 0, RUNS)?;
    let changes = context.findings.steps.iter().filter(|step| step.machine_id == id);
    let all_changes = address("/changes", &[("machine", id)]);
    let more = |path: &str, words: &str| html!("<p class=\"more\">" (words::link(&address(path, &[("machine", id)]), words)) "</p>\n");
    let title = words::about(machine);
    let main = html!(
        "<h1>" (&title) "</h1>\n<p class=\"lede\">" (identity(machine)) "</p>\n"
        (words::progress(context.findings, context.mark))
        (events::newest(changes, &all_changes))
        "<section aria-labelledby=\"states\">\n<h2 id=\"states\">States</h2>\n"
        (state_list(states))
        "</section>\n<section aria-labelledby=\"runs\">\n<h2 id=\"runs\">Newest runs</h2>\n"
        (runs::list(&newest, false)) (more("/runs", "All runs"))
        "</section>\n<section aria-labelledby=\"measured\">\n<h2 id=\"measured\">Primitives</h2>\n"
        (primitives::list(context, "", id, &crate::parts::Part { skipped: 0, limit: MEASURED }).0)
        (more("/primitives", "All primitives"))
        "</section>\n"
    );
    Ok(Answer::Page { title, main })
}

const MEASURED: i64 = 100;

fn identity(machine: &Machine) -> Html {
    let parts = [machine.cpu_id.as_ref(), Some(&machine.architecture), Some(&machine.id)];
    cell(parts.into_iter().flatten().cloned().collect::<Vec<_>>().join(" · "))
}

fn state_list(states: &[State]) -> Html {
    const COLUMNS: [Column; 7] = [
        Column::text("kernel"),
        Column::text("microcode"),
        Column::number("CPUs"),
        Column::number("boots"),
        Column::number("runs"),
        Column::whole("first run"),
        Column::whole("last run"),
    ];
    let unknown = |text: &Option<String>| cell(text.clone().unwrap_or_else(|| "?".to_owned()));
    let row = |state: &&State| {
        vec![
            unknown(&state.kernel),
            unknown(&state.microcode),
            cell(state.cpus),
            // Runs saved by earlier versions do not record the boot.
            if state.boots == 0 { cell("?") } else { cell(state.boots) },
            cell(words::count(state.runs)),
            words::minute(state.first),
            words::minute(state.last),
        ]
    };
    let mut sorted: Vec<&State> = states.iter().collect();
    sorted.sort_by_key(|state| std::cmp::Reverse(state.last));
    let rows = sorted.iter().take(STATES).map(row).collect();
    table("What it was like, the last first", &COLUMNS, rows, "None is known.")
}
