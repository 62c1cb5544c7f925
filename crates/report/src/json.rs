//! Writes JSON.

use cpb_model::find_harmful;
use serde::Serialize;
use serde_json::{Value, json};
use std::io::{self, BufWriter, Write};

/// The reason why results could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The destination failed.
    #[error("cannot write results: {0}")]
    Io(#[from] io::Error),
    /// The results do not fit the format.
    #[error("cannot express results: {0}")]
    Format(String),
}

impl WriteError {
    /// Whether the reader closed the pipe, as `head` does.
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
    let mut buffered = BufWriter::new(Visible(output));
    serde_json::to_writer_pretty(&mut buffered, document)?;
    buffered.write_all(b"\n")?;
    Ok(buffered.flush()?)
}

/// Writes `document` as one line of JSON.
///
/// # Errors
/// When writing fails.
pub fn write_json_line(
    output: &mut dyn Write,
    document: &impl Serialize,
) -> Result<(), WriteError> {
    serde_json::to_writer(Visible(&mut *output), document)?;
    Ok(output.write_all(b"\n")?)
}

/// Passes on JSON, in whole characters, and escapes those that are not harmless as `\u202e`. JSON
/// requires that only below U+0020, but others mislead terminals and readers too.
struct Visible<'a>(&'a mut dyn Write);

impl Write for Visible<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let text = std::str::from_utf8(bytes).map_err(io::Error::other)?;
        let mut rest = text;
        // Line feeds are between values; within values they are escaped already.
        while let Some((before, acting)) = find_harmful(rest).map(|at| rest.split_at(at)) {
            self.0.write_all(before.as_bytes())?;
            let mut characters = acting.chars();
            let units = characters.next().map(|it| it.encode_utf16(&mut [0; 2]).to_vec());
            for unit in units.into_iter().flatten() {
                write!(self.0, "\\u{unit:04x}")?;
            }
            rest = characters.as_str();
        }
        self.0.write_all(rest.as_bytes())?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

/// Returns `value` with this many digits, in its shortest form; null if it is not a number.
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
    fn no_text_in_json_acts() {
        let text = "a\u{202e}\u{7f}\u{9b}\u{e0001}\nä";
        let mut lines = (Vec::new(), Vec::new());
        write_json(&mut lines.0, &json!([text])).unwrap();
        write_json_line(&mut lines.1, &json!([text])).unwrap();
        let written = r#""a\u202e\u007f\u009b\udb40\udc01\nä""#;
        assert_eq!(String::from_utf8(lines.0.clone()).unwrap(), format!("[\n  {written}\n]\n"));
        assert_eq!(String::from_utf8(lines.1).unwrap(), format!("[{written}]\n"));
        assert_eq!(serde_json::from_slice::<Value>(&lines.0).unwrap(), json!([text]));
    }

    #[test]
    fn numbers_are_short() {
        for (value, text) in
            [(640.0, "640"), (5.123_456_789, "5.123457"), (1e-7, "1e-7"), (f64::NAN, "null")]
        {
            assert_eq!(rounded(value, 7).to_string(), text);
        }
    }
}
