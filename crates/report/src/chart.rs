//! Draws line charts as SVG and PNG, and bars as SVG.
//!
//! A [`Chart`] contains lines; [`to_svg`] and [`to_png`] draw it. [`multiples_to_svg`] draws many
//! of them, [`bars_to_svg`] draws [`Bars`], and [`over_time_to_svg`] figures [`OverTime`]. Every
//! line has its own colour, marker and dash pattern (24 combinations, then they repeat), and its
//! label is beside its end. Charts grow with the number and length of their labels, so that labels
//! stay distinct.

mod bars;
mod describe;
pub mod forest;
mod labels;
mod layout;
mod multiples;
mod over_time;
mod pen;
mod png;
mod scale;
mod style;
mod svg;
mod text;
mod ticks;

pub use bars::{Bar, Bars, bars_to_svg};
pub use multiples::{Multiples, multiples_to_svg};
pub use over_time::{OverTime, Step, Timed, over_time_to_svg, sample_to_svg};
pub use png::{PngError, multiples_to_png, to_png};
pub use style::LOOKS;
pub(crate) use style::{COLOURS, classes, dash_patterns, shapes, variables};
pub use svg::to_svg;
pub use text::escaped;

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
    /// Its combination of colour, marker and dashes, out of [`LOOKS`].
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

/// Selects the colours.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum Theme {
    /// An SVG follows its reader's `prefers-color-scheme`, by CSS variables
    /// (`--cpb-page`, `--cpb-ink`, … on `.cpb-chart`) that a page around it can
    /// set, too; light where CSS is not understood. A PNG is light.
    #[default]
    Automatic,
    /// Dark on light.
    Light,
    /// Light on dark.
    Dark,
    /// The style sheet of the surrounding page, with the classes and variables of
    /// [`html::style`](crate::html::style).
    OfPage,
}

/// Options of drawing.
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    pub theme: Theme,
    /// The prefix of all XML identifiers: letters, digits and hyphens, unique among the charts of
    /// an HTML page.
    pub identifier: String,
    /// Width of the plotting area in CSS pixels.
    pub plot_width: f64,
    /// Minimal height of the plotting area in CSS pixels.
    pub plot_height: f64,
    /// Pixels of a PNG per CSS pixel.
    pub pixel_ratio: f64,
}

impl Default for Style {
    fn default() -> Self {
        Self {
            theme: Theme::Automatic,
            identifier: "cpb".to_owned(),
            plot_width: 680.0,
            plot_height: 380.0,
            pixel_ratio: 2.0,
        }
    }
}
