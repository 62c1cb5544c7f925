//! Tests charts, and curves that are read from files.

mod chart;
mod curves;
