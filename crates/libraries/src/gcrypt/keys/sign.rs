//! Signatures: ECDSA of the message's digest, Ed25519 of the message. Hashing and making an
//! expression of what is signed are part of the call.

use super::sexp::{public_key, secret_key, signature};
use super::{Curve, Keys};
use crate::gcrypt::functions::{Context, Core, Failure, check};
use crate::runtime::{Owned, Task, Turn, turns};
use crate::{Inputs, Made};
use cpb_model::{Contract, Operation, Role};
use cpb_provider::Case;
use std::ptr;

pub(super) fn prepare(
    core: Core,
    keys: Keys,
    curve: Curve,
    operation: Operation,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let of_cases = |make: &dyn Fn(&Case) -> Vec<u8>| inputs.cases.iter().map(make).collect();
    if operation == Operation::Verify {
        let publics = of_cases(&|case| public_key(curve, case.bytes(Role::PublicKey)));
        let signatures = of_cases(&|case| signature(curve, case.bytes(Role::Signature)));
        return turns(core, Verification { keys, curve, publics, signatures }, contract, inputs);
    }
    let secret = |case: &Case| {
        let secret = case.bytes(Role::SecretKey);
        let alone = secret_key(curve, secret, None);
        let mut public = [0; MOST_POINT_BYTES];
        // A key that is ready has both halves; of one that is met as a seed libgcrypt works
        // the other out.
        match keys.write_public(curve, &alone, &mut public) {
            Ok(length) if contract == Contract::Keyed => {
                secret_key(curve, secret, Some(&public[..length]))
            }
            _ => alone,
        }
    };
    let secrets = of_cases(&secret);
    let signature_bytes = inputs.result_bytes;
    let task = Signature { keys, curve, secrets, signature_bytes, last: None };
    turns(core, task, contract, inputs)
}

/// Of an uncompressed point on P-521.
const MOST_POINT_BYTES: usize = 133;
/// Of SHA-512.
const MOST_DIGEST_BYTES: usize = 64;

impl Keys {
    /// What is signed of a message.
    #[inline(always)]
    fn value_of(&self, curve: Curve, message: &[u8]) -> Result<Context, Failure> {
        let Curve::Ecdsa(_, hash, bytes) = curve else {
            return self.value(curve, message);
        };
        let mut digest = [0; MOST_DIGEST_BYTES];
        // SAFETY: the digest has room for any hash, and the message has this length.
        unsafe { (self.hash)(hash, digest.as_mut_ptr(), message.as_ptr(), message.len()) };
        self.value(curve, &digest[..bytes])
    }
}

struct Signature {
    keys: Keys,
    curve: Curve,
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
        let value = self.keys.value_of(self.curve, turn.case.message.bytes())?;
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
        let no_pair = || "the signature is no pair of numbers".to_owned();
        let last = self.last.as_ref().ok_or_else(no_pair)?;
        let number = |name| self.keys.number(last, name, self.signature_bytes / 2);
        let (r, s) = number(c"r").zip(number(c"s")).ok_or_else(no_pair)?;
        Ok([r, s].concat())
    }
}

struct Verification {
    keys: Keys,
    curve: Curve,
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
        let value = self.keys.value_of(self.curve, turn.case.message.bytes())?;
        let signature = self.keys.read(&self.signatures[turn.number])?;
        // SAFETY: all three are live.
        check(unsafe { (self.keys.verify)(signature.pointer(), value.pointer(), key.pointer()) })?;
        Ok(0)
    }
}
