//! Offers ChaCha20, Poly1305, and their combination.
//!
//! All contracts are the same: ChaCha20 uses its key directly, and Poly1305's key serves one
//! message, so that every call sets it.

use super::{PrepareResult, not_offered};
use crate::{Inputs, PrepareError};
use cpb_kernels::chacha20_poly1305::ChaCha20Poly1305;
use cpb_kernels::poly1305::Poly1305;
use cpb_kernels::{Unavailable, chacha20, chacha20_poly1305, poly1305};
use cpb_model::{BenchSlopesRow, Contract, LengthRange, Lengths, Offer, Operation, Role};
use cpb_provider::call;
use std::hint::black_box;

const CHACHA20: &str = "chacha20";
const POLY1305: &str = "poly1305";
const CHACHA20_POLY1305: &str = "chacha20-poly1305";

const TAG_BYTES: usize = 16;

/// Name, operation, algorithm and mode in bench-slopes' rows.
const PRIMITIVES: [(&str, Operation, &str, &str); 6] = [
    (POLY1305, Operation::Mac, "POLY1305", ""),
    (CHACHA20, Operation::Encrypt, "CHACHA20", "STREAM enc"),
    (CHACHA20, Operation::Decrypt, "CHACHA20", "STREAM dec"),
    (CHACHA20_POLY1305, Operation::Seal, "CHACHA20", "POLY1305 enc"),
    (CHACHA20_POLY1305, Operation::Open, "CHACHA20", "POLY1305 dec"),
    (CHACHA20_POLY1305, Operation::Auth, "CHACHA20", "POLY1305 auth"),
];

pub(super) fn offers() -> Vec<Offer> {
    PRIMITIVES
        .into_iter()
        .flat_map(|(name, operation, algorithm, mode)| {
            let (group, lengths) = match name {
                POLY1305 => (
                    "mac",
                    Lengths {
                        block: Some(16),
                        output: Some(LengthRange::fixed(TAG_BYTES)),
                        ..keyed(0)
                    },
                ),
                CHACHA20 => ("cipher", Lengths { block: Some(64), ..keyed(12) }),
                _ => {
                    let aad = crate::sizes::aad(operation);
                    let lengths = Lengths { block: Some(64), tag: TAG_BYTES, aad, ..keyed(12) };
                    ("cipher", lengths)
                }
            };
            let (backends, fastest) = backends(name);
            backends.iter().map(move |&backend| Offer {
                primitive: name.to_owned(),
                operation,
                spelling: name.to_owned(),
                backend: backend.to_owned(),
                default_backend: backend == fastest,
                is_variant: false,
                security: None,
                row: Some(BenchSlopesRow {
                    group: group.to_owned(),
                    algorithm: algorithm.to_owned(),
                    mode: mode.to_owned(),
                }),
                lengths,
                unavailable: unavailable(name, backend).map(|reason| reason.to_string()),
            })
        })
        .collect()
}

fn keyed(nonce: usize) -> Lengths {
    let (key, nonce) = (LengthRange::fixed(32), LengthRange::fixed(nonce));
    Lengths { key, nonce, granularity: 1, ..Lengths::default() }
}

/// Returns the names of a primitive's backends, and the fastest here.
fn backends(primitive: &str) -> (&'static [&'static str], &'static str) {
    match primitive {
        POLY1305 => (poly1305::Backend::NAMES, poly1305::Backend::fastest().name()),
        CHACHA20 => (chacha20::Backend::NAMES, chacha20::Backend::fastest().name()),
        _ => (chacha20_poly1305::Backend::NAMES, chacha20_poly1305::Backend::fastest().name()),
    }
}

fn unavailable(primitive: &str, backend: &str) -> Option<Unavailable> {
    match primitive {
        POLY1305 => poly1305::Backend::by_name(backend).err(),
        CHACHA20 => chacha20::Backend::by_name(backend).err(),
        _ => chacha20_poly1305::Backend::by_name(backend).err(),
    }
}

pub(super) fn ready(offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
    match offer.spelling.as_str() {
        POLY1305 => ready_mac(offer, inputs),
        CHACHA20 => ready_stream(offer, inputs),
        CHACHA20_POLY1305 => ready_aead(offer, inputs),
        _ => Err(not_offered(offer)),
    }
}

fn ready_mac(offer: &Offer, inputs: Inputs) -> PrepareResult {
    let backend = poly1305::Backend::by_name(&offer.backend).map_err(refused)?;
    let key = array(inputs.bytes(Role::Key))?;
    Ok(call(inputs, move |case, output| {
        let tag = Poly1305::mac_with(backend, black_box(&key), case.message.bytes());
        output.copy_from_slice(&tag);
        Ok(())
    }))
}

fn ready_stream(offer: &Offer, inputs: Inputs) -> PrepareResult {
    let backend = chacha20::Backend::by_name(&offer.backend).map_err(refused)?;
    let (key, nonce) = (array(inputs.bytes(Role::Key))?, array(inputs.bytes(Role::Nonce))?);
    Ok(call(inputs, move |case, output| {
        let message = case.message.bytes();
        chacha20::xor_with(backend, black_box(&key), black_box(&nonce), 0, message, output)
            .map_err(|error| error.to_string())
    }))
}

fn ready_aead(offer: &Offer, inputs: Inputs) -> PrepareResult {
    let backend = chacha20_poly1305::Backend::by_name(&offer.backend).map_err(refused)?;
    let (key, nonce): ([u8; 32], [u8; 12]) =
        (array(inputs.bytes(Role::Key))?, array(inputs.bytes(Role::Nonce))?);
    let cipher = move || ChaCha20Poly1305::with_backend(backend, black_box(&key));
    Ok(match offer.operation {
        Operation::Open => {
            let tag: [u8; TAG_BYTES] = array(inputs.bytes(Role::Tag))?;
            call(inputs, move |case, output| {
                let (aad, ciphertext) = (case.bytes(Role::Aad), case.message.bytes());
                cipher()
                    .open_detached(black_box(&nonce), aad, ciphertext, black_box(&tag), output)
                    .map_err(|error| error.to_string())
            })
        }
        Operation::Auth => call(inputs, move |case, output| {
            let aad = case.message.bytes();
            let tag = cipher().seal_detached(black_box(&nonce), aad, &[], &mut []);
            output.copy_from_slice(&tag.map_err(|error| error.to_string())?);
            Ok(())
        }),
        _ => call(inputs, move |case, output| {
            let plaintext = case.message.bytes();
            let (ciphertext, last) = output.split_at_mut(plaintext.len());
            let tag = cipher().seal_detached(
                black_box(&nonce),
                case.bytes(Role::Aad),
                plaintext,
                ciphertext,
            );
            last.copy_from_slice(&tag.map_err(|error| error.to_string())?);
            Ok(())
        }),
    })
}

fn refused(reason: impl std::fmt::Display) -> PrepareError {
    PrepareError::Unavailable(reason.to_string())
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], PrepareError> {
    bytes.try_into().map_err(|_| refused(format!("{} bytes where {N} are needed", bytes.len())))
}
