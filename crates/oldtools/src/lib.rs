//! Implements the four old tools that cpb replaces: the sha3 bench, bench-slopes, milo's benchmark
//! and the recursive SHA-256 benchmark. Each has a file or folder with its names, arguments and
//! output.
//!
//! Nothing here measures: cpb's commands do, and print their results in these formats.
//! `docs/REPLACING.md` lists the differences from the tools.

#![forbid(unsafe_code)]

pub mod bench;
pub mod benchmark_mt;
mod called_as;
pub mod clock;
pub mod milo;
pub mod slope;

pub use called_as::CalledAs;
