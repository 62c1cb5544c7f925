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
mod line_chart;
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
pub use line_chart::{Axis, Chart, Marks, Point, Scale, Series};
pub use multiples::{Multiples, multiples_to_svg};
pub use over_time::{OverTime, Step, Timed, over_time_to_svg, sample_to_svg};
pub use png::{PngError, multiples_to_png, to_png};
pub(crate) use style::{COLOURS, classes, dash_patterns, shapes, variables};
pub use style::{LOOKS, Style, Theme};
pub use svg::to_svg;
pub use text::escaped;
