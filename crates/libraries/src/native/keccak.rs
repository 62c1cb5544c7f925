//! SHA-3 and SHAKE.

use super::{Made, not_offered};
use crate::sizes::FREE_OUTPUT;
use crate::{Inputs, PrepareError};
use cpb_kernels::keccak::Backend;
use cpb_kernels::sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};
use cpb_model::{Contract, Length, Lengths, Offer, Operation, RowName};
use cpb_provider::call;

/// Name, operation, bytes a permutation takes in, digest length.
const PRIMITIVES: [(&str, Operation, usize, Option<usize>); 6] = [
    ("sha3-224", Operation::Hash, 144, Some(28)),
    ("sha3-256", Operation::Hash, 136, Some(32)),
    ("sha3-384", Operation::Hash, 104, Some(48)),
    ("sha3-512", Operation::Hash, 72, Some(64)),
    ("shake128", Operation::Xof, 168, None),
    ("shake256", Operation::Xof, 136, None),
];

pub(super) fn offers() -> Vec<Offer> {
    let fastest = Backend::fastest().name();
    PRIMITIVES
        .into_iter()
        .flat_map(|(name, operation, rate, output)| {
            Backend::NAMES.iter().map(move |&backend| Offer {
                primitive: name.to_owned(),
                operation,
                spelling: name.to_owned(),
                backend: backend.to_owned(),
                default_backend: backend == fastest,
                row: Some(RowName {
                    group: "hash".to_owned(),
                    algorithm: name.to_ascii_uppercase(),
                    mode: String::new(),
                }),
                lengths: Lengths {
                    granularity: 1,
                    block: Some(rate),
                    output: Some(output.map_or(FREE_OUTPUT, Length::fixed)),
                    ..Lengths::default()
                },
                unavailable: Backend::by_name(backend).err().map(|reason| reason.to_string()),
            })
        })
        .collect()
}

pub(super) fn ready(offer: &Offer, _: Contract, inputs: Inputs) -> Made {
    let backend = Backend::by_name(&offer.backend)
        .map_err(|reason| PrepareError::Unavailable(reason.to_string()))?;
    // A hash has no key, and its state lives on the stack: the contracts differ
    // in nothing.
    macro_rules! digest {
        ($hash:ty) => {
            Ok(call(inputs, move |case, output| {
                output.copy_from_slice(&<$hash>::digest_with(backend, case.message.bytes()));
                Ok(())
            }))
        };
    }
    macro_rules! xof {
        ($xof:ty) => {
            Ok(call(inputs, move |case, output| {
                <$xof>::xof_with(backend, case.message.bytes(), output);
                Ok(())
            }))
        };
    }
    match offer.spelling.as_str() {
        "sha3-224" => digest!(Sha3_224),
        "sha3-256" => digest!(Sha3_256),
        "sha3-384" => digest!(Sha3_384),
        "sha3-512" => digest!(Sha3_512),
        "shake128" => xof!(Shake128),
        "shake256" => xof!(Shake256),
        _ => Err(not_offered(offer)),
    }
}
