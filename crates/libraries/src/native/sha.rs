//! Offers hash functions, and provides what constructions on them share.

use super::{PrepareResult, backend, not_offered, offers_of};
use crate::Inputs;
use cpb_kernels::hash::Hash;
use cpb_kernels::hashes;
use cpb_model::{Contract, LengthRange, Lengths, Offer, Operation};
use cpb_provider::call;

/// Prepares an offer with one hash.
pub(super) type Ready = fn(&Offer, Contract, Inputs) -> PrepareResult;

pub(super) fn offers() -> Vec<Offer> {
    hashes!(offers_of_hash).concat()
}

pub(super) fn ready(offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult {
    fn of<H: Hash + 'static>() -> (&'static str, Ready) {
        (H::NAME, ready_hash::<H>)
    }
    ready_with(&offer.spelling, &hashes!(of), offer, contract, inputs)
}

/// Prepares an offer with the hash of that name.
pub(super) fn ready_with(
    hash: &str,
    hashes: &[(&str, Ready)],
    offer: &Offer,
    contract: Contract,
    inputs: Inputs,
) -> PrepareResult {
    let found = hashes.iter().find(|(name, _)| *name == hash);
    let (_, ready) = found.ok_or_else(|| not_offered(offer))?;
    ready(offer, contract, inputs)
}

fn offers_of_hash<H: Hash>() -> Vec<Offer> {
    let lengths = Lengths {
        granularity: 1,
        block: Some(H::BLOCK_BYTES),
        output: Some(LengthRange::fixed(H::OUTPUT_BYTES)),
        ..Lengths::default()
    };
    offers_of::<H::Backend>(H::NAME, Operation::Hash, Some(["hash", H::NAME, ""]), lengths)
}

/// Prepares a hash, which has no key and keeps its state on the stack, so that all contracts are
/// the same.
fn ready_hash<H: Hash + 'static>(offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
    let backend = backend(offer)?;
    Ok(call(inputs, move |case, output| {
        output.copy_from_slice(H::hash(backend, case.message.bytes()).as_ref());
        Ok(())
    }))
}
