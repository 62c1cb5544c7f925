//! Base16 and base64.

use super::{Made, not_offered};
use crate::{Inputs, PrepareError, Prepared};
use cpb_kernels::{base16, base64};
use cpb_model::{Contract, Lengths, Offer, Operation, RowName};
use std::hint::black_box;

/// Name, operation, what lengths must be a multiple of, bytes that a step takes in.
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
                row: Some(RowName {
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

pub(super) fn ready(offer: &Offer, _: Contract, inputs: Inputs) -> Made {
    // There is nothing to key: the contracts differ in nothing.
    macro_rules! call {
        ($codec:ident, $function:ident) => {
            match $codec::Backend::by_name(&offer.backend) {
                Err(reason) => Err(PrepareError::Unavailable(reason.to_string())),
                Ok(backend) => boxed(inputs, move |input, output| {
                    $codec::$function(backend, input, output).map_err(|error| error.to_string())
                }),
            }
        };
    }
    match (offer.spelling.as_str(), offer.operation) {
        ("base16", Operation::Encode) => call!(base16, encode_to_slice),
        ("base16", Operation::Decode) => call!(base16, decode_to_slice),
        ("base64", Operation::Encode) => call!(base64, encode_to_slice),
        ("base64", Operation::Decode) => call!(base64, decode_to_slice),
        _ => Err(not_offered(offer)),
    }
}

/// Each backend's name, whether it is the default, and why it cannot run here.
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

/// One call: the input goes in, the destination is overwritten.
struct Call<F> {
    inputs: Inputs,
    last: Result<usize, String>,
    call: F,
}

fn boxed<F>(inputs: Inputs, call: F) -> Made
where
    F: Fn(&[u8], &mut [u8]) -> Result<usize, String> + 'static,
{
    Ok(Box::new(Call { inputs, last: Ok(0), call }))
}

impl<F: Fn(&[u8], &mut [u8]) -> Result<usize, String>> Prepared for Call<F> {
    fn run(&mut self, calls: u64) {
        let Inputs { message, destination, .. } = &mut self.inputs;
        for _ in 0..calls {
            // The compiler must neither hoist the call nor drop its output.
            self.last = (self.call)(black_box(message.bytes()), black_box(destination.bytes_mut()));
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        let length = self.last.clone()?;
        Ok(self.inputs.destination.bytes()[..length].to_vec())
    }
}
