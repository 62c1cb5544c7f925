//! Offers base16 and base64.

use super::{PrepareResult, backend, not_offered, offers_of};
use crate::Inputs;
use cpb_kernels::{base16, base64};
use cpb_model::{Contract, Lengths, Offer, Operation};
use cpb_provider::call;

/// Name, operation, granularity of lengths, bytes per step.
const PRIMITIVES: [(&str, Operation, usize, usize); 4] = [
    ("base16", Operation::Encode, 1, 32),
    ("base16", Operation::Decode, 2, 128),
    ("base64", Operation::Encode, 1, 48),
    ("base64", Operation::Decode, 4, 64),
];

pub(super) fn offers() -> Vec<Offer> {
    let offers = |(name, operation, granularity, block): (&str, Operation, usize, usize)| {
        let lengths = Lengths { granularity, block: Some(block), ..Lengths::default() };
        let row = Some(["codec", name, operation.name()]);
        match name {
            "base16" => offers_of::<base16::Backend>(name, operation, row, lengths),
            _ => offers_of::<base64::Backend>(name, operation, row, lengths),
        }
    };
    PRIMITIVES.into_iter().flat_map(offers).collect()
}

pub(super) fn ready(offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
    // There is no key, so all contracts are the same.
    macro_rules! codec {
        ($codec:ident, $function:ident) => {
            backend(offer).map(|backend| {
                call(inputs, move |case, output| {
                    match $codec::$function(backend, case.message.bytes(), output) {
                        Ok(written) if written == output.len() => Ok(()),
                        Ok(written) => Err(format!("{written} bytes came out")),
                        Err(error) => Err(error.to_string()),
                    }
                })
            })
        };
    }
    match (offer.spelling.as_str(), offer.operation) {
        ("base16", Operation::Encode) => codec!(base16, encode_to_slice),
        ("base16", Operation::Decode) => codec!(base16, decode_to_slice),
        ("base64", Operation::Encode) => codec!(base64, encode_to_slice),
        ("base64", Operation::Decode) => codec!(base64, decode_to_slice),
        _ => Err(not_offered(offer)),
    }
}
