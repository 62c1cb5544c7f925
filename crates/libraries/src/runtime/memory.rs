//! Where in memory a workload's bytes are.

use crate::Inputs;
use cpb_model::Role;
use cpb_provider::Case;

/// A workload's bytes, and where they are, so that a call looks nothing up. The pointers
/// are live as long as this is: each has the length beside it, and the destination room
/// for the message and a tag, or for the output.
pub(crate) struct Memory {
    pub(crate) message: *mut u8,
    pub(crate) message_bytes: usize,
    pub(crate) destination: *mut u8,
    pub(crate) key: *const u8,
    pub(crate) key_bytes: usize,
    pub(crate) nonce: *const u8,
    pub(crate) nonce_bytes: usize,
    pub(crate) aad: *const u8,
    pub(crate) aad_bytes: usize,
    /// Of a ciphertext that is to be opened; empty elsewhere.
    pub(crate) tag: *mut u8,
    pub(crate) tag_bytes: usize,
    /// Of an output whose length does not follow from the message.
    pub(crate) output_bytes: usize,
    pub(crate) iterations: u64,
    inputs: Box<Inputs>,
}

impl Memory {
    pub(crate) fn new(inputs: Inputs) -> Self {
        let mut inputs = Box::new(inputs);
        let mut either = |role, other| {
            let role = if inputs.bytes(role).is_empty() { other } else { role };
            (inputs.pointer(role).cast_const(), inputs.bytes(role).len())
        };
        let (key, key_bytes) = either(Role::Key, Role::Password);
        let (nonce, nonce_bytes) = either(Role::Nonce, Role::Salt);
        let (aad, aad_bytes) = either(Role::Aad, Role::Info);
        Self {
            message: inputs.message.pointer(),
            message_bytes: inputs.message.bytes().len(),
            destination: inputs.destination.pointer(),
            key,
            key_bytes,
            nonce,
            nonce_bytes,
            aad,
            aad_bytes,
            tag: inputs.pointer(Role::Tag),
            tag_bytes: inputs.bytes(Role::Tag).len(),
            output_bytes: inputs.output_bytes,
            iterations: inputs.iterations,
            inputs,
        }
    }

    /// What calls are given. Through the pointers they see what is written here.
    #[inline(always)]
    pub(crate) fn case(&mut self) -> &mut Case {
        &mut self.inputs
    }

    /// The key, or a password.
    pub(crate) fn key(&self) -> &[u8] {
        self.inputs.key()
    }

    /// The nonce, or a salt.
    pub(crate) fn nonce(&self) -> &[u8] {
        self.inputs.nonce()
    }

    /// The associated data, or the info of a derivation.
    pub(crate) fn aad(&self) -> &[u8] {
        self.inputs.aad()
    }

    /// The message, on which bench-slopes works in place.
    pub(crate) fn message(&self) -> &[u8] {
        self.inputs.message.bytes()
    }

    /// What a call puts out, by the offer.
    pub(crate) fn result(&self) -> &[u8] {
        &self.inputs.destination.bytes()[..self.inputs.result_bytes]
    }
}
