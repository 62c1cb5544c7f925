//! Makes the page of recent steps.

use super::{Answer, Context, Page, Refusal};
use crate::form::{Field, form};
use crate::markup::{Html, html};
use crate::parts::Part;
use crate::survey::Stepped;
use crate::table::{Column, cell, table};
use crate::words;
use cpb_report::number::five_digits;
use cpb_store::Series;
use std::collections::BTreeSet;
use std::sync::Arc;

pub(super) const PAGE: Page = Page {
    path: "/changes",
    menu: "/changes",
    parameters: &["text", "machine", "library", "became", "least", "run", Part::PARAMETER],
    answer,
};

const IN_A_PART: i64 = 50;

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    let asked = context.asked;
    let became = asked.choice("became", &["", "slower", "faster"])?;
    let least = asked.number("least", [0, 1000], 0)?;
    let run = asked.number("run", [0, i64::MAX], 0)?;
    let (machine, library) = (asked.text("machine"), asked.text("library"));
    let text = asked.text("text");
    let is_asked = |step: &&Arc<Stepped>| {
        (machine.is_empty() || step.machine_id == machine)
            && (library.is_empty() || step.series.library == library)
            && says(step, text)
            && (became.is_empty() || (became == "faster") == (step.relative < 0.0))
            && step.relative.abs() * 100.0 >= least as f64
            && (run == 0 || step.runs[1] == run)
    };
    let found: Vec<&Arc<Stepped>> = context.findings.steps.iter().filter(is_asked).collect();
    let all = found.len() as i64;
    let part = Part::of(asked, IN_A_PART)?;
    let older = context.findings.older_steps;
    let older = (older > 0).then(|| {
        let words = words::counted(older, "older change");
        html!("<p class=\"note\">" (words) " are not kept here; cpb history --changes has them.</p>\n")
    });
    let of_run = (run != 0).then(
        || html!(" Of run " (words::run(run)) " alone; " (words::link(PAGE.path, "of all")) "."),
    );
    let main = html!(
        "<h1>Changes</h1>\n<p class=\"lede\">" (words::counted(found.len(), "change"))
        ", the newest first. Each is told by the third run after it, later where figures are less "
        "sure." (of_run) "</p>\n"
        (words::progress(context.findings, context.mark))
        (form(PAGE.path, "Changes to show", &fields(context, machine, library, became)?, "Show"))
        (steps(&part.take(found), "Changes"))
        (part.links(asked, PAGE.path, all)) (older)
    );
    Ok(Answer::Page { title: "Changes".to_owned(), main })
}

fn fields<'a>(
    context: &Context<'a>,
    machine: &'a str,
    library: &'a str,
    became: &'a str,
) -> Result<Vec<Field<'a>>, Refusal> {
    let text = context.asked.text("text");
    let least = context.asked.text("least");
    let all = context.findings.of_machine("");
    let named = |value: &str, words: &str| (value.to_owned(), words.to_owned());
    let either = vec![named("", "either"), named("slower", "slower"), named("faster", "faster")];
    Ok(vec![
        Field::Text { name: "text", label: "Text", value: text, hint: "sha3, avx2 …" },
        machine_field(context, machine, true)?,
        library_field(all.map(|(series, _)| series), library),
        Field::Choice { name: "became", label: "Became", value: became, of: either },
        Field::Text { name: "least", label: "By at least, %", value: least, hint: "0" },
    ])
}

/// Returns the field to choose a machine, or all of them if `may_be_all`.
pub(super) fn machine_field<'a>(
    context: &Context<'_>,
    value: &'a str,
    may_be_all: bool,
) -> Result<Field<'a>, Refusal> {
    let machines = context.machines()?;
    let choice = |(machine, _): &(cpb_store::Machine, _)| {
        let short: String = machine.id.chars().take(6).collect();
        (machine.id.clone(), format!("{} · {short}", words::about(machine)))
    };
    let all = may_be_all.then(|| (String::new(), "all".to_owned()));
    let of = all.into_iter().chain(machines.iter().map(choice)).collect();
    Ok(Field::Choice { name: "machine", label: "Machine", value, of })
}

/// Returns the field to choose a library of these series, or all.
pub(super) fn library_field<'a>(
    series: impl IntoIterator<Item = &'a Series>,
    value: &'a str,
) -> Field<'a> {
    let labels: BTreeSet<&str> = series.into_iter().map(|it| it.library.as_str()).collect();
    let choices = labels.into_iter().map(|label| (label.to_owned(), label.to_owned()));
    let of = [(String::new(), "all".to_owned())].into_iter().chain(choices).collect();
    Field::Choice { name: "library", label: "Library", value, of }
}

/// Whether every word of `text` is in the description of `step`.
fn says(step: &Stepped, text: &str) -> bool {
    let Stepped { series, machine, words, .. } = step;
    let (workload, primitive) = (words::workload(series), &series.workload.primitive);
    let parts = [&workload, primitive, &series.library, &series.backend, machine, words];
    text.is_empty() || words::are_in(text, &parts.map(String::as_str))
}

/// Makes a table of steps.
fn steps(steps: &[&Arc<Stepped>], caption: &str) -> Html {
    const COLUMNS: [Column; 9] = [
        Column::text("what"),
        Column::whole("since"),
        Column::number("run"),
        Column::number("change"),
        Column::rare_number("before"),
        Column::rare_number("after"),
        Column::rare("unit"),
        Column::text("machine"),
        Column::text("what else changed"),
    ];
    let row = |step: &&Arc<Stepped>| {
        let series = &step.series;
        let [before, after] = step.levels.map(five_digits);
        let parameters = [("machine", step.machine_id.as_str()), ("library", &series.library)];
        let address = words::primitive_address(&series.workload.primitive, &parameters);
        vec![
            html!(
                (words::link(&address, &series.workload.primitive)) " "
                "<span class=\"faint\">" (words::workload(series)) " · "
                (words::implementation(&series.library, &series.backend)) "</span>"
            ),
            words::minute(step.started),
            html!((words::run(step.runs[1]))),
            words::compared(step.relative, step.runs[0], step.runs[1]),
            cell(before),
            cell(after),
            cell(&series.unit),
            words::machine_with_cpu(&step.machine, &step.machine_id),
            html!("<span class=\"faint\">" (&step.words) "</span>"),
        ]
    };
    let rows = steps.iter().map(row).collect();
    table(caption, &COLUMNS, rows, "No figure stepped from one level to another and stayed there.")
}
