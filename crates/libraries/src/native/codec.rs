//! Offers base16 and base64.

use super::{PrepareResult, not_offered};
use crate::{Inputs, PrepareError};
use cpb_kernels::{base16, base64};
use cpb_model::{BenchSlopesRow, Contract, Lengths, Offer, Operation};
use cpb_provider::call;

/// Name, operation, granularity of lengths, bytes per step.
const PRIMITIVES: [(&str, Operation, usize, usize); 4] = [
    ("base16", Operation::Encode, 1, 32),
    ("base16", Operation::Decode, 2, 128),
    ("base64", Operation::Encode, 1, 48),
    ("base64", Operation::Decode, 4, 64),
];

pub(super) fn offers() -> Vec<Offer> {
    PRIMITIVES
        .into_iter()
        .flat_map(|(name, operation, granularity, block)| {
            backends(name).into_iter().map(move |(backend, is_fastest, unavailable)| Offer {
                primitive: name.to_owned(),
                operation,
                spelling: name.to_owned(),
                backend: backend.to_owned(),
                default_backend: is_fastest,
                is_variant: false,
                security: None,
                row: Some(BenchSlopesRow {
                    group: "codec".to_owned(),
                    algorithm: name.to_ascii_uppercase(),
                    mode: operation.name().to_owned(),
                }),
                lengths: Lengths { granularity, block: Some(block), ..Lengths::default() },
                unavailable,
            })
        })
        .collect()
}

pub(super) fn ready(offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
    // There is no key, so all contracts are the same.
    macro_rules! codec {
        ($codec:ident, $function:ident) => {
            match $codec::Backend::by_name(&offer.backend) {
                Err(reason) => Err(PrepareError::Unavailable(reason.to_string())),
                Ok(backend) => Ok(call(inputs, move |case, output| {
                    match $codec::$function(backend, case.message.bytes(), output) {
                        Ok(written) if written == output.len() => Ok(()),
                        Ok(written) => Err(format!("{written} bytes came out")),
                        Err(error) => Err(error.to_string()),
                    }
                })),
            }
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

/// Returns each backend's name, whether it is the default, and why it cannot run here.
fn backends(primitive: &str) -> Vec<(&'static str, bool, Option<String>)> {
    macro_rules! of {
        ($codec:ident) => {
            $codec::Backend::NAMES
                .iter()
                .map(|&name| {
                    let unavailable = $codec::Backend::by_name(name).err();
                    let is_fastest = name == $codec::Backend::fastest().name();
                    (name, is_fastest, unavailable.map(|reason| reason.to_string()))
                })
                .collect()
        };
    }
    if primitive == "base16" { of!(base16) } else { of!(base64) }
}
