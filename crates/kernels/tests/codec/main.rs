//! One suite for every backend of both codecs.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "all of it is test code, which clippy sees only in #[test] functions"
)]

mod codec;
mod edges;
mod errors;
mod random;
mod small;

/// Bytes in which swapped blocks show: the period divides no block size.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}
