//! Writes results: numbers, aligned tables, CSV, JSON, charts, an HTML page, Markdown.
//!
//! Nothing here measures or summarises.

#![forbid(unsafe_code)]

mod apart;
mod cell;
pub mod chart;
mod colours;
mod column;
pub mod curves;
pub mod date;
mod differences;
mod document;
mod documents;
mod fields;
mod format;
mod group_by;
pub mod html;
mod json;
mod labels;
mod libraries;
mod matrix;
pub mod number;
pub mod paths;
pub mod resources;
mod rows;
mod table;
pub mod warning;
mod wrap;

pub use cell::{Cell, Style};
pub use chart::escaped;
pub use colours::Colours;
pub use column::{Column, left, right};
pub use differences::{differences, machine_differences};
pub use document::{Case, Document, Outcome, Paired, Section, Source, failure, row_name};
pub use documents::{
    Order, RunDocument, ScaleDocument, header, intercept, interim_table, layout, rows_of_run,
};
pub use fields::{Fields, Value};
pub use format::{FORMATS, Format, annotations, markdown, text, write_csv};
pub use group_by::group_by;
pub use json::{WriteError, write_json, write_json_line};
pub use labels::labels;
pub use libraries::Libraries;
pub use matrix::matrix;
pub use rows::Rows;
pub use table::Table;
pub use wrap::wrapped;
