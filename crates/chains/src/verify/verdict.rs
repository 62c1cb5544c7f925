//! Defines the result of a verification.

use crate::Segment;
use crate::line_set::LineSet;
use crate::reader::ReadError;
use std::time::Duration;

/// The first segment that is wrong.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct FirstWrong {
    /// The segment in the file.
    pub segment: Segment,
    /// Its real end.
    pub end: [u8; 32],
}

/// The result of a verification.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Number of hashed segments.
    pub segments: u64,
    /// Their iterations.
    pub iterations: u64,
    /// The lines of wrong segments.
    pub wrong: LineSet,
    /// The first of them.
    pub first_wrong: Option<FirstWrong>,
    /// Number of lines that are not segments.
    pub bad_lines: u64,
    /// Why the input was not read to its end, if it was not.
    pub unread: Option<ReadError>,
    /// Wall-clock time.
    pub elapsed: Duration,
    /// Whether it was stopped.
    pub interrupted: bool,
}
