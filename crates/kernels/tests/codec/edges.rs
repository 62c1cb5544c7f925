//! Lengths and alignments at which something could end, or be touched too far.

use crate::codec::on_every_backend;
use crate::message;

/// Around several blocks of every backend.
const LENGTHS: std::ops::RangeInclusive<usize> = 0..=600;

#[test]
fn every_length() {
    on_every_backend("codec lengths", |codec, backend| {
        for length in LENGTHS {
            let bytes = message(length);
            let text = codec.expected(&bytes);
            assert_eq!(backend.encode(&bytes), text, "{backend:?}, {length} bytes");
            assert_eq!(backend.decode(&text).unwrap(), bytes, "{backend:?}, {length} bytes");
        }
    });
}

#[test]
fn every_byte_at_every_place() {
    on_every_backend("codec places", |codec, backend| {
        for value in 0..=u8::MAX {
            let bytes: Vec<u8> = (0..100).map(|i| value.wrapping_add(i)).collect();
            let text = codec.expected(&bytes);
            assert_eq!(backend.encode(&bytes), text, "{backend:?}, from {value}");
            assert_eq!(backend.decode(&text).unwrap(), bytes, "{backend:?}, from {value}");
        }
    });
}

#[test]
fn every_alignment_and_nothing_beyond() {
    const GUARD: u8 = 0xa5;
    on_every_backend("codec alignments", |codec, backend| {
        for length in [1, 15, 16, 31, 48, 49, 64, 100, 193] {
            let bytes = message(length);
            let text = codec.expected(&bytes);
            for offset in 0..64 {
                let check = |input: &[u8], expected: &[u8], decode: bool| {
                    let mut buffer = vec![GUARD; 64 + input.len()];
                    buffer[offset..][..input.len()].copy_from_slice(input);
                    let input = &buffer[offset..][..input.len()];
                    let place = 63 - offset;
                    let mut room = vec![GUARD; place + expected.len() + 64];
                    let out = &mut room[place..][..expected.len()];
                    if decode {
                        backend.decode_to_slice(input, out).unwrap();
                    } else {
                        backend.encode_to_slice(input, out).unwrap();
                    }
                    assert_eq!(out, expected, "{backend:?}, {length} bytes at {offset}");
                    let (before, rest) = room.split_at(place);
                    let mut around = before.iter().chain(&rest[expected.len()..]);
                    assert!(around.all(|byte| *byte == GUARD), "{backend:?}, {length} bytes");
                };
                check(&bytes, &text, false);
                check(&text, &bytes, true);
            }
        }
    });
}

/// Masked lanes and buffers must not reach into the next page, which may not be
/// there: the input ends with its allocation here, for tools that watch it.
#[test]
fn inputs_end_with_their_allocation() {
    on_every_backend("codec ends", |codec, backend| {
        for length in 0..=130 {
            let bytes = message(length).into_boxed_slice();
            let text = codec.expected(&bytes).into_boxed_slice();
            assert_eq!(*backend.encode(&bytes), *text);
            assert_eq!(*backend.decode(&text).unwrap(), *bytes);
        }
    });
}
