//! base64-simd as a provider.

use base64_simd::{Out, STANDARD};
use provider::{Implementation, Lengths, Operation, call, provider};

provider!(c"base64-simd", c"0.8", IMPLEMENTATIONS);

static IMPLEMENTATIONS: &[Implementation] = &[
    Implementation {
        primitive: c"base64",
        operation: Operation::Encode,
        lengths: Lengths::NONE,
        prepare: |w| {
            let message = w.message;
            let length = STANDARD.encoded_length(message.len());
            Ok(call(w.destination, length, move |out| {
                STANDARD.encode(message, Out::from_slice(out)).len() == length
            }))
        },
    },
    Implementation {
        primitive: c"base64",
        operation: Operation::Decode,
        lengths: Lengths::groups_of(4),
        prepare: |w| {
            let bytes: Vec<u8> = (0..w.message.len() / 4 * 3).map(|i| (i % 251) as u8).collect();
            w.message.copy_from_slice(STANDARD.encode_to_string(&bytes).as_bytes());
            let (text, length) = (w.message, bytes.len());
            Ok(call(w.destination, length, move |out| {
                STANDARD.decode(text, Out::from_slice(out)).is_ok()
            }))
        },
    },
];
