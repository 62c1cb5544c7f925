//! Offers faster-hex as a provider.

use cpb_model::Operation;
use cpb_provider::{Implementation, Table, call, line, provider};

provider!(c"faster-hex", c"1", Table::new(&[IMPLEMENTATIONS]));

const IMPLEMENTATIONS: &[Implementation] = &[
    line("base16", Operation::Encode, Implementation::NONE, |_, inputs| {
        Ok(call(inputs, |case, out| {
            let text = faster_hex::hex_encode(case.message.bytes(), out);
            text.map(|_| ()).map_err(|error| error.to_string())
        }))
    }),
    line("base16", Operation::Decode, Implementation::groups_of(2), |_, inputs| {
        Ok(call(inputs, |case, out| {
            let bytes = faster_hex::hex_decode(case.message.bytes(), out);
            bytes.map(|_| ()).map_err(|error| error.to_string())
        }))
    }),
];
