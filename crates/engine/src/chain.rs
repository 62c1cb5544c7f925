//! Chains of SHA-256 in files: verifying and making them.
//!
//! A chain is a value hashed again and again; a file of it holds segments, each
//! with where it starts, its iterations, and where it ends. What took one core
//! long to make is verified by all cores and lanes at once.

mod input;
mod line;
mod make;
mod queue;
mod reader;
mod verify;
mod wrong;

pub use input::Input;
pub use line::{LineError, Segment, Style, hexadecimal, parse, value};
pub use make::{MakeError, make};
pub use reader::{BadLine, ReadError};
pub use verify::{FirstWrong, Lanes, Options, Progress, Verdict, verify};
pub use wrong::LineSet;
