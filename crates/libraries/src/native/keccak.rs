//! Offers SHAKE; SHA-3 is among the hashes.

use super::{PrepareResult, backend, not_offered, offers_of};
use crate::Inputs;
use crate::sizes::FREE_OUTPUT;
use cpb_kernels::keccak::Backend;
use cpb_kernels::sha3::{Shake128, Shake256};
use cpb_model::{Contract, Lengths, Offer, Operation};
use cpb_provider::call;

/// Name, bytes per permutation.
const PRIMITIVES: [(&str, usize); 2] = [("shake128", Shake128::RATE), ("shake256", Shake256::RATE)];

pub(super) fn offers() -> Vec<Offer> {
    let offers = |(name, rate)| {
        let (granularity, output) = (1, Some(FREE_OUTPUT));
        let lengths = Lengths { granularity, block: Some(rate), output, ..Lengths::default() };
        offers_of::<Backend>(name, Operation::Xof, Some(["hash", name, ""]), lengths)
    };
    PRIMITIVES.into_iter().flat_map(offers).collect()
}

pub(super) fn ready(offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
    let backend = backend(offer)?;
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
