//! Formats the rows of bench-slopes: names, figures, and the line above them.

use super::key_pairs;
use cpb_model::{BenchSlopesRow, Offer, Operation, Record, Run};
use cpb_report::number::five_digits;

/// Options of the output.
#[derive(Debug, Clone, Copy)]
pub struct RowOptions {
    /// The library whose old tool is imitated, with its decimals and first line.
    pub old_tool: Option<&'static str>,
    /// Whether cycles are shown.
    pub cycles: bool,
    /// Whether the clock is shown.
    pub clock: bool,
}

impl RowOptions {
    /// Formats a figure for this output.
    pub fn number(&self, value: f64) -> String {
        if self.old_tool.is_some() { old_decimals(value) } else { five_digits(value) }
    }
}

/// Formats a number as the old tools do: three decimals below 1, two below 100, otherwise one.
fn old_decimals(value: f64) -> String {
    match value {
        value if value < 1.0 => format!("{value:.3}"),
        value if value < 100.0 => format!("{value:.2}"),
        value => format!("{value:.1}"),
    }
}

/// The figures of a row, per byte or per iteration; for key pairs, a call counts as an iteration.
pub struct Figures {
    /// Time, in nanoseconds.
    pub nanoseconds: f64,
    /// Speed, in MiB/s.
    pub mebibytes_per_second: f64,
    /// Core cycles.
    pub cycles: f64,
    /// Whether all of these are upper bounds, and the speed a lower one.
    pub upper_bound: bool,
    /// The core clock of the row, in MHz.
    pub megahertz: f64,
    /// A thousand times the relative difference of the clock over the row.
    pub clock_difference: f64,
}

impl Figures {
    /// Marks the digits of a cost if it is an upper bound.
    pub fn at_most(&self, digits: String) -> String {
        if self.upper_bound { format!("≤ {digits}") } else { digits }
    }

    /// Marks the digits of a speed if it is a lower bound.
    pub fn at_least(&self, digits: String) -> String {
        if self.upper_bound { format!("≥ {digits}") } else { digits }
    }

    /// Computes the figures of a row; `None` if it failed.
    pub fn of(record: &Record) -> Option<Self> {
        let figure = match &record.line {
            Some(line) => line.cycles_per_byte,
            None if is_of_key_pairs(record) => record.points.last()?.cycles_per_call,
            None => return None,
        };
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

/// Returns `bench-slope-X: <version>` for the library labelled `label`.
pub fn first_line(run: &Run, label: &str, shown: &RowOptions) -> String {
    let Some(id) = run.libraries.iter().find(|id| id.label == label) else {
        return String::new();
    };
    match (shown.old_tool, &id.path) {
        (Some(tool), _) => old_first_line(tool, &id.banner),
        (None, Some(path)) => format!("{label}: {} ({path})\n", id.banner),
        (None, None) => format!("{label}: {}\n", id.banner),
    }
}

/// Returns the first line of the old tool for `library`; that of Crypto++ always has three numbers.
pub fn old_first_line(library: &str, banner: &str) -> String {
    let is_short = library == "cryptopp" && banner.matches('.').count() == 1;
    format!("bench-slope-{library}: {banner}{}\n", if is_short { ".0" } else { "" })
}

/// Groups the rows of a run by library.
pub fn by_library(run: &Run) -> impl Iterator<Item = (&str, &[Record])> {
    run.records
        .chunk_by(|a, b| a.subject.library == b.subject.library)
        .map(|records| (records[0].subject.library.as_str(), records))
}

/// The names of a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RowLabel<'a> {
    /// hash, mac, cipher, kdf, codec, iterated, pk, ecc, pq.
    pub group: &'a str,
    /// The algorithm, in the library's spelling.
    pub algorithm: &'a str,
    /// The mode; empty if there is none.
    pub mode: &'a str,
}

impl<'a> RowLabel<'a> {
    /// Returns the names of an offer.
    pub fn of_offer(offer: &'a Offer) -> Self {
        Self::new(offer.row.as_ref(), &offer.primitive, offer.operation, &offer.spelling)
    }

    fn of_record(record: &'a Record) -> Self {
        let subject = &record.subject;
        Self::new(subject.row.as_ref(), &subject.primitive, subject.operation, &subject.spelling)
    }

    /// Returns the names that bench-slopes or libgcrypt's newer tool uses, or similar ones if
    /// neither has such a row.
    fn new(
        row: Option<&'a BenchSlopesRow>,
        primitive: &str,
        operation: Operation,
        spelling: &'a str,
    ) -> Self {
        if let Some(BenchSlopesRow { group, algorithm, mode }) = row {
            return Self { group, algorithm, mode };
        }
        let row = operation.row();
        let key_pairs = key_pairs::name(primitive).filter(|_| operation.is_public_key());
        let (group, algorithm) = key_pairs.unwrap_or((row.group, spelling));
        Self { group, algorithm, mode: row.mode }
    }
}

/// Whether a row costs by the call, which these tools call an iteration.
pub fn is_of_key_pairs(record: &Record) -> bool {
    record.subject.operation.is_public_key()
}

/// Returns the group of a row.
pub fn group_name(record: &Record) -> &str {
    RowLabel::of_record(record).group
}

/// Returns the algorithm of a row.
pub fn algorithm(record: &Record) -> &str {
    RowLabel::of_record(record).algorithm
}

/// Returns the mode of a row.
pub fn mode(record: &Record) -> &str {
    RowLabel::of_record(record).mode
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_has_the_version_as_the_tool_writes_it() {
        for (library, banner, line) in [
            ("cryptopp", "Crypto++ 8.7", "bench-slope-cryptopp: Crypto++ 8.7.0\n"),
            ("cryptopp", "Crypto++ 5.6.5", "bench-slope-cryptopp: Crypto++ 5.6.5\n"),
            ("nettle", "Nettle 3.8", "bench-slope-nettle: Nettle 3.8\n"),
        ] {
            assert_eq!(old_first_line(library, banner), line);
        }
    }
}
