//! Offers HMAC with the iterated hashes.

use super::{Offers, PrepareResult, backend, offers_of};
use crate::catalogue::names;
use cpb_kernels::hash::IteratedHash;
use cpb_kernels::hmac::Key;
use cpb_kernels::iterated_hashes;
use cpb_model::{Contract, LengthRange, Lengths, Offer, Operation, Role};
use cpb_provider::sizes::HMAC_KEY;
use cpb_provider::{Inputs, call};

pub(super) fn offers() -> Offers {
    iterated_hashes!(macs).concat()
}

fn macs<H: IteratedHash + 'static>() -> Offers {
    let lengths = Lengths {
        key: HMAC_KEY,
        granularity: 1,
        block: Some(H::BLOCK_BYTES),
        output: Some(LengthRange::fixed(H::OUTPUT_BYTES)),
        ..Lengths::default()
    };
    let name = names::mac("hmac", H::NAME);
    let row = Some(["mac", name.as_str(), ""]);
    offers_of::<H::Backend>(&name, Operation::Mac, row, lengths, ready::<H>)
}

fn ready<H: IteratedHash + 'static>(
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
