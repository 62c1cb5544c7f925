//! Tests which texts are refused, and with which errors.

use cpb_kernels::base16::{DecodeError, NoRoom};

use super::codec::{Codec, on_every_codec};
use crate::{message, on_every_backend};

/// Long enough for whole blocks of every backend and a remainder.
const BYTES: usize = 213;

#[test]
fn every_wrong_byte_at_every_position() {
    on_every_codec("wrong bytes", |codec| {
        let good = codec.expected(&message(BYTES));
        let wrong: Vec<u8> = (0..=u8::MAX).filter(|b| !codec.is_character(*b)).collect();
        assert_eq!(wrong.len(), if codec.is_base64() { 192 } else { 234 });
        let mut text = good.clone();
        for position in 0..good.len() {
            for &byte in &wrong {
                if codec.is_base64() && byte == b'=' && position + 1 == good.len() {
                    continue;
                }
                text[position] = byte;
                let expected = match byte {
                    b'=' if codec.is_base64() => DecodeError::Padding { position },
                    _ => DecodeError::Character { position, byte },
                };
                assert_eq!(codec.decode(&text), Err(expected), "{codec:?}");
            }
            text[position] = good[position];
        }
    });
}

#[test]
fn the_first_of_several_is_told() {
    on_every_codec("several wrong", |codec| {
        let mut text = vec![b'A'; 300];
        text[7] = 0xff;
        text[100] = b'!';
        text[299] = b'-';
        let expected = DecodeError::Character { position: 7, byte: 0xff };
        assert_eq!(codec.decode(&text), Err(expected), "{codec:?}");
    });
}

#[test]
fn lengths_that_no_text_has() {
    on_every_codec("wrong lengths", |codec| {
        let multiple = if codec.is_base64() { 4 } else { 2 };
        for length in (0..200).filter(|length| length % multiple != 0) {
            let text = vec![b'A'; length];
            let expected = DecodeError::Length { length, multiple };
            assert_eq!(codec.decode(&text), Err(expected), "{codec:?}");
        }
    });
}

#[test]
fn padding_and_trailing_bits() {
    use DecodeError::{Padding, TrailingBits};
    let cases = [
        ("Zg=v", Padding { position: 2 }),
        ("Z===", Padding { position: 1 }),
        ("====", Padding { position: 0 }),
        ("Zh==", TrailingBits { position: 1 }),
        ("Zm9=", TrailingBits { position: 2 }),
        ("//==", TrailingBits { position: 1 }),
        ("AAAAZm9w=A==", Padding { position: 8 }),
    ];
    on_every_backend("Base64 padding", |backend| {
        let codec = Codec::Base64(backend);
        // Any number of good characters comes before, so that every position of a
        // block is tested.
        for before in (0..=192).step_by(4) {
            for (text, expected) in cases {
                let text = [&vec![b'x'; before][..], text.as_bytes()].concat();
                let shifted = match expected {
                    Padding { position } => Padding { position: before + position },
                    TrailingBits { position } => TrailingBits { position: before + position },
                    other => other,
                };
                assert_eq!(codec.decode(&text), Err(shifted), "{codec:?} {text:?}");
            }
        }
    });
}

#[test]
fn every_value_of_trailing_bits() {
    on_every_backend("Base64 trailing bits", |backend| {
        let codec = Codec::Base64(backend);
        for length in [1, 2, 4, 5, 46, 47, 49, 94, 95, 100] {
            let good = codec.expected(&message(length));
            let last = good.iter().rposition(|byte| *byte != b'=').unwrap();
            for byte in (0..=u8::MAX).filter(|byte| codec.is_character(*byte)) {
                let mut text = good.clone();
                text[last] = byte;
                assert_eq!(codec.decode(&text).ok(), codec.expected_bytes(&text), "{codec:?}");
            }
        }
    });
}

#[test]
fn too_little_room() {
    on_every_codec("room", |codec| {
        let bytes = message(BYTES);
        let text = codec.expected(&bytes);
        let mut room = vec![0; text.len() - 1];
        let expected = NoRoom { needed: text.len(), room: text.len() - 1 };
        assert_eq!(codec.encode_to_slice(&bytes, &mut room), Err(expected));
        assert!(room.iter().all(|byte| *byte == 0));
        let expected = NoRoom { needed: BYTES, room: BYTES - 1 };
        let found = codec.decode_to_slice(&text, &mut room[..BYTES - 1]);
        assert_eq!(found, Err(DecodeError::NoRoom(expected)));
    });
}

#[test]
fn words_name_place_and_byte() {
    let words = DecodeError::Character { position: 5, byte: 0x2d }.to_string();
    assert_eq!(words, "byte 0x2d at position 5 is not in the alphabet");
    let words = DecodeError::Length { length: 5, multiple: 4 }.to_string();
    assert_eq!(words, "the text has 5 bytes, which is no multiple of 4");
}
