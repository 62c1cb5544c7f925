//! The sha3 bench: `bench`, and `cpb bench` in its shapes. A table with functions down
//! and message lengths across, and two lines on standard error.

use cpb_model::{Calibration, CycleSource, Point, Record, Run};
use cpb_report::number::five_digits;
use cpb_report::{Cell, Rows, Style, Table, left, right};

/// The functions, in the order of the rows.
pub const FUNCTIONS: [&str; 6] =
    ["sha3_224", "sha3_256", "sha3_384", "sha3_512", "shake128", "shake256"];

const FEWEST_TRIALS: u32 = 2;
const MOST_TRIALS: u32 = 1_000_000;

/// What of a run is shown.
pub struct Shown<'a> {
    /// Whether there is a column for the backend.
    pub backend_column: bool,
    /// As the old tool prints.
    pub one_decimal: bool,
    /// The columns.
    pub message_bytes: &'a [usize],
}

/// NUM: how many trials a cell has.
///
/// # Errors
/// Where `text` is no such number, what would be right.
pub fn trials(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|it| (FEWEST_TRIALS..=MOST_TRIALS).contains(it));
    number.ok_or_else(|| {
        format!(
            "the number of trials is a whole number from {FEWEST_TRIALS} to {MOST_TRIALS}, not \
             '{text}'"
        )
    })
}

/// The line about the counter and the clock; the old tool does not say whose clock.
#[must_use]
pub fn about_clock(calibration: &Calibration, as_old_tool: bool) -> String {
    let version = calibration.version.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"));
    let what = match (as_old_tool, calibration.cycle_source) {
        (true, _) => "",
        (_, CycleSource::StatedClock { .. }) => " persecond_is=stated-core-clock",
        _ => " persecond_is=measured-core-clock",
    };
    format!(
        "cpucycles: version={version} implementation={} persecond={:.0}{what}",
        calibration.name(),
        calibration.core_hertz,
    )
}

/// The line about what is measured.
#[must_use]
pub fn about_trials(
    backends: &[String],
    trials: u32,
    message_bytes: &[usize],
    output_bytes: &[usize],
) -> String {
    let list =
        |numbers: &[usize]| numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",");
    format!(
        "backend={} num_trials={trials} src_lens={} dst_lens={}",
        backends.join(","),
        list(message_bytes),
        list(output_bytes)
    )
}

/// The rows of the CSV.
#[must_use]
pub fn rows<'a>(run: &'a Run, shown: &'a Shown<'_>) -> Rows<'a> {
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
    Rows::new(heading, rows)
}

/// The same, aligned.
#[must_use]
pub fn table(run: &Run, shown: &Shown<'_>) -> Table {
    let names = if shown.backend_column { 2 } else { 1 };
    let headings = heading(shown).into_iter().enumerate();
    let columns = headings.map(|(index, heading)| match index < names {
        true => left(heading),
        false => right(heading),
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
    table
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
    let output_bytes = record.output_bytes().or_else(|| digest_bytes(&subject.primitive));
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
