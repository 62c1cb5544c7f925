//! `cpb run` for people: implementations ranked under each primitive.

use crate::views::header;
use cpb_model::{Axis, Contract, Figure, Record, Run, Verification};
use cpb_report::Libraries;
use cpb_report::number::{bytes, estimate, percent, significant};
use cpb_report::ranking::{Standing, standings};
use cpb_report::{Align, Cell, Column, Style, Table};

pub(crate) fn text(run: &Run, sizes: &[usize]) -> String {
    let libraries = Libraries::of(run);
    let mut table = Table::new(columns(sizes));
    for group in run.records.chunk_by(comparable) {
        table.blank();
        let subject = &group[0].subject;
        let per_iteration = group.iter().any(|record| record.line.is_some());
        let unit = match (subject.axis(), per_iteration) {
            (Axis::Bytes, _) => "",
            (Axis::Iterations, true) => ", per iteration",
            (Axis::Iterations | Axis::Calls, _) => ", per call",
        };
        let aad = match aad(&group[0]) {
            0 => String::new(),
            length => format!(", {} aad", bytes(length)),
        };
        let contract = match group[0].contract {
            Contract::Keyed => String::new(),
            other => format!(", {}", other.name()),
        };
        let operation = subject.operation.name();
        table.title(format!("{} ({operation}{unit}{aad}{contract})", subject.primitive));
        let ranked = ranked(group);
        let figures: Vec<Option<Figure>> = ranked.iter().map(|record| ranks_by(record)).collect();
        for (record, standing) in ranked.into_iter().zip(standings(&figures)) {
            let library = libraries.short_name(&record.subject.library);
            let standing = if group.len() > 1 { standing } else { Standing::Behind };
            add(&mut table, record, library, sizes, standing);
        }
    }
    let header = header::text(run);
    format!("{header}\n{}\n{}{}", table.render(), legend(run), libraries.lines())
}

fn aad(record: &Record) -> usize {
    record.points.first().map_or(0, |point| point.parameters.aad_bytes)
}

fn comparable(a: &Record, b: &Record) -> bool {
    a.subject.primitive == b.subject.primitive
        && a.subject.operation == b.subject.operation
        && a.contract == b.contract
        && aad(a) == aad(b)
}

/// Fastest first, by slope, or by the call where there is none; what failed last.
fn ranked(group: &[Record]) -> Vec<&Record> {
    let mut ranked: Vec<&Record> = group.iter().collect();
    let cost = |record: &Record| ranks_by(record).map_or(f64::INFINITY, |it| it.estimate);
    ranked.sort_by(|a, b| cost(a).total_cmp(&cost(b)));
    ranked
}

fn ranks_by(record: &Record) -> Option<Figure> {
    match (&record.line, &record.points[..]) {
        (Some(line), _) => Some(line.cycles_per_byte),
        (None, [only]) => Some(only.cycles_per_call),
        (None, _) => None,
    }
}

fn columns(sizes: &[usize]) -> Vec<Column> {
    let column = |heading: &str, align| Column { heading: heading.to_owned(), align };
    let mut columns = vec![
        column("", Align::Left),
        column("library", Align::Left),
        column("backend", Align::Left),
        column("c/B", Align::Right),
        column("±", Align::Right),
        column("c/call", Align::Right),
    ];
    columns.extend(sizes.iter().map(|&size| column(&bytes(size), Align::Right)));
    columns.push(column("GB/s", Align::Right));
    columns.push(column("verified", Align::Left));
    columns
}

fn add(table: &mut Table, record: &Record, library: String, sizes: &[usize], standing: Standing) {
    let subject = &record.subject;
    let (mark, strong) = match standing {
        Standing::Best => ("★", Style::Good),
        Standing::Tied => ("≈", Style::Strong),
        Standing::Behind => ("", Style::Strong),
    };
    let backend = match (subject.backend.as_str(), subject.default_backend) {
        ("default", _) => String::new(),
        (name, true) => format!("{name} (default)"),
        (name, false) => name.to_owned(),
    };
    let mut cells = vec![Cell::new(mark, Style::Good), library.into(), backend.into()];
    if let Some(failure) = &record.failure {
        table.note(cells, Cell::new(failure.reason.as_str(), Style::Bad));
        return;
    }
    if let Some(line) = &record.line {
        cells.push(Cell::new(estimate(line.cycles_per_byte), strong));
        cells.push(Cell::new(half_width(line.cycles_per_byte), Style::Faint));
        cells.push(intercept(line.cycles_per_call).into());
    } else if let [only] = &record.points[..] {
        cells.push(Cell::default());
        cells.push(Cell::new(half_width(only.cycles_per_call), Style::Faint));
        cells.push(Cell::new(estimate(only.cycles_per_call), strong));
    }
    let at =
        |size: usize| record.points.iter().find(|point| point.parameters.message_bytes == size);
    cells.extend(sizes.iter().map(|&size| {
        at(size).map_or_else(Cell::default, |point| {
            estimate(point.cycles_per_call.times(1.0 / size as f64)).into()
        })
    }));
    let long = sizes.last().and_then(|&size| at(size).map(|point| (size, point)));
    cells.push(long.map_or_else(Cell::default, |(size, point)| {
        significant(size as f64 / point.nanoseconds_per_call, 4).into()
    }));
    cells.push(match &record.verification {
        Some(Verification::Unverified { .. }) | None => Cell::new("unverified", Style::Caution),
        Some(_) => Cell::new("✓", Style::Good),
    });
    table.row(cells);
}

/// The fixed cost of a call. One that is not positive makes no sense without
/// its interval.
pub(crate) fn intercept(figure: Figure) -> String {
    let text = significant(figure.estimate, 4);
    match figure.interval {
        _ if figure.upper_bound => format!("≤ {text}"),
        Some(interval) if figure.estimate <= 0.0 => {
            format!("{text} ± {}", significant((interval.high - interval.low) / 2.0, 2))
        }
        _ => text,
    }
}

/// Half the width of a figure's interval, relative to its estimate.
pub(crate) fn half_width(figure: Figure) -> String {
    if figure.upper_bound {
        return "bound".to_owned();
    }
    figure.interval.map_or_else(
        || "–".to_owned(),
        |interval| percent((interval.high - interval.low) / 2.0 / figure.estimate.abs()),
    )
}

fn legend(run: &Run) -> String {
    let rounds = run.records.iter().flat_map(|r| &r.points).map(|point| point.rounds);
    let rounds = rounds.clone().min().zip(rounds.max());
    let rounds = match rounds {
        Some((fewest, most)) if fewest != most => format!("{fewest} to {most} processes each"),
        Some((_, 1)) => "one process each".to_owned(),
        Some((_, most)) => format!("{most} processes each"),
        None => "nothing measured".to_owned(),
    };
    let text = format!(
        "c/B: cycles per byte of long messages (slope), ± its 95 % interval · c/call: fixed cost \
         of a call in cycles\nthen cycles per byte at each length · GB/s at the longest · ★ \
         fastest · ≈ may be it · {rounds}\n{}",
        if run.records.iter().any(Record::is_bound) {
            "≤ an upper bound: the core was not quiet for long enough\n"
        } else {
            ""
        }
    );
    text.lines().map(|line| Style::Faint.paint(line) + "\n").collect()
}
