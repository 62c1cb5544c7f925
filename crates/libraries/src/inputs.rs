//! The bytes a workload works on: the same for every library, so that their
//! results can be compared.

use crate::buffer::{NoMemory, zeros};
use crate::{Buffer, PrepareError, Sizes, codec};
use cpb_model::{Offer, Operation, Workload};

/// Message, key, nonce and associated data of a workload, and room for its
/// result: of lengths that the offer has. Nothing moves while this lives.
#[derive(Debug)]
pub struct Inputs {
    /// The message or plaintext, placed as the workload asks, holding
    /// `i mod 251`; under [`Operation::Decode`] the text of such bytes.
    pub(crate) message: Buffer,
    /// Room for the result, on a page boundary.
    pub(crate) destination: Buffer,
    /// The key, or a password.
    pub(crate) key: Vec<u8>,
    /// The nonce or initial value, or a salt.
    pub(crate) nonce: Vec<u8>,
    /// The associated data, or the info of a derivation.
    pub(crate) aad: Vec<u8>,
    /// Iterations of a derivation; 1 where none are asked for.
    pub(crate) iterations: u64,
    /// Length of the result where it is free (XOF, derivation), fixed (hash, MAC)
    /// or another than the message's (codecs); 0 where it is the message's.
    pub(crate) output_bytes: usize,
    /// Length of what a call puts out.
    pub(crate) result_bytes: usize,
}

impl Inputs {
    /// The inputs of `workload` for `offer`.
    ///
    /// # Errors
    /// [`PrepareError`], where the offer has no such lengths, or there is no memory.
    pub fn new(offer: &Offer, workload: &Workload) -> Result<Self, PrepareError> {
        let sizes = Sizes::of(offer, workload)?;
        let mut message = Buffer::with_pattern(sizes.message, workload.parameters.alignment)?;
        if offer.operation == Operation::Decode {
            codec::write_text(&offer.primitive, sizes.output, message.bytes_mut())?;
        }
        Ok(Self {
            message,
            destination: Buffer::zeroed(sizes.room())?,
            key: key(sizes.key)?,
            nonce: nonce(sizes.nonce)?,
            aad: pattern(sizes.aad, 11, 7)?,
            iterations: sizes.iterations,
            output_bytes: sizes.output,
            result_bytes: sizes.result,
        })
    }

    /// Length of the message.
    #[must_use]
    pub fn message_bytes(&self) -> usize {
        self.message.bytes().len()
    }
}

/// The key, or password, of so many bytes.
pub(crate) fn key(bytes: usize) -> Result<Vec<u8>, NoMemory> {
    pattern(bytes, 17, 5)
}

/// The nonce, or salt, of so many bytes.
pub(crate) fn nonce(bytes: usize) -> Result<Vec<u8>, NoMemory> {
    pattern(bytes, 13, 3)
}

/// `factor · i + start mod 251`: different for keys, nonces and associated
/// data, and no weak key of DES, nor equal halves for XTS.
fn pattern(length: usize, factor: usize, start: usize) -> Result<Vec<u8>, NoMemory> {
    let mut bytes = zeros(length)?;
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = ((factor * index + start) % 251) as u8;
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::{Contract, Length, Lengths, Parameters};

    fn inputs(operation: Operation, primitive: &str, parameters: Parameters) -> Inputs {
        let primitive = primitive.to_owned();
        let offer = Offer {
            primitive: primitive.clone(),
            operation,
            spelling: primitive.clone(),
            backend: "default".to_owned(),
            default_backend: true,
            row: None,
            lengths: Lengths {
                key: Length::free(16),
                nonce: Length::free(12),
                aad: Length::free(0),
                granularity: 1,
                output: (operation == Operation::Derive).then_some(Length::free(32)),
                ..Lengths::default()
            },
            unavailable: None,
        };
        let contract = Contract::Cold;
        Inputs::new(&offer, &Workload { primitive, operation, contract, parameters }).unwrap()
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
