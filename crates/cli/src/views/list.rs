//! `cpb list`: what there is to measure, and where.

use crate::document::Document;
use crate::selection::is_slow;
use cpb_engine::Found;
use cpb_libraries::rare::Holder;
use cpb_model::{LibraryBuild, Offer, SCHEMA};
use cpb_report::number::counted;
use cpb_report::{Cell, Column, Rows, Section, Style, Table, WriteError, write_json};
use serde_json::json;
use std::collections::{BTreeMap, BTreeSet};
use std::io::Write;

/// What can be measured, by the labels of the libraries.
pub(crate) struct Offers<'a> {
    pub(crate) offers: &'a [(String, &'a Offer)],
    pub(crate) detail: Detail,
    /// Whether a signal came before all libraries were looked into.
    pub(crate) interrupted: bool,
}

/// How much people are shown.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detail {
    /// A line for each family of primitives.
    Families,
    /// A line for each primitive.
    Primitives,
    /// A line for each library's implementations of a primitive.
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
        let mut table = Table::new(vec![Column::left(""); 2]);
        let missing = unavailable(self.offers);
        for (library, backend, reason) in &missing {
            table.note(
                vec![format!("{library} {backend}").into()],
                Cell::new(*reason, Style::Faint),
            );
        }
        let heading = "Not available here".to_owned();
        let missing =
            (!missing.is_empty()).then(|| Section { heading, table, ..Section::default() });
        incomplete([all].into_iter().chain(missing).collect(), self.interrupted)
    }

    fn rows(&self) -> Rows<'_> {
        Rows::of(OFFERS, self.offers.iter())
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let offers = self.offers.iter();
        let offers = offers.map(|(library, offer)| {
            json!({ "library": library, "slow": is_slow(offer), "offer": offer })
        });
        write_json(output, &json!({ "schema": SCHEMA, "offers": offers.collect::<Vec<_>>() }))
    }
}

/// `sections`, whose first and last line say so where they are not all there is.
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

/// What stands in each line, by its primitive or family.
type Lines<'a> = BTreeMap<&'a str, Vec<&'a (String, &'a Offer)>>;

/// A line for each primitive or family of them, under the group of what is done with it.
fn summary(offers: &[(String, &Offer)], detail: Detail) -> Section {
    let columns = [
        Column::left("primitive"),
        Column::right("of them").rank(1),
        Column::left("operations"),
        Column::left("libraries"),
    ];
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

/// What selects all of `names`, which begin with `stem`.
fn pattern(stem: &str, names: &[&str]) -> String {
    match names {
        [only] => (*only).to_owned(),
        names if names.contains(&stem) => format!("{stem}*"),
        _ => format!("{stem}-*"),
    }
}

/// Each once, in the order in which they first come.
fn distinct<'a>(words: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut distinct = Vec::new();
    for word in words {
        if !distinct.contains(&word) {
            distinct.push(word);
        }
    }
    distinct
}

/// A line for each library's implementations of a primitive.
fn details(offers: &[(String, &Offer)]) -> Table {
    let mut table = Table::new(["primitive", "operation", "library"].map(Column::left).to_vec());
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
            table.note(
                vec![
                    Cell::new(first.primitive.as_str(), Style::Strong),
                    first.operation.name().into(),
                    libraries[0].0.as_str().into(),
                ],
                marks.join(" ").into(),
            );
        }
    }
    table
}

/// Each backend that cannot run here, once, with the reason.
fn unavailable<'a>(offers: &'a [(String, &'a Offer)]) -> Vec<(&'a str, &'a str, &'a str)> {
    let mut found = Vec::new();
    for (library, offer) in offers {
        if let Some(reason) = &offer.unavailable {
            let entry = (library.as_str(), offer.backend.as_str(), reason.as_str());
            if !found.contains(&entry) {
                found.push(entry);
            }
        }
    }
    found
}

type Offered<'a> = &'a (String, &'a Offer);

/// A column's name, and its cell.
type OfferField = (&'static str, fn(&Offered<'_>) -> String);

const OFFERS: [OfferField; 12] = [
    ("primitive", |(_, offer)| offer.primitive.clone()),
    ("operation", |(_, offer)| offer.operation.name().to_owned()),
    ("library", |(library, _)| library.clone()),
    ("spelling", |(_, offer)| offer.spelling.clone()),
    ("backend", |(_, offer)| offer.backend.clone()),
    ("default", |(_, offer)| offer.default_backend.to_string()),
    ("key_bytes", |(_, offer)| offer.lengths.key.usual().to_string()),
    ("group", |(_, offer)| offer.row.as_ref().map(|row| row.group.clone()).unwrap_or_default()),
    ("algorithm", |(_, offer)| {
        offer.row.as_ref().map(|row| row.algorithm.clone()).unwrap_or_default()
    }),
    ("mode", |(_, offer)| offer.row.as_ref().map(|row| row.mode.clone()).unwrap_or_default()),
    ("unavailable", |(_, offer)| offer.unavailable.clone().unwrap_or_default()),
    ("slow", |(_, offer)| is_slow(offer).to_string()),
];

/// The libraries: which there are, and why others are missing.
pub(crate) struct FoundLibraries<'a> {
    pub(crate) found: &'a [Found],
    /// Whether a signal came before all of them were looked into.
    pub(crate) interrupted: bool,
}

impl Document for FoundLibraries<'_> {
    fn command(&self) -> &'static str {
        "list"
    }

    fn sections(&self) -> Vec<Section> {
        let mut table = Table::new(["library", "version", ""].map(Column::left).to_vec());
        for found in self.found {
            let label = Cell::new(found.spec.label(), Style::Strong);
            match &found.contents {
                Ok((id, offers)) => {
                    let count = format!("{} implementations", offers.len());
                    table.row(vec![label, id.version.as_str().into(), count.into()]);
                    let file = id.path.as_deref().unwrap_or("part of cpb");
                    for detail in [Some(file), id.code_path.as_deref()].into_iter().flatten() {
                        table.note(vec![Cell::default()], Cell::new(detail, Style::Faint));
                    }
                }
                Err(failure) => {
                    table.note(vec![label], Cell::new(failure.reason.as_str(), Style::Caution));
                }
            }
        }
        incomplete(vec![table.into()], self.interrupted)
    }

    fn rows(&self) -> Rows<'_> {
        Rows::of(LIBRARIES, self.found.iter())
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let libraries = self.found.iter().map(|found| {
            json!({
                "label": found.spec.label(),
                "library": id(found),
                "implementations": found.contents.as_ref().ok().map(|(_, offers)| offers.len()),
                "missing": found.contents.as_ref().err(),
            })
        });
        let libraries: Vec<_> = libraries.collect();
        write_json(output, &json!({ "schema": SCHEMA, "libraries": libraries }))
    }
}

/// A column's name, and its cell.
type LibraryField = (&'static str, fn(&&Found) -> String);

const LIBRARIES: [LibraryField; 6] = [
    ("library", |found| found.spec.label()),
    ("version", |found| id(found).map(|id| id.version.clone()).unwrap_or_default()),
    ("path", |found| id(found).and_then(|id| id.path.clone()).unwrap_or_default()),
    ("code_path", |found| id(found).and_then(|id| id.code_path.clone()).unwrap_or_default()),
    ("implementations", |found| {
        found.contents.as_ref().map(|(_, offers)| offers.len().to_string()).unwrap_or_default()
    }),
    ("missing", |found| {
        found.contents.as_ref().err().map(|failure| failure.reason.clone()).unwrap_or_default()
    }),
];

fn id(found: &Found) -> Option<&LibraryBuild> {
    found.contents.as_ref().ok().map(|(id, _)| id)
}

/// Selectors that no library here has, with those that have it elsewhere.
pub(crate) struct Elsewhere<'a>(pub(crate) &'a [(&'a str, &'static [Holder])]);

impl Elsewhere<'_> {
    fn lines(&self) -> impl Iterator<Item = (&str, &'static Holder)> {
        self.0.iter().flat_map(|(name, holders)| holders.iter().map(|holder| (*name, holder)))
    }
}

impl Document for Elsewhere<'_> {
    fn command(&self) -> &'static str {
        "list"
    }

    fn sections(&self) -> Vec<Section> {
        let headings = ["not here", "library", "since", "how to get it"];
        let mut table = Table::new(headings.map(Column::left).to_vec());
        for (name, holder) in self.lines() {
            let name = Cell::new(name, Style::Strong);
            table
                .note(vec![name, holder.library.into(), holder.since.into()], holder.remedy.into());
        }
        vec![table.into()]
    }

    fn rows(&self) -> Rows<'_> {
        Rows::of(ELSEWHERE, self.lines())
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        let elsewhere: Vec<_> = (self.lines())
            .map(|(name, it)| {
                let Holder { library, since, remedy } = it;
                json!({ "name": name, "library": library, "since": since, "remedy": remedy })
            })
            .collect();
        write_json(output, &json!({ "schema": SCHEMA, "elsewhere": elsewhere }))
    }
}

/// A column's name, and its cell.
type ElsewhereField = (&'static str, fn(&(&str, &'static Holder)) -> String);

const ELSEWHERE: [ElsewhereField; 4] = [
    ("name", |(name, _)| (*name).to_owned()),
    ("library", |(_, holder)| holder.library.to_owned()),
    ("since", |(_, holder)| holder.since.to_owned()),
    ("remedy", |(_, holder)| holder.remedy.to_owned()),
];
