//! Reads curves over the message length from files, and makes a chart of them.
//!
//! It reads results that cpb saved as JSON, and raw files of bench-slopes.

mod multiples;
mod names;
mod raw;
mod saved;

use crate::Colours;
use crate::chart::{Axis, Chart, Marks, Point, Scale, Series};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};

pub use multiples::multiples;
pub use names::Name;
pub use saved::of;

/// The clock in GHz to which raw files are normalised by default, because they only contain cycles.
pub const RAW_GIGAHERTZ: f64 = 2.0;

/// The cost of one implementation over message lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    pub name: Name,
    /// The points, by rising message length.
    pub lengths: Vec<Length>,
}

/// The cost at one message length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    /// Length of the message in bytes; above zero.
    pub bytes: f64,
    /// Cycles per call.
    pub cycles: f64,
    /// The interval of the cycles per call.
    pub interval: Option<(f64, f64)>,
    /// Nanoseconds per call, if time was measured.
    pub nanoseconds: Option<f64>,
    /// Whether cycles and nanoseconds are only upper bounds.
    pub upper_bound: bool,
}

/// The content of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curves {
    /// The curves, in the order of the file.
    pub curves: Vec<Curve>,
    /// Notes for the reader, such as rows that failed.
    pub notes: Vec<String>,
}

/// The reason why a file has no curves.
#[derive(Debug, thiserror::Error)]
pub enum CurvesError {
    /// It cannot be read, for the system's reason.
    #[error("cannot read '{}': {reason}", path.display())]
    Unreadable { path: PathBuf, reason: io::Error },
    #[error("'{}' is empty", path.display())]
    Empty { path: PathBuf },
    /// It is neither kind of file: what is wrong in a line, from 1, and what was expected.
    #[error("'{}', line {line}: {wrong}", path.display())]
    Wrong { path: PathBuf, line: usize, wrong: String },
    /// A newer cpb saved it.
    #[error(
        "'{}' was saved by a newer cpb (schema {schema}; this one reads up to {}): update cpb, or measure again",
        path.display(),
        cpb_model::SCHEMA
    )]
    Newer { path: PathBuf, schema: u64 },
    /// It is valid, but has no figure over a message length.
    #[error("'{}' has nothing to plot: {reason}", path.display())]
    Nothing { path: PathBuf, reason: String },
}

/// The largest raw file that is read; those of bench-slopes have a hundred lines.
const MOST_RAW_BYTES: u64 = 16 << 20;

/// Parses the curves in the content of a file called `path`.
///
/// # Errors
/// [`CurvesError`], if it cannot be read, is neither kind of file, or has nothing to plot.
pub fn parse(path: &Path, mut content: impl Read + Seek) -> Result<Curves, CurvesError> {
    let unreadable = |reason| CurvesError::Unreadable { path: path.to_owned(), reason };
    let (start, first) = text_start(&mut content).map_err(unreadable)?;
    content.seek(SeekFrom::Start(start)).map_err(unreadable)?;
    match first {
        None => Err(CurvesError::Empty { path: path.to_owned() }),
        Some(b'{') => saved::parse(path, content, start),
        Some(_) => {
            let mut bytes = Vec::new();
            content.take(MOST_RAW_BYTES + 1).read_to_end(&mut bytes).map_err(unreadable)?;
            let text = std::str::from_utf8(&bytes).map_err(|error| {
                let before = bytes.get(..error.valid_up_to()).unwrap_or_default();
                CurvesError::Wrong {
                    path: path.to_owned(),
                    line: 1 + before.iter().filter(|byte| **byte == b'\n').count(),
                    wrong: format!("this is not text; expected {}", raw::EXPECTED),
                }
            })?;
            if bytes.len() as u64 > MOST_RAW_BYTES {
                let wrong = format!("it is larger than 16 MiB; expected {}", raw::EXPECTED);
                return Err(CurvesError::Wrong { path: path.to_owned(), line: 1, wrong });
            }
            raw::parse(path, text)
        }
    }
}

/// Returns the position after a byte order mark, and the first byte that is not white space.
fn text_start(content: &mut (impl Read + Seek)) -> io::Result<(u64, Option<u8>)> {
    const MARK: &[u8] = "\u{feff}".as_bytes();
    content.rewind()?;
    let mut start = Vec::new();
    content.by_ref().take(MARK.len() as u64).read_to_end(&mut start)?;
    let place = if start == MARK { start.len() as u64 } else { 0 };
    content.seek(SeekFrom::Start(place))?;
    let mut block = [0; 4096];
    loop {
        let read = content.read(&mut block)?;
        if read == 0 {
            return Ok((place, None));
        }
        if let Some(byte) = block[..read].iter().find(|byte| !byte.is_ascii_whitespace()) {
            return Ok((place, Some(*byte)));
        }
    }
}

/// Selects what is drawn over the message length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    CyclesPerByte,
    /// Cycles per call.
    Cycles,
    /// Speed in MiB/s at the clock during the measurement.
    MeasuredSpeed,
    /// Speed in MiB/s at a clock of this many GHz.
    SpeedAt(f64),
}

impl Quantity {
    /// Returns the speed for `curves`: at the stated clock in GHz, or else at the measured one. If
    /// a curve has no measured time, all are normalised to [`RAW_GIGAHERTZ`], so that they can be
    /// compared.
    pub fn speed(gigahertz: Option<f64>, curves: &[Curve]) -> Self {
        let mut lengths = curves.iter().flat_map(|curve| &curve.lengths);
        match gigahertz {
            Some(gigahertz) => Quantity::SpeedAt(gigahertz),
            None if lengths.all(|length| length.nanoseconds.is_some()) => Quantity::MeasuredSpeed,
            None => Quantity::SpeedAt(RAW_GIGAHERTZ),
        }
    }

    fn name(self) -> &'static str {
        match self {
            Quantity::CyclesPerByte => "Cycles per byte",
            Quantity::Cycles => "Cycles per call",
            Quantity::MeasuredSpeed | Quantity::SpeedAt(_) => "Speed",
        }
    }

    /// Returns the name, with the clock that the values depend on.
    fn label(self) -> String {
        match self {
            Quantity::CyclesPerByte | Quantity::Cycles => self.name().to_owned(),
            Quantity::MeasuredSpeed => "Speed in MiB/s, at the measured clock".to_owned(),
            Quantity::SpeedAt(gigahertz) => format!("Speed in MiB/s, at {gigahertz} GHz"),
        }
    }

    /// Describes what is drawn pale.
    fn bounds(self) -> &'static str {
        match self {
            Quantity::CyclesPerByte | Quantity::Cycles => {
                "pale: upper bounds (≤), since the core was not quiet for long enough"
            }
            Quantity::MeasuredSpeed | Quantity::SpeedAt(_) => {
                "pale: lower bounds (≥), since the core was not quiet for long enough"
            }
        }
    }

    /// Returns the quantity at `length`; `None` if it was not measured.
    fn at(self, length: &Length) -> Option<Point> {
        let Length { bytes, cycles, interval, nanoseconds, upper_bound } = *length;
        let (y, interval) = match self {
            Quantity::Cycles => (cycles, interval),
            Quantity::CyclesPerByte => {
                (cycles / bytes, interval.map(|(low, high)| (low / bytes, high / bytes)))
            }
            // More cycles mean less speed.
            Quantity::SpeedAt(gigahertz) => {
                let speed = |cycles: f64| speed(bytes, cycles / gigahertz);
                (speed(cycles), interval.map(|(low, high)| (speed(high), speed(low))))
            }
            Quantity::MeasuredSpeed => {
                let measured = speed(bytes, nanoseconds?);
                let scaled = |other: f64| measured * cycles / other;
                (measured, interval.map(|(low, high)| (scaled(high), scaled(low))))
            }
        };
        Some(Point { x: bytes, y, interval, is_bound: upper_bound })
    }
}

/// Returns the speed in MiB/s for `bytes` in this many `nanoseconds`.
fn speed(bytes: f64, nanoseconds: f64) -> f64 {
    const MEBIBYTE: f64 = 1_048_576.0;
    bytes / nanoseconds * 1e9 / MEBIBYTE
}

/// Returns the colours of the libraries of `curves`.
pub fn colours(curves: &[Curve]) -> Colours {
    Colours::of(curves.iter().map(|curve| curve.name.library.as_str()))
}

/// Makes a chart of `curves`, with a logarithmic vertical axis if requested.
///
/// The common parts of all names become the title, unless one is given, and the others the labels.
pub fn chart(
    curves: &[Curve],
    colours: &Colours,
    quantity: Quantity,
    logarithmic: bool,
    title: Option<&str>,
) -> Chart {
    let names: Vec<&Name> = curves.iter().map(|curve| &curve.name).collect();
    let wording = names::wording(&names);
    let title = match title {
        Some(title) => title.to_owned(),
        None if wording.title.is_empty() => format!("{} by message length", quantity.name()),
        None => wording.title,
    };
    let scale = if logarithmic { Scale::Logarithmic } else { Scale::FromZero };
    let looks = colours.looks(curves.iter().map(|curve| curve.name.library.as_str()));
    let series =
        curves.iter().zip(wording.labels).zip(looks).map(|((curve, label), look)| Series {
            label,
            look,
            points: curve.lengths.iter().filter_map(|length| quantity.at(length)).collect(),
        });
    let has_bounds = curves.iter().flat_map(|curve| &curve.lengths).any(|it| it.upper_bound);
    Chart {
        title,
        subtitle: wording.subtitle,
        x: Axis {
            label: "Message length".to_owned(),
            scale: Scale::Logarithmic,
            marks: Marks::Bytes,
        },
        y: Axis { label: quantity.label(), scale, marks: Marks::Numbers },
        series: series.collect(),
        note: if has_bounds { quantity.bounds() } else { "" }.to_owned(),
    }
}
