//! Ciphers in modes without a tag.

use super::ciphers::InMode;
use super::functions::{Ciphers, Context, Crypt, Failure, Functions, RESET, TakeBytes, check};
use crate::catalogue::modes::Mode;
use crate::runtime::{Call, Memory, Owned, ready};
use crate::{Inputs, Made};
use cpb_model::{Contract, Offer, Operation};
use std::ffi::c_int;
use std::ptr;

/// Makes and keys a context of a cipher in a mode.
#[inline(always)]
pub(super) fn open(
    ciphers: &Ciphers,
    cipher: &InMode,
    memory: &Memory,
) -> Result<Context, Failure> {
    let mut handle = ptr::null_mut();
    // SAFETY: there is room for a handle, which is ours to close; the key has this length.
    unsafe {
        check((ciphers.open)(&raw mut handle, cipher.algorithm, cipher.mode.number, 0))?;
        let context = Owned::new(handle, ciphers.close).ok_or(Failure::UNEXPLAINED)?;
        check((ciphers.set_key)(context.pointer(), memory.key, memory.key_bytes))?;
        Ok(context)
    }
}

/// Sends a command that takes no buffer.
#[inline(always)]
pub(super) fn command(ciphers: &Ciphers, context: &Context, command: c_int) -> Result<(), Failure> {
    // SAFETY: the context is open.
    check(unsafe { (ciphers.control)(context.pointer(), command, ptr::null_mut(), 0) })
}

pub(super) fn prepare(
    functions: &Functions,
    offer: &Offer,
    cipher: InMode,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let Functions { core, ciphers, .. } = *functions;
    let memory = Memory::new(inputs);
    let is_compat = contract == Contract::Compat;
    let set_nonce = match cipher.mode.mode {
        // The nonce is what a reset leaves, or garbage's plaintext.
        _ if is_compat || memory.nonce_bytes == 0 => None,
        Mode::Ctr => Some(ciphers.set_counter),
        _ => Some(ciphers.set_nonce),
    };
    let decrypts = offer.operation == Operation::Decrypt;
    let call = Ciphering {
        ciphers,
        cipher,
        resets: cipher.keeps_state || is_compat,
        set_nonce,
        crypt: if decrypts { ciphers.decrypt } else { ciphers.encrypt },
        destination: if is_compat { memory.message } else { memory.destination },
        is_compat,
        memory,
    };
    ready(core, call, contract)
}

struct Ciphering {
    ciphers: Ciphers,
    cipher: InMode,
    /// Whether it is reset before it is used again.
    resets: bool,
    set_nonce: Option<TakeBytes>,
    crypt: Crypt,
    /// The message, or room for as much.
    destination: *mut u8,
    is_compat: bool,
    memory: Memory,
}

impl Call for Ciphering {
    type Context = Context;
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self) -> Result<Context, Failure> {
        open(&self.ciphers, &self.cipher, &self.memory)
    }

    #[inline(always)]
    fn restart(&mut self, context: &Context) -> Result<(), Failure> {
        if self.resets { command(&self.ciphers, context, RESET) } else { Ok(()) }
    }

    #[inline(always)]
    fn process(&mut self, context: &Context) -> Result<(), Failure> {
        let Memory { message, message_bytes, nonce, nonce_bytes, .. } = self.memory;
        let handle = context.pointer();
        // SAFETY: the context is open; message and nonce have these lengths, and
        // the destination, which may be the message, has the message's room.
        unsafe {
            if let Some(set_nonce) = self.set_nonce {
                check(set_nonce(handle, nonce, nonce_bytes))?;
            }
            check((self.crypt)(handle, self.destination, message_bytes, message, message_bytes))
        }
    }

    fn output(&self) -> &[u8] {
        if self.is_compat { &[] } else { self.memory.result() }
    }
}
