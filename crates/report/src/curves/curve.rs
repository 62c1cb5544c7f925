//! Defines curves over the message length, and why a file has none.

use super::names::Name;
use std::io;
use std::path::PathBuf;

/// The cost of one implementation over message lengths.
#[derive(Debug, Clone, PartialEq)]
pub struct Curve {
    pub name: Name,
    /// The points, by rising message length.
    pub lengths: Vec<Length>,
}

/// The cost at one message length.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Length {
    /// Length of the message in bytes; above zero.
    pub bytes: f64,
    /// Cycles per call.
    pub cycles: f64,
    /// The interval of the cycles per call.
    pub interval: Option<(f64, f64)>,
    /// Nanoseconds per call, if time was measured.
    pub nanoseconds: Option<f64>,
    /// Whether cycles and nanoseconds are only upper bounds.
    pub upper_bound: bool,
}

/// The content of a file.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Curves {
    /// The curves, in the order of the file.
    pub curves: Vec<Curve>,
    /// Notes for the reader, such as rows that failed.
    pub notes: Vec<String>,
}

/// The reason why a file has no curves.
#[derive(Debug, thiserror::Error)]
pub enum CurvesError {
    /// It cannot be read, for the system's reason.
    #[error("cannot read '{}': {reason}", path.display())]
    Unreadable { path: PathBuf, reason: io::Error },
    #[error("'{}' is empty", path.display())]
    Empty { path: PathBuf },
    /// It is neither kind of file: what is wrong in a line, from 1, and what was expected.
    #[error("'{}', line {line}: {wrong}", path.display())]
    Wrong { path: PathBuf, line: usize, wrong: String },
    /// A newer cpb saved it.
    #[error(
        "'{}' was saved by a newer cpb (schema {schema}; this one reads up to {}): update cpb, or measure again",
        path.display(),
        cpb_model::SCHEMA
    )]
    Newer { path: PathBuf, schema: u64 },
    /// It is valid, but has no figure over a message length.
    #[error("'{}' has nothing to plot: {reason}", path.display())]
    Nothing { path: PathBuf, reason: String },
}
