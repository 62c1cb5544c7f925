//! Shows what can be measured, and in which libraries.

use crate::distinct::distinct;
use crate::selection::is_slow;
use cpb_engine::Found;
use cpb_libraries::rare::Holder;
use cpb_model::{LibraryBuild, Offer, SCHEMA};
use cpb_report::number::counted;
use cpb_report::{Cell, Document, Fields, Rows, Section, Style, Table, left, right};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};

/// The offers, by library label.
pub(crate) struct Offers<'a> {
    pub(crate) offers: &'a [(String, &'a Offer)],
    pub(crate) detail: Detail,
    /// Whether a signal came before all libraries were opened.
    pub(crate) interrupted: bool,
}

/// How much people are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// One line per family of primitives.
    Families,
    /// One line per primitive.
    Primitives,
    /// One line per library and primitive.
    Implementations,
}

impl Document for Offers<'_> {
    fn command(&self) -> &'static str {
        "list"
    }

    fn sections(&self) -> Vec<Section> {
        if self.detail != Detail::Implementations {
            return incomplete(vec![summary(self.offers, self.detail)], self.interrupted);
        }
        let legend = "behind the library its backends, * used by default; slow: measured with \
                      --include-slow";
        let after = vec![Cell::new(legend, Style::Faint)];
        let all = Section { table: details(self.offers), after, ..Section::default() };
        let mut table = Table::new(vec![left(""); 2]);
        let missing = unavailable(self.offers);
        for (library, backend, reason) in &missing {
            let name = format!("{library} {backend}");
            table.note(vec![name.into()], Cell::new(*reason, Style::Faint));
        }
        let heading = "Not available here".to_owned();
        let missing =
            (!missing.is_empty()).then(|| Section { heading, table, ..Section::default() });
        incomplete([all].into_iter().chain(missing).collect(), self.interrupted)
    }

    fn rows(&self) -> Rows<'_> {
        let row = |offer: &Offer| offer.row.clone();
        let fields = Fields::<&(String, &Offer)>::new()
            .data_only("primitive", |(_, offer)| offer.primitive.clone())
            .data_only("operation", |(_, offer)| offer.operation.name())
            .data_only("library", |(library, _)| library.clone())
            .data_only("spelling", |(_, offer)| offer.spelling.clone())
            .data_only("backend", |(_, offer)| offer.backend.clone())
            .data_only("default", |(_, offer)| offer.default_backend)
            .data_only("key_bytes", |(_, offer)| offer.lengths.key.default_length())
            .data_only("group", move |(_, offer)| Some(row(offer)?.group))
            .data_only("algorithm", move |(_, offer)| Some(row(offer)?.algorithm))
            .data_only("mode", move |(_, offer)| Some(row(offer)?.mode))
            .data_only("unavailable", |(_, offer)| offer.unavailable.clone())
            .data_only("slow", |(_, offer)| is_slow(offer));
        fields.rows(self.offers.iter())
    }

    fn data(&self) -> serde_json::Value {
        let offers = self.offers.iter().map(|(library, offer)| {
            json!({ "library": library, "slow": is_slow(offer), "offer": offer })
        });
        json!({ "schema": SCHEMA, "offers": offers.collect::<Vec<_>>() })
    }
}

/// Marks the first and last line of `sections` if they are incomplete.
fn incomplete(mut sections: Vec<Section>, interrupted: bool) -> Vec<Section> {
    let line = || Cell::new("INTERRUPTED: this list is not complete", Style::Bad);
    if interrupted && let Some(first) = sections.first_mut() {
        first.before.insert(0, line());
    }
    if interrupted && let Some(last) = sections.last_mut() {
        last.after.push(line());
    }
    sections
}

/// The offers of each line, by primitive or family.
type Lines<'a> = BTreeMap<&'a str, Vec<&'a (String, &'a Offer)>>;

/// Returns one line per primitive or family, grouped by operation.
fn summary(offers: &[(String, &Offer)], detail: Detail) -> Section {
    let columns =
        [left("primitive"), right("of them").rank(1), left("operations"), left("libraries")];
    let mut table = Table::new(columns.to_vec());
    let here = offers.iter().filter(|(_, offer)| offer.unavailable.is_none());
    let mut groups: BTreeMap<&str, Lines<'_>> = BTreeMap::new();
    for it in here.clone() {
        let name = it.1.primitive.as_str();
        let stem = name.split('-').next().unwrap_or(name);
        let line = if detail == Detail::Families { stem } else { name };
        groups.entry(it.1.operation.row().group).or_default().entry(line).or_default().push(it);
    }
    for (index, (group, lines)) in groups.iter().enumerate() {
        if index != 0 {
            table.blank();
        }
        table.title(*group);
        for (stem, members) in lines {
            let names = distinct(members.iter().map(|(_, offer)| offer.primitive.as_str()));
            let operations = distinct(members.iter().map(|(_, offer)| offer.operation.name()));
            let libraries = distinct(members.iter().map(|(label, _)| label.as_str()));
            let count = if names.len() == 1 { String::new() } else { names.len().to_string() };
            table.row(vec![
                Cell::new(pattern(stem, &names), Style::Strong),
                count.into(),
                operations.join(" ").into(),
                format!("{}: {}", libraries.len(), libraries.join(" ")).into(),
            ]);
        }
    }
    let primitives: BTreeSet<&str> = here.clone().map(|(_, it)| it.primitive.as_str()).collect();
    let legend = format!(
        "{}, {} · cpb list --all names every primitive, cpb list \
         SELECTOR ('aes-*', hash) the implementations and what is missing, cpb list --libraries \
         where they come from",
        counted(primitives.len(), "primitive"),
        counted(here.count(), "implementation")
    );
    Section { table, after: vec![Cell::new(legend, Style::Faint)], ..Section::default() }
}

/// Returns a selector for all of `names`, which begin with `stem`.
fn pattern(stem: &str, names: &[&str]) -> String {
    match names {
        [only] => (*only).to_owned(),
        names if names.contains(&stem) => format!("{stem}*"),
        _ => format!("{stem}-*"),
    }
}

/// Returns one line per library and primitive.
fn details(offers: &[(String, &Offer)]) -> Table {
    let mut table = Table::new(["primitive", "operation", "library"].map(left).to_vec());
    let mut groups: Vec<(&Offer, Vec<&(String, &Offer)>)> = Vec::new();
    for entry in offers {
        match groups.iter_mut().find(|(first, _)| first.does_the_same_as(entry.1)) {
            Some((_, members)) => members.push(entry),
            None => groups.push((entry.1, vec![entry])),
        }
    }
    for (first, members) in groups {
        for libraries in members.chunk_by(|a, b| a.0 == b.0) {
            let backends: Vec<String> = libraries
                .iter()
                .filter(|(_, offer)| offer.unavailable.is_none() && offer.backend != "default")
                .map(|(_, offer)| match offer.default_backend {
                    true => format!("{}*", offer.backend),
                    false => offer.backend.clone(),
                })
                .collect();
            let slow = is_slow(first).then(|| "slow".to_owned());
            let marks: Vec<String> = backends.into_iter().chain(slow).collect();
            let cells = vec![
                Cell::new(first.primitive.as_str(), Style::Strong),
                first.operation.name().into(),
                libraries[0].0.as_str().into(),
            ];
            table.note(cells, marks.join(" ").into());
        }
    }
    table
}

/// Returns each backend that cannot run here, once, with the reason.
fn unavailable<'a>(offers: &'a [(String, &'a Offer)]) -> Vec<(&'a str, &'a str, &'a str)> {
    distinct(offers.iter().filter_map(|(library, offer)| {
        Some((library.as_str(), offer.backend.as_str(), offer.unavailable.as_deref()?))
    }))
}

/// The libraries that were found, and why others are missing.
pub(crate) struct FoundLibraries<'a> {
    pub(crate) found: &'a [Found],
    /// Whether a signal came before all of them were opened.
    pub(crate) interrupted: bool,
}

impl Document for FoundLibraries<'_> {
    fn command(&self) -> &'static str {
        "list"
    }

    fn sections(&self) -> Vec<Section> {
        let fields = fields();
        let mut table = fields.table();
        for found in self.found {
            let missing = found.contents.as_ref().err();
            let missing = missing.map(|it| Cell::new(it.reason.as_str(), Style::Caution));
            fields.add(&mut table, &found, missing);
            let Some(id) = id(found) else { continue };
            let file = id.path.as_deref().unwrap_or("part of cpb");
            for detail in [Some(file), id.code_path.as_deref()].into_iter().flatten() {
                table.note(vec![Cell::default()], Cell::new(detail, Style::Faint));
            }
        }
        incomplete(vec![table.into()], self.interrupted)
    }

    fn rows(&self) -> Rows<'_> {
        fields().rows(self.found.iter())
    }

    fn data(&self) -> serde_json::Value {
        let libraries = self.found.iter().map(|found| {
            json!({
                "label": found.spec.label(),
                "library": id(found),
                "implementations": implementations(found),
                "missing": found.contents.as_ref().err(),
            })
        });
        json!({ "schema": SCHEMA, "libraries": libraries.collect::<Vec<_>>() })
    }
}

fn fields<'a>() -> Fields<'a, &'a Found> {
    Fields::<&Found>::new()
        .field("library", left("library").style(Style::Strong), |it| it.spec.label())
        .naming()
        .field("version", left("version"), |it| Some(id(it)?.version.clone()))
        .data_only("path", |it| id(it)?.path.clone())
        .data_only("code_path", |it| id(it)?.code_path.clone())
        .data_only("implementations", |it| implementations(it))
        .shown_as(left(""), |it| Some(format!("{} implementations", implementations(it)?)))
        .data_only("missing", |it| Some(it.contents.as_ref().err()?.reason.clone()))
}

fn id(found: &Found) -> Option<&LibraryBuild> {
    found.contents.as_ref().ok().map(|(id, _)| id)
}

fn implementations(found: &Found) -> Option<usize> {
    found.contents.as_ref().ok().map(|(_, offers)| offers.len())
}

/// Selectors that no library here has, with libraries that do.
pub(crate) struct Elsewhere<'a>(pub(crate) &'a [(&'a str, &'static [Holder])]);

impl<'a> Elsewhere<'a> {
    fn lines(&self) -> impl Iterator<Item = (&'a str, &'static Holder)> {
        self.0.iter().flat_map(|(name, holders)| holders.iter().map(|holder| (*name, holder)))
    }

    fn fields() -> Fields<'a, (&'a str, &'static Holder)> {
        Fields::<(&str, &Holder)>::new()
            .field("name", left("not here").style(Style::Strong), |(name, _)| name.to_string())
            .field("library", left("library"), |(_, holder)| holder.library)
            .field("since", left("since"), |(_, holder)| holder.since)
            .naming()
            .field("remedy", left("how to get it"), |(_, holder)| holder.remedy)
    }
}

impl Document for Elsewhere<'_> {
    fn command(&self) -> &'static str {
        "list"
    }

    fn sections(&self) -> Vec<Section> {
        let fields = Self::fields();
        let mut table = fields.table();
        for line in self.lines() {
            fields.add(&mut table, &line, Some(line.1.remedy.into()));
        }
        vec![table.into()]
    }

    fn rows(&self) -> Rows<'_> {
        Self::fields().rows(self.lines())
    }

    fn data(&self) -> serde_json::Value {
        json!({ "schema": SCHEMA, "elsewhere": Self::fields().array(self.lines()) })
    }
}
