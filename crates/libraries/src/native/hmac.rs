//! HMAC with SHA-1 and SHA-2.

use super::call::boxed;
use super::not_offered;
use super::sha::{NAMES, backend, offers_of, with_hash};
use crate::catalogue::lengths;
use crate::runtime::Made;
use crate::{Inputs, names};
use cpb_kernels::hash::Hash;
use cpb_kernels::hmac::Key;
use cpb_model::{Contract, Offer, Operation};
use std::convert::Infallible;

pub(super) fn offers() -> Vec<Offer> {
    NAMES.iter().filter_map(|hash| with_hash!(*hash, macs(hash))).flatten().collect()
}

pub(super) fn ready(offer: &Offer, contract: Contract, inputs: Inputs) -> Made {
    let hash = offer.spelling.strip_prefix("hmac-").unwrap_or_default();
    with_hash!(hash, ready_mac(offer, contract, inputs)).ok_or_else(|| not_offered(offer))?
}

fn macs<H: Hash>(hash: &str) -> Vec<Offer> {
    let lengths = lengths::hmac(H::OUTPUT_BYTES, Some(H::BLOCK_BYTES));
    offers_of::<H>(&names::mac("hmac", hash), Operation::Mac, Some("mac"), lengths)
}

fn ready_mac<H: Hash + 'static>(offer: &Offer, contract: Contract, inputs: Inputs) -> Made
where
    H::Backend: 'static,
{
    let backend = backend::<H>(offer)?;
    match contract {
        Contract::Keyed | Contract::Compat => {
            let key = Key::<H>::with_backend(backend, &inputs.key);
            boxed(inputs, move |inputs, output| {
                output.copy_from_slice(key.tag(inputs.message.bytes()).as_ref());
                Ok::<_, Infallible>(())
            })
        }
        Contract::Cold => boxed(inputs, move |inputs, output| {
            let key = Key::<H>::with_backend(backend, &inputs.key);
            output.copy_from_slice(key.tag(inputs.message.bytes()).as_ref());
            Ok::<_, Infallible>(())
        }),
    }
}
