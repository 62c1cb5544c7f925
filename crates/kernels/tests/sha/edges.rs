//! Lengths, alignments and splits at which something could end, wrap or be read too
//! far; against RustCrypto.

use crate::oracle::Tested;
use crate::{for_every_hash, message, on_every_backend};

#[test]
fn every_length() {
    for_every_hash!(every_length_of);
}

/// Every length of the first five blocks (padding moves through the last, and groups
/// of blocks have every size), and around the edges of more.
fn every_length_of<H: Tested>() {
    let block = H::BLOCK_BYTES;
    let edges = (6..=18).map(|blocks| blocks * block);
    let around = edges.flat_map(|edge| [edge - 17, edge - 9, edge - 1, edge, edge + 1]);
    let lengths: Vec<usize> = (0..=5 * block + 1).chain(around).collect();
    let message = message(19 * block);
    on_every_backend::<H>("lengths", |backend, name| {
        for &length in &lengths {
            let message = &message[..length];
            let expected = H::other_hash(message);
            let digest = H::hash(backend, message);
            assert_eq!(digest.as_ref(), expected, "{} on {name}, {length} bytes", H::NAME);
            let streamed = H::hash_in_pieces(backend, &[message]);
            assert_eq!(streamed.as_ref(), expected, "{} on {name}, {length} bytes", H::NAME);
        }
    });
}

#[test]
fn every_alignment() {
    for_every_hash!(every_alignment_of);
}

fn every_alignment_of<H: Tested>() {
    on_every_backend::<H>("alignments", |backend, name| {
        for length in [13, H::BLOCK_BYTES, 5 * H::BLOCK_BYTES + 13] {
            let message = message(length);
            let expected = H::other_hash(&message);
            let mut buffer = vec![0xff; length + 64];
            for offset in 0..64 {
                buffer[offset..][..length].copy_from_slice(&message);
                let digest = H::hash(backend, &buffer[offset..][..length]);
                assert_eq!(digest.as_ref(), expected, "{} on {name}, offset {offset}", H::NAME);
            }
        }
    });
}

#[test]
fn every_split_around_a_block() {
    for_every_hash!(every_split_of);
}

fn every_split_of<H: Tested>() {
    let block = H::BLOCK_BYTES;
    let places = [0, 1, 7, 8, block - 9, block - 1, block, block + 1, 2 * block];
    on_every_backend::<H>("splits", |backend, name| {
        for length in [block - 1, block, 2 * block, 2 * block + 1, 3 * block - 1] {
            let message = message(length);
            let expected = H::other_hash(&message);
            for first in places {
                for second in places.into_iter().chain([first + 1, length]) {
                    if first <= second && second <= length {
                        let pieces =
                            [&message[..first], &message[first..second], &message[second..]];
                        let digest = H::hash_in_pieces(backend, &pieces);
                        let what = format!("{length} bytes split at {first} and {second}");
                        assert_eq!(digest.as_ref(), expected, "{} on {name}, {what}", H::NAME);
                    }
                }
            }
        }
    });
}
