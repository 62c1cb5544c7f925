//! Offers HMAC with the iterated hashes.

use super::sha::{Ready, ready_with};
use super::{PrepareResult, backend, offers_of};
use crate::sizes::HMAC_KEY;
use crate::{Inputs, names};
use cpb_kernels::hash::IteratedHash;
use cpb_kernels::hmac::Key;
use cpb_kernels::iterated_hashes;
use cpb_model::{Contract, LengthRange, Lengths, Offer, Operation, Role};
use cpb_provider::call;

pub(super) fn offers() -> Vec<Offer> {
    iterated_hashes!(macs).concat()
}

pub(super) fn ready(offer: &Offer, contract: Contract, inputs: Inputs) -> PrepareResult {
    fn of<H: IteratedHash + 'static>() -> (&'static str, Ready) {
        (H::NAME, ready_mac::<H>)
    }
    let hash = offer.spelling.strip_prefix("hmac-").unwrap_or_default();
    ready_with(hash, &iterated_hashes!(of), offer, contract, inputs)
}

fn macs<H: IteratedHash>() -> Vec<Offer> {
    let lengths = Lengths {
        key: HMAC_KEY,
        granularity: 1,
        block: Some(H::BLOCK_BYTES),
        output: Some(LengthRange::fixed(H::OUTPUT_BYTES)),
        ..Lengths::default()
    };
    let name = names::mac("hmac", H::NAME);
    offers_of::<H::Backend>(&name, Operation::Mac, Some(["mac", &name, ""]), lengths)
}

fn ready_mac<H: IteratedHash + 'static>(
    offer: &Offer,
    contract: Contract,
    inputs: Inputs,
) -> PrepareResult {
    let backend = backend(offer)?;
    Ok(match contract {
        Contract::Keyed | Contract::Compat => {
            let key = Key::<H>::with_backend(backend, inputs.bytes(Role::Key));
            call(inputs, move |case, output| {
                output.copy_from_slice(key.tag(case.message.bytes()).as_ref());
                Ok(())
            })
        }
        Contract::Oneshot => call(inputs, move |case, output| {
            let key = Key::<H>::with_backend(backend, case.bytes(Role::Key));
            output.copy_from_slice(key.tag(case.message.bytes()).as_ref());
            Ok(())
        }),
    })
}
