//! Makes a chart of curves.

use super::curve::{Curve, Length};
use super::names::{self, Name};
use crate::Colours;
use crate::chart::{Axis, Chart, Marks, Point, Scale, Series};

/// The clock in GHz to which raw files are normalised by default, because they only contain cycles.
pub const RAW_GIGAHERTZ: f64 = 2.0;

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
