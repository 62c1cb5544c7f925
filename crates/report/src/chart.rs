//! Line charts as SVG and PNG, and bars as SVG.
//!
//! A [`Chart`] says what lines to show; [`to_svg`] and [`to_png`] draw it;
//! [`multiples_to_svg`] draws many of them, [`bars_to_svg`] draws [`Bars`] and
//! [`over_time_to_svg`] figures [`OverTime`]. Every line
//! has a colour, a marker and a dash pattern of its own (24 looks, then they
//! repeat) and its label stands beside its end. Charts grow with the number and
//! length of their labels, so that none is cut short of what tells it apart.

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

/// What to show.
#[derive(Debug, Clone, PartialEq)]
pub struct Chart {
    /// Stands above the chart and names it to screen readers.
    pub title: String,
    /// Stands under the title; empty for none.
    pub subtitle: String,
    /// The horizontal axis.
    pub x: Axis,
    /// The vertical axis.
    pub y: Axis,
    /// The lines, most important first: the first is drawn on top.
    pub series: Vec<Series>,
    /// Stands under the chart; empty for none.
    pub note: String,
}

/// An axis.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Axis {
    /// What it shows, with the unit where the marks carry none.
    pub label: String,
    /// How values become distances.
    pub scale: Scale,
    /// How its marks are chosen and written.
    pub marks: Marks,
}

impl Axis {
    /// What stands beside it: the label, and that the scale is logarithmic where it is.
    pub(crate) fn title(&self) -> String {
        match self.scale {
            Scale::Linear | Scale::FromZero => self.label.clone(),
            Scale::Logarithmic => format!("{}, logarithmic", self.label),
        }
    }
}

/// How values become distances.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Scale {
    /// Equal differences are equal distances; covers the values.
    Linear,
    /// As linear, and zero is shown, too.
    FromZero,
    /// Equal ratios are equal distances. Values not above zero have no place
    /// and are left out.
    Logarithmic,
}

/// How an axis is marked.
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

/// A line.
#[derive(Debug, Clone, PartialEq)]
pub struct Series {
    /// Stands beside its end.
    pub label: String,
    /// Which of the [`LOOKS`] it has: colour, marker and dashes.
    pub look: usize,
    /// From left to right. Values that are not finite are left out.
    pub points: Vec<Point>,
}

/// A point of a line.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Point {
    /// Where, on the horizontal axis.
    pub x: f64,
    /// The value.
    pub y: f64,
    /// Lowest and highest likely value; drawn as a band.
    pub interval: Option<(f64, f64)>,
    /// Whether the value is a bound only; drawn pale.
    pub is_bound: bool,
}

/// Which colours.
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
    /// By the style sheet of the page around it, which has the classes and variables that
    /// [`html::style`](crate::html::style) has.
    OfPage,
}

/// How to draw.
#[derive(Debug, Clone, PartialEq)]
pub struct Style {
    /// Which colours.
    pub theme: Theme,
    /// Prefix of all XML identifiers: letters, digits and hyphens, and unique
    /// among the charts of one HTML page.
    pub identifier: String,
    /// Width of the plotting area in CSS pixels.
    pub plot_width: f64,
    /// Least height of the plotting area in CSS pixels.
    pub plot_height: f64,
    /// Pixels of a PNG to a CSS pixel.
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
