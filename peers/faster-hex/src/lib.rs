//! faster-hex as a provider.

use provider::{Implementation, Lengths, Operation, call, provider};

provider!(c"faster-hex", c"1", IMPLEMENTATIONS);

static IMPLEMENTATIONS: &[Implementation] = &[
    Implementation {
        primitive: c"base16",
        operation: Operation::Encode,
        lengths: Lengths::NONE,
        prepare: |w| {
            let message = w.message;
            let length = 2 * message.len();
            Ok(call(w.destination, length, move |out| {
                faster_hex::hex_encode(message, &mut out[..length]).is_ok()
            }))
        },
    },
    Implementation {
        primitive: c"base16",
        operation: Operation::Decode,
        lengths: Lengths::groups_of(2),
        prepare: |w| {
            let bytes: Vec<u8> = (0..w.message.len() / 2).map(|i| (i % 251) as u8).collect();
            faster_hex::hex_encode(&bytes, w.message).map_err(|error| error.to_string())?;
            let (text, length) = (w.message, bytes.len());
            Ok(call(w.destination, length, move |out| {
                faster_hex::hex_decode(text, &mut out[..length]).is_ok()
            }))
        },
    },
];
