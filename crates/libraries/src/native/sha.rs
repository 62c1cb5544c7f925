//! Offers hash functions.

use super::{Offers, PrepareResult, backend, offers_of};
use cpb_kernels::hash::Hash;
use cpb_kernels::hashes;
use cpb_model::{Contract, LengthRange, Lengths, Offer, Operation};
use cpb_provider::{Inputs, call};

pub(super) fn offers() -> Offers {
    hashes!(offers_of_hash).concat()
}

fn offers_of_hash<H: Hash + 'static>() -> Offers {
    let lengths = Lengths {
        granularity: 1,
        block: Some(H::BLOCK_BYTES),
        output: Some(LengthRange::fixed(H::OUTPUT_BYTES)),
        ..Lengths::default()
    };
    let row = Some(["hash", H::NAME, ""]);
    offers_of::<H::Backend>(H::NAME, Operation::Hash, row, lengths, ready::<H>)
}

/// Prepares a hash, which has no key and keeps its state on the stack, so that all contracts are
/// the same.
fn ready<H: Hash + 'static>(offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
    let backend = backend(offer)?;
    Ok(call(inputs, move |case, output| {
        output.copy_from_slice(H::hash(backend, case.message.bytes()).as_ref());
        Ok(())
    }))
}
