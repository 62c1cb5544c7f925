//! Writers for what was measured: numbers, aligned tables, CSV, JSON, charts,
//! an HTML page, Markdown.
//!
//! Nothing here measures or summarises.

#![forbid(unsafe_code)]

mod apart;
mod cell;
pub mod chart;
mod colours;
mod column;
mod csv;
pub mod curves;
pub mod date;
mod differences;
mod fields;
pub mod html;
mod json;
mod labels;
mod libraries;
mod markdown;
mod matrix;
pub mod number;
pub mod paths;
pub mod resources;
mod section;
mod table;
mod wrap;

pub use cell::{Cell, Style};
pub use chart::escaped;
pub use colours::Colours;
pub use column::{Column, left, right};
pub use csv::{Named, Rows, write_csv};
pub use differences::{differences, machine_differences};
pub use fields::{Fields, Value};
pub use json::{WriteError, write_json, write_json_line};
pub use labels::labels;
pub use libraries::Libraries;
pub use markdown::markdown;
pub use matrix::matrix;
pub use section::{Section, text};
pub use table::Table;
pub use wrap::wrapped;
