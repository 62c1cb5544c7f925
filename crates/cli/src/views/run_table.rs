//! `cpb run` for people: implementations ranked under each primitive.

use crate::views::header;
use cpb_model::{Figure, Record, Run, Verification};
use cpb_report::number::{bytes, five_digits, percent, significant};
use cpb_report::{Align, Cell, Column, Style, Table};

pub(crate) fn text(run: &Run, sizes: &[usize]) -> String {
    let mut table = Table::new(columns(sizes));
    for group in run.records.chunk_by(comparable) {
        table.blank();
        table.title(format!(
            "{} ({})",
            group[0].subject.primitive,
            group[0].subject.operation.name()
        ));
        for (rank, record) in ranked(group).into_iter().enumerate() {
            add(&mut table, record, sizes, rank == 0 && group.len() > 1);
        }
    }
    format!("{}\n{}\n{}", header::text(run), table.render(), legend(run))
}

fn comparable(a: &Record, b: &Record) -> bool {
    a.subject.primitive == b.subject.primitive && a.subject.operation == b.subject.operation
}

/// Fastest slope first; what has none last.
fn ranked(group: &[Record]) -> Vec<&Record> {
    let mut ranked: Vec<&Record> = group.iter().collect();
    let slope = |record: &Record| {
        record.line.as_ref().map_or(f64::INFINITY, |line| line.cycles_per_byte.estimate)
    };
    ranked.sort_by(|a, b| slope(a).total_cmp(&slope(b)));
    ranked
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

fn add(table: &mut Table, record: &Record, sizes: &[usize], fastest: bool) {
    let subject = &record.subject;
    let mark = if fastest { "★" } else { "" };
    let backend = match subject.default_backend {
        true => format!("{} (default)", subject.backend),
        false => subject.backend.clone(),
    };
    let mut cells =
        vec![Cell::new(mark, Style::Good), subject.library.as_str().into(), backend.into()];
    let (None, Some(line)) = (&record.failure, &record.line) else {
        let reason = record.failure.as_ref().map_or("no slope", |failure| &failure.reason);
        table.note(cells, Cell::new(reason, Style::Bad));
        return;
    };
    let slope_style = if fastest { Style::Good } else { Style::Strong };
    cells.push(Cell::new(five_digits(line.cycles_per_byte.estimate), slope_style));
    cells.push(Cell::new(half_width(line.cycles_per_byte), Style::Faint));
    cells.push(significant(line.cycles_per_call.estimate, 4).into());
    let at =
        |size: usize| record.points.iter().find(|point| point.parameters.message_bytes == size);
    cells.extend(sizes.iter().map(|&size| {
        at(size).map_or_else(Cell::default, |point| {
            five_digits(point.cycles_per_call.estimate / size as f64).into()
        })
    }));
    let long = sizes.last().and_then(|&size| at(size).map(|point| (size, point)));
    cells.push(long.map_or_else(Cell::default, |(size, point)| {
        significant(size as f64 / point.nanoseconds_per_call, 4).into()
    }));
    cells.push(match &record.verification {
        Some(Verification::KnownAnswer | Verification::Reference { .. }) => {
            Cell::new("✓", Style::Good)
        }
        Some(Verification::Unverified { .. }) | None => Cell::new("unverified", Style::Caution),
    });
    table.row(cells);
}

fn half_width(figure: Figure) -> String {
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
         fastest · {rounds}\n"
    );
    text.lines().map(|line| Style::Faint.paint(line) + "\n").collect()
}
