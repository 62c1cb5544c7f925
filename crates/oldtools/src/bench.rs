//! Implements the sha3 bench: `bench`, and `cpb bench` in its format: a table with functions down
//! and message lengths across, and two lines on standard error.

use cpb_model::{Calibration, CycleSource, Point, Record, Run};
use cpb_report::number::five_digits;
use cpb_report::{Document, Fields, Rows, Section, failure, header, left, right};

/// The functions, in the order of the rows.
pub const FUNCTIONS: [&str; 6] =
    ["sha3_224", "sha3_256", "sha3_384", "sha3_512", "shake128", "shake256"];

const FEWEST_TRIALS: u32 = 2;
const MOST_TRIALS: u32 = 1_000_000;

/// Options of the table.
pub struct TableOptions<'a> {
    /// Whether there is a column for the backend.
    pub backend_column: bool,
    /// Whether to print one decimal, as the old tool does.
    pub one_decimal: bool,
    /// The message lengths of the columns.
    pub message_bytes: &'a [usize],
}

/// Parses NUM, the number of trials per cell.
///
/// # Errors
/// What would be right, if `text` is no such number.
pub fn trials(text: &str) -> Result<u32, String> {
    let number = text.parse().ok().filter(|it| (FEWEST_TRIALS..=MOST_TRIALS).contains(it));
    number.ok_or_else(|| {
        format!(
            "the number of trials is a whole number from {FEWEST_TRIALS} to {MOST_TRIALS}, not \
             '{text}'"
        )
    })
}

/// Returns the line about the counter and the clock; the old tool does not say whose clock.
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

/// Returns the line about what is measured.
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

/// A run in the format of the sha3 bench.
pub struct BenchDocument<'a> {
    pub run: &'a Run,
    pub shown: TableOptions<'a>,
}

impl Document for BenchDocument<'_> {
    fn command(&self) -> &'static str {
        "bench"
    }

    fn sections(&self) -> Vec<Section> {
        let table = fields(&self.shown).table_with_notes(&self.run.records, |row| failure(row));
        vec![Section { before: header(self.run), ..Section::from(table) }]
    }

    fn rows(&self) -> Rows<'_> {
        fields(&self.shown).rows(self.run.records.iter())
    }

    fn run(&self) -> Option<&Run> {
        Some(self.run)
    }
}

fn fields<'a>(shown: &'a TableOptions<'_>) -> Fields<'a, &'a Record> {
    let one_decimal = shown.one_decimal;
    Fields::<&Record>::new()
        .field("function", left("function"), |it| it.subject.primitive.replace('-', "_"))
        .when(shown.backend_column, |fields| {
            fields.field("backend", left("backend"), |it| it.subject.backend.clone())
        })
        .naming()
        .field("dst_len", right("dst_len"), |it| {
            it.output_bytes().or_else(|| digest_bytes(&it.subject.primitive))
        })
        .each(shown.message_bytes, |fields, &bytes| {
            // A cell that could not be measured stays empty.
            let digits = move |it: &Record| {
                let cycles = point_at(it, bytes)?.cycles_per_call.estimate / bytes as f64;
                Some(if one_decimal { format!("{cycles:.1}") } else { five_digits(cycles) })
            };
            fields.data_only(bytes.to_string(), move |it| digits(it)).shown_as(
                right(bytes.to_string()),
                move |it| {
                    let is_bound = !one_decimal && point_at(it, bytes)?.cycles_per_call.upper_bound;
                    Some(format!("{}{}", if is_bound { "≤ " } else { "" }, digits(it)?))
                },
            )
        })
        .when(!one_decimal, |fields| fields.data_only("upper_bounds", |it| upper_bounds(it, shown)))
}

/// Lists the lengths whose figures are only upper bounds.
fn upper_bounds(record: &Record, shown: &TableOptions<'_>) -> String {
    let is_bound = |bytes: &&usize| {
        point_at(record, **bytes).is_some_and(|point| point.cycles_per_call.upper_bound)
    };
    let lengths = shown.message_bytes.iter().filter(is_bound).map(ToString::to_string);
    lengths.collect::<Vec<_>>().join(" ")
}

fn point_at(record: &Record, bytes: usize) -> Option<&Point> {
    record.points.iter().find(|point| point.parameters.message_bytes == bytes)
}

fn digest_bytes(primitive: &str) -> Option<usize> {
    let bits: usize = primitive.rsplit_once('-')?.1.parse().ok()?;
    Some(bits / 8)
}
