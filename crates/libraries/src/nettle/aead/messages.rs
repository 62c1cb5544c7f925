//! Modes that the library takes a whole message at a time for: OCB, GCM-SIV,
//! CCM, SIV-CMAC.

use super::{Aead, Block, STATE_BYTES, TAG_BYTES};
use crate::Buffer;
use crate::nettle::call::{Places, contexts};
use crate::nettle::symbols::{Ccm, Ocb, RawCipher, SivCmac, SivGcm};
use std::ffi::c_void;

pub(super) struct OcbMode {
    functions: Ocb,
    block: Block,
    ocb_key: *mut c_void,
    encrypt_context: *mut c_void,
    decrypt_context: *mut c_void,
    _memory: Buffer,
}

impl OcbMode {
    pub(super) fn new(functions: Ocb, block: Block) -> Self {
        let ([ocb_key, encrypt_context, decrypt_context], memory) =
            contexts([STATE_BYTES, block.context_bytes, block.context_bytes]);
        Self { functions, block, ocb_key, encrypt_context, decrypt_context, _memory: memory }
    }
}

// SAFETY, here and below: what `Aead` asks its callers for is what the
// library's functions ask for, and the contexts are as large as its headers
// say.
impl Aead for OcbMode {
    unsafe fn key(&mut self, key: *const u8) {
        let Block { set_encrypt_key, set_decrypt_key, encrypt, .. } = self.block;
        // SAFETY: see above.
        unsafe {
            set_encrypt_key(self.encrypt_context, key);
            set_decrypt_key(self.decrypt_context, key);
            (self.functions.set_key)(self.ocb_key, self.encrypt_context, encrypt);
        }
    }

    unsafe fn seal(&mut self, places: &Places) {
        // SAFETY: see above.
        unsafe {
            (self.functions.encrypt)(
                self.ocb_key,
                self.encrypt_context,
                self.block.encrypt,
                places.nonce_bytes,
                places.nonce,
                places.aad_bytes,
                places.aad,
                TAG_BYTES,
                places.length + TAG_BYTES,
                places.destination,
                places.source,
            );
        }
    }

    unsafe fn open(&mut self, places: &Places) -> bool {
        // SAFETY: see above.
        let verdict = unsafe {
            (self.functions.decrypt)(
                self.ocb_key,
                self.encrypt_context,
                self.block.encrypt,
                self.decrypt_context,
                self.block.decrypt,
                places.nonce_bytes,
                places.nonce,
                places.aad_bytes,
                places.aad,
                TAG_BYTES,
                places.length,
                places.destination,
                places.source,
            )
        };
        verdict != 0
    }
}

pub(super) struct SivGcmMode {
    functions: SivGcm,
    block: Block,
    descriptor: &'static RawCipher,
    context: *mut c_void,
    /// For the key that the library derives for each message.
    message_context: *mut c_void,
    _memory: Buffer,
}

impl SivGcmMode {
    pub(super) fn new(functions: SivGcm, block: Block, descriptor: &'static RawCipher) -> Self {
        let ([context, message_context], memory) =
            contexts([block.context_bytes, block.context_bytes]);
        Self { functions, block, descriptor, context, message_context, _memory: memory }
    }
}

impl Aead for SivGcmMode {
    unsafe fn key(&mut self, key: *const u8) {
        // SAFETY: see above.
        unsafe { (self.block.set_encrypt_key)(self.context, key) };
    }

    unsafe fn seal(&mut self, places: &Places) {
        // SAFETY: see above.
        unsafe {
            (self.functions.encrypt)(
                self.descriptor,
                self.context,
                self.message_context,
                places.nonce_bytes,
                places.nonce,
                places.aad_bytes,
                places.aad,
                places.length + TAG_BYTES,
                places.destination,
                places.source,
            );
        }
    }

    unsafe fn open(&mut self, places: &Places) -> bool {
        // SAFETY: see above.
        let verdict = unsafe {
            (self.functions.decrypt)(
                self.descriptor,
                self.context,
                self.message_context,
                places.nonce_bytes,
                places.nonce,
                places.aad_bytes,
                places.aad,
                places.length,
                places.destination,
                places.source,
            )
        };
        verdict != 0
    }
}

pub(super) struct CcmMode {
    functions: Ccm,
    block: Block,
    context: *mut c_void,
    _memory: Buffer,
}

impl CcmMode {
    pub(super) fn new(functions: Ccm, block: Block) -> Self {
        let ([context], memory) = contexts([block.context_bytes]);
        Self { functions, block, context, _memory: memory }
    }
}

impl Aead for CcmMode {
    unsafe fn key(&mut self, key: *const u8) {
        // SAFETY: see above.
        unsafe { (self.block.set_encrypt_key)(self.context, key) };
    }

    unsafe fn seal(&mut self, places: &Places) {
        // SAFETY: see above.
        unsafe {
            (self.functions.encrypt)(
                self.context,
                self.block.encrypt,
                places.nonce_bytes,
                places.nonce,
                places.aad_bytes,
                places.aad,
                TAG_BYTES,
                places.length + TAG_BYTES,
                places.destination,
                places.source,
            );
        }
    }

    unsafe fn open(&mut self, places: &Places) -> bool {
        // SAFETY: see above.
        let verdict = unsafe {
            (self.functions.decrypt)(
                self.context,
                self.block.encrypt,
                places.nonce_bytes,
                places.nonce,
                places.aad_bytes,
                places.aad,
                TAG_BYTES,
                places.length,
                places.destination,
                places.source,
            )
        };
        verdict != 0
    }
}

/// SIV of RFC 5297 with the nonce as a component of its own: the library has
/// no other.
pub(super) struct SivCmacMode {
    functions: SivCmac,
    descriptor: &'static RawCipher,
    cmac_key: *mut c_void,
    cmac_context: *mut c_void,
    ctr_context: *mut c_void,
    _memory: Buffer,
}

impl SivCmacMode {
    pub(super) fn new(functions: SivCmac, block: Block, descriptor: &'static RawCipher) -> Self {
        let ([cmac_key, cmac_context, ctr_context], memory) =
            contexts([STATE_BYTES, block.context_bytes, block.context_bytes]);
        Self { functions, descriptor, cmac_key, cmac_context, ctr_context, _memory: memory }
    }
}

impl Aead for SivCmacMode {
    const TAG_FIRST: bool = true;

    unsafe fn key(&mut self, key: *const u8) {
        let Self { cmac_key, cmac_context, ctr_context, descriptor, .. } = *self;
        // SAFETY: see above; the key is two keys long.
        unsafe { (self.functions.set_key)(cmac_key, cmac_context, ctr_context, descriptor, key) };
    }

    unsafe fn seal(&mut self, places: &Places) {
        // SAFETY: see above.
        unsafe {
            (self.functions.encrypt)(
                self.cmac_key,
                self.cmac_context,
                self.descriptor,
                self.ctr_context,
                places.nonce_bytes,
                places.nonce,
                places.aad_bytes,
                places.aad,
                places.length + TAG_BYTES,
                places.destination,
                places.source,
            );
        }
    }

    unsafe fn open(&mut self, places: &Places) -> bool {
        // SAFETY: see above.
        let verdict = unsafe {
            (self.functions.decrypt)(
                self.cmac_key,
                self.cmac_context,
                self.descriptor,
                self.ctr_context,
                places.nonce_bytes,
                places.nonce,
                places.aad_bytes,
                places.aad,
                places.length,
                places.destination,
                places.source,
            )
        };
        verdict != 0
    }
}
