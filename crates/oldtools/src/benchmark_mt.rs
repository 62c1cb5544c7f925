//! Implements the recursive SHA-256 benchmark: `benchmark_mt`, and `cpb recursive` in its units.

pub mod document;
pub mod lines;
pub mod rates;
pub mod scaling;
