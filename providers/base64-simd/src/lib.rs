//! Offers base64-simd as a provider.

use base64_simd::{Out, STANDARD};
use cpb_model::Operation;
use cpb_provider::{Implementation, Table, call, line, provider};

provider!(c"base64-simd", c"0.8", Table::new(&[IMPLEMENTATIONS]));

const IMPLEMENTATIONS: &[Implementation] = &[
    line("base64", Operation::Encode, Implementation::NONE, |_, inputs| {
        Ok(call(inputs, |case, out| {
            let length = out.len();
            let text = STANDARD.encode(case.message.bytes(), Out::from_slice(out));
            if text.len() == length { Ok(()) } else { Err("the text is cut".to_owned()) }
        }))
    }),
    line("base64", Operation::Decode, Implementation::groups_of(4), |_, inputs| {
        Ok(call(inputs, |case, out| {
            let bytes = STANDARD.decode(case.message.bytes(), Out::from_slice(out));
            bytes.map(|_| ()).map_err(|error| error.to_string())
        }))
    }),
];
