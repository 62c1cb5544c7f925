//! `cpb primitive` as table and CSV, and its list of names.

use crate::arguments::Format;
use crate::fault::Fault;
use crate::views::header;
use cpb_oldtools::milo::choice::Chosen;
use cpb_oldtools::milo::json;
use cpb_oldtools::milo::names::Name;
use cpb_oldtools::milo::outcome::View;
use cpb_report::number::{five_digits, half_width, rate};
use cpb_report::{Align, Cell, Column, Style, Table, write_csv};
use std::io::IsTerminal;

/// The list of names.
pub(crate) fn list(names: &[&Name], format: Format) -> Result<(), Fault> {
    let backend = |name: &Name| match &name.offer {
        Ok(offer) => offer.backend.clone(),
        Err(_) => name.backend.clone().unwrap_or_default(),
    };
    let fields = |name: &Name| {
        let reason = name.offer.as_ref().err().cloned().unwrap_or_default();
        let operation = name.member.operation.name().to_owned();
        [name.name.clone(), name.member.primitive.to_owned(), operation, backend(name), reason]
    };
    let header = ["name", "primitive", "operation", "backend", "unavailable"];
    match format {
        Format::Csv => {
            let rows = names.iter().map(|name| fields(name));
            write_csv(&mut std::io::stdout().lock(), &header.map(str::to_owned), rows)?;
        }
        Format::Table => {
            let left = |heading: &str| column(heading, Align::Left);
            let mut table = Table::new(header[..4].iter().map(|h| left(h)).collect());
            for name in names {
                let [called, primitive, operation, backend, reason] = fields(name);
                let called = Cell::new(called, Style::Strong);
                let mut cells = vec![called, primitive.into(), operation.into()];
                if reason.is_empty() {
                    cells.push(backend.into());
                    table.row(cells);
                } else {
                    table.note(cells, Cell::new(reason, Style::Faint));
                }
            }
            crate::output::print(&table.render())?;
        }
        Format::Json => {
            let entries: Vec<serde_json::Value> = names
                .iter()
                .map(|name| {
                    serde_json::json!({
                        "name": name.name,
                        "primitive": name.member.primitive,
                        "operation": name.member.operation,
                        "backend": backend(name),
                        "unavailable": name.offer.as_ref().err(),
                    })
                })
                .collect();
            print_json(&serde_json::json!({ "primitives": entries }))?;
        }
    }
    Ok(())
}

/// Indented on a terminal as milo does, else on one line.
pub(crate) fn print_json(document: &impl serde::Serialize) -> Result<(), Fault> {
    let text = json::text(document, std::io::stdout().is_terminal())?;
    Ok(crate::output::print(&text)?)
}

pub(crate) fn csv(view: &View<'_>) -> Result<(), Fault> {
    let header = [
        "name",
        "primitive",
        "operation",
        "backend",
        "parameters",
        "repeats_time",
        "repeats_warm",
        "nanoseconds_per_call",
        "median",
        "interval_low",
        "interval_high",
        "state",
        "spread",
        "cycles_per_call",
        "cycles_per_byte",
        "megabytes_per_second",
        "calls",
        "counter",
        "verified",
        "error",
    ];
    let rows = view.results().map(|result| {
        let Chosen { name, parameters, .. } = result.chosen;
        let parameters: Vec<String> =
            parameters.iter().map(|(p, value)| format!("{}={value}", p.name())).collect();
        let mut row = vec![
            name.name.clone(),
            name.member.primitive.to_owned(),
            name.member.operation.name().to_owned(),
            result.backend().unwrap_or_default().to_owned(),
            parameters.join(" "),
            view.repeats.repeats_time.to_string(),
            view.repeats.repeats_warm.to_string(),
        ];
        match result.figures() {
            Ok(figures) => {
                let text = |value: Option<f64>| value.map(five_digits).unwrap_or_default();
                let interval = figures.interval;
                row.extend([
                    five_digits(figures.nanoseconds),
                    text(figures.median),
                    text(interval.map(|interval| interval[0])),
                    text(interval.map(|interval| interval[1])),
                    if figures.upper_bound { "bound" } else { "measured" }.to_owned(),
                    text(figures.spread),
                    five_digits(figures.cycles),
                    text(figures.per_byte(figures.cycles)),
                    text(figures.megabytes_per_second()),
                    figures.calls.to_string(),
                    view.counter().unwrap_or_default().to_owned(),
                    result.verified().unwrap_or_default().to_owned(),
                    String::new(),
                ]);
            }
            Err(reason) => {
                row.resize(header.len() - 1, String::new());
                row.push(reason);
            }
        }
        row
    });
    Ok(write_csv(&mut std::io::stdout().lock(), &header.map(str::to_owned), rows)?)
}

pub(crate) fn table(view: &View<'_>) -> String {
    let mut columns = vec![column("name", Align::Left), column("backend", Align::Left)];
    columns.extend(
        ["ns/call", "±", "c/call", "c/B", "MB/s"].map(|heading| column(heading, Align::Right)),
    );
    columns.push(column("verified", Align::Left));
    let mut table = Table::new(columns);
    for result in view.results() {
        let name = Cell::new(result.chosen.name.name.as_str(), Style::Strong);
        let mut cells = vec![name, result.backend().unwrap_or_default().into()];
        match (result.figures(), result.point()) {
            (Ok(figures), Some(point)) => {
                let at_most = |digits: String| match figures.upper_bound {
                    true => format!("≤ {digits}"),
                    false => digits,
                };
                cells.extend([
                    at_most(five_digits(figures.nanoseconds)).into(),
                    Cell::new(half_width(point.cycles_per_call), Style::Faint),
                    at_most(five_digits(figures.cycles)).into(),
                    figures
                        .per_byte(figures.cycles)
                        .map(|cycles| at_most(five_digits(cycles)))
                        .unwrap_or_default()
                        .into(),
                    figures
                        .megabytes_per_second()
                        .map(|speed| rate(speed, figures.upper_bound))
                        .unwrap_or_default()
                        .into(),
                    result.verified().unwrap_or_default().into(),
                ]);
                table.row(cells);
            }
            (Err(reason), _) => table.note(cells, Cell::new(reason, Style::Bad)),
            (Ok(_), None) => {}
        }
    }
    format!("{}\n{}", header::text(view.run), table.render())
}

fn column(heading: &str, align: Align) -> Column {
    Column { heading: heading.to_owned(), align }
}
