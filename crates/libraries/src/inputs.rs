//! The bytes a workload works on: the same for every library, so that their
//! results can be compared.

use crate::Buffer;
use cpb_model::{Offer, Operation, Workload};

/// Output length of an XOF or a derivation where nobody asks for another.
pub const DEFAULT_OUTPUT_BYTES: usize = 32;

/// Message, key, nonce and associated data of a workload, and room for its
/// result. Nothing moves while this lives.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// The message or plaintext, placed as the workload asks, holding
    /// `i mod 251`.
    pub message: Buffer,
    /// Room for the result, on a page boundary.
    pub destination: Buffer,
    /// The key, or a password.
    pub key: Vec<u8>,
    /// The nonce or initial value, or a salt.
    pub nonce: Vec<u8>,
    /// The associated data.
    pub aad: Vec<u8>,
    /// Iterations of a derivation; 1 where none are asked for.
    pub iterations: u64,
    /// Length of the result where it is free (XOF, derivation) or fixed (hash,
    /// MAC); 0 where it is the message's.
    pub output_bytes: usize,
}

impl Inputs {
    /// The inputs of `workload` for `offer`.
    #[must_use]
    pub fn new(offer: &Offer, workload: &Workload) -> Self {
        let parameters = &workload.parameters;
        let lengths = &offer.lengths;
        let output_bytes = match (lengths.output, offer.operation) {
            (Some(fixed), _) => fixed,
            (None, Operation::Xof | Operation::Derive) => {
                parameters.output_bytes.unwrap_or(DEFAULT_OUTPUT_BYTES)
            }
            (None, _) => 0,
        };
        let room = (parameters.message_bytes + lengths.tag).max(output_bytes);
        Self {
            message: Buffer::with_pattern(parameters.message_bytes, parameters.alignment),
            destination: Buffer::zeroed(room),
            key: pattern(lengths.key, 17, 5),
            nonce: pattern(lengths.nonce, 13, 3),
            aad: pattern(parameters.aad_bytes, 11, 7),
            iterations: parameters.iterations.unwrap_or(1),
            output_bytes,
        }
    }
}

/// `factor · i + start mod 251`: different for keys, nonces and associated
/// data, and no weak key of DES, nor equal halves for XTS.
fn pattern(length: usize, factor: usize, start: usize) -> Vec<u8> {
    (0..length).map(|index| ((factor * index + start) % 251) as u8).collect()
}
