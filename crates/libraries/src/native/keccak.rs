//! SHA-3 and SHAKE.

use super::call::boxed;
use super::not_offered;
use crate::catalogue::lengths;
use crate::runtime::Made;
use crate::{Inputs, PrepareError};
use cpb_kernels::keccak::Backend;
use cpb_kernels::sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512, Shake128, Shake256};
use cpb_model::{Contract, Offer, Operation, RowName};
use std::convert::Infallible;

/// Name, operation, digest length.
const PRIMITIVES: [(&str, Operation, Option<usize>); 6] = [
    ("sha3-224", Operation::Hash, Some(28)),
    ("sha3-256", Operation::Hash, Some(32)),
    ("sha3-384", Operation::Hash, Some(48)),
    ("sha3-512", Operation::Hash, Some(64)),
    ("shake128", Operation::Xof, None),
    ("shake256", Operation::Xof, None),
];

pub(super) fn offers() -> Vec<Offer> {
    let fastest = Backend::fastest().name();
    PRIMITIVES
        .into_iter()
        .flat_map(|(name, operation, output)| {
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
                lengths: lengths::hash(output, lengths::hash_block(name)),
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
            boxed(inputs, move |inputs, output| {
                output.copy_from_slice(&<$hash>::digest_with(backend, inputs.message.bytes()));
                Ok::<_, Infallible>(())
            })
        };
    }
    macro_rules! xof {
        ($xof:ty) => {
            boxed(inputs, move |inputs, output| {
                <$xof>::xof_with(backend, inputs.message.bytes(), output);
                Ok::<_, Infallible>(())
            })
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
