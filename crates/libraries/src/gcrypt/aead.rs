//! Authenticated encryption.

use super::calls::{Call, Memory, repeat};
use super::cipher::{command, open};
use super::functions::{
    FINALIZE, Failure, Functions, Handle, RESET, SET_CCM_LENGTHS, SET_DECRYPTION_TAG, check,
};
use super::modes::{CCM, EAX, GCM_SIV, Recipe, SIV};
use crate::{Inputs, PrepareError, Prepared};
use cpb_model::{Contract, Offer, Operation};

pub(super) fn prepare(
    functions: &Functions,
    offer: &Offer,
    recipe: Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    let aead = Aead::new(functions, offer, recipe, inputs);
    repeat(functions, aead, contract)
}

struct Aead {
    functions: Functions,
    recipe: Recipe,
    operation: Operation,
    /// Whether decryption itself compares the tag.
    needs_tag_first: bool,
    /// Whether a new nonce is not enough to begin anew.
    needs_reset: bool,
    /// Whether all lengths must be told in advance.
    needs_lengths: bool,
    tag_bytes: usize,
    memory: Memory,
}

impl Aead {
    fn new(functions: &Functions, offer: &Offer, recipe: Recipe, inputs: Inputs) -> Self {
        Self {
            functions: *functions,
            recipe,
            operation: offer.operation,
            needs_tag_first: [SIV, GCM_SIV].contains(&recipe.mode.number),
            // SIV and GCM-SIV refuse to begin anew; EAX goes on with the keystream
            // that was left of a last block, and is wrong.
            needs_reset: recipe.keeps_state || [EAX, SIV, GCM_SIV].contains(&recipe.mode.number),
            needs_lengths: recipe.mode.number == CCM,
            tag_bytes: offer.lengths.tag,
            memory: Memory::new(inputs),
        }
    }

    /// Everything that comes before the text.
    ///
    /// # Safety
    /// The associated data has the length stated.
    unsafe fn begin(
        &self,
        handle: Handle,
        text_bytes: usize,
        aad: *const u8,
        aad_bytes: usize,
    ) -> Result<(), Failure> {
        let functions = &self.functions;
        let Memory { nonce, nonce_bytes, .. } = self.memory;
        // SAFETY: the handle is open; the nonce has this length, and for the
        // associated data the caller vouches.
        unsafe {
            if nonce_bytes != 0 {
                check((functions.cipher_setiv)(handle, nonce, nonce_bytes))?;
            }
            if self.needs_lengths {
                set_lengths(functions, handle, text_bytes, aad_bytes, self.tag_bytes)?;
            }
            if aad_bytes != 0 {
                check((functions.cipher_authenticate)(handle, aad, aad_bytes))?;
            }
        }
        if self.needs_lengths { Ok(()) } else { command(functions, handle, FINALIZE) }
    }

    /// # Safety
    /// The destination, which may be the message, has the message's room.
    unsafe fn seal(&self, handle: Handle, destination: *mut u8) -> Result<(), Failure> {
        let Memory { message, message_bytes, aad, aad_bytes, .. } = self.memory;
        // SAFETY: the handle is open; message and associated data have these
        // lengths, and for the destination the caller vouches.
        unsafe {
            self.begin(handle, message_bytes, aad, aad_bytes)?;
            check((self.functions.cipher_encrypt)(
                handle,
                destination,
                message_bytes,
                message,
                message_bytes,
            ))
        }
    }

    fn unseal(&mut self, handle: Handle) -> Result<(), Failure> {
        let functions = self.functions;
        let Memory { message, message_bytes, destination, aad, aad_bytes, .. } = self.memory;
        let (tag, tag_bytes) = {
            let tag = &mut self.memory.inputs.tag;
            (tag.as_mut_ptr(), tag.len())
        };
        // SAFETY: the handle is open; message, destination, associated data and
        // tag have these lengths.
        unsafe {
            self.begin(handle, message_bytes, aad, aad_bytes)?;
            if self.needs_tag_first {
                // Any earlier, GCM-SIV would take no associated data.
                check((functions.cipher_ctl)(handle, SET_DECRYPTION_TAG, tag.cast(), tag_bytes))?;
            }
            check((functions.cipher_decrypt)(
                handle,
                destination,
                message_bytes,
                message,
                message_bytes,
            ))?;
            if self.needs_tag_first {
                return Ok(());
            }
            check((functions.cipher_checktag)(handle, tag, tag_bytes))
        }
    }

    /// Puts the tag of an empty plaintext, with the message as associated data,
    /// at the beginning of the destination.
    fn authenticate(&self, handle: Handle) -> Result<(), Failure> {
        let Memory { message, message_bytes, destination, .. } = self.memory;
        // SAFETY: the handle is open; the message has this length, and the
        // destination room for the tag.
        unsafe {
            self.begin(handle, 0, message, message_bytes)?;
            // The modes that compute their tag over the plaintext want to be
            // told that it is empty.
            check((self.functions.cipher_encrypt)(handle, destination, 0, message, 0))?;
            self.take_tag(handle, destination)
        }
    }

    /// # Safety
    /// The destination has room for the tag.
    unsafe fn take_tag(&self, handle: Handle, destination: *mut u8) -> Result<(), Failure> {
        // SAFETY: the handle is open; for the room the caller vouches.
        check(unsafe { (self.functions.cipher_gettag)(handle, destination, self.tag_bytes) })
    }
}

/// Tells CCM what it will get.
pub(super) fn set_lengths(
    functions: &Functions,
    handle: Handle,
    text_bytes: usize,
    aad_bytes: usize,
    tag_bytes: usize,
) -> Result<(), Failure> {
    let mut lengths = [text_bytes as u64, aad_bytes as u64, tag_bytes as u64];
    // SAFETY: the handle is open; the command reads three such numbers.
    check(unsafe {
        (functions.cipher_ctl)(
            handle,
            SET_CCM_LENGTHS,
            lengths.as_mut_ptr().cast(),
            size_of_val(&lengths),
        )
    })
}

impl Call for Aead {
    fn open(&self) -> Result<Handle, Failure> {
        open(&self.functions, &self.recipe, &self.memory)
    }

    fn restart(&self, handle: Handle) -> Result<(), Failure> {
        if self.needs_reset { command(&self.functions, handle, RESET) } else { Ok(()) }
    }

    fn once(&mut self, handle: Handle) -> Result<(), Failure> {
        let Memory { destination, message_bytes, .. } = self.memory;
        match self.operation {
            Operation::Open => self.unseal(handle),
            Operation::Auth => self.authenticate(handle),
            // SAFETY: the destination has room for message and tag.
            _ => unsafe {
                self.seal(handle, destination)?;
                self.take_tag(handle, destination.add(message_bytes))
            },
        }
    }

    fn close(&self, handle: Handle) {
        // SAFETY: the handle comes from `open` and is closed once.
        unsafe { (self.functions.cipher_close)(handle) }
    }

    fn output(&self) -> &[u8] {
        let Memory { message_bytes, .. } = self.memory;
        self.memory.result(match self.operation {
            Operation::Open => message_bytes,
            Operation::Auth => self.tag_bytes,
            _ => message_bytes + self.tag_bytes,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Recipe as AnyRecipe, items, load_functions};
    use super::*;
    use crate::OpenError;
    use cpb_model::{Parameters, Workload};
    use cpb_provider::inputs_of;

    /// Opens what was sealed, after `spoil` had its way with it, and returns
    /// what comes of it.
    fn open_spoilt(
        functions: &Functions,
        mode: &str,
        contract: Contract,
        spoil: fn(&mut Aead),
    ) -> Result<Vec<u8>, String> {
        let item = items(functions)
            .into_iter()
            .find(|item| item.offer.spelling == mode && item.offer.operation == Operation::Open)
            .unwrap();
        let AnyRecipe::Cipher(recipe) = item.recipe else { panic!("{mode} is a cipher") };
        let parameters = Parameters { message_bytes: 37, aad_bytes: 20, ..Parameters::default() };
        let workload = Workload {
            primitive: item.offer.primitive.clone(),
            operation: Operation::Open,
            contract,
            parameters,
        };
        let library = crate::open("gcrypt", None).unwrap();
        let inputs = inputs_of(&*library, &item.offer, &workload).unwrap();
        let mut aead = Aead::new(functions, &item.offer, recipe, inputs);
        spoil(&mut aead);
        let mut prepared = repeat(functions, aead, contract).unwrap();
        prepared.run(2);
        prepared.output()
    }

    #[test]
    fn what_was_tampered_with_is_an_error() {
        let functions = match load_functions(None) {
            Ok((functions, ..)) => functions,
            Err(OpenError::Missing { .. }) => {
                println!("skipped: libgcrypt is not installed");
                return;
            }
            Err(error) => panic!("{error}"),
        };
        if functions.is_in_fips_mode() {
            println!("skipped: in FIPS mode nothing that fails can be prepared");
            return;
        }
        let spoils: [fn(&mut Aead); 3] = [
            |aead| aead.memory.inputs.tag[0] ^= 1,
            |aead| aead.memory.inputs.message.bytes_mut()[36] ^= 1,
            |aead| aead.memory.inputs.aad[19] ^= 1,
        ];
        let modes =
            ["CCM", "GCM", "OCB", "EAX", "SIV", "GCM-SIV"].map(|mode| format!("AES/{mode}"));
        let modes = modes.into_iter().chain(["CHACHA20/POLY1305".into(), "BLOWFISH/EAX".into()]);
        let offered = items(&functions);
        let has = |mode: &String| {
            offered
                .iter()
                .any(|item| item.offer.spelling == *mode && item.offer.unavailable.is_none())
        };
        let modes: Vec<String> = modes.filter(has).collect();
        assert!(!modes.is_empty());
        for mode in &modes {
            for contract in [Contract::Keyed, Contract::Oneshot] {
                let untouched = open_spoilt(&functions, mode, contract, |_| ());
                assert_eq!(untouched, Ok((0..37).collect()), "{mode}");
                for spoil in spoils {
                    let error = open_spoilt(&functions, mode, contract, spoil).unwrap_err();
                    assert_eq!(error, "Checksum error", "{mode}");
                }
            }
        }
    }
}
