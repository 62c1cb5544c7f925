//! Describes a line chart: its axes, lines and points.

/// A line chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// The title above the chart, and its name for screen readers.
    pub title: String,
    /// The subtitle; empty for none.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines, most important first; the first is drawn on top.
    pub series: Vec<Series>,
    /// A note below the chart; empty for none.
    pub note: String,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// The label, with the unit if the marks have none.
    pub label: String,
    /// How values become positions.
    pub scale: Scale,
    /// How marks are chosen and labelled.
    pub marks: Marks,
}

impl Axis {
    /// Returns the axis title: the label, and whether the scale is logarithmic.
    pub(crate) fn title(&self) -> String {
        match self.scale {
            Scale::Linear | Scale::FromZero => self.label.clone(),
            Scale::Logarithmic => format!("{}, logarithmic", self.label),
        }
    }
}

/// States how values become positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equal distances; covers the values.
    Linear,
    /// As linear, and includes zero.
    FromZero,
    /// Equal ratios are equal distances. Values that are not above zero are left out.
    Logarithmic,
}

/// States how an axis is marked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Marks {
    /// Round decimal numbers: `0.5`, `20`, `10 M`.
    Numbers,
    /// Whole numbers only, for counts.
    Counts,
    /// Lengths in bytes at powers of two: `64 B`, `16 KiB`.
    Bytes,
    /// Seconds since 1970 at hours, days, months or years of UTC: `Nov 21`.
    Times,
}

/// A line of a chart.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// The label beside its end.
    pub label: String,
    /// Its combination of colour, marker and dashes, out of [`LOOKS`](super::LOOKS).
    pub look: usize,
    /// The points from left to right. Values that are not finite are left out.
    pub points: Vec<Point>,
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Its position on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// The interval; drawn as a band.
    pub interval: Option<(f64, f64)>,
    /// Whether the value is only a bound; drawn pale.
    pub is_bound: bool,
}
