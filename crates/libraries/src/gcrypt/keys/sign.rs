//! Signatures: ECDSA and RSA of the message's digest, EdDSA of the message. Hashing and making an
//! expression of what is signed are part of the call.

use super::sexp::{public_key, secret_key, signature};
use super::{Algorithm, Asked, Keys, SHA256, ed448};
use crate::Made;
use crate::gcrypt::functions::{Context, Digests, Failure, check};
use crate::runtime::{Owned, Task, Turn};
use cpb_model::{Contract, Role};
use cpb_provider::Case;
use std::ffi::CStr;
use std::ptr;

pub(super) fn prepare(asked: Asked, digests: Digests) -> Made {
    let Asked { keys, algorithm, contract, .. } = asked;
    let secret = |case: &Case| {
        let secret = case.bytes(Role::SecretKey);
        let alone = secret_key(algorithm, secret, None)?;
        let mut public = [0; MOST_POINT_BYTES];
        // A key that is ready has both halves; of one that is met as a seed libgcrypt works
        // the other out. RSA's are never apart.
        let written = match (algorithm, contract) {
            (Algorithm::Rsa(_), _) | (_, Contract::Oneshot) => return Some(alone),
            (Algorithm::Ed448, _) => ed448::write_public(&keys, &digests, secret, &mut public),
            _ => keys.write_public(algorithm, &alone, &mut public),
        };
        match written {
            Ok(length) => secret_key(algorithm, secret, Some(&public[..length])),
            Err(_) => Some(alone),
        }
    };
    let secrets = asked.expressions(secret)?;
    let signature_bytes = asked.inputs.result_bytes;
    asked.turns(Signature { keys, algorithm, secrets, signature_bytes, last: None })
}

/// Of an uncompressed point on P-521.
const MOST_POINT_BYTES: usize = 133;
/// Of SHA-512.
const MOST_DIGEST_BYTES: usize = 64;

impl Keys {
    /// What is signed of a message.
    #[inline(always)]
    fn value_of(&self, algorithm: Algorithm, message: &[u8]) -> Result<Context, Failure> {
        let (hash, bytes) = match algorithm {
            Algorithm::Ecdsa(_, hash, bytes) => (hash, bytes),
            Algorithm::Rsa(_) => (SHA256, 32),
            _ => return self.value(algorithm, message),
        };
        let mut digest = [0; MOST_DIGEST_BYTES];
        // SAFETY: the digest has room for any hash, and the message has this length.
        unsafe { (self.hash)(hash, digest.as_mut_ptr(), message.as_ptr(), message.len()) };
        self.value(algorithm, &digest[..bytes])
    }
}

struct Signature {
    keys: Keys,
    algorithm: Algorithm,
    /// As expressions, by case.
    secrets: Vec<Vec<u8>>,
    signature_bytes: usize,
    last: Option<Context>,
}

impl Task for Signature {
    type Ready = Context;
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Context, Failure> {
        self.keys.read(&self.secrets[turn.number])
    }

    #[inline(always)]
    fn run(&mut self, key: &Context, turn: Turn<'_>, _: &mut [u8]) -> Result<usize, Failure> {
        let value = self.keys.value_of(self.algorithm, turn.case.message.bytes())?;
        let mut handle = ptr::null_mut();
        // SAFETY: value and key are live, and there is room for a handle, which is ours to
        // release.
        self.last = unsafe {
            check((self.keys.sign)(&raw mut handle, value.pointer(), key.pointer()))?;
            Owned::new(handle, self.keys.release)
        };
        Ok(0)
    }

    fn encoded(&self, _: &[u8]) -> Result<Vec<u8>, String> {
        let names: &[&CStr] = match self.algorithm {
            Algorithm::Rsa(_) => &[c"s"],
            _ => &[c"r", c"s"],
        };
        let bytes = self.signature_bytes / names.len();
        let number = |name: &&CStr| self.keys.number(self.last.as_ref()?, name, bytes);
        let numbers: Option<Vec<Vec<u8>>> = names.iter().map(number).collect();
        let wrong = || "the signature's numbers are not as long as they should be".to_owned();
        numbers.map(|numbers| numbers.concat()).ok_or_else(wrong)
    }
}

pub(super) fn prepare_verification(asked: Asked) -> Made {
    let Asked { keys, algorithm, .. } = asked;
    let publics = asked.expressions(|case| public_key(algorithm, case.bytes(Role::PublicKey)))?;
    let signatures =
        asked.expressions(|case| Some(signature(algorithm, case.bytes(Role::Signature))))?;
    asked.turns(Verification { keys, algorithm, publics, signatures })
}

struct Verification {
    keys: Keys,
    algorithm: Algorithm,
    publics: Vec<Vec<u8>>,
    signatures: Vec<Vec<u8>>,
}

impl Task for Verification {
    type Ready = Context;
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Context, Failure> {
        self.keys.read(&self.publics[turn.number])
    }

    #[inline(always)]
    fn run(&mut self, key: &Context, turn: Turn<'_>, _: &mut [u8]) -> Result<usize, Failure> {
        let value = self.keys.value_of(self.algorithm, turn.case.message.bytes())?;
        let signature = self.keys.read(&self.signatures[turn.number])?;
        // SAFETY: all three are live.
        check(unsafe { (self.keys.verify)(signature.pointer(), value.pointer(), key.pointer()) })?;
        Ok(0)
    }
}
