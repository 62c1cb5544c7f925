//! Offers HKDF and PBKDF2 with the iterated hashes. A derivation keeps nothing between calls, so
//! all contracts are the same.

use super::{Offers, PrepareResult, backend, offers_of};
use crate::catalogue::names;
use cpb_kernels::hash::IteratedHash;
use cpb_kernels::{hkdf, iterated_hashes, pbkdf2};
use cpb_model::{Contract, LARGEST_BYTES, LengthRange, Lengths, Offer, Operation, Role};
use cpb_provider::sizes::{FREE_OUTPUT, SECRET};
use cpb_provider::{Inputs, PrepareError, call};
use std::num::NonZeroU64;

pub(super) fn offers() -> Offers {
    [iterated_hashes!(pbkdf2s).concat(), iterated_hashes!(hkdfs).concat()].concat()
}

/// Returns the lengths of a derivation with outputs of up to `longest` bytes.
fn lengths(longest: usize) -> Lengths {
    Lengths {
        key: SECRET,
        nonce: SECRET,
        granularity: 1,
        output: Some(FREE_OUTPUT.up_to(longest.min(LARGEST_BYTES))),
        ..Lengths::default()
    }
}

fn pbkdf2s<H: IteratedHash + 'static>() -> Offers {
    let name = names::mac("pbkdf2", &names::mac("hmac", H::NAME));
    let lengths = lengths(pbkdf2::longest_output::<H>());
    let row = Some(["kdf", name.as_str(), ""]);
    offers_of::<H::Backend>(&name, Operation::Derive, row, lengths, ready_pbkdf2::<H>)
}

/// Returns the offers of HKDF, which is customarily named after the hash instead of the HMAC.
fn hkdfs<H: IteratedHash + 'static>() -> Offers {
    // Without iterations there is no slope, and so no row.
    let lengths = Lengths { aad: LengthRange::free(0), ..lengths(hkdf::longest_output::<H>()) };
    let name = names::mac("hkdf", H::NAME);
    offers_of::<H::Backend>(&name, Operation::Derive, None, lengths, ready_hkdf::<H>)
}

fn ready_pbkdf2<H: IteratedHash + 'static>(
    offer: &Offer,
    _: Contract,
    inputs: Inputs,
) -> PrepareResult {
    let backend = backend(offer)?;
    let iterations = NonZeroU64::new(inputs.iterations)
        .ok_or_else(|| PrepareError::Unavailable("PBKDF2 has at least 1 iteration".to_owned()))?;
    Ok(call(inputs, move |case, output| {
        pbkdf2::derive_with::<H>(
            backend,
            case.bytes(Role::Password),
            case.bytes(Role::Salt),
            iterations,
            output,
        )
        .map_err(|error| error.to_string())
    }))
}

fn ready_hkdf<H: IteratedHash + 'static>(
    offer: &Offer,
    _: Contract,
    inputs: Inputs,
) -> PrepareResult {
    let backend = backend(offer)?;
    Ok(call(inputs, move |case, output| {
        hkdf::derive_with::<H>(
            backend,
            hkdf::Salt(case.bytes(Role::Salt)),
            case.bytes(Role::Password),
            hkdf::Info(case.bytes(Role::Info)),
            output,
        )
        .map_err(|error| error.to_string())
    }))
}
