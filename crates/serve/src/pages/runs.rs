//! Makes the list of runs.

use super::changes::machine_field;
use super::{Answer, Context, Page, Refusal};
use crate::form::{Field, form};
use crate::markup::{Html, html};
use crate::parts::Part;
use crate::table::{Column, cell, table};
use crate::words;
use cpb_store::{Among, RunEntry};

pub(super) const PAGE: Page = Page {
    path: "/runs",
    menu: "/runs",
    parameters: &["text", "machine", Part::PARAMETER],
    answer,
};

const IN_A_PART: i64 = 50;

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    let asked = context.asked;
    let among = Among { machine: asked.text("machine"), text: asked.text("text") };
    let part = Part::of(asked, IN_A_PART)?;
    let count = context.store.count_runs(&among)?;
    let runs = context.store.newest_runs(&among, part.skipped, part.limit)?;
    let fields = [
        Field::Text { name: "text", label: "Text", value: among.text, hint: "label, command …" },
        machine_field(context, among.machine, true)?,
    ];
    let main = html!(
        "<h1>Runs</h1>\n<p class=\"lede\">" (words::counted(count, "run"))
        ", the newest first. Choose two to compare them.</p>\n"
        (form(PAGE.path, "Runs to show", &fields, "Show"))
        (list(&runs, true)) (part.links(asked, PAGE.path, count))
    );
    Ok(Answer::Page { title: "Runs".to_owned(), main })
}

/// Makes a table of runs, inside a form that compares two if `are_chosen`.
pub(super) fn list(runs: &[RunEntry], are_chosen: bool) -> Html {
    const COLUMNS: [Column; 8] = [
        Column::number("run"),
        Column::whole("started"),
        Column::text("label and command"),
        Column::rare("machine"),
        Column::rare("kernel"),
        Column::rare("cpb"),
        Column::number("rows"),
        Column::number("failed"),
    ];
    const CHOOSING: [Column; 10] = {
        let [a, b, c, d, e, f, g, h] = COLUMNS;
        [a, Column::text("A"), Column::text("B"), b, c, d, e, f, g, h]
    };
    // These are the newest run and the one before it on the same machine.
    let is_alike = |run: &RunEntry| run.machine_id == runs[0].machine_id;
    let before = runs.iter().skip(1).position(is_alike).map_or(1, |place| place + 1);
    let row = |(place, run): (usize, &RunEntry)| {
        let failed =
            (run.failures > 0).then(|| html!("<span class=\"bad\">" (run.failures) "</span>"));
        let choice = |side: &'static str, is_usual: bool| {
            let label = format!("Run {} as {}", run.number, side.to_uppercase());
            let checked = is_usual.then(|| Html::literal(" checked"));
            html!(
                "<input type=\"radio\" name=\"" (side) "\" value=\"" (run.number) "\" aria-label=\""
                (label) "\"" (checked) ">"
            )
        };
        let choices = [choice("a", place == before), choice("b", place == 0)];
        let rest = [
            words::minute(run.started),
            words::called(run),
            words::machine_with_cpu(&run.machine, run.machine_id.as_deref().unwrap_or_default()),
            cell(&run.kernel),
            cell(run.program()),
            cell(words::count(run.records)),
            cell(failed),
        ];
        let choices = choices.into_iter().filter(|_| are_chosen);
        [words::run(run.number)].into_iter().chain(choices).chain(rest).collect()
    };
    let rows: Vec<Vec<Html>> = runs.iter().enumerate().map(row).collect();
    let columns: &[Column] = if are_chosen { &CHOOSING } else { &COLUMNS };
    let can_compare = are_chosen && rows.len() > 1;
    let table = table("Runs", columns, rows, "No runs.");
    if !can_compare {
        return table;
    }
    html!(
        "<form class=\"choosing\" action=\"/compare\" aria-label=\"Two runs to compare\">\n" (table)
        "<p><button>Compare A with B</button></p>\n</form>\n"
    )
}
