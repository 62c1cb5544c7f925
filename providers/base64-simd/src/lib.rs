//! Offers base64-simd as a provider.

use base64_simd::{Out, STANDARD};
use cpb_model::Operation;
use cpb_provider::{Implementation, Table, call, provider};

provider!(c"base64-simd", c"0.8", Table::new(&[IMPLEMENTATIONS]));

const IMPLEMENTATIONS: &[Implementation] = &[
    Implementation {
        primitive: "base64",
        operation: Operation::Encode,
        lengths: Implementation::NONE,
        ready: |_, inputs| {
            Ok(call(inputs, |case, out| {
                let length = out.len();
                let text = STANDARD.encode(case.message.bytes(), Out::from_slice(out));
                if text.len() == length { Ok(()) } else { Err("the text is cut".to_owned()) }
            }))
        },
    },
    Implementation {
        primitive: "base64",
        operation: Operation::Decode,
        lengths: Implementation::groups_of(4),
        ready: |_, inputs| {
            Ok(call(inputs, |case, out| {
                let bytes = STANDARD.decode(case.message.bytes(), Out::from_slice(out));
                bytes.map(|_| ()).map_err(|error| error.to_string())
            }))
        },
    },
];
