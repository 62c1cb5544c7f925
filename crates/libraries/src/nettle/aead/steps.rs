//! Modes that the library takes in steps: GCM, EAX, ChaCha20-Poly1305.

use super::{Aead, Block, STATE_BYTES, TAG_BYTES};
use crate::Buffer;
use crate::nettle::call::{Places, contexts};
use crate::nettle::symbols::{ChachaPoly1305, Compare, Eax, Gcm};
use std::ffi::c_void;

/// `sizeof (struct gcm_key)`: a table of 256 blocks.
const GCM_KEY_BYTES: usize = 4096;

/// A mode in steps. Each step has the contract of the library's function: key,
/// then nonce, associated data, text, tag.
pub(super) trait Steps: 'static {
    unsafe fn key(&mut self, key: *const u8);
    unsafe fn nonce(&mut self, nonce: *const u8, bytes: usize);
    unsafe fn aad(&mut self, aad: *const u8, bytes: usize);
    unsafe fn encrypt(&mut self, places: &Places);
    unsafe fn decrypt(&mut self, places: &Places);
    unsafe fn tag(&mut self, tag: *mut u8);
}

/// A mode in steps as a whole.
pub(super) struct Stepwise<S> {
    steps: S,
    compare: Compare,
    tag: [u8; TAG_BYTES],
}

impl<S: Steps> Stepwise<S> {
    pub(super) fn new(steps: S, compare: Compare) -> Self {
        Self { steps, compare, tag: [0; TAG_BYTES] }
    }

    /// Nonce and associated data. What is empty is left out, as callers do.
    ///
    /// # Safety
    /// As of [`Aead::seal`].
    unsafe fn start(&mut self, places: &Places) {
        // SAFETY: by the caller's contract.
        unsafe {
            self.steps.nonce(places.nonce, places.nonce_bytes);
            if places.aad_bytes != 0 {
                self.steps.aad(places.aad, places.aad_bytes);
            }
        }
    }
}

impl<S: Steps> Aead for Stepwise<S> {
    unsafe fn key(&mut self, key: *const u8) {
        // SAFETY: by the caller's contract.
        unsafe { self.steps.key(key) };
    }

    unsafe fn seal(&mut self, places: &Places) {
        // SAFETY: by the caller's contract there is room for the tag behind
        // the ciphertext.
        unsafe {
            self.start(places);
            if places.length != 0 {
                self.steps.encrypt(places);
            }
            self.steps.tag(places.destination.add(places.length));
        }
    }

    unsafe fn open(&mut self, places: &Places) -> bool {
        // SAFETY: by the caller's contract the tag stands behind the
        // ciphertext.
        unsafe {
            self.decrypt(places);
            let expected = places.source.add(places.length);
            (self.compare.memeql_sec)(self.tag.as_ptr(), expected, TAG_BYTES) != 0
        }
    }

    unsafe fn decrypt(&mut self, places: &Places) {
        // SAFETY: by the caller's contract.
        unsafe {
            self.start(places);
            if places.length != 0 {
                self.steps.decrypt(places);
            }
            self.steps.tag(self.tag.as_mut_ptr());
        }
    }
}

pub(super) struct GcmMode {
    functions: Gcm,
    block: Block,
    gcm_key: *mut c_void,
    state: *mut c_void,
    context: *mut c_void,
    _memory: Buffer,
}

impl GcmMode {
    pub(super) fn new(functions: Gcm, block: Block) -> Self {
        let ([gcm_key, state, context], memory) =
            contexts([GCM_KEY_BYTES, STATE_BYTES, block.context_bytes]);
        Self { functions, block, gcm_key, state, context, _memory: memory }
    }
}

// SAFETY, here and below: what the functions of `Steps` and `Aead` ask for is
// what the library's functions of the same purpose ask for, and the contexts
// are as large as its headers say.
impl Steps for GcmMode {
    unsafe fn key(&mut self, key: *const u8) {
        // SAFETY: see above.
        unsafe {
            (self.block.set_encrypt_key)(self.context, key);
            (self.functions.set_key)(self.gcm_key, self.context, self.block.encrypt);
        }
    }

    unsafe fn nonce(&mut self, nonce: *const u8, bytes: usize) {
        // SAFETY: see above.
        unsafe { (self.functions.set_iv)(self.state, self.gcm_key, bytes, nonce) };
    }

    unsafe fn aad(&mut self, aad: *const u8, bytes: usize) {
        // SAFETY: see above.
        unsafe { (self.functions.update)(self.state, self.gcm_key, bytes, aad) };
    }

    unsafe fn encrypt(&mut self, places: &Places) {
        let Self { state, gcm_key, context, .. } = *self;
        let Places { source, length, destination, .. } = *places;
        let encrypt = self.block.encrypt;
        // SAFETY: see above.
        unsafe {
            (self.functions.encrypt)(state, gcm_key, context, encrypt, length, destination, source);
        }
    }

    unsafe fn decrypt(&mut self, places: &Places) {
        let Self { state, gcm_key, context, .. } = *self;
        let Places { source, length, destination, .. } = *places;
        let encrypt = self.block.encrypt;
        // SAFETY: see above.
        unsafe {
            (self.functions.decrypt)(state, gcm_key, context, encrypt, length, destination, source);
        }
    }

    unsafe fn tag(&mut self, tag: *mut u8) {
        let Self { state, gcm_key, context, .. } = *self;
        let encrypt = self.block.encrypt;
        // SAFETY: see above.
        unsafe { (self.functions.digest)(state, gcm_key, context, encrypt, TAG_BYTES, tag) };
    }
}

pub(super) struct EaxMode {
    functions: Eax,
    block: Block,
    eax_key: *mut c_void,
    state: *mut c_void,
    context: *mut c_void,
    _memory: Buffer,
}

impl EaxMode {
    pub(super) fn new(functions: Eax, block: Block) -> Self {
        let ([eax_key, state, context], memory) =
            contexts([STATE_BYTES, STATE_BYTES, block.context_bytes]);
        Self { functions, block, eax_key, state, context, _memory: memory }
    }
}

impl Steps for EaxMode {
    unsafe fn key(&mut self, key: *const u8) {
        // SAFETY: see above.
        unsafe {
            (self.block.set_encrypt_key)(self.context, key);
            (self.functions.set_key)(self.eax_key, self.context, self.block.encrypt);
        }
    }

    unsafe fn nonce(&mut self, nonce: *const u8, bytes: usize) {
        let Self { state, eax_key, context, .. } = *self;
        // SAFETY: see above.
        unsafe {
            (self.functions.set_nonce)(state, eax_key, context, self.block.encrypt, bytes, nonce);
        }
    }

    unsafe fn aad(&mut self, aad: *const u8, bytes: usize) {
        let Self { state, eax_key, context, .. } = *self;
        // SAFETY: see above.
        unsafe {
            (self.functions.update)(state, eax_key, context, self.block.encrypt, bytes, aad);
        }
    }

    unsafe fn encrypt(&mut self, places: &Places) {
        let Self { state, eax_key, context, .. } = *self;
        let Places { source, length, destination, .. } = *places;
        let encrypt = self.block.encrypt;
        // SAFETY: see above.
        unsafe {
            (self.functions.encrypt)(state, eax_key, context, encrypt, length, destination, source);
        }
    }

    unsafe fn decrypt(&mut self, places: &Places) {
        let Self { state, eax_key, context, .. } = *self;
        let Places { source, length, destination, .. } = *places;
        let encrypt = self.block.encrypt;
        // SAFETY: see above.
        unsafe {
            (self.functions.decrypt)(state, eax_key, context, encrypt, length, destination, source);
        }
    }

    unsafe fn tag(&mut self, tag: *mut u8) {
        let Self { state, eax_key, context, .. } = *self;
        let encrypt = self.block.encrypt;
        // SAFETY: see above.
        unsafe { (self.functions.digest)(state, eax_key, context, encrypt, TAG_BYTES, tag) };
    }
}

pub(super) struct ChachaPoly1305Mode {
    functions: ChachaPoly1305,
    context: *mut c_void,
    _memory: Buffer,
}

impl ChachaPoly1305Mode {
    pub(super) fn new(functions: ChachaPoly1305) -> Self {
        let ([context], memory) = contexts([STATE_BYTES]);
        Self { functions, context, _memory: memory }
    }
}

impl Steps for ChachaPoly1305Mode {
    unsafe fn key(&mut self, key: *const u8) {
        // SAFETY: see above.
        unsafe { (self.functions.set_key)(self.context, key) };
    }

    unsafe fn nonce(&mut self, nonce: *const u8, _bytes: usize) {
        // SAFETY: see above.
        unsafe { (self.functions.set_nonce)(self.context, nonce) };
    }

    unsafe fn aad(&mut self, aad: *const u8, bytes: usize) {
        // SAFETY: see above.
        unsafe { (self.functions.update)(self.context, bytes, aad) };
    }

    unsafe fn encrypt(&mut self, places: &Places) {
        let Places { source, length, destination, .. } = *places;
        // SAFETY: see above.
        unsafe { (self.functions.encrypt)(self.context, length, destination, source) };
    }

    unsafe fn decrypt(&mut self, places: &Places) {
        let Places { source, length, destination, .. } = *places;
        // SAFETY: see above.
        unsafe { (self.functions.decrypt)(self.context, length, destination, source) };
    }

    unsafe fn tag(&mut self, tag: *mut u8) {
        // SAFETY: see above.
        unsafe { (self.functions.digest)(self.context, TAG_BYTES, tag) };
    }
}
