//! Authenticated encryption as bench-slopes times it: in place, without
//! associated data, and opening what was never sealed.

use super::aead::set_lengths;
use super::calls::{Call, Memory, repeat};
use super::cipher::{command, open};
use super::functions::{
    FINALIZE, Failure, Functions, Handle, RESET, SET_DECRYPTION_TAG, Status, check,
};
use super::modes::{CCM, Recipe};
use crate::{Inputs, PrepareError, Prepared, inputs};
use cpb_model::{Contract, Offer, Operation};

const TAG_BYTES: usize = 16;
const CCM_TAG_BYTES: usize = 8;

pub(super) fn prepare(
    functions: &Functions,
    offer: &Offer,
    recipe: Recipe,
    nonce_bytes: usize,
    mut inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    inputs.nonce = inputs::nonce(nonce_bytes)?;
    let aead = Compat {
        functions: *functions,
        recipe,
        operation: offer.operation,
        is_ccm: recipe.mode.number == CCM,
        memory: Memory::new(inputs),
    };
    repeat(functions, aead, Contract::Compat)
}

struct Compat {
    functions: Functions,
    recipe: Recipe,
    operation: Operation,
    is_ccm: bool,
    memory: Memory,
}

impl Compat {
    fn reset(&self, handle: Handle) -> Result<(), Failure> {
        command(&self.functions, handle, RESET)
    }

    fn set_nonce(&self, handle: Handle) -> Result<(), Failure> {
        let Memory { nonce, nonce_bytes, .. } = self.memory;
        // SAFETY: the handle is open; the nonce has this length.
        check(unsafe { (self.functions.cipher_setiv)(handle, nonce, nonce_bytes) })
    }

    /// Sets the nonce even where there is none; whatever comes of it shows
    /// later.
    fn set_any_nonce(&self, handle: Handle) {
        let _ = self.set_nonce(handle);
    }

    fn finalize(&self, handle: Handle) {
        let _ = command(&self.functions, handle, FINALIZE);
    }

    /// Tells CCM its lengths.
    fn set_ccm_lengths(
        &self,
        handle: Handle,
        text_bytes: usize,
        aad_bytes: usize,
    ) -> Result<(), Failure> {
        set_lengths(&self.functions, handle, text_bytes, aad_bytes, CCM_TAG_BYTES)
    }

    /// # Safety
    /// The text has this length.
    unsafe fn encrypt(&self, handle: Handle, text: *mut u8, length: usize) -> Result<(), Failure> {
        // SAFETY: the handle is open; for the text the caller vouches.
        check(unsafe { (self.functions.cipher_encrypt)(handle, text, length, text, length) })
    }

    fn decrypt(&self, handle: Handle) -> Result<(), Failure> {
        let Memory { message, message_bytes, .. } = self.memory;
        // SAFETY: the handle is open; the message has this length.
        tolerate_wrong_tag(unsafe {
            (self.functions.cipher_decrypt)(handle, message, message_bytes, message, message_bytes)
        })
    }

    fn take_tag(&self, handle: Handle) -> Result<(), Failure> {
        let mut tag = [0; TAG_BYTES];
        // SAFETY: the handle is open; the tag has this room.
        check(unsafe { (self.functions.cipher_gettag)(handle, tag.as_mut_ptr(), self.tag_bytes()) })
    }

    fn check_tag(&self, handle: Handle, tag: &[u8; TAG_BYTES]) -> Result<(), Failure> {
        // SAFETY: the handle is open; the tag has at least this length.
        tolerate_wrong_tag(unsafe {
            (self.functions.cipher_checktag)(handle, tag.as_ptr(), self.tag_bytes())
        })
    }

    fn tag_bytes(&self) -> usize {
        if self.is_ccm { CCM_TAG_BYTES } else { TAG_BYTES }
    }

    fn seal(&self, handle: Handle) -> Result<(), Failure> {
        let Memory { message, message_bytes, .. } = self.memory;
        if self.is_ccm {
            self.set_any_nonce(handle);
            self.set_ccm_lengths(handle, message_bytes, 0)?;
        } else {
            self.reset(handle)?;
            self.set_any_nonce(handle);
            self.finalize(handle);
        }
        // SAFETY: the message has this length.
        unsafe { self.encrypt(handle, message, message_bytes) }?;
        self.take_tag(handle)
    }

    fn unseal(&self, handle: Handle) -> Result<(), Failure> {
        let mut tag = [0; TAG_BYTES];
        if self.is_ccm {
            self.set_any_nonce(handle);
            self.set_ccm_lengths(handle, self.memory.message_bytes, 0)?;
        } else {
            self.reset(handle)?;
            // SAFETY: the handle is open; the tag has this length. Most modes
            // refuse the command.
            unsafe {
                (self.functions.cipher_ctl)(
                    handle,
                    SET_DECRYPTION_TAG,
                    tag.as_mut_ptr().cast(),
                    TAG_BYTES,
                );
            }
            self.set_any_nonce(handle);
            self.finalize(handle);
        }
        self.decrypt(handle)?;
        self.check_tag(handle, &tag)
    }

    fn authenticate(&self, handle: Handle) -> Result<(), Failure> {
        let Memory { message, message_bytes, nonce_bytes, .. } = self.memory;
        let mut text = 0xff_u8;
        if self.is_ccm {
            self.set_any_nonce(handle);
            self.set_ccm_lengths(handle, 1, message_bytes)?;
        } else {
            self.reset(handle)?;
            if nonce_bytes != 0 {
                self.set_nonce(handle)?;
            }
        }
        // SAFETY: the handle is open; the message has this length.
        check(unsafe { (self.functions.cipher_authenticate)(handle, message, message_bytes) })?;
        if !self.is_ccm {
            self.finalize(handle);
        }
        // SAFETY: it is one byte long.
        unsafe { self.encrypt(handle, &raw mut text, 1) }?;
        self.take_tag(handle)
    }
}

/// Opening garbage, a wrong tag is to be expected.
fn tolerate_wrong_tag(status: Status) -> Result<(), Failure> {
    match check(status) {
        Err(failure) if failure.is_wrong_tag() => Ok(()),
        outcome => outcome,
    }
}

impl Call for Compat {
    fn open(&self) -> Result<Handle, Failure> {
        open(&self.functions, &self.recipe, &self.memory)
    }

    fn restart(&self, _: Handle) -> Result<(), Failure> {
        Ok(())
    }

    fn once(&mut self, handle: Handle) -> Result<(), Failure> {
        match self.operation {
            Operation::Open => self.unseal(handle),
            Operation::Auth => self.authenticate(handle),
            _ => self.seal(handle),
        }
    }

    fn close(&self, handle: Handle) {
        // SAFETY: the handle comes from `open` and is closed once.
        unsafe { (self.functions.cipher_close)(handle) }
    }

    fn output(&self) -> &[u8] {
        &[]
    }
}
