//! Writers for what was measured: numbers, aligned tables, CSV, JSON, charts.
//!
//! Nothing here measures or summarises.

#![forbid(unsafe_code)]

pub mod chart;
mod csv;
pub mod curves;
mod json;
pub mod number;
mod table;

pub use csv::write_csv;
pub use json::{WriteError, write_json};
pub use table::{Align, Cell, Column, Style, Table};
