//! The four old tools that cpb replaces: the sha3 bench, bench-slopes, milo's benchmark
//! and the recursive SHA-256 benchmark. What each is called and takes, and what it
//! prints, a file or a folder each.
//!
//! Nothing here measures: cpb's commands do, and print what they measured in these
//! shapes. `docs/REPLACING.md` says in what cpb differs from the tools.

#![forbid(unsafe_code)]

pub mod bench;
pub mod benchmark_mt;
mod called_as;
pub mod clock;
pub mod milo;
pub mod slope;

pub use called_as::CalledAs;
