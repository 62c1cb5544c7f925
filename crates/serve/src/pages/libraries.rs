//! Makes the list of libraries.

use super::{Answer, Context, Page, Refusal};
use crate::markup::html;
use crate::table::{Column, cell, table};
use crate::words;
use std::collections::{BTreeMap, BTreeSet};

pub(super) const PAGE: Page =
    Page { path: "/libraries", menu: "/libraries", parameters: &[], answer };

const MOST: usize = 1000;

#[derive(Default)]
struct LibraryOverview<'a> {
    /// The versions, with the time of their first measurement.
    versions: BTreeMap<&'a str, i64>,
    primitives: BTreeSet<&'a str>,
    readings: usize,
    last: i64,
}

fn answer(context: &Context<'_>) -> Result<Answer, Refusal> {
    const COLUMNS: [Column; 6] = [
        Column::text("library"),
        Column::text("versions, the newest here first"),
        Column::number("primitives"),
        Column::rare_number("figures"),
        Column::whole("last measured"),
        Column::number("changes"),
    ];
    let mut all: BTreeMap<&str, LibraryOverview> = BTreeMap::new();
    for (series, brief) in context.findings.of_machine("") {
        let known = all.entry(series.library.as_str()).or_default();
        known.primitives.insert(series.workload.primitive.as_str());
        known.readings += brief.readings;
        known.last = known.last.max(brief.last.0);
        for version in &brief.versions {
            let first = known.versions.entry(&version.name).or_insert(version.first);
            *first = version.first.min(*first);
        }
    }
    let changes = context.findings.changes_by(|step| Some(&step.series.library));
    let count = all.len();
    let row = |(label, known): (&str, LibraryOverview)| {
        vec![
            words::library(label),
            cell(newest(&known.versions)),
            cell(words::count(known.primitives.len())),
            cell(words::count(known.readings)),
            words::minute(known.last),
            cell(words::count(changes.get(label).copied().unwrap_or(0))),
        ]
    };
    let rows = all.into_iter().take(MOST).map(row).collect();
    let main = html!(
        "<h1>Libraries</h1>\n<p class=\"lede\">"
        (words::counted(count, "library")) "</p>\n"
        (words::progress(context.findings, context.mark))
        (table("Libraries", &COLUMNS, rows, "No library was measured."))
    );
    Ok(Answer::Page { title: "Libraries".to_owned(), main })
}

/// Names the newest versions, and says how many more there are.
fn newest(versions: &BTreeMap<&str, i64>) -> String {
    const NAMED: usize = 4;
    let mut names: Vec<(&str, i64)> =
        versions.iter().map(|(name, first)| (*name, *first)).collect();
    names.sort_by_key(|(_, first)| std::cmp::Reverse(*first));
    let named: Vec<&str> = names.iter().take(NAMED).map(|(name, _)| *name).collect();
    match names.len().saturating_sub(NAMED) {
        0 => named.join(", "),
        more => format!("{} and {more} more", named.join(", ")),
    }
}
