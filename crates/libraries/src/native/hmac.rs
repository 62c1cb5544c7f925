//! HMAC with SHA-1 and SHA-2.

use super::call::boxed;
use super::sha::{Made, NAMES, backend, offers_of, with_hash};
use crate::{Inputs, names};
use cpb_kernels::hash::Hash;
use cpb_kernels::hmac::Key;
use cpb_model::{Contract, Lengths, Offer, Operation, Workload};

/// HMAC takes a key of any length; libraries are compared with this one.
const KEY_BYTES: usize = 32;

pub(super) fn offers() -> Vec<Offer> {
    NAMES.iter().filter_map(|hash| with_hash!(*hash, macs(hash))).flatten().collect()
}

/// `None` where the primitive is not of this family.
pub(super) fn prepare(offer: &Offer, workload: &Workload) -> Option<Made> {
    let hash = offer.spelling.strip_prefix("hmac-")?;
    with_hash!(hash, prepare_mac(offer, workload))
}

fn macs<H: Hash>(hash: &str) -> Vec<Offer> {
    let lengths = Lengths {
        key: KEY_BYTES,
        granularity: 1,
        block: Some(H::BLOCK_BYTES),
        output: Some(H::OUTPUT_BYTES),
        ..Lengths::default()
    };
    offers_of::<H>(&names::mac("hmac", hash), Operation::Mac, Some("mac"), lengths)
}

fn prepare_mac<H: Hash + 'static>(offer: &Offer, workload: &Workload) -> Made
where
    H::Backend: 'static,
{
    let backend = backend::<H>(offer)?;
    let inputs = Inputs::new(offer, workload);
    Ok(match workload.contract {
        Contract::Keyed | Contract::Compat => {
            let key = Key::<H>::with_backend(backend, &inputs.key);
            boxed(inputs, move |inputs, output| {
                output.copy_from_slice(key.tag(inputs.message.bytes()).as_ref());
            })
        }
        Contract::Cold => boxed(inputs, move |inputs, output| {
            let key = Key::<H>::with_backend(backend, &inputs.key);
            output.copy_from_slice(key.tag(inputs.message.bytes()).as_ref());
        }),
    })
}
