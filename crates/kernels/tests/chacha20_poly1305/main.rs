//! One suite for every backend of ChaCha20, Poly1305 and ChaCha20-Poly1305.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "all of it is test code, which clippy sees only in #[test] functions"
)]

mod aead;
mod chacha20;
mod poly1305;
mod vectors;

/// Runs a test on every backend of a type that this CPU has, naming and counting the
/// others; fails if there was none to run on.
macro_rules! on_every_backend {
    ($Backend:ty, $test:literal, |$backend:ident| $run:expr) => {{
        let (mut ran, mut skipped) = (0, 0);
        for name in <$Backend>::NAMES {
            match <$Backend>::by_name(name) {
                Ok($backend) => {
                    $run;
                    ran += 1;
                }
                Err(reason) => {
                    println!("{}: skipped backend={name} reason={reason}", $test);
                    skipped += 1;
                }
            }
        }
        println!("{}: backends run={ran} skipped={skipped}", $test);
        assert!(ran > 0, "{}: every backend was skipped", $test);
    }};
}
use on_every_backend;

/// Bytes in which swapped blocks show: the period divides no block size.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

/// Every length up to beyond the longest path for short messages, and around the
/// edges of what backends do at once.
fn lengths() -> impl Iterator<Item = usize> {
    let edges = [1280, 1536, 2048, 3072, 4096, 6144, 8192, 16384];
    let around = |edge| {
        [
            edge - 65,
            edge - 64,
            edge - 17,
            edge - 16,
            edge - 1,
            edge,
            edge + 1,
            edge + 64,
            edge + 1025,
        ]
    };
    (0..=1100).chain(edges.into_iter().flat_map(around))
}

fn bytes<const N: usize>(hex: &str) -> [u8; N] {
    vector(hex).try_into().unwrap()
}

fn vector(hex: &str) -> Vec<u8> {
    let digits: Vec<u8> =
        hex.chars().filter_map(|c| c.to_digit(16)).map(|digit| digit as u8).collect();
    assert!(digits.len().is_multiple_of(2), "odd hexadecimal {hex}");
    digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect()
}
