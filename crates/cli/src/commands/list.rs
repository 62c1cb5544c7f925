//! `cpb list`: what there is to measure.

use crate::arguments::{self, Format};
use crate::fault::{Fault, NOT_MEASURED};
use crate::output;
use crate::shelf::{self, Shelf};
use clap::Args;
use cpb_engine::LibrarySpec;
use cpb_model::Offer;
use cpb_report::{Align, Cell, Column, Style, Table};
use std::time::Duration;

/// Primitives, operations, libraries and backends, and why some are missing
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to list, as for run; everything without.
    #[arg(value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// List the libraries: where they are, which version, and for what is
    /// missing why and how to get it.
    #[arg(long, conflicts_with = "selectors")]
    libraries: bool,
    /// List only what this library has; as for run.
    #[arg(long, value_name = "SPEC", value_parser = shelf::specification)]
    library: Vec<LibrarySpec>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Give up on a library after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = arguments::seconds,
          allow_negative_numbers = true)]
    timeout: Duration,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    let shelf = if arguments.library.is_empty() {
        Shelf::look(&[], arguments.timeout)
    } else {
        Shelf::look_only(&arguments.library, arguments.timeout)
    };
    if arguments.libraries {
        list_libraries(&shelf, arguments.format)?;
        let is_missing = |found: &cpb_engine::Found| found.contents.is_err();
        let named_is_missing =
            !arguments.library.is_empty() && shelf.found().iter().any(is_missing);
        if named_is_missing {
            shelf.report_missing();
        }
        return Ok(if named_is_missing { NOT_MEASURED } else { 0 });
    }
    let complete = shelf.report_missing();
    let offers = shelf::select(&shelf, &arguments.selectors, shelf.offers().collect(), "selector")?;
    match arguments.format {
        Format::Table => output::print(&table(&offers))?,
        Format::Csv => csv(&offers)?,
        Format::Json => output::print_json(&serde_json::json!({
            "schema": cpb_model::SCHEMA,
            "offers": offers.iter().map(|(library, offer)| {
                serde_json::json!({ "library": library, "offer": offer })
            }).collect::<Vec<_>>(),
        }))?,
    }
    Ok(if complete { 0 } else { NOT_MEASURED })
}

fn column(heading: &str) -> Column {
    Column { heading: heading.to_owned(), align: Align::Left }
}

fn table(offers: &[(String, &Offer)]) -> String {
    let mut table = Table::new(vec![column("primitive"), column("operation"), column("library")]);
    let mut groups: Vec<(&Offer, Vec<&(String, &Offer)>)> = Vec::new();
    for entry in offers {
        let alike = |other: &Offer| {
            other.primitive == entry.1.primitive && other.operation == entry.1.operation
        };
        match groups.iter_mut().find(|(first, _)| alike(first)) {
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
            table.note(
                vec![
                    Cell::new(first.primitive.as_str(), Style::Strong),
                    first.operation.name().into(),
                    libraries[0].0.as_str().into(),
                ],
                backends.join(" ").into(),
            );
        }
    }
    let mut missing = Table::new(vec![column(""); 2]);
    for (library, backend, reason) in unavailable(offers) {
        let name = Cell::new(format!("{library} {backend}"), Style::Plain);
        missing.note(vec![name], Cell::new(reason, Style::Faint));
    }
    let mut text = table.render();
    text.push_str(&Style::Faint.paint("behind the library its backends, * used by default"));
    text.push('\n');
    let missing = missing.render();
    if !missing.is_empty() {
        text.push_str(&format!("\n{}\n{missing}", Style::Strong.paint("Not available here")));
    }
    text
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

fn csv(offers: &[(String, &Offer)]) -> Result<(), Fault> {
    let header = [
        "primitive",
        "operation",
        "library",
        "spelling",
        "backend",
        "default",
        "key_bytes",
        "group",
        "algorithm",
        "mode",
        "unavailable",
    ];
    let rows = offers.iter().map(|(library, offer)| {
        let row = offer.row.clone();
        let (group, algorithm, mode) =
            row.map(|row| (row.group, row.algorithm, row.mode)).unwrap_or_default();
        [
            offer.primitive.clone(),
            offer.operation.name().to_owned(),
            library.clone(),
            offer.spelling.clone(),
            offer.backend.clone(),
            offer.default_backend.to_string(),
            offer.lengths.key.usual().to_string(),
            group,
            algorithm,
            mode,
            offer.unavailable.clone().unwrap_or_default(),
        ]
    });
    cpb_report::write_csv(&mut std::io::stdout().lock(), &header.map(str::to_owned), rows)?;
    Ok(())
}

fn list_libraries(shelf: &Shelf, format: Format) -> Result<(), Fault> {
    let found = shelf.found();
    match format {
        Format::Table => {
            let mut table = Table::new(vec![column("library"), column("version"), column("")]);
            for found in found {
                let label = Cell::new(found.spec.label(), Style::Strong);
                match &found.contents {
                    Ok((id, offers)) => {
                        let count = format!("{} implementations", offers.len());
                        table.row(vec![label, id.version.as_str().into(), count.into()]);
                        let detail = |table: &mut Table, text: &str| {
                            let text = Cell::new(text, Style::Faint);
                            table.note(vec![Cell::default()], text);
                        };
                        detail(&mut table, id.path.as_deref().unwrap_or("part of cpb"));
                        if let Some(code_path) = &id.code_path {
                            detail(&mut table, code_path);
                        }
                    }
                    Err(failure) => {
                        table.note(vec![label], Cell::new(failure.reason.as_str(), Style::Caution));
                    }
                }
            }
            output::print(&table.render())?;
        }
        Format::Csv => {
            let header = ["library", "version", "path", "code_path", "implementations", "missing"];
            let rows = found.iter().map(|found| {
                let id = found.contents.as_ref().ok();
                let text = |text: Option<&String>| text.cloned().unwrap_or_default();
                [
                    found.spec.label(),
                    text(id.map(|(id, _)| &id.version)),
                    text(id.and_then(|(id, _)| id.path.as_ref())),
                    text(id.and_then(|(id, _)| id.code_path.as_ref())),
                    id.map(|(_, offers)| offers.len().to_string()).unwrap_or_default(),
                    text(found.contents.as_ref().err().map(|failure| &failure.reason)),
                ]
            });
            cpb_report::write_csv(&mut std::io::stdout().lock(), &header.map(str::to_owned), rows)?;
        }
        Format::Json => output::print_json(&serde_json::json!({
            "schema": cpb_model::SCHEMA,
            "libraries": found.iter().map(|found| serde_json::json!({
                "label": found.spec.label(),
                "library": found.contents.as_ref().ok().map(|(id, _)| id),
                "implementations": found.contents.as_ref().ok().map(|(_, offers)| offers.len()),
                "missing": found.contents.as_ref().err(),
            })).collect::<Vec<_>>(),
        }))?,
    }
    Ok(())
}
