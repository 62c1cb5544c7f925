//! Curves over the message length: read from files, and made into a chart.
//!
//! Two kinds of file are read: results that cpb saved as JSON, and the raw
//! files of bench-slopes.

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

/// The clock to which raw files are normalised where none is stated, in GHz:
/// they hold cycles only.
pub const RAW_GIGAHERTZ: f64 = 2.0;

/// One implementation over message lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    /// What it is called.
    pub name: Name,
    /// By rising message length.
    pub lengths: Vec<Length>,
}

/// What one message length costs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    /// Length of the message; above zero.
    pub bytes: f64,
    /// Cycles of one call.
    pub cycles: f64,
    /// Lowest and highest likely cycles of one call.
    pub interval: Option<(f64, f64)>,
    /// Nanoseconds of one call, where time was measured.
    pub nanoseconds: Option<f64>,
    /// Whether cycles and nanoseconds are upper bounds only.
    pub upper_bound: bool,
}

/// What a file held.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curves {
    /// In the order of the file.
    pub curves: Vec<Curve>,
    /// What the reader should know, such as rows that failed.
    pub notes: Vec<String>,
}

/// Why a file gave no curves.
#[derive(Debug, thiserror::Error)]
pub enum CurvesError {
    /// It cannot be read.
    #[error("cannot read '{}': {reason}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// What the system says.
        reason: io::Error,
    },
    /// Nothing is in it.
    #[error("'{}' is empty", path.display())]
    Empty {
        /// The file.
        path: PathBuf,
    },
    /// It is neither kind of file.
    #[error("'{}', line {line}: {wrong}", path.display())]
    Wrong {
        /// The file.
        path: PathBuf,
        /// The line, from 1.
        line: usize,
        /// What is wrong and what was expected.
        wrong: String,
    },
    /// A newer cpb saved it.
    #[error(
        "'{}' was saved by a newer cpb (schema {schema}; this one reads up to {}): update cpb, or measure again",
        path.display(),
        cpb_model::SCHEMA
    )]
    Newer {
        /// The file.
        path: PathBuf,
        /// Its schema.
        schema: u64,
    },
    /// It is right, but has no figure over a message length.
    #[error("'{}' has nothing to plot: {reason}", path.display())]
    Nothing {
        /// The file.
        path: PathBuf,
        /// Why.
        reason: String,
    },
}

/// Raw files of bench-slopes have a hundred lines.
const MOST_RAW_BYTES: u64 = 16 << 20;

/// The curves in the content of a file that is called `path`.
///
/// # Errors
/// When it cannot be read, is neither kind of file, or has nothing to plot.
pub fn parse(path: &Path, mut content: impl Read + Seek) -> Result<Curves, CurvesError> {
    let unreadable = |reason| CurvesError::Unreadable { path: path.to_owned(), reason };
    let start = text_start(&mut content).map_err(unreadable)?;
    content.seek(SeekFrom::Start(start.place)).map_err(unreadable)?;
    match start.first {
        None => Err(CurvesError::Empty { path: path.to_owned() }),
        Some(b'{') => saved::parse(path, content, start.place),
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

/// Where text starts.
struct Start {
    /// Behind a byte order mark.
    place: u64,
    /// The first byte that is no white space.
    first: Option<u8>,
}

fn text_start(content: &mut (impl Read + Seek)) -> io::Result<Start> {
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
            return Ok(Start { place, first: None });
        }
        if let Some(byte) = block[..read].iter().find(|byte| !byte.is_ascii_whitespace()) {
            return Ok(Start { place, first: Some(*byte) });
        }
    }
}

/// What is drawn over the message length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Quantity {
    /// Cycles of a call over its bytes.
    CyclesPerByte,
    /// Cycles of a call.
    Cycles,
    /// Speed in MiB/s at the clock that ran while measuring.
    MeasuredSpeed,
    /// Speed in MiB/s that the cycles would give at a clock of so many GHz.
    SpeedAt(f64),
}

impl Quantity {
    /// The speed of `curves`: at a clock of so many GHz, or, where none is
    /// stated, at the measured one. Where a curve has no time of its own, all
    /// are taken to [`RAW_GIGAHERTZ`], so that they can be compared.
    #[must_use]
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

    /// The name, with what the figures depend on.
    fn label(self) -> String {
        match self {
            Quantity::CyclesPerByte | Quantity::Cycles => self.name().to_owned(),
            Quantity::MeasuredSpeed => "Speed in MiB/s, at the measured clock".to_owned(),
            Quantity::SpeedAt(gigahertz) => format!("Speed in MiB/s, at {gigahertz} GHz"),
        }
    }

    /// What is drawn pale.
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

    /// The quantity at `length`; absent where it was not measured.
    fn at(self, length: &Length) -> Option<Point> {
        let Length { bytes, cycles, interval, nanoseconds, upper_bound } = *length;
        let (y, interval) = match self {
            Quantity::Cycles => (cycles, interval),
            Quantity::CyclesPerByte => {
                (cycles / bytes, interval.map(|(low, high)| (low / bytes, high / bytes)))
            }
            // More cycles are less speed.
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

/// MiB/s of `bytes` in so many `nanoseconds`.
fn speed(bytes: f64, nanoseconds: f64) -> f64 {
    const MEBIBYTE: f64 = 1_048_576.0;
    bytes / nanoseconds * 1e9 / MEBIBYTE
}

/// The colours of the libraries of `curves`.
#[must_use]
pub fn colours(curves: &[Curve]) -> Colours {
    Colours::of(curves.iter().map(|curve| curve.name.library.as_str()))
}

/// A chart of `curves`, with a logarithmic vertical axis where asked for.
///
/// What all curves have in common makes the title, unless one is given, and
/// what tells them apart makes their labels.
#[must_use]
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
