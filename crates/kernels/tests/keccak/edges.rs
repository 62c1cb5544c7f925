//! Lengths and alignments at which something could end, wrap or be read too far.

use crate::function::Function;
use crate::{message, on_every_backend};

/// 0 and around every lane of the first two blocks, and around more blocks.
fn lengths(rate: usize) -> Vec<usize> {
    let edges = (0..=2 * rate).step_by(8).chain([3 * rate, 5 * rate]);
    let mut lengths: Vec<usize> =
        edges.flat_map(|edge| [edge.saturating_sub(1), edge, edge + 1]).collect();
    lengths.sort_unstable();
    lengths.dedup();
    lengths
}

#[test]
fn every_input_length() {
    on_every_backend("keccak input lengths", |backend| {
        for function in Function::ALL {
            for length in lengths(function.rate()) {
                let message = message(length);
                assert_eq!(
                    function.compute(backend, &message, function.output()),
                    function.naive(&message, function.output()),
                    "{function:?} on {}, {length} bytes",
                    backend.name()
                );
            }
        }
    });
}

#[test]
fn every_output_length() {
    on_every_backend("keccak output lengths", |backend| {
        for function in [Function::Shake128, Function::Shake256] {
            let longest = function.naive(b"length", 6 * function.rate());
            for length in lengths(function.rate()) {
                assert_eq!(
                    function.compute(backend, b"length", length),
                    longest[..length],
                    "{function:?} on {}, {length} bytes out",
                    backend.name()
                );
            }
        }
    });
}

#[test]
fn every_alignment() {
    on_every_backend("keccak alignments", |backend| {
        for function in Function::ALL {
            let length = 3 * function.rate() + 13;
            let message = message(length);
            let expected = function.naive(&message, 400);
            let mut buffer = vec![0; length + 64];
            for offset in 0..64 {
                buffer[offset..][..length].copy_from_slice(&message);
                assert_eq!(
                    function.compute(backend, &buffer[offset..][..length], 400),
                    expected,
                    "{function:?} on {}, offset {offset}",
                    backend.name()
                );
            }
        }
    });
}

/// Pieces that end just before, at and just after a block's edge, also where the
/// message ends there.
#[test]
fn every_split_around_a_block() {
    on_every_backend("keccak splits", |backend| {
        for function in Function::ALL {
            let rate = function.rate();
            for length in [rate, 2 * rate, 2 * rate + 1] {
                let message = message(length);
                let expected = function.naive(&message, 3 * rate);
                for (first, second) in splits(rate, length) {
                    let pieces = [&message[..first], &message[first..second], &message[second..]];
                    let outputs = [first, second - first, 3 * rate - second];
                    assert_eq!(
                        function.compute_in_pieces(backend, &pieces, &outputs),
                        expected,
                        "{function:?} on {}, {length} bytes split at {first} and {second}",
                        backend.name()
                    );
                }
            }
        }
    });
}

/// Two places to cut a message of that length at, ascending.
fn splits(rate: usize, length: usize) -> Vec<(usize, usize)> {
    let places = [0, 1, 7, 8, 9, rate - 1, rate, rate + 1, 2 * rate, length];
    let mut splits = Vec::new();
    for first in places {
        for second in places.into_iter().chain([first + 1]) {
            if first <= second && second <= length {
                splits.push((first, second));
            }
        }
    }
    splits
}
