//! Offers SHAKE; SHA-3 is among the hashes.

use super::{PrepareResult, not_offered};
use crate::sizes::FREE_OUTPUT;
use crate::{Inputs, PrepareError};
use cpb_kernels::keccak::Backend;
use cpb_kernels::sha3::{Shake128, Shake256};
use cpb_model::{BenchSlopesRow, Contract, Lengths, Offer, Operation};
use cpb_provider::call;

/// Name, bytes per permutation.
const PRIMITIVES: [(&str, usize); 2] = [("shake128", Shake128::RATE), ("shake256", Shake256::RATE)];

pub(super) fn offers() -> Vec<Offer> {
    let fastest = Backend::fastest().name();
    PRIMITIVES
        .into_iter()
        .flat_map(|(name, rate)| {
            Backend::NAMES.iter().map(move |&backend| Offer {
                primitive: name.to_owned(),
                operation: Operation::Xof,
                spelling: name.to_owned(),
                backend: backend.to_owned(),
                default_backend: backend == fastest,
                is_variant: false,
                security: None,
                row: Some(BenchSlopesRow {
                    group: "hash".to_owned(),
                    algorithm: name.to_ascii_uppercase(),
                    mode: String::new(),
                }),
                lengths: Lengths {
                    granularity: 1,
                    block: Some(rate),
                    output: Some(FREE_OUTPUT),
                    ..Lengths::default()
                },
                unavailable: Backend::by_name(backend).err().map(|reason| reason.to_string()),
            })
        })
        .collect()
}

pub(super) fn ready(offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
    let backend = Backend::by_name(&offer.backend)
        .map_err(|reason| PrepareError::Unavailable(reason.to_string()))?;
    // There is no key, and the state is on the stack, so all contracts are the same.
    macro_rules! xof {
        ($xof:ty) => {
            Ok(call(inputs, move |case, output| {
                <$xof>::xof_with(backend, case.message.bytes(), output);
                Ok(())
            }))
        };
    }
    match offer.spelling.as_str() {
        "shake128" => xof!(Shake128),
        "shake256" => xof!(Shake256),
        _ => Err(not_offered(offer)),
    }
}
