//! Fuzzes base16 and base64: any text, and texts that are valid except for a few
//! bits, which random bytes of some length never are. Every backend must give the
//! same results as `portable`, including errors.

#![no_main]

use arbitrary::Arbitrary;
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Debug)]
struct Input<'a> {
    /// Room of the output beyond what is needed.
    spare: u8,
    /// The changes of the text: positions and bits.
    changes: Vec<(u16, u8)>,
    /// The bytes to encode, which are also decoded as they are.
    bytes: &'a [u8],
}

fuzz_target!(|input: Input| {
    base16::check(&input);
    base64::check(&input);
});

/// The initial content of the output, which shows what was written.
const UNTOUCHED: u8 = 0xa5;

/// Generates the checks of one codec; `$canonical` gives the text that encoding
/// writes for the bytes of a valid one.
macro_rules! codec {
    ($codec:ident, $canonical:expr) => {
        mod $codec {
            use super::{Input, UNTOUCHED};
            use cpb_kernels::Backend as _;
            use cpb_kernels::$codec::{
                Backend, DecodeError, decode_to_slice, decoded_len, encode_to_slice, encoded_len,
            };

            pub fn check(input: &Input) {
                let spare = usize::from(input.spare);
                check_text(input.bytes, spare);

                let mut text = encode(Backend::PORTABLE, input.bytes, 0);
                for backend in Backend::available() {
                    assert_eq!(encode(backend, input.bytes, spare), text, "{backend:?}");
                }
                assert_eq!(decode(Backend::PORTABLE, &text, 0).as_deref(), Ok(input.bytes));
                if text.is_empty() {
                    return;
                }
                for &(position, bits) in &input.changes {
                    let position = usize::from(position) % text.len();
                    text[position] ^= bits;
                }
                check_text(&text, spare);
            }

            fn check_text(text: &[u8], spare: usize) {
                let expected = decode(Backend::PORTABLE, text, 0);
                for backend in Backend::available() {
                    assert_eq!(decode(backend, text, spare), expected, "{backend:?}");
                }
                if let Ok(bytes) = expected {
                    let canonical: fn(&[u8]) -> Vec<u8> = $canonical;
                    assert_eq!(encode(Backend::PORTABLE, &bytes, 0), canonical(text));
                }
            }

            fn encode(backend: Backend, bytes: &[u8], spare: usize) -> Vec<u8> {
                let needed = encoded_len(bytes.len());
                let mut text = vec![UNTOUCHED; needed + spare];
                assert_eq!(encode_to_slice(backend, bytes, &mut text), Ok(needed));
                assert!(text[needed..].iter().all(|byte| *byte == UNTOUCHED));
                text.truncate(needed);
                text
            }

            fn decode(backend: Backend, text: &[u8], spare: usize) -> Result<Vec<u8>, DecodeError> {
                let needed = decoded_len(text).unwrap_or(0);
                let mut bytes = vec![UNTOUCHED; needed + spare];
                let decoded = decode_to_slice(backend, text, &mut bytes);
                assert!(bytes[needed..].iter().all(|byte| *byte == UNTOUCHED));
                assert_eq!(decoded.unwrap_or(needed), needed);
                bytes.truncate(needed);
                decoded.map(|_| bytes)
            }
        }
    };
}

codec!(base16, <[u8]>::to_ascii_lowercase);
codec!(base64, <[u8]>::to_vec);
