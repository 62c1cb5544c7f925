//! Ciphers in modes without a tag.

use super::calls::{Call, Memory, repeat};
use super::functions::{Crypt, Failure, Functions, Handle, RESET, TakeBytes, check};
use super::modes::{Nonce, Recipe};
use crate::{Inputs, PrepareError, Prepared};
use cpb_model::{Contract, Offer, Operation};
use std::ffi::c_int;

/// Makes and keys a context of a cipher in a mode.
pub(super) fn open(
    functions: &Functions,
    recipe: &Recipe,
    memory: &Memory,
) -> Result<Handle, Failure> {
    let mut handle = std::ptr::null_mut();
    // SAFETY: the handle is room for a handle; the key has this length.
    unsafe {
        let opened =
            (functions.cipher_open)(&raw mut handle, recipe.algorithm, recipe.mode.number, 0);
        check(opened)?;
        let keyed = (functions.cipher_setkey)(handle, memory.key, memory.key_bytes);
        if let Err(failure) = check(keyed) {
            (functions.cipher_close)(handle);
            return Err(failure);
        }
    }
    Ok(handle)
}

/// Sends a command that takes no buffer.
pub(super) fn command(
    functions: &Functions,
    handle: Handle,
    command: c_int,
) -> Result<(), Failure> {
    // SAFETY: the handle is open.
    check(unsafe { (functions.cipher_ctl)(handle, command, std::ptr::null_mut(), 0) })
}

pub(super) fn prepare(
    functions: &Functions,
    offer: &Offer,
    (recipe, nonce): (Recipe, Nonce),
    contract: Contract,
    inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    let memory = Memory::new(inputs);
    let set_nonce = match nonce {
        _ if memory.nonce_bytes == 0 => None,
        Nonce::None => None,
        Nonce::Initial => Some(functions.cipher_setiv),
        Nonce::Counter => Some(functions.cipher_setctr),
    };
    let mut cipher = Cipher {
        functions: *functions,
        recipe,
        resets: recipe.keeps_state,
        set_nonce,
        crypt: functions.cipher_encrypt,
        destination: memory.destination,
        memory,
    };
    if contract == Contract::Compat {
        // In place, and the nonce is what a reset leaves, or garbage's
        // plaintext.
        cipher.resets = true;
        cipher.set_nonce = None;
        cipher.destination = cipher.memory.message;
    }
    if offer.operation == Operation::Decrypt {
        cipher.crypt = functions.cipher_decrypt;
    }
    repeat(functions, cipher, contract)
}

struct Cipher {
    functions: Functions,
    recipe: Recipe,
    /// Whether it is reset before it is used again.
    resets: bool,
    set_nonce: Option<TakeBytes>,
    crypt: Crypt,
    destination: *mut u8,
    memory: Memory,
}

impl Call for Cipher {
    fn open(&self) -> Result<Handle, Failure> {
        open(&self.functions, &self.recipe, &self.memory)
    }

    fn restart(&self, handle: Handle) -> Result<(), Failure> {
        if self.resets { command(&self.functions, handle, RESET) } else { Ok(()) }
    }

    fn once(&mut self, handle: Handle) -> Result<(), Failure> {
        let Memory { message, message_bytes, nonce, nonce_bytes, .. } = self.memory;
        // SAFETY: the handle is open; message and nonce have these lengths, and
        // the destination, which may be the message, has the message's room.
        unsafe {
            if let Some(set_nonce) = self.set_nonce {
                check(set_nonce(handle, nonce, nonce_bytes))?;
            }
            check((self.crypt)(handle, self.destination, message_bytes, message, message_bytes))
        }
    }

    fn close(&self, handle: Handle) {
        // SAFETY: the handle comes from `open` and is closed once.
        unsafe { (self.functions.cipher_close)(handle) }
    }

    fn output(&self) -> &[u8] {
        self.memory.result(self.memory.message_bytes)
    }
}
