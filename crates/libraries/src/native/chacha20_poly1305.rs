//! ChaCha20, Poly1305, and both together.
//!
//! The contracts differ in nothing: ChaCha20 takes its key as it is, and Poly1305's
//! serves one message, so that every call sets it.

use super::call::boxed;
use super::not_offered;
use crate::runtime::Made;
use crate::{Inputs, PrepareError};
use cpb_kernels::chacha20_poly1305::ChaCha20Poly1305;
use cpb_kernels::poly1305::Poly1305;
use cpb_kernels::{Unavailable, chacha20, chacha20_poly1305, poly1305};
use cpb_model::{Contract, Length, Lengths, Offer, Operation, RowName};
use std::convert::Infallible;
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
                    Lengths { block: Some(16), output: Some(Length::fixed(TAG_BYTES)), ..keyed(0) },
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
                row: Some(RowName {
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
    let (key, nonce) = (Length::fixed(32), Length::fixed(nonce));
    Lengths { key, nonce, granularity: 1, ..Lengths::default() }
}

/// The names of a primitive's backends, and the fastest here.
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

pub(super) fn ready(offer: &Offer, _: Contract, inputs: Inputs) -> Made {
    match offer.spelling.as_str() {
        POLY1305 => ready_mac(offer, inputs),
        CHACHA20 => ready_stream(offer, inputs),
        CHACHA20_POLY1305 => ready_aead(offer, inputs),
        _ => Err(not_offered(offer)),
    }
}

fn ready_mac(offer: &Offer, inputs: Inputs) -> Made {
    let backend = poly1305::Backend::by_name(&offer.backend).map_err(refused)?;
    let key = array(&inputs.key)?;
    boxed(inputs, move |inputs, output| {
        let message = inputs.message.bytes();
        output.copy_from_slice(&Poly1305::mac_with(backend, black_box(&key), message));
        Ok::<_, Infallible>(())
    })
}

fn ready_stream(offer: &Offer, mut inputs: Inputs) -> Made {
    let backend = chacha20::Backend::by_name(&offer.backend).map_err(refused)?;
    let (key, nonce) = (array(&inputs.key)?, array(&inputs.nonce)?);
    if offer.operation == Operation::Decrypt {
        let message = inputs.message.bytes().to_vec();
        chacha20::xor_with(backend, &key, &nonce, 0, &message, inputs.message.bytes_mut())
            .map_err(refused)?;
    }
    boxed(inputs, move |inputs, output| {
        let message = inputs.message.bytes();
        chacha20::xor_with(backend, black_box(&key), black_box(&nonce), 0, message, output)
    })
}

fn ready_aead(offer: &Offer, mut inputs: Inputs) -> Made {
    let backend = chacha20_poly1305::Backend::by_name(&offer.backend).map_err(refused)?;
    let (key, nonce): ([u8; 32], [u8; 12]) = (array(&inputs.key)?, array(&inputs.nonce)?);
    let cipher = move || ChaCha20Poly1305::with_backend(backend, black_box(&key));
    let mut tag = [0; TAG_BYTES];
    if offer.operation == Operation::Open {
        let aad = inputs.aad.clone();
        tag = cipher().seal_in_place(&nonce, &aad, inputs.message.bytes_mut()).map_err(refused)?;
    }
    match offer.operation {
        Operation::Open => boxed(inputs, move |inputs, output| {
            let (aad, ciphertext) = (inputs.aad.as_slice(), inputs.message.bytes());
            cipher().open_detached(black_box(&nonce), aad, ciphertext, black_box(&tag), output)
        }),
        Operation::Auth => boxed(inputs, move |inputs, output| {
            let message = inputs.message.bytes();
            let tag = cipher().seal_detached(black_box(&nonce), message, &[], &mut [])?;
            output.copy_from_slice(&tag);
            Ok::<_, chacha20_poly1305::Error>(())
        }),
        _ => boxed(inputs, move |inputs, output| {
            let (aad, plaintext) = (inputs.aad.as_slice(), inputs.message.bytes());
            let (ciphertext, last) = output.split_at_mut(plaintext.len());
            let tag = cipher().seal_detached(black_box(&nonce), aad, plaintext, ciphertext)?;
            last.copy_from_slice(&tag);
            Ok::<_, chacha20_poly1305::Error>(())
        }),
    }
}

fn refused(reason: impl std::fmt::Display) -> PrepareError {
    PrepareError::Unavailable(reason.to_string())
}

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], PrepareError> {
    bytes.try_into().map_err(|_| refused(format!("{} bytes where {N} are needed", bytes.len())))
}
