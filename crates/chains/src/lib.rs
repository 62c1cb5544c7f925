//! Verifies and makes files of SHA-256 chains.
//!
//! A chain is a value hashed again and again; a file contains segments of it, each with its start,
//! its iterations, and its end. What took one core long to make is verified by all cores and lanes
//! at once.

#![forbid(unsafe_code)]

mod input;
mod lanes;
mod line;
mod line_set;
mod make;
mod reader;
mod verify;

pub use input::Input;
pub use lanes::Lanes;
pub use line::{LineError, Segment, Style, parse, value};
pub use line_set::LineSet;
pub use make::{MakeError, make};
pub use reader::{BadLine, ReadError};
pub use verify::{FirstWrong, Options, Progress, Verdict, verify};
