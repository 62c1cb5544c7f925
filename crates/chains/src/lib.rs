//! Chains of SHA-256 in files: verifying and making them.
//!
//! A chain is a value hashed again and again; a file of it holds segments, each
//! with where it starts, its iterations, and where it ends. What took one core
//! long to make is verified by all cores and lanes at once.

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
