//! JSON.

use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, Write};

/// Why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The destination refused.
    #[error("cannot write results: {0}")]
    Io(#[from] io::Error),
    /// The results do not fit the format.
    #[error("cannot express results: {0}")]
    Format(String),
}

impl WriteError {
    /// Whether the reader went away, as `head` does: nobody is left to tell.
    #[must_use]
    pub fn is_broken_pipe(&self) -> bool {
        matches!(self, WriteError::Io(error) if error.kind() == io::ErrorKind::BrokenPipe)
    }

    pub(crate) fn from_csv(error: ::csv::Error) -> Self {
        match error.into_kind() {
            ::csv::ErrorKind::Io(error) => WriteError::Io(error),
            other => WriteError::Format(format!("{other:?}")),
        }
    }
}

impl From<serde_json::Error> for WriteError {
    fn from(error: serde_json::Error) -> Self {
        if error.is_io() {
            WriteError::Io(error.into())
        } else {
            WriteError::Format(error.to_string())
        }
    }
}

/// Writes `document` as indented JSON with a line feed at the end.
///
/// # Errors
/// When writing fails.
pub fn write_json(output: &mut dyn Write, document: &impl Serialize) -> Result<(), WriteError> {
    serde_json::to_writer_pretty(&mut *output, document)?;
    Ok(output.write_all(b"\n")?)
}

/// `value` with so many digits, as short as it can be written; null where it
/// is no number.
pub(crate) fn rounded(value: f64, digits: usize) -> Value {
    let short: f64 = format!("{value:.*e}", digits - 1).parse().unwrap_or(value);
    if short.fract() == 0.0 && short.abs() < 1e15 {
        return json!(short as i64);
    }
    json!(short)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short() {
        for (value, text) in
            [(640.0, "640"), (5.123_456_789, "5.123457"), (1e-7, "1e-7"), (f64::NAN, "null")]
        {
            assert_eq!(rounded(value, 7).to_string(), text);
        }
    }
}
