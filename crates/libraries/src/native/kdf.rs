//! HKDF and PBKDF2 with SHA-1 and SHA-2. A derivation keeps nothing between calls:
//! the contracts differ in nothing.

use super::call::boxed;
use super::sha::{Made, NAMES, backend, offers_of, with_hash};
use crate::{Inputs, PrepareError, names};
use cpb_kernels::hash::Hash;
use cpb_kernels::{hkdf, pbkdf2};
use cpb_model::{Lengths, Offer, Operation, Workload};
use std::num::NonZeroU64;

/// Of a password or a key to derive from, and of a salt.
const SECRET_BYTES: usize = 16;

pub(super) fn offers() -> Vec<Offer> {
    let pbkdf2 = NAMES.iter().filter_map(|hash| with_hash!(*hash, pbkdf2s(hash)));
    let hkdf = NAMES.iter().filter_map(|hash| with_hash!(*hash, hkdfs(hash)));
    pbkdf2.chain(hkdf).flatten().collect()
}

/// `None` where the primitive is not of this family.
pub(super) fn prepare(offer: &Offer, workload: &Workload) -> Option<Made> {
    if let Some(hash) = offer.spelling.strip_prefix("pbkdf2-hmac-") {
        return with_hash!(hash, prepare_pbkdf2(offer, workload));
    }
    let hash = offer.spelling.strip_prefix("hkdf-")?;
    with_hash!(hash, prepare_hkdf(offer, workload))
}

const LENGTHS: Lengths = Lengths {
    key: SECRET_BYTES,
    nonce: SECRET_BYTES,
    tag: 0,
    granularity: 1,
    block: None,
    output: None,
};

fn pbkdf2s<H: Hash>(hash: &str) -> Vec<Offer> {
    let name = names::mac("pbkdf2", &names::mac("hmac", hash));
    offers_of::<H>(&name, Operation::Derive, Some("kdf"), LENGTHS)
}

/// By custom named after the hash, not the HMAC.
fn hkdfs<H: Hash>(hash: &str) -> Vec<Offer> {
    // Without iterations there is no slope, and so no row.
    offers_of::<H>(&names::mac("hkdf", hash), Operation::Derive, None, LENGTHS)
}

fn prepare_pbkdf2<H: Hash + 'static>(offer: &Offer, workload: &Workload) -> Made {
    let backend = backend::<H>(offer)?;
    let inputs = Inputs::new(offer, workload);
    let iterations = NonZeroU64::new(inputs.iterations)
        .ok_or_else(|| PrepareError::Unavailable("PBKDF2 has at least 1 iteration".to_owned()))?;
    fits(pbkdf2::longest_output::<H>(), &inputs)?;
    Ok(boxed(inputs, move |inputs, output| {
        // Its only error was ruled out above.
        let _ = pbkdf2::derive_with::<H>(backend, &inputs.key, &inputs.nonce, iterations, output);
    }))
}

fn prepare_hkdf<H: Hash + 'static>(offer: &Offer, workload: &Workload) -> Made {
    let backend = backend::<H>(offer)?;
    let inputs = Inputs::new(offer, workload);
    fits(hkdf::longest_output::<H>(), &inputs)?;
    Ok(boxed(inputs, move |inputs, output| {
        // Its only error was ruled out above.
        let _ = hkdf::derive_with::<H>(backend, &inputs.nonce, &inputs.key, &inputs.aad, output);
    }))
}

fn fits(longest: usize, inputs: &Inputs) -> Result<(), PrepareError> {
    if inputs.output_bytes > longest {
        let reason = format!("the derivation ends after {longest} bytes");
        return Err(PrepareError::Unavailable(reason));
    }
    Ok(())
}
