//! The bytes a workload works on: the same for every library, so that their
//! results can be compared.

use crate::buffer::{NoMemory, zeros};
use crate::{Buffer, PrepareError, Sizes};
use cpb_model::{Offer, Operation, OperationRow, Role, Workload};
use std::ops::{Deref, DerefMut};

/// What a workload works on, and room for its result: of lengths that the offer has.
/// Nothing moves while this lives.
///
/// Calls take the cases in turn. What has one alone, as everything symmetric, finds it
/// in place of the inputs themselves.
#[derive(Debug)]
pub struct Inputs {
    /// One or more.
    pub cases: Vec<Case>,
    /// Room for the result, on a page boundary.
    pub destination: Buffer,
    /// Iterations of a derivation; 1 where none are asked for.
    pub iterations: u64,
    /// Length of the result where it is free (XOF, derivation), fixed (hash, MAC)
    /// or another than the message's (codecs); 0 where it is the message's.
    pub output_bytes: usize,
    /// Length of what a call puts out.
    pub result_bytes: usize,
    /// What it is made of.
    pub outputs: Vec<(Role, usize)>,
}

/// What one call is given.
#[derive(Debug)]
pub struct Case {
    /// The message or plaintext, placed as the workload asks, holding `i mod 251`; or
    /// the ciphertext or text that stands in its place.
    pub message: Buffer,
    /// The key, or a password.
    pub key: Vec<u8>,
    /// The nonce or initial value, or a salt.
    pub nonce: Vec<u8>,
    /// The associated data, or the info of a derivation.
    pub aad: Vec<u8>,
    /// The tag of a ciphertext; empty where none is given.
    pub tag: Vec<u8>,
}

impl Inputs {
    /// The inputs of `workload` for `offer`. What undoes another operation still lacks
    /// what that put out ([`crate::prepare`]).
    ///
    /// # Errors
    /// [`PrepareError`], where the offer has no such lengths, or there is no memory.
    pub fn new(offer: &Offer, workload: &Workload) -> Result<Self, PrepareError> {
        let sizes = Sizes::of(offer, workload)?;
        let case = Case {
            message: Buffer::with_pattern(sizes.message, workload.parameters.alignment)?,
            key: key(sizes.key)?,
            nonce: nonce(sizes.nonce)?,
            aad: pattern(sizes.aad, 11, 7)?,
            tag: Vec::new(),
        };
        Ok(Self {
            cases: vec![case],
            destination: Buffer::zeroed(sizes.room())?,
            iterations: sizes.iterations,
            output_bytes: sizes.output,
            result_bytes: sizes.result,
            outputs: outputs(offer.operation, sizes.result, sizes.tag),
        })
    }

    /// Length of the message.
    #[must_use]
    pub fn message_bytes(&self) -> usize {
        self.message.bytes().len()
    }

    /// Takes what another operation put out: the message, and the tag behind it.
    pub(crate) fn take(&mut self, artefact: &[u8]) -> Result<(), PrepareError> {
        let message_bytes = self.message_bytes();
        let (message, tag) = artefact.split_at_checked(message_bytes).ok_or_else(|| {
            PrepareError::Unavailable(format!(
                "there are {} bytes to work on where {message_bytes} are asked for",
                artefact.len()
            ))
        })?;
        self.message.bytes_mut().copy_from_slice(message);
        self.tag = tag.to_vec();
        Ok(())
    }
}

/// The first case.
impl Deref for Inputs {
    type Target = Case;

    fn deref(&self) -> &Case {
        &self.cases[0]
    }
}

impl DerefMut for Inputs {
    fn deref_mut(&mut self) -> &mut Case {
        &mut self.cases[0]
    }
}

impl Case {
    /// What stands here for a role of the operation; `None` for one that no operation
    /// takes yet.
    pub(crate) fn place(&mut self, operation: &OperationRow, role: Role) -> Option<&mut [u8]> {
        if role == operation.message {
            return Some(self.message.bytes_mut());
        }
        match role {
            Role::Key | Role::Password => Some(&mut self.key),
            Role::Nonce | Role::Salt => Some(&mut self.nonce),
            Role::Aad | Role::Info => Some(&mut self.aad),
            Role::Tag => Some(&mut self.tag),
            _ => None,
        }
    }

    /// Puts these bytes where the role stands; a message has its length already.
    pub(crate) fn set(&mut self, operation: &OperationRow, role: Role, bytes: &[u8]) {
        match role {
            role if role == operation.message => self.message.bytes_mut().copy_from_slice(bytes),
            Role::Key | Role::Password => self.key = bytes.to_vec(),
            Role::Nonce | Role::Salt => self.nonce = bytes.to_vec(),
            Role::Aad | Role::Info => self.aad = bytes.to_vec(),
            Role::Tag => self.tag = bytes.to_vec(),
            _ => {}
        }
    }
}

/// What a result of so many bytes is made of, of which a tag behind a ciphertext takes
/// `tag_bytes`.
pub(crate) fn outputs(
    operation: Operation,
    result_bytes: usize,
    tag_bytes: usize,
) -> Vec<(Role, usize)> {
    match *operation.row().gives {
        [text, Role::Tag] => {
            vec![(text, result_bytes.saturating_sub(tag_bytes)), (Role::Tag, tag_bytes)]
        }
        ref roles => roles.iter().map(|&role| (role, result_bytes)).collect(),
    }
}

/// The key, or password, of so many bytes.
///
/// # Errors
/// [`NoMemory`], where there is not so much.
pub fn key(bytes: usize) -> Result<Vec<u8>, NoMemory> {
    pattern(bytes, 17, 5)
}

/// The nonce, or salt, of so many bytes.
///
/// # Errors
/// [`NoMemory`], where there is not so much.
pub fn nonce(bytes: usize) -> Result<Vec<u8>, NoMemory> {
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
        let contract = Contract::Oneshot;
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
    fn what_another_operation_put_out_is_message_and_tag() {
        let mut inputs = inputs(
            Operation::Open,
            "aes-128-gcm",
            Parameters { message_bytes: 3, ..Parameters::default() },
        );
        inputs.take(&[9, 8, 7, 6, 5]).unwrap();
        assert_eq!((inputs.message.bytes(), inputs.tag.as_slice()), (&[9, 8, 7][..], &[6, 5][..]));
        assert!(inputs.take(&[1, 2]).is_err());
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
