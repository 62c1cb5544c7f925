//! Ciphers without a tag, and any cipher as bench-slopes times it.

use super::functions::{Cipher, CipherContext, Ciphers, Direction, Failed, Functions, check};
use crate::runtime::{Call, Memory, Owned, ready};
use crate::{Inputs, Made, PrepareError};
use cpb_model::Contract;
use std::ffi::c_int;
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

/// A length as libcrypto counts it.
pub(super) fn counted(bytes: usize) -> Result<c_int, PrepareError> {
    c_int::try_from(bytes).map_err(|_| {
        PrepareError::Unavailable(format!("OpenSSL's EVP takes no {bytes} bytes at once"))
    })
}

pub(super) fn prepare(
    functions: &Functions,
    recipe: Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let Functions { core, ciphers, encryption, decryption, .. } = *functions;
    let way = if recipe.decrypt { decryption } else { encryption };
    if contract == Contract::Compat {
        return compat(functions, recipe.cipher, way, false, inputs);
    }
    let memory = Memory::new(inputs);
    let message_bytes = counted(memory.message_bytes)?;
    let mut nonce = [0; MOST_NONCE_BYTES];
    let end = recipe.counter_bytes + memory.nonce_bytes;
    let room = nonce.get_mut(recipe.counter_bytes..end).ok_or_else(|| {
        PrepareError::Unavailable(format!("EVP takes no initial value of {end} bytes"))
    })?;
    room.copy_from_slice(memory.nonce());
    let direction = way;
    ready(core, Ciphering { ciphers, recipe, direction, nonce, message_bytes, memory }, contract)
}

/// A new context with cipher and key; where `nonce` is not null, with that, too.
///
/// # Safety
/// Key and nonce have the cipher's lengths.
#[inline(always)]
unsafe fn begin(
    ciphers: &Ciphers,
    way: Direction,
    cipher: *const Cipher,
    key: *const u8,
    nonce: *const u8,
) -> Result<Owned<CipherContext>, Failed> {
    // SAFETY: the function takes nothing, and what it returns is ours to free.
    let context = unsafe { Owned::new((ciphers.new)(), ciphers.free) }.ok_or(Failed)?;
    // SAFETY: the context is live, ciphers that were found are never freed, and key
    // and nonce are valid by the caller's contract.
    check(unsafe { (way.init)(context.pointer(), cipher, ptr::null_mut(), key, nonce) })?;
    Ok(context)
}

struct Ciphering {
    ciphers: Ciphers,
    recipe: Recipe,
    direction: Direction,
    nonce: [u8; MOST_NONCE_BYTES],
    message_bytes: c_int,
    memory: Memory,
}

impl Call for Ciphering {
    type Context = Owned<CipherContext>;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self) -> Result<Self::Context, Failed> {
        let (cipher, key) = (self.recipe.cipher, self.memory.key);
        // SAFETY: the key has the offer's length, which is the cipher's, and the nonce room
        // for the longest.
        let context =
            unsafe { begin(&self.ciphers, self.direction, cipher, key, self.nonce.as_ptr()) }?;
        // SAFETY: the context is live.
        check(unsafe { (self.ciphers.padding)(context.pointer(), 0) })?;
        Ok(context)
    }

    #[inline(always)]
    fn restart(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let key = if self.recipe.starts_by_key { self.memory.key } else { ptr::null() };
        let (init, nonce) = (self.direction.init, self.nonce.as_ptr());
        // SAFETY: the context is live and keeps its cipher, and its key where that is null;
        // otherwise the key has the cipher's length, and the nonce room for the longest.
        check(unsafe { init(context.pointer(), ptr::null(), ptr::null_mut(), key, nonce) })
    }

    #[inline(always)]
    fn process(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let Memory { message, destination, .. } = self.memory;
        // SAFETY: the context has begun and does not pad; message and destination have this
        // length.
        unsafe { put_through(self.direction, context, message, destination, self.message_bytes) }
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }
}

/// Puts a message through; whether as much came out.
///
/// # Safety
/// `context` has begun and does not pad; source and destination have the length stated.
#[inline(always)]
pub(super) unsafe fn put_through(
    way: Direction,
    context: &Owned<CipherContext>,
    source: *const u8,
    destination: *mut u8,
    message_bytes: c_int,
) -> Result<(), Failed> {
    let (mut done, mut rest) = (0, 0);
    // SAFETY: the context has begun, and both pointers have the length stated, by this
    // function's contract; update puts out at most as much, and without padding finish adds
    // nothing to whole blocks.
    unsafe {
        check((way.update)(context.pointer(), destination, &raw mut done, source, message_bytes))?;
        check((way.finish)(context.pointer(), destination.add(done as usize), &raw mut rest))?;
    }
    if done + rest == message_bytes { Ok(()) } else { Err(Failed) }
}

/// Any cipher as bench-slopes times it: in place, a nonce of zeros in every call, no tag,
/// padding left on; finishing is tried where something was held back, and nobody looks
/// whether all that worked. Where `is_auth`, the message is associated data.
pub(super) fn compat(
    functions: &Functions,
    cipher: *const Cipher,
    way: Direction,
    is_auth: bool,
    inputs: Inputs,
) -> Made {
    let Functions { core, ciphers, .. } = *functions;
    let memory = Memory::new(inputs);
    let message_bytes = counted(memory.message_bytes)?;
    let call = Compat { ciphers, cipher, way, is_auth, message_bytes, memory };
    ready(core, call, Contract::Compat)
}

struct Compat {
    ciphers: Ciphers,
    cipher: *const Cipher,
    way: Direction,
    is_auth: bool,
    message_bytes: c_int,
    memory: Memory,
}

impl Call for Compat {
    type Context = Owned<CipherContext>;
    type Failure = Failed;

    fn begin(&self) -> Result<Self::Context, Failed> {
        // SAFETY: the key has the offer's length, which is the cipher's; there is no nonce.
        unsafe { begin(&self.ciphers, self.way, self.cipher, self.memory.key, ptr::null()) }
    }

    #[inline(always)]
    fn restart(&mut self, context: &Self::Context) -> Result<(), Failed> {
        const ZEROS: [u8; MOST_NONCE_BYTES] = [0; MOST_NONCE_BYTES];
        let (context, none) = (context.pointer(), ptr::null_mut());
        // SAFETY: the context is live and keeps cipher and key; of the nonce it reads what
        // its cipher needs, at most all of it.
        unsafe { (self.way.init)(context, ptr::null(), none, ptr::null(), ZEROS.as_ptr()) };
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let (context, message, bytes) =
            (context.pointer(), self.memory.message, self.message_bytes);
        let into = if self.is_auth { ptr::null_mut() } else { message };
        let (mut done, mut rest) = (0, 0);
        // SAFETY: the context is live, and the message has its length. Decryption holds the
        // last block back and finds no padding in it, or less than a block is held back;
        // finishing puts out no more than that. Encryption of whole blocks holds nothing
        // back.
        unsafe {
            (self.way.update)(context, into, &raw mut done, message, bytes);
            if done != bytes {
                let end = if self.is_auth { 0 } else { done as usize };
                (self.way.finish)(context, message.add(end), &raw mut rest);
            }
        }
        Ok(())
    }

    fn output(&self) -> &[u8] {
        self.memory.message()
    }
}
