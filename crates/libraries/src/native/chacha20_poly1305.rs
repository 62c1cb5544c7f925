//! Offers ChaCha20, Poly1305, and their combination.
//!
//! All contracts are the same: ChaCha20 uses its key directly, and Poly1305's key serves one
//! message, so that every call sets it.

use super::{Offers, PrepareResult, backend, offers_of};
use cpb_kernels::chacha20_poly1305::ChaCha20Poly1305;
use cpb_kernels::poly1305::Poly1305;
use cpb_kernels::{chacha20, chacha20_poly1305, poly1305};
use cpb_model::{Contract, LengthRange, Lengths, Offer, Operation, Role};
use cpb_provider::{Inputs, PrepareError, call};
use std::hint::black_box;

const CHACHA20: &str = "chacha20";
const POLY1305: &str = "poly1305";
const CHACHA20_POLY1305: &str = "chacha20-poly1305";

const TAG_BYTES: usize = 16;

/// Name, operation, algorithm and mode in bench-slopes' rows.
const PRIMITIVES: [(&str, Operation, &str, &str); 6] = [
    (POLY1305, Operation::Mac, POLY1305, ""),
    (CHACHA20, Operation::Encrypt, CHACHA20, "STREAM enc"),
    (CHACHA20, Operation::Decrypt, CHACHA20, "STREAM dec"),
    (CHACHA20_POLY1305, Operation::Seal, CHACHA20, "POLY1305 enc"),
    (CHACHA20_POLY1305, Operation::Open, CHACHA20, "POLY1305 dec"),
    (CHACHA20_POLY1305, Operation::Auth, CHACHA20, "POLY1305 auth"),
];

pub(super) fn offers() -> Offers {
    let offers = |(name, operation, algorithm, mode)| {
        let group = if name == POLY1305 { "mac" } else { "cipher" };
        let row = Some([group, algorithm, mode]);
        match name {
            POLY1305 => {
                let output = Some(LengthRange::fixed(TAG_BYTES));
                let lengths = Lengths { block: Some(16), output, ..keyed(0) };
                offers_of::<poly1305::Backend>(name, operation, row, lengths, ready_mac)
            }
            CHACHA20 => {
                let lengths = Lengths { block: Some(64), ..keyed(12) };
                offers_of::<chacha20::Backend>(name, operation, row, lengths, ready_stream)
            }
            _ => {
                let aad = cpb_provider::sizes::aad(operation);
                let lengths = Lengths { block: Some(64), tag: TAG_BYTES, aad, ..keyed(12) };
                offers_of::<chacha20_poly1305::Backend>(name, operation, row, lengths, ready_aead)
            }
        }
    };
    PRIMITIVES.into_iter().flat_map(offers).collect()
}

fn keyed(nonce: usize) -> Lengths {
    let (key, nonce) = (LengthRange::fixed(32), LengthRange::fixed(nonce));
    Lengths { key, nonce, granularity: 1, ..Lengths::default() }
}

fn ready_mac(offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
    let backend = backend(offer)?;
    let key = array(inputs.bytes(Role::Key))?;
    Ok(call(inputs, move |case, output| {
        let tag = Poly1305::mac_with(backend, black_box(&key), case.message.bytes());
        output.copy_from_slice(&tag);
        Ok(())
    }))
}

fn ready_stream(offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
    let backend = backend(offer)?;
    let (key, nonce) = (array(inputs.bytes(Role::Key))?, array(inputs.bytes(Role::Nonce))?);
    Ok(call(inputs, move |case, output| {
        let message = case.message.bytes();
        chacha20::xor_with(backend, black_box(&key), black_box(&nonce), 0, message, output)
            .map_err(|error| error.to_string())
    }))
}

fn ready_aead(offer: &Offer, _: Contract, inputs: Inputs) -> PrepareResult {
    let backend = backend(offer)?;
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

fn array<const N: usize>(bytes: &[u8]) -> Result<[u8; N], PrepareError> {
    bytes.try_into().map_err(|_| {
        PrepareError::Unavailable(format!("{} bytes where {N} are needed", bytes.len()))
    })
}
