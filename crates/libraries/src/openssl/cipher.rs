//! Ciphers without a tag.

use super::calls::{History, repeat};
use super::functions::{Cipher, CipherContext, Core, Functions, Owned};
use crate::{Inputs, PrepareError, Prepared};
use cpb_model::Contract;
use std::ffi::{c_int, c_void};
use std::ptr;

/// `EVP_MAX_IV_LENGTH`.
const MOST_NONCE_BYTES: usize = 16;

/// What a call is made of.
#[derive(Clone, Copy)]
pub(super) struct Recipe {
    pub(super) cipher: *const Cipher,
    pub(super) decrypt: bool,
    /// Bytes of zeros before the nonce: ChaCha20's initial value begins with
    /// its block counter.
    pub(super) counter_bytes: usize,
    /// Whether only its key takes a context back to the start, as for RC4.
    pub(super) starts_by_key: bool,
}

/// The functions of one direction.
#[derive(Clone, Copy)]
pub(super) struct Direction {
    pub(super) init: unsafe extern "C" fn(
        *mut CipherContext,
        *const Cipher,
        *mut c_void,
        *const u8,
        *const u8,
    ) -> c_int,
    pub(super) update:
        unsafe extern "C" fn(*mut CipherContext, *mut u8, *mut c_int, *const u8, c_int) -> c_int,
    pub(super) finish: unsafe extern "C" fn(*mut CipherContext, *mut u8, *mut c_int) -> c_int,
}

impl Direction {
    pub(super) fn new(core: &Core, decrypt: bool) -> Self {
        if decrypt {
            Self {
                init: core.decrypt_init,
                update: core.decrypt_update,
                finish: core.decrypt_final,
            }
        } else {
            Self {
                init: core.encrypt_init,
                update: core.encrypt_update,
                finish: core.encrypt_final,
            }
        }
    }
}

/// A message's length as libcrypto counts it.
pub(super) fn counted(bytes: usize) -> Result<c_int, PrepareError> {
    c_int::try_from(bytes).map_err(|_| {
        PrepareError::Unavailable(format!("OpenSSL's EVP takes no {bytes} bytes at once"))
    })
}

pub(super) fn prepare(
    functions: &'static Functions,
    recipe: Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    let message_bytes = counted(inputs.message.bytes().len())?;
    let mut nonce = [0; MOST_NONCE_BYTES];
    let end = recipe.counter_bytes + inputs.nonce.len();
    let room = nonce.get_mut(recipe.counter_bytes..end).ok_or_else(|| {
        PrepareError::Unavailable(format!("EVP takes no initial value of {end} bytes"))
    })?;
    room.copy_from_slice(&inputs.nonce);
    let context = keyed_context(functions, recipe, contract, &inputs.key)
        .ok_or_else(|| PrepareError::Unavailable(functions.last_error()))?;
    let history = History::default();
    Ok(Box::new(CipherCall {
        functions,
        recipe,
        contract,
        context,
        nonce,
        message_bytes,
        inputs,
        history,
    }))
}

fn keyed_context(
    functions: &Functions,
    recipe: Recipe,
    contract: Contract,
    key: &[u8],
) -> Option<Owned<CipherContext>> {
    let core = &functions.core;
    let init = Direction::new(core, recipe.decrypt).init;
    // SAFETY: the function takes nothing, and what it returns is ours.
    let context = Owned::new(unsafe { (core.cipher_new)() }, core.cipher_free)?;
    // SAFETY: context and cipher are live, the key has the cipher's length.
    let worked = unsafe {
        init(context.pointer(), recipe.cipher, ptr::null_mut(), key.as_ptr(), ptr::null()) == 1
            && (contract == Contract::Compat || (core.cipher_padding)(context.pointer(), 0) == 1)
    };
    worked.then_some(context)
}

/// One message's way through a context.
#[derive(Clone, Copy)]
struct Step {
    direction: Direction,
    nonce: *const u8,
    /// Null where the context keeps the key.
    key: *const u8,
    source: *const u8,
    destination: *mut u8,
    message_bytes: c_int,
}

impl Step {
    /// Sets key and nonce. A null `cipher` is the context's own.
    ///
    /// # Safety
    /// `context` is live; key and nonce have the cipher's lengths, or are null.
    #[inline(always)]
    unsafe fn begin(&self, context: *mut CipherContext, cipher: *const Cipher) -> bool {
        // SAFETY: as the caller promises.
        unsafe {
            (self.direction.init)(context, cipher, ptr::null_mut(), self.key, self.nonce) == 1
        }
    }

    /// Puts the message through; whether as much came out.
    ///
    /// # Safety
    /// `context` has begun and does not pad; source and destination have the
    /// message's length.
    #[inline(always)]
    unsafe fn process(&self, context: *mut CipherContext) -> bool {
        let Direction { update, finish, .. } = self.direction;
        let (source, destination) = (self.source, self.destination);
        let (mut done, mut rest) = (0, 0);
        // SAFETY: as the caller promises; update puts out at most the message's
        // length, without padding finish adds nothing to whole blocks.
        unsafe {
            update(context, destination, &raw mut done, source, self.message_bytes) == 1
                && finish(context, destination.add(done as usize), &raw mut rest) == 1
                && done + rest == self.message_bytes
        }
    }

    /// As bench-slopes does it: padding stays on, and finishing is tried where
    /// something was held back.
    ///
    /// # Safety
    /// As for [`Step::begin`] and [`Step::process`], but for the padding.
    #[inline(always)]
    unsafe fn run_compat(&self, context: *mut CipherContext) {
        let Direction { init, update, finish } = self.direction;
        let (mut done, mut rest) = (0, 0);
        // SAFETY: as the caller promises. Decryption holds the last block back
        // and finds no padding in it, or less than a block; encryption of
        // whole blocks holds nothing back.
        unsafe {
            init(context, ptr::null(), ptr::null_mut(), ptr::null(), self.nonce);
            update(context, self.destination, &raw mut done, self.source, self.message_bytes);
            if done != self.message_bytes {
                finish(context, self.destination.add(done as usize), &raw mut rest);
            }
        }
    }
}

struct CipherCall {
    functions: &'static Functions,
    recipe: Recipe,
    contract: Contract,
    context: Owned<CipherContext>,
    nonce: [u8; MOST_NONCE_BYTES],
    message_bytes: c_int,
    inputs: Inputs,
    history: History,
}

impl Prepared for CipherCall {
    fn run(&mut self, calls: u64) {
        let core = &self.functions.core;
        let (new, free, padding) = (core.cipher_new, core.cipher_free, core.cipher_padding);
        let Recipe { cipher, decrypt, starts_by_key, .. } = self.recipe;
        let reused = self.context.pointer();
        let zeros = [0_u8; MOST_NONCE_BYTES];
        let message = self.inputs.message.bytes_mut().as_mut_ptr();
        let key = self.inputs.key.as_ptr();
        let step = Step {
            direction: Direction::new(core, decrypt),
            nonce: self.nonce.as_ptr(),
            key: if starts_by_key { key } else { ptr::null() },
            source: message,
            destination: self.inputs.destination.bytes_mut().as_mut_ptr(),
            message_bytes: self.message_bytes,
        };
        let worked = match self.contract {
            Contract::Keyed => repeat(calls, || {
                // SAFETY: the context is live and keyed, the buffers have the
                // message's length.
                unsafe { step.begin(reused, ptr::null()) && step.process(reused) }
            }),
            Contract::Oneshot => {
                let step = Step { key, ..step };
                repeat(calls, || {
                    // SAFETY: as above; the context is made and freed here.
                    unsafe {
                        let context = new();
                        let worked = !context.is_null()
                            && step.begin(context, cipher)
                            && padding(context, 0) == 1
                            && step.process(context);
                        free(context);
                        worked
                    }
                })
            }
            Contract::Compat => {
                let step = Step { nonce: zeros.as_ptr(), destination: message, ..step };
                repeat(calls, || {
                    // SAFETY: as above, in place.
                    unsafe { step.run_compat(reused) };
                    true
                })
            }
        };
        self.history.note(self.functions, calls, worked);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.history.output(match self.contract {
            Contract::Compat => self.inputs.message.bytes(),
            _ => &self.inputs.destination.bytes()[..self.inputs.message.bytes().len()],
        })
    }
}
