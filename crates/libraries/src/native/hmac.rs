//! HMAC with SHA-1 and SHA-2.

use super::sha::{NAMES, backend, offers_of, with_hash};
use super::{Made, not_offered};
use crate::sizes::HMAC_KEY;
use crate::{Inputs, names};
use cpb_kernels::hash::Hash;
use cpb_kernels::hmac::Key;
use cpb_model::{Contract, Length, Lengths, Offer, Operation};
use cpb_provider::call;

pub(super) fn offers() -> Vec<Offer> {
    NAMES.iter().filter_map(|hash| with_hash!(*hash, macs(hash))).flatten().collect()
}

pub(super) fn ready(offer: &Offer, contract: Contract, inputs: Inputs) -> Made {
    let hash = offer.spelling.strip_prefix("hmac-").unwrap_or_default();
    with_hash!(hash, ready_mac(offer, contract, inputs)).ok_or_else(|| not_offered(offer))?
}

fn macs<H: Hash>(hash: &str) -> Vec<Offer> {
    let lengths = Lengths {
        key: HMAC_KEY,
        granularity: 1,
        block: Some(H::BLOCK_BYTES),
        output: Some(Length::fixed(H::OUTPUT_BYTES)),
        ..Lengths::default()
    };
    offers_of::<H>(&names::mac("hmac", hash), Operation::Mac, Some("mac"), lengths)
}

fn ready_mac<H: Hash + 'static>(offer: &Offer, contract: Contract, inputs: Inputs) -> Made
where
    H::Backend: 'static,
{
    let backend = backend::<H>(offer)?;
    Ok(match contract {
        Contract::Keyed | Contract::Compat => {
            let key = Key::<H>::with_backend(backend, &inputs.key);
            call(inputs, move |case, output| {
                output.copy_from_slice(key.tag(case.message.bytes()).as_ref());
                Ok(())
            })
        }
        Contract::Oneshot => call(inputs, move |case, output| {
            let key = Key::<H>::with_backend(backend, &case.key);
            output.copy_from_slice(key.tag(case.message.bytes()).as_ref());
            Ok(())
        }),
    })
}
