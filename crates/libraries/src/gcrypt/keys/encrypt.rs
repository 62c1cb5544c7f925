//! Encryption to a public key: RSA with OAEP. Making an expression of the secret or of the
//! ciphertext is part of the call.

use super::sexp::{public_key, secret_key};
use super::{Algorithm, Asked, Keys};
use crate::Made;
use crate::gcrypt::functions::{Context, Failure, check};
use crate::runtime::{Owned, Task, Turn};
use cpb_model::Role;
use std::ptr;

pub(super) fn prepare(asked: Asked) -> Made {
    let algorithm = asked.algorithm;
    let publics = asked.expressions(|case| public_key(algorithm, case.bytes(Role::PublicKey)))?;
    let (keys, bytes) = (asked.keys, asked.inputs.result_bytes);
    asked.turns(Encryption { keys, algorithm, publics, bytes, last: None })
}

struct Encryption {
    keys: Keys,
    algorithm: Algorithm,
    /// As expressions, by case.
    publics: Vec<Vec<u8>>,
    /// Of a ciphertext.
    bytes: usize,
    last: Option<Context>,
}

impl Task for Encryption {
    type Ready = Context;
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Context, Failure> {
        self.keys.read(&self.publics[turn.number])
    }

    #[inline(always)]
    fn run(&mut self, key: &Context, turn: Turn<'_>, _: &mut [u8]) -> Result<usize, Failure> {
        let value = self.keys.value(self.algorithm, turn.case.bytes(Role::SharedSecret))?;
        let mut handle = ptr::null_mut();
        // SAFETY: value and key are live, and there is room for a handle, which is ours to
        // release.
        self.last = unsafe {
            check((self.keys.encrypt)(&raw mut handle, value.pointer(), key.pointer()))?;
            Owned::new(handle, self.keys.release)
        };
        Ok(0)
    }

    fn encoded(&self, _: &[u8]) -> Result<Vec<u8>, String> {
        let last = self.last.as_ref();
        let number = last.and_then(|last| self.keys.number(last, c"a", self.bytes));
        number.ok_or_else(|| "the ciphertext is not as long as it should be".to_owned())
    }
}

pub(super) fn prepare_decryption(asked: Asked) -> Made {
    let algorithm = asked.algorithm;
    let secret =
        |case: &cpb_provider::Case| secret_key(algorithm, case.bytes(Role::SecretKey), None);
    let (keys, secrets) = (asked.keys, asked.expressions(secret)?);
    asked.turns(Decryption { keys, secrets, last: None })
}

struct Decryption {
    keys: Keys,
    /// As expressions, by case.
    secrets: Vec<Vec<u8>>,
    last: Option<Context>,
}

impl Task for Decryption {
    type Ready = Context;
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Context, Failure> {
        self.keys.read(&self.secrets[turn.number])
    }

    #[inline(always)]
    fn run(&mut self, key: &Context, turn: Turn<'_>, _: &mut [u8]) -> Result<usize, Failure> {
        let ciphertext = self.keys.ciphertext(turn.case.bytes(Role::Ciphertext))?;
        let mut handle = ptr::null_mut();
        // SAFETY: ciphertext and key are live, and there is room for a handle, which is ours
        // to release.
        self.last = unsafe {
            check((self.keys.decrypt)(&raw mut handle, ciphertext.pointer(), key.pointer()))?;
            Owned::new(handle, self.keys.release)
        };
        Ok(0)
    }

    fn encoded(&self, _: &[u8]) -> Result<Vec<u8>, String> {
        let secret = self.last.as_ref().and_then(|last| self.keys.bytes(last, c"value"));
        secret.ok_or_else(|| "there is no secret in what it put out".to_owned())
    }
}
