//! A run: implementations ranked under each primitive.

use crate::document::Document;
use crate::views::header;
use cpb_figures::{Ranked, Standing, groups, per_byte};
use cpb_model::{Axis, Contract, Figure, Line, Point, Record, Run, Verification};
use cpb_report::html::Source;
use cpb_report::number::{bytes, estimate, five_digits, half_width, rate, significant};
use cpb_report::{Cell, Column, Libraries, Rows, Section, Style, Table, WriteError, write_json};
use std::io::Write;

/// A run, as what `command` found.
pub(crate) struct RunDocument<'a> {
    pub(crate) command: &'static str,
    pub(crate) run: &'a Run,
    /// Message lengths for which a rate is shown.
    pub(crate) sizes: &'a [usize],
    /// What stands above it.
    pub(crate) title: Option<Cell>,
}

impl Document for RunDocument<'_> {
    fn command(&self) -> &'static str {
        self.command
    }

    fn sections(&self) -> Vec<Section> {
        let libraries = Libraries::of(self.run);
        vec![Section {
            before: self.title.iter().cloned().chain(header::lines(self.run)).collect(),
            table: table(self.run, self.sizes, &libraries),
            after: legend(self.run).into_iter().chain(libraries.lines()).collect(),
            ..Section::default()
        }]
    }

    fn rows(&self) -> Rows<'_> {
        rows(self.run)
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        write_json(output, self.run)
    }

    fn runs(&self) -> Vec<Source<'_>> {
        vec![Source { name: self.command, run: self.run }]
    }
}

fn table(run: &Run, sizes: &[usize], libraries: &Libraries) -> Table {
    let mut table = Table::new(columns(sizes));
    for group in groups(run) {
        table.blank();
        let per_iteration = group.rows.iter().any(|row| row.record.line.is_some());
        let unit = match (group.operation.row().axis, per_iteration) {
            (Axis::Bytes, _) => "",
            (Axis::Iterations, true) => ", per iteration",
            (Axis::Iterations | Axis::Calls, _) => ", per call",
        };
        let aad = match group.aad_bytes {
            0 => String::new(),
            length => format!(", {} aad", bytes(length)),
        };
        let contract = match group.contract {
            Contract::Keyed => String::new(),
            other => format!(", {}", other.name()),
        };
        let operation = group.operation.name();
        table.title(format!("{} ({operation}{unit}{aad}{contract})", group.primitive));
        for row in &group.rows {
            let library = libraries.short_name(&row.record.subject.library);
            add(&mut table, row, library, sizes);
        }
    }
    table
}

fn columns(sizes: &[usize]) -> Vec<Column> {
    let mut columns = vec![
        Column::left(""),
        Column::left("library"),
        Column::left("backend"),
        Column::right("c/B"),
        Column::right("±"),
        Column::right("c/call"),
    ];
    columns.extend(sizes.iter().map(|&size| Column::right(bytes(size))));
    columns.push(Column::right("GB/s"));
    columns.push(Column::left("verified"));
    columns
}

fn add(table: &mut Table, row: &Ranked, library: String, sizes: &[usize]) {
    let Ranked { record, standing, .. } = row;
    let subject = &record.subject;
    let strong = if *standing == Standing::Best { Style::Good } else { Style::Strong };
    let backend = match (subject.backend.as_str(), subject.default_backend) {
        ("default", _) => String::new(),
        (name, true) => format!("{name} (default)"),
        (name, false) => name.to_owned(),
    };
    let mut cells = vec![Cell::new(standing.mark(), Style::Good), library.into(), backend.into()];
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
        at(size).map_or_else(Cell::default, |point| estimate(per_byte(point)).into())
    }));
    let long = sizes.last().and_then(|&size| at(size).map(|point| (size, point)));
    cells.push(long.map_or_else(Cell::default, |(size, point)| {
        rate(size as f64 / point.nanoseconds_per_call, point.cycles_per_call.upper_bound).into()
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

fn legend(run: &Run) -> Vec<Cell> {
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
            "≤ an upper bound (≥ a lower one of a rate): the core was not quiet for long enough\n"
        } else {
            ""
        }
    );
    text.lines().map(|line| Cell::new(line, Style::Faint)).collect()
}

/// A message length of a row, or one that failed.
struct Measured<'a> {
    run: &'a Run,
    version: &'a str,
    record: &'a Record,
    point: Option<&'a Point>,
}

/// The rows of the CSV: one for each row and message length.
pub(crate) fn rows(run: &Run) -> Rows<'_> {
    let libraries = Libraries::of(run);
    let lines = run.records.iter().flat_map(move |record| {
        let version = libraries.version(&record.subject.library).unwrap_or_default();
        let failed = record.failure.is_some().then_some(None);
        let points = record.points.iter().map(Some).filter(move |_| failed.is_none());
        failed.into_iter().chain(points).map(move |point| Measured { run, version, record, point })
    });
    Rows::of(COLUMNS, lines)
}

const COLUMNS: [(&str, fn(&Measured<'_>) -> String); 25] = [
    ("primitive", |it| it.record.subject.primitive.clone()),
    ("operation", |it| it.record.subject.operation.name().to_owned()),
    ("library", |it| it.record.subject.library.clone()),
    ("version", |it| it.version.to_owned()),
    ("backend", |it| it.record.subject.backend.clone()),
    ("contract", |it| it.record.contract.name().to_owned()),
    ("message_bytes", |it| it.text(|point| Some(point.parameters.message_bytes))),
    ("iterations", |it| it.text(|point| point.parameters.iterations)),
    ("output_bytes", |it| it.text(|point| point.parameters.output_bytes)),
    ("cycles_per_byte", |it| {
        it.digits(|point| (point.parameters.message_bytes != 0).then(|| per_byte(point).estimate))
    }),
    ("cycles_per_call", |it| it.digits(|point| Some(point.cycles_per_call.estimate))),
    ("cycles_per_call_low", |it| it.digits(|point| Some(point.cycles_per_call.interval?.low))),
    ("cycles_per_call_high", |it| it.digits(|point| Some(point.cycles_per_call.interval?.high))),
    ("nanoseconds_per_call", |it| it.digits(|point| Some(point.nanoseconds_per_call))),
    ("slope_cycles_per_byte", |it| it.of_line(|line| Some(line.cycles_per_byte.estimate))),
    ("intercept_cycles", |it| it.of_line(|line| Some(line.cycles_per_call.estimate))),
    ("rounds", |it| it.text(|point| Some(point.rounds))),
    ("samples", |it| it.text(|point| Some(point.samples))),
    ("counter", |it| it.run.clock.as_ref().map(|clock| clock.name.clone()).unwrap_or_default()),
    ("verified", |it| it.record.verification.as_ref().map_or("", |how| how.name()).to_owned()),
    ("state", |it| it.state()),
    ("slope_state", |it| it.state_of_line(|line| line.cycles_per_byte)),
    ("error", |it| {
        it.record.failure.as_ref().map(|failure| failure.reason.clone()).unwrap_or_default()
    }),
    ("nanoseconds_state", |it| it.state()),
    ("intercept_state", |it| it.state_of_line(|line| line.cycles_per_call)),
];

impl Measured<'_> {
    fn text<T: ToString>(&self, value: fn(&Point) -> Option<T>) -> String {
        self.point.and_then(value).map(|value| value.to_string()).unwrap_or_default()
    }

    fn digits(&self, value: fn(&Point) -> Option<f64>) -> String {
        self.point.and_then(value).map(five_digits).unwrap_or_default()
    }

    fn of_line(&self, value: fn(&Line) -> Option<f64>) -> String {
        let line = self.point.and(self.record.line.as_ref());
        line.and_then(value).map(five_digits).unwrap_or_default()
    }

    fn state(&self) -> String {
        self.point.map_or("failed", |point| point.cycles_per_call.state()).to_owned()
    }

    fn state_of_line(&self, figure: fn(&Line) -> Figure) -> String {
        match (self.point, &self.record.line) {
            (None, _) => "failed",
            (Some(_), Some(line)) => figure(line).state(),
            (Some(_), None) => "",
        }
        .to_owned()
    }
}
