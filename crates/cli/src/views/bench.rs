//! The sha3 bench's table: functions down, message lengths across.

use crate::fault::Fault;
use crate::views::header;
use cpb_model::{Point, Record, Run};
use cpb_report::number::five_digits;
use cpb_report::{Align, Cell, Column, Style, Table, write_csv};

/// What of a run is shown.
pub(crate) struct Shown<'a> {
    pub(crate) backend_column: bool,
    /// As the old tool prints.
    pub(crate) one_decimal: bool,
    pub(crate) message_bytes: &'a [usize],
}

pub(crate) fn csv(run: &Run, shown: &Shown<'_>) -> Result<(), Fault> {
    let mut heading = heading(shown);
    if !shown.one_decimal {
        heading.push("upper_bounds".to_owned());
    }
    let rows = run.records.iter().map(|record| {
        let mut fields = fields(record, shown, "");
        if !shown.one_decimal {
            fields.push(upper_bounds(record, shown));
        }
        fields
    });
    Ok(write_csv(&mut std::io::stdout().lock(), &heading, rows)?)
}

pub(crate) fn table(run: &Run, shown: &Shown<'_>) -> String {
    let names = if shown.backend_column { 2 } else { 1 };
    let columns = heading(shown).into_iter().enumerate().map(|(index, heading)| Column {
        heading,
        align: if index < names { Align::Left } else { Align::Right },
    });
    let mut table = Table::new(columns.collect());
    for record in &run.records {
        match &record.failure {
            None => table.row(fields(record, shown, "≤ ").into_iter().map(Cell::from).collect()),
            Some(failure) => {
                let cells = fields(record, shown, "").into_iter().take(names).map(Cell::from);
                table.note(cells.collect(), Cell::new(failure.reason.clone(), Style::Bad));
            }
        }
    }
    format!("{}\n{}", header::text(run), table.render())
}

fn heading(shown: &Shown<'_>) -> Vec<String> {
    let mut heading = vec!["function".to_owned()];
    if shown.backend_column {
        heading.push("backend".to_owned());
    }
    heading.push("dst_len".to_owned());
    heading.extend(shown.message_bytes.iter().map(ToString::to_string));
    heading
}

/// The lengths whose figures are upper bounds only.
fn upper_bounds(record: &Record, shown: &Shown<'_>) -> String {
    let is_bound = |bytes: &&usize| {
        point_at(record, **bytes).is_some_and(|point| point.cycles_per_call.upper_bound)
    };
    let lengths = shown.message_bytes.iter().filter(is_bound).map(ToString::to_string);
    lengths.collect::<Vec<_>>().join(" ")
}

fn point_at(record: &Record, bytes: usize) -> Option<&Point> {
    record.points.iter().find(|point| point.parameters.message_bytes == bytes)
}

/// The fields of a row; before a figure that is an upper bound only stands
/// `at_most`.
fn fields(record: &Record, shown: &Shown<'_>, at_most: &str) -> Vec<String> {
    let subject = &record.subject;
    let output_bytes = record.output_bytes.or_else(|| digest_bytes(&subject.primitive));
    let mut fields = vec![subject.primitive.replace('-', "_")];
    if shown.backend_column {
        fields.push(subject.backend.clone());
    }
    fields.push(output_bytes.map(|bytes| bytes.to_string()).unwrap_or_default());
    fields.extend(shown.message_bytes.iter().map(|&bytes| {
        // A cell that could not be measured stays empty.
        point_at(record, bytes).map_or_else(String::new, |point| {
            let cycles_per_byte = point.cycles_per_call.estimate / bytes as f64;
            if shown.one_decimal {
                return format!("{cycles_per_byte:.1}");
            }
            let at_most = if point.cycles_per_call.upper_bound { at_most } else { "" };
            format!("{at_most}{}", five_digits(cycles_per_byte))
        })
    }));
    fields
}

fn digest_bytes(primitive: &str) -> Option<usize> {
    let bits: usize = primitive.rsplit_once('-')?.1.parse().ok()?;
    Some(bits / 8)
}
