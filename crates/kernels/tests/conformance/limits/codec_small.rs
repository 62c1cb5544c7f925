//! Tests the vectors of RFC 4648 section 10, and all small inputs.

use cpb_kernels::{base16, base64};

use super::codec::on_every_codec;

/// Lists the vectors of RFC 4648 section 10: bytes, base64, base16 (there in upper
/// case).
const VECTORS: [(&str, &str, &str); 7] = [
    ("", "", ""),
    ("f", "Zg==", "66"),
    ("fo", "Zm8=", "666F"),
    ("foo", "Zm9v", "666F6F"),
    ("foob", "Zm9vYg==", "666F6F62"),
    ("fooba", "Zm9vYmE=", "666F6F6261"),
    ("foobar", "Zm9vYmFy", "666F6F626172"),
];

#[test]
fn vectors_of_the_rfc() {
    on_every_codec("RFC 4648 vectors", |codec| {
        for (bytes, base64, base16) in VECTORS {
            let text = if codec.is_base64() { base64 } else { base16 };
            let lower = base16.to_ascii_lowercase();
            let encoded = if codec.is_base64() { base64 } else { &lower };
            assert_eq!(codec.encode(bytes.as_bytes()), encoded.as_bytes(), "{codec:?}");
            assert_eq!(codec.decode(text.as_bytes()).unwrap(), bytes.as_bytes(), "{codec:?}");
        }
    });
    for (bytes, text, digits) in VECTORS {
        assert_eq!(base64::encode(bytes.as_bytes()), text);
        assert_eq!(base64::decode(text).unwrap(), bytes.as_bytes());
        assert_eq!(base16::encode(bytes.as_bytes()), digits.to_ascii_lowercase());
        assert_eq!(base16::decode(digits).unwrap(), bytes.as_bytes());
    }
}

#[test]
fn every_one_and_two_bytes() {
    on_every_codec("small inputs", |codec| {
        for number in 0..=u16::MAX {
            let bytes = number.to_be_bytes();
            let bytes = if number < 256 { &bytes[1..] } else { &bytes[..] };
            let text = codec.expected(bytes);
            assert_eq!(codec.encode(bytes), text, "{codec:?}");
            assert_eq!(codec.decode(&text).as_deref(), Ok(bytes), "{codec:?}");
        }
    });
}

/// Tests any two bytes as a text, or as the beginning of one with padding or with
/// more.
#[test]
fn every_two_bytes_of_text() {
    on_every_codec("small texts", |codec| {
        let ends: &[&str] = if codec.is_base64() { &["==", "A=", "AA"] } else { &[""] };
        for end in ends {
            for number in 0..=u16::MAX {
                let [a, b] = number.to_be_bytes();
                let text = [&[a, b], end.as_bytes()].concat();
                assert_eq!(codec.decode(&text).ok(), codec.expected_bytes(&text), "{text:?}");
            }
        }
    });
}

/// Tests any two bytes as the end of a base64 text.
#[test]
fn every_two_bytes_at_the_end() {
    on_every_codec("small ends", |codec| {
        for number in 0..=u16::MAX {
            let [a, b] = number.to_be_bytes();
            for start in ["AB", "AQ", "AAAAAA", "=A"] {
                let text = [start.as_bytes(), &[a, b]].concat();
                assert_eq!(codec.decode(&text).ok(), codec.expected_bytes(&text), "{text:?}");
            }
        }
    });
}
