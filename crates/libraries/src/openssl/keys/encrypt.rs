//! Encryption to a public key: RSA with OAEP. Both directions are the same call with another
//! key and other functions.

use super::{Asked, Begun, Half, Key, KeyContext, Keys};
use crate::Made;
use crate::openssl::functions::{Failed, check};
use crate::openssl::parameters::Parameters;
use crate::runtime::{Owned, Task, Turn};
use cpb_model::{Operation, Role};
use std::ffi::c_int;

pub(super) fn prepare(asked: Asked<'_>) -> Made {
    let keys = asked.keys;
    let settings = Parameters::new().text(c"digest", "SHA256").text(c"pad-mode", "oaep");
    let encryption = if asked.recipe.operation == Operation::PublicEncrypt {
        Encryption {
            halves: asked.publics(),
            read: Keys::read_public,
            begin: keys.begin_encrypting,
            run: keys.encrypt,
            takes: Role::SharedSecret,
            keys,
            settings,
        }
    } else {
        Encryption {
            halves: asked.secrets(),
            read: Keys::read_secret,
            begin: keys.begin_decrypting,
            run: keys.decrypt,
            takes: Role::Ciphertext,
            keys,
            settings,
        }
    };
    asked.turns(encryption)
}

/// Encryption, or decryption.
struct Encryption {
    keys: Keys,
    settings: Parameters,
    halves: Vec<Half>,
    read: fn(&Keys, &Half) -> Result<Owned<Key>, Failed>,
    begin: unsafe extern "C" fn(*mut KeyContext) -> c_int,
    run: unsafe extern "C" fn(*mut KeyContext, *mut u8, *mut usize, *const u8, usize) -> c_int,
    /// What is encrypted, or decrypted.
    takes: Role,
}

impl Task for Encryption {
    type Ready = Begun;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Begun, Failed> {
        let key = (self.read)(&self.keys, &self.halves[turn.number])?;
        // SAFETY: the context is live.
        let begun = self.keys.begun(key, |context| unsafe { (self.begin)(context) })?;
        // SAFETY: the context is live, and the list ends as lists must.
        check(unsafe { (self.keys.set)(begun.context.pointer(), self.settings.pointer()) })?;
        Ok(begun)
    }

    #[inline(always)]
    fn run(&mut self, ready: &Begun, turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failed> {
        let taken = turn.case.bytes(self.takes);
        let mut length = output.len();
        // SAFETY: the context is live; what is taken and the output are as long as stated.
        check(unsafe {
            (self.run)(
                ready.context.pointer(),
                output.as_mut_ptr(),
                &raw mut length,
                taken.as_ptr(),
                taken.len(),
            )
        })?;
        Ok(length)
    }
}
