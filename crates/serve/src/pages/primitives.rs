//! Makes the list of primitives.

use super::changes::machine_field;
use super::{Answer, Context, Page, Refusal};
use crate::form::{Field, form};
use crate::markup::{Html, html};
use crate::parts::Part;
use crate::table::{Column, cell, table};
use crate::words;
use cpb_store::Series;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PAGE: Page = Page {
    path: "/primitives",
    menu: "/primitives",
    parameters: &["text", "machine", Part::PARAMETER],
    answer,
};

const IN_A_PART: i64 = 100;

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    let asked = context.asked;
    let (text, machine) = (asked.text("text"), asked.text("machine"));
    let part = Part::of(asked, IN_A_PART)?;
    let (list, count) = list(context, text, machine, &part);
    let fields = [
        Field::Text { name: "text", label: "Text", value: text, hint: "sha3, seal, openssl …" },
        machine_field(context, machine, true)?,
    ];
    let main = html!(
        "<h1>Primitives</h1>\n<p class=\"lede\">" (words::counted(count, "primitive")) "</p>\n"
        (words::progress(context.findings, context.mark))
        (form(PAGE.path, "Primitives to show", &fields, "Show")) (list)
        (part.links(asked, PAGE.path, count as i64))
    );
    Ok(Answer::Page { title: "Primitives".to_owned(), main })
}

#[derive(Default)]
struct PrimitiveOverview<'a> {
    operations: BTreeSet<&'a str>,
    libraries: BTreeSet<&'a str>,
    implementations: usize,
    readings: usize,
    last: i64,
}

/// Makes a table of one part of the primitives where every word of `text` is found in their
/// names, operations or libraries, on one machine, or on all if its name is empty. Returns
/// also how many there are.
pub(super) fn list(context: &Context<'_>, text: &str, machine: &str, part: &Part) -> (Html, usize) {
    const COLUMNS: [Column; 7] = [
        Column::text("primitive"),
        Column::text("operations"),
        Column::text("libraries"),
        Column::rare_number("series"),
        Column::rare_number("figures"),
        Column::whole("last measured"),
        Column::number("changes"),
    ];
    let findings = context.findings;
    let mut all: BTreeMap<&str, PrimitiveOverview> = BTreeMap::new();
    for (series, brief) in findings.of_machine(machine) {
        let known = all.entry(series.workload.primitive.as_str()).or_default();
        known.operations.insert(series.workload.operation.name());
        known.libraries.insert(&series.library);
        known.implementations += 1;
        known.readings += brief.readings;
        known.last = known.last.max(brief.last.0);
    }
    all.retain(|name, known| {
        let parts = known.operations.iter().chain(&known.libraries).chain([name]);
        words::are_in(text, &parts.copied().collect::<Vec<_>>())
    });
    let changes = findings.changes_by(|step| {
        let is_meant = machine.is_empty() || step.machine_id == machine;
        is_meant.then_some(step.series.workload.primitive.as_str())
    });
    let count = all.len();
    let row = |(name, known): (&str, PrimitiveOverview)| {
        let joined = |names: BTreeSet<&str>| names.into_iter().collect::<Vec<_>>().join(", ");
        vec![
            words::primitive(name, machine),
            cell(joined(known.operations)),
            cell(joined(known.libraries)),
            cell(words::count(known.implementations)),
            cell(words::count(known.readings)),
            words::minute(known.last),
            cell(words::count(changes.get(name).copied().unwrap_or(0))),
        ]
    };
    let rows = part.take(all.into_iter().collect()).into_iter().map(row).collect();
    (table("Primitives", &COLUMNS, rows, "No such primitive was measured."), count)
}

/// Says that nobody measured the primitive, and suggests similar names.
pub(super) fn absent(name: &str, all: &[Series]) -> Refusal {
    let lower = name.to_lowercase();
    let names: BTreeSet<&str> =
        all.iter().map(|series| series.workload.primitive.as_str()).collect();
    let alike: Vec<&str> = names
        .into_iter()
        .filter(|known| known.contains(&lower) || lower.contains(&known.to_lowercase()))
        .take(5)
        .collect();
    let alike = match alike[..] {
        [] => String::new(),
        _ => format!("; there is {}", alike.join(", ")),
    };
    Refusal::Absent(format!("no saved run has a primitive '{name}'{alike}"))
}
