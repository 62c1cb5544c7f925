//! `cpb list`: what there is to measure.

use crate::arguments::Format;
use crate::fault::Fault;
use crate::output;
use clap::Args;
use cpb_engine::libraries;
use cpb_libraries::Offer;
use cpb_libraries::catalogue::{Output, PRIMITIVES, Primitive};
use cpb_report::{Align, Cell, Column, Style, Table};

/// Primitives, operations, libraries and backends, and why some are missing
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    // Found by name only, so not listed: see METHODOLOGY, self-test.
    let real = libraries::entries().into_iter().filter(|entry| entry.name != "selftest");
    let offers: Vec<(&str, Offer)> = real
        .flat_map(|entry| (entry.open)().offers().into_iter().map(move |o| (entry.name, o)))
        .collect();
    match arguments.format {
        Format::Table => output::print(&table(&offers))?,
        Format::Csv => csv(&offers)?,
        Format::Json => json(&offers)?,
    }
    Ok(0)
}

fn table(offers: &[(&str, Offer)]) -> String {
    let column = |heading: &str| Column { heading: heading.to_owned(), align: Align::Left };
    let mut table = Table::new(vec![
        column("primitive"),
        column("operation"),
        column("output"),
        column("library"),
        column("backends"),
    ]);
    for primitive in PRIMITIVES {
        let of_it = offers.iter().filter(|(_, offer)| offer.primitive == primitive);
        let of_it: Vec<&(&str, Offer)> = of_it.collect();
        for libraries in of_it.chunk_by(|a, b| a.0 == b.0) {
            let backends: Vec<String> = libraries
                .iter()
                .filter(|(_, offer)| offer.unavailable.is_none())
                .map(|(_, offer)| match offer.is_default {
                    true => format!("{}*", offer.backend),
                    false => offer.backend.to_owned(),
                })
                .collect();
            table.row(vec![
                Cell::new(primitive.name, Style::Strong),
                primitive.operation.name().into(),
                output_length(primitive).into(),
                libraries[0].0.into(),
                backends.join(" ").into(),
            ]);
        }
    }
    let mut missing = Table::new(vec![column(""); 2]);
    for (library, backend, reason) in unavailable(offers) {
        let name = Cell::new(format!("{library} {backend}"), Style::Plain);
        missing.note(vec![name], Cell::new(reason, Style::Faint));
    }
    let mut text = table.render();
    text.push_str(&Style::Faint.paint("* used by default"));
    text.push('\n');
    let missing = missing.render();
    if !missing.is_empty() {
        text.push_str(&format!("\n{}\n{missing}", Style::Strong.paint("Not available here")));
    }
    text
}

/// Each backend that cannot run here, once, with the reason.
fn unavailable<'a>(offers: &'a [(&'a str, Offer)]) -> Vec<(&'a str, &'a str, &'a str)> {
    let mut found = Vec::new();
    for (library, offer) in offers {
        if let Some(reason) = &offer.unavailable {
            let entry = (*library, offer.backend, reason.as_str());
            if !found.contains(&entry) {
                found.push(entry);
            }
        }
    }
    found
}

fn csv(offers: &[(&str, Offer)]) -> Result<(), Fault> {
    let header =
        ["primitive", "operation", "output_bytes", "library", "backend", "default", "unavailable"];
    let rows = offers.iter().map(|(library, offer)| {
        [
            offer.primitive.name.to_owned(),
            offer.primitive.operation.name().to_owned(),
            output_length(offer.primitive),
            (*library).to_owned(),
            offer.backend.to_owned(),
            offer.is_default.to_string(),
            offer.unavailable.clone().unwrap_or_default(),
        ]
    });
    cpb_report::write_csv(&mut std::io::stdout().lock(), &header.map(str::to_owned), rows)?;
    Ok(())
}

fn json(offers: &[(&str, Offer)]) -> Result<(), Fault> {
    let offers: Vec<serde_json::Value> = offers
        .iter()
        .map(|(library, offer)| {
            serde_json::json!({
                "primitive": offer.primitive.name,
                "operation": offer.primitive.operation,
                "aliases": offer.primitive.aliases,
                "source": offer.primitive.source,
                "library": library,
                "backend": offer.backend,
                "default": offer.is_default,
                "unavailable": offer.unavailable,
            })
        })
        .collect();
    let document = serde_json::json!({ "schema": cpb_model::SCHEMA, "offers": offers });
    let text =
        serde_json::to_string_pretty(&document).map_err(|error| Fault::Write(error.into()))?;
    Ok(output::print(&(text + "\n"))?)
}

fn output_length(primitive: &Primitive) -> String {
    match primitive.output {
        Output::Fixed(bytes) => bytes.to_string(),
        Output::Free { .. } => "any".to_owned(),
    }
}
