//! Reads a file line by line.

use crate::line::{LineError, Segment, parse};
use std::io::{BufRead, Read};

/// No segment is longer, even with spaces added by hand.
const LONGEST: usize = 4096;
/// The heading of the CSV.
pub(super) const HEADING: &str = "start,iterations,end";

/// A line that is not a segment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BadLine {
    /// Its number, from 1.
    pub line: u64,
    /// Whether the file ends within it.
    pub cut_short: bool,
    pub reason: LineError,
}

impl std::fmt::Display for BadLine {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let end =
            if self.cut_short { " (the last, which has no line end: cut short?)" } else { "" };
        write!(f, "line {}{end}: {}", self.line, self.reason)
    }
}

/// The reason why a file cannot be read further.
#[derive(Debug, thiserror::Error)]
pub enum ReadError {
    /// The system refused.
    #[error("cannot read on after line {line}: {reason}")]
    Io {
        /// The last line that was read.
        line: u64,
        /// The system's message.
        reason: std::io::Error,
    },
    /// A thread ended unexpectedly.
    #[error("a thread ended by itself, and not all segments were verified; please report this")]
    Lost,
    /// No thread could be started.
    #[error("nothing was verified, since the system grants no more threads: {0}")]
    NoThread(std::io::Error),
}

/// Reads segments and bad lines of a file, in order. Holds one line at a time.
pub(super) struct Reader<R> {
    input: R,
    line: u64,
    bytes: u64,
    buffer: Vec<u8>,
}

impl<R: BufRead> Reader<R> {
    pub(super) fn new(input: R) -> Self {
        Self { input, line: 0, bytes: 0, buffer: Vec::with_capacity(LONGEST) }
    }

    /// Returns the bytes read so far.
    pub(super) fn bytes(&self) -> u64 {
        self.bytes
    }

    /// Returns the next segment or bad line; `None` at the end. Skips empty lines and the heading
    /// of a CSV; lines may end with CR LF.
    pub(super) fn next(&mut self) -> Result<Option<Result<Segment, BadLine>>, ReadError> {
        loop {
            let Some((is_long, cut_short)) = self.read_line()? else { return Ok(None) };
            let line = self.line;
            let bad = |reason| Ok(Some(Err(BadLine { line, cut_short, reason })));
            if is_long {
                return bad(LineError::TooLong(LONGEST));
            }
            let Ok(text) = std::str::from_utf8(&self.buffer) else { return bad(LineError::NoText) };
            // Some editors write a byte order mark first.
            let text = if line == 1 { text.trim_start_matches('\u{feff}') } else { text }.trim();
            if text.is_empty() || (line == 1 && is_heading(text)) {
                continue;
            }
            return match parse(line, text) {
                Ok(segment) => Ok(Some(Ok(segment))),
                Err(reason) => bad(reason),
            };
        }
    }

    /// Reads a line into the buffer; returns whether it is too long (the rest is skipped), and
    /// whether the file ends without a line feed.
    fn read_line(&mut self) -> Result<Option<(bool, bool)>, ReadError> {
        self.buffer.clear();
        if self.read_part()? == 0 {
            return Ok(None);
        }
        self.line += 1;
        let is_long = self.buffer.len() > LONGEST;
        while is_long && !self.buffer.ends_with(b"\n") {
            self.buffer.clear();
            if self.read_part()? == 0 {
                break;
            }
        }
        Ok(Some((is_long, !self.buffer.ends_with(b"\n"))))
    }

    fn read_part(&mut self) -> Result<usize, ReadError> {
        let line = self.line;
        let mut part = (&mut self.input).take(LONGEST as u64 + 1);
        let read = part.read_until(b'\n', &mut self.buffer);
        let read = read.map_err(|reason| ReadError::Io { line, reason })?;
        self.bytes += read as u64;
        Ok(read)
    }
}

fn is_heading(text: &str) -> bool {
    let plain: String = text.chars().filter(|c| !c.is_whitespace() && *c != '"').collect();
    plain.eq_ignore_ascii_case(HEADING)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &[u8]) -> Vec<Result<u64, String>> {
        let mut reader = Reader::new(text);
        let mut found = Vec::new();
        while let Some(next) = reader.next().unwrap() {
            found.push(next.map(|segment| segment.line).map_err(|bad| bad.to_string()));
        }
        assert_eq!(reader.bytes(), text.len() as u64);
        found
    }

    fn good() -> String {
        format!("{},5,{}", "ab".repeat(32), "cd".repeat(32))
    }

    #[test]
    fn headings_empty_lines_and_line_ends_are_understood() {
        let good = good();
        assert_eq!(read(b""), []);
        assert_eq!(read(b"\n\r\n"), []);
        assert_eq!(read(format!("{good}\n{good}").as_bytes()), [Ok(1), Ok(2)]);
        let dos = format!("\u{feff}Start, Iterations, End\r\n{good}\r\n\r\n{good}\r\n");
        assert_eq!(read(dos.as_bytes()), [Ok(2), Ok(4)]);
        let json =
            format!("{{\"start\":\"{0}\",\"iterations\":5,\"end\":\"{0}\"}}", "ab".repeat(32));
        assert_eq!(read(format!("{good}\n{json}\n").as_bytes()), [Ok(1), Ok(2)]);
    }

    #[test]
    fn bad_lines_are_numbered_and_reading_goes_on() {
        let good = good();
        let long = "x".repeat(3 * LONGEST + 5);
        let text = format!("{good}\nstart,iterations,end\n{long}\n{good}\n{}", &good[..100]);
        let found = read(text.as_bytes());
        assert_eq!((&found[0], &found[3]), (&Ok(1), &Ok(4)));
        let reason = |index: usize| found[index].clone().unwrap_err();
        assert!(reason(1).starts_with("line 2: start: 's' at digit 1"), "{}", reason(1));
        assert!(reason(2).starts_with("line 3: longer than 4096"), "{}", reason(2));
        assert!(reason(4).contains("line 5 (the last") && reason(4).contains("cut short"));
        assert_eq!(found.len(), 5);
        assert!(read(b"\xff\xfe\n")[0].clone().unwrap_err().contains("UTF-8"));
        assert!(read(long.as_bytes())[0].clone().unwrap_err().contains("longer"));
    }
}
