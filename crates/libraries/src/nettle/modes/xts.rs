//! XTS: a key for the data and one for the tweak.

use super::Base;
use crate::nettle::call::{Places, Routine};
use crate::nettle::symbols::{Crypt, SetKey, Xts};
use std::ffi::c_void;

/// The two keys of XTS, its data key in the base.
pub(super) struct Tweaked {
    pub(super) set_tweak_key: SetKey,
    pub(super) tweak_context: *mut c_void,
    pub(super) key_bytes: usize,
    pub(super) encrypt: Crypt,
    pub(super) base: Base,
}

impl Tweaked {
    pub(super) fn with_tweak(mut self, tweak: &'static [u8; 16]) -> Self {
        self.base.places.nonce = tweak.as_ptr();
        self
    }

    fn key(&self) {
        self.base.key();
        // SAFETY: as in `Base::key`; the key is two keys long.
        unsafe {
            (self.set_tweak_key)(self.tweak_context, self.base.places.key.add(self.key_bytes));
        }
    }
}

pub(super) struct XtsEncrypt {
    pub(super) xts: Xts,
    pub(super) keys: Tweaked,
}

impl Routine for XtsEncrypt {
    fn key(&mut self) {
        self.keys.key();
    }

    fn call(&mut self) {
        let Tweaked { tweak_context, encrypt, base, .. } = &self.keys;
        let Places { source, length, destination, nonce, .. } = base.places;
        // SAFETY: both contexts are keyed, the tweak is one block; the
        // destination has room for the message, which has a block at least.
        unsafe {
            (self.xts.encrypt)(
                base.context,
                *tweak_context,
                *encrypt,
                nonce,
                length,
                destination,
                source,
            );
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.keys.base.output()
    }
}

pub(super) struct XtsDecrypt {
    pub(super) xts: Xts,
    pub(super) decrypt: Crypt,
    pub(super) keys: Tweaked,
}

impl Routine for XtsDecrypt {
    fn key(&mut self) {
        self.keys.key();
    }

    fn call(&mut self) {
        let Tweaked { tweak_context, encrypt, base, .. } = &self.keys;
        let Places { source, length, destination, nonce, .. } = base.places;
        // SAFETY: as in `XtsEncrypt`.
        unsafe {
            (self.xts.decrypt)(
                base.context,
                *tweak_context,
                self.decrypt,
                *encrypt,
                nonce,
                length,
                destination,
                source,
            );
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.keys.base.output()
    }
}
