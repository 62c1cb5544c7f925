//! The table of bench-slopes.

use cpb_model::{Offer, Operation, Record, RowName, Run};
use cpb_report::number::five_digits;

/// What of a run is shown.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Shown {
    /// As which library's old tool, with its decimals and first line.
    pub(crate) old_tool: Option<&'static str>,
    /// Whether cycles are shown.
    pub(crate) cycles: bool,
    /// Whether the clock is shown.
    pub(crate) clock: bool,
}

impl Shown {
    pub(crate) fn number(&self, value: f64) -> String {
        if self.old_tool.is_some() { old_decimals(value) } else { five_digits(value) }
    }
}

/// As the old tools print: three decimals below 1, two below 100, else one.
pub(crate) fn old_decimals(value: f64) -> String {
    match value {
        value if value < 1.0 => format!("{value:.3}"),
        value if value < 100.0 => format!("{value:.2}"),
        value => format!("{value:.1}"),
    }
}

/// The figures of a row, per byte or per iteration.
pub(crate) struct Figures {
    pub(crate) nanoseconds: f64,
    pub(crate) mebibytes_per_second: f64,
    pub(crate) cycles: f64,
    /// Whether all of these are upper bounds, and the speed a lower one.
    pub(crate) upper_bound: bool,
    /// The core clock of the row, in MHz.
    pub(crate) megahertz: f64,
    /// A thousand times the relative difference of the clock over the row.
    pub(crate) clock_difference: f64,
}

impl Figures {
    /// `None` where the row failed.
    pub(crate) fn of(record: &Record) -> Option<Self> {
        let figure = record.line.as_ref()?.cycles_per_byte;
        let cycles = figure.estimate;
        let clocks: Vec<f64> = record
            .points
            .iter()
            .map(|point| point.cycles_per_call.estimate / point.nanoseconds_per_call * 1e3)
            .collect();
        let megahertz = cpb_stats::median_of(&clocks)?;
        let nanoseconds = cycles / megahertz * 1e3;
        let (first, last) = (clocks.first()?, clocks.last()?);
        Some(Self {
            nanoseconds,
            mebibytes_per_second: 1e9 / nanoseconds / f64::from(1 << 20),
            cycles,
            upper_bound: figure.upper_bound,
            megahertz,
            clock_difference: 1000.0 * (last / first - 1.0).abs(),
        })
    }
}

/// `bench-slope-X: <version>` for the library labelled `label`.
pub(crate) fn first_line(run: &Run, label: &str, shown: &Shown) -> String {
    let Some(id) = run.libraries.iter().find(|id| id.label == label) else {
        return String::new();
    };
    match (shown.old_tool, &id.path) {
        (Some(tool), _) => old_first_line(tool, &id.banner),
        (None, Some(path)) => format!("{label}: {} ({path})\n", id.banner),
        (None, None) => format!("{label}: {}\n", id.banner),
    }
}

/// The first line of the old tool for `library`.
pub(crate) fn old_first_line(library: &str, banner: &str) -> String {
    format!("bench-slope-{library}: {banner}\n")
}

/// The rows of a run, library by library.
pub(crate) fn by_library(run: &Run) -> impl Iterator<Item = (&str, &[Record])> {
    run.records
        .chunk_by(|a, b| a.subject.library == b.subject.library)
        .map(|records| (records[0].subject.library.as_str(), records))
}

/// The whole table. Rows that failed are left out; they were told of.
pub(crate) fn text(run: &Run, shown: &Shown) -> String {
    let mut text = String::new();
    for (label, records) in by_library(run) {
        text.push_str(&first_line(run, label, shown));
        for group in records.chunk_by(|a, b| group_name(a) == group_name(b)) {
            text.push_str(&format!("{}:\n", title(group_name(&group[0]))));
            if matches!(group_name(&group[0]), "cipher" | "codec") {
                for rows in group.chunk_by(|a, b| algorithm(a) == algorithm(b)) {
                    section(&mut text, rows, shown, algorithm(&rows[0]), 14, mode);
                }
            } else {
                let width = match group_name(&group[0]) {
                    "mac" => 20,
                    "kdf" => 24,
                    _ => 14,
                };
                section(&mut text, group, shown, "", width, algorithm);
            }
        }
    }
    text
}

fn section(
    text: &mut String,
    rows: &[Record],
    shown: &Shown,
    heading: &str,
    width: usize,
    name: fn(&Record) -> &str,
) {
    let per_iteration = group_name(&rows[0]) == "kdf";
    let columns = if per_iteration {
        format!(" {:>14} {:>13}", "nanosecs/iter", "cycles/iter")
    } else {
        format!(" {:>14} {:>15} {:>13}", "nanosecs/byte", "mebibytes/sec", "cycles/byte")
    };
    let clock = if shown.clock { format!(" {:>9}", "auto Mhz") } else { String::new() };
    text.push_str(&format!(" {heading:<width$} | {columns}{clock}\n").replacen("|  ", "| ", 1));
    for record in rows {
        let Some(figures) = Figures::of(record) else { continue };
        let number = |value: f64| shown.number(value);
        let is_bound = figures.upper_bound && shown.old_tool.is_none();
        let at_most = if is_bound { "≤ " } else { "" };
        let cycles = if shown.cycles {
            format!("{at_most}{}", number(figures.cycles))
        } else {
            "-".to_owned()
        };
        let values = if per_iteration {
            format!(" {:>14} {:>13}", number(figures.nanoseconds), cycles)
        } else {
            format!(
                " {:>14} {:>15} {:>13}",
                format!("{} ns/B", number(figures.nanoseconds)),
                format!("{} MiB/s", number(figures.mebibytes_per_second)),
                format!("{cycles} c/B")
            )
        };
        let clock = match shown.clock {
            true => format!(" {:>9.1}", figures.megahertz),
            false => String::new(),
        };
        let name = match heading {
            "" => format!("{:<width$}", name(record)),
            _ => format!("{:>width$}", name(record)),
        };
        text.push_str(&format!(" {name} |{values}{clock}\n"));
    }
    text.push_str(&format!(" {:<width$} =\n", ""));
}

/// What a row is called.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct RowLabel<'a> {
    pub(crate) group: &'a str,
    pub(crate) algorithm: &'a str,
    pub(crate) mode: &'a str,
}

impl<'a> RowLabel<'a> {
    pub(crate) fn of_offer(offer: &'a Offer) -> Self {
        Self::new(offer.row.as_ref(), offer.operation, &offer.spelling)
    }

    fn of_record(record: &'a Record) -> Self {
        let subject = &record.subject;
        Self::new(subject.row.as_ref(), subject.operation, &subject.spelling)
    }

    /// As bench-slopes calls it; where that has no such row, in its manner.
    fn new(row: Option<&'a RowName>, operation: Operation, spelling: &'a str) -> Self {
        if let Some(RowName { group, algorithm, mode }) = row {
            return Self { group, algorithm, mode };
        }
        let row = operation.row();
        Self { group: row.group, algorithm: spelling, mode: row.mode }
    }
}

pub(crate) fn group_name(record: &Record) -> &str {
    RowLabel::of_record(record).group
}

pub(crate) fn algorithm(record: &Record) -> &str {
    RowLabel::of_record(record).algorithm
}

pub(crate) fn mode(record: &Record) -> &str {
    RowLabel::of_record(record).mode
}

fn title(group: &str) -> &str {
    match group {
        "hash" => "Hash",
        "mac" => "MAC",
        "cipher" => "Cipher",
        "kdf" => "KDF",
        "codec" => "Codec",
        other => other,
    }
}
