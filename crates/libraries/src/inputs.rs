//! The bytes a workload works on: the same for every library, so that their
//! results can be compared.

use crate::{Buffer, codec};
use cpb_model::{Offer, Operation, Workload};

/// Output length of an XOF or a derivation where nobody asks for another.
pub const DEFAULT_OUTPUT_BYTES: usize = 32;

/// Message, key, nonce and associated data of a workload, and room for its
/// result. Nothing moves while this lives.
#[derive(Debug, Clone)]
pub struct Inputs {
    /// The message or plaintext, placed as the workload asks, holding
    /// `i mod 251`; under [`Operation::Decode`] the text of such bytes.
    pub message: Buffer,
    /// Room for the result, on a page boundary.
    pub destination: Buffer,
    /// The key, or a password.
    pub key: Vec<u8>,
    /// The nonce or initial value, or a salt.
    pub nonce: Vec<u8>,
    /// The associated data, or the info of a derivation.
    pub aad: Vec<u8>,
    /// Iterations of a derivation; 1 where none are asked for.
    pub iterations: u64,
    /// Length of the result where it is free (XOF, derivation), fixed (hash, MAC)
    /// or another than the message's (codecs); 0 where it is the message's.
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
            (None, Operation::Encode) => {
                codec::encoded_len(&offer.primitive, parameters.message_bytes)
            }
            (None, Operation::Decode) => codec::decoded_len(workload),
            (None, _) => 0,
        };
        let room = (parameters.message_bytes + lengths.tag).max(output_bytes);
        let mut message = Buffer::with_pattern(parameters.message_bytes, parameters.alignment);
        if offer.operation == Operation::Decode {
            codec::write_text(&offer.primitive, output_bytes, message.bytes_mut());
        }
        Self {
            message,
            destination: Buffer::zeroed(room),
            key: pattern(parameters.key_bytes.unwrap_or(lengths.key), 17, 5),
            nonce: pattern(parameters.nonce_bytes.unwrap_or(lengths.nonce), 13, 3),
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

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{Contract, Lengths, Parameters};

    fn inputs(operation: Operation, primitive: &str, parameters: Parameters) -> Inputs {
        let primitive = primitive.to_owned();
        let offer = Offer {
            primitive: primitive.clone(),
            operation,
            spelling: primitive.clone(),
            backend: "default".to_owned(),
            default_backend: true,
            row: None,
            lengths: Lengths { key: 16, nonce: 12, granularity: 1, ..Lengths::default() },
            unavailable: None,
        };
        Inputs::new(
            &offer,
            &Workload { primitive, operation, contract: Contract::Cold, parameters },
        )
    }

    #[test]
    fn lengths_are_the_offers_unless_the_workload_has_others() {
        let usual = inputs(Operation::Derive, "hkdf-sha256", Parameters::default());
        assert_eq!((usual.key.len(), usual.nonce.len(), usual.aad.len()), (16, 12, 0));
        let parameters = Parameters {
            key_bytes: Some(5),
            nonce_bytes: Some(0),
            aad_bytes: 7,
            output_bytes: Some(40),
            ..Parameters::default()
        };
        let stated = inputs(Operation::Derive, "hkdf-sha256", parameters);
        assert_eq!((stated.key.len(), stated.nonce.len(), stated.aad.len()), (5, 0, 7));
        assert_eq!((stated.output_bytes, stated.destination.bytes().len()), (40, 40));
        assert_eq!(usual.key[..5], stated.key);
    }

    #[test]
    fn what_is_decoded_is_the_text_of_the_message() {
        for (primitive, message_bytes, output_bytes, text) in [
            ("base16", 6, None, "000102"),
            ("base64", 4, None, "AAEC"),
            ("base64", 8, Some(4), "AAECAw=="),
            ("base64", 8, Some(5), "AAECAwQ="),
            ("base64", 0, None, ""),
        ] {
            let parameters = Parameters { message_bytes, output_bytes, ..Parameters::default() };
            let inputs = inputs(Operation::Decode, primitive, parameters);
            assert_eq!(inputs.message.bytes(), text.as_bytes(), "{primitive}");
            assert!(inputs.destination.bytes().len() >= inputs.output_bytes);
        }
    }

    #[test]
    fn there_is_room_for_the_text() {
        for (primitive, room) in [("base16", 20), ("base64", 16)] {
            let parameters = Parameters { message_bytes: 10, ..Parameters::default() };
            let inputs = inputs(Operation::Encode, primitive, parameters);
            assert_eq!((inputs.output_bytes, inputs.destination.bytes().len()), (room, room));
        }
    }
}
