//! HKDF and PBKDF2 with SHA-1 and SHA-2. A derivation keeps nothing between calls:
//! the contracts differ in nothing.

use super::sha::{NAMES, backend, offers_of, with_hash};
use super::{Made, not_offered};
use crate::sizes::{FREE_OUTPUT, SECRET};
use crate::{Inputs, PrepareError, names};
use cpb_kernels::hash::Hash;
use cpb_kernels::{hkdf, pbkdf2};
use cpb_model::{Contract, LARGEST_BYTES, Length, Lengths, Offer, Operation};
use cpb_provider::call;
use std::num::NonZeroU64;

pub(super) fn offers() -> Vec<Offer> {
    let pbkdf2 = NAMES.iter().filter_map(|hash| with_hash!(*hash, pbkdf2s(hash)));
    let hkdf = NAMES.iter().filter_map(|hash| with_hash!(*hash, hkdfs(hash)));
    pbkdf2.chain(hkdf).flatten().collect()
}

pub(super) fn ready(offer: &Offer, _: Contract, inputs: Inputs) -> Made {
    let made = match offer.spelling.strip_prefix("pbkdf2-hmac-") {
        Some(hash) => with_hash!(hash, ready_pbkdf2(offer, inputs)),
        None => {
            let hash = offer.spelling.strip_prefix("hkdf-").unwrap_or_default();
            with_hash!(hash, ready_hkdf(offer, inputs))
        }
    };
    made.ok_or_else(|| not_offered(offer))?
}

/// Of a derivation that ends after `longest` bytes.
fn lengths(longest: usize) -> Lengths {
    Lengths {
        key: SECRET,
        nonce: SECRET,
        granularity: 1,
        output: Some(FREE_OUTPUT.up_to(longest.min(LARGEST_BYTES))),
        ..Lengths::default()
    }
}

fn pbkdf2s<H: Hash>(hash: &str) -> Vec<Offer> {
    let name = names::mac("pbkdf2", &names::mac("hmac", hash));
    offers_of::<H>(&name, Operation::Derive, Some("kdf"), lengths(pbkdf2::longest_output::<H>()))
}

/// By custom named after the hash, not the HMAC.
fn hkdfs<H: Hash>(hash: &str) -> Vec<Offer> {
    // Without iterations there is no slope, and so no row.
    let lengths = Lengths { aad: Length::free(0), ..lengths(hkdf::longest_output::<H>()) };
    offers_of::<H>(&names::mac("hkdf", hash), Operation::Derive, None, lengths)
}

fn ready_pbkdf2<H: Hash + 'static>(offer: &Offer, inputs: Inputs) -> Made {
    let backend = backend::<H>(offer)?;
    let iterations = NonZeroU64::new(inputs.iterations)
        .ok_or_else(|| PrepareError::Unavailable("PBKDF2 has at least 1 iteration".to_owned()))?;
    Ok(call(inputs, move |case, output| {
        pbkdf2::derive_with::<H>(backend, &case.key, &case.nonce, iterations, output)
            .map_err(|error| error.to_string())
    }))
}

fn ready_hkdf<H: Hash + 'static>(offer: &Offer, inputs: Inputs) -> Made {
    let backend = backend::<H>(offer)?;
    Ok(call(inputs, move |case, output| {
        hkdf::derive_with::<H>(backend, &case.nonce, &case.key, &case.aad, output)
            .map_err(|error| error.to_string())
    }))
}
