//! Signatures of digests (ECDSA, RSA): the message is hashed, and the digest signed. What is
//! signed whole is in [`super::sign_whole`].

use super::{Asked, Begun, Form, Half, Key, KeyContext, Keys, Manner, der};
use crate::Made;
use crate::openssl::functions::{Digest, DigestContext, Digests, Failed, check};
use crate::openssl::parameters::Parameters;
use crate::runtime::{Owned, Task, Turn};
use cpb_model::Role;
use cpb_provider::Case;
use std::ffi::c_uint;
use std::ptr;

/// `EVP_MAX_MD_SIZE`.
const MOST_DIGEST_BYTES: usize = 64;

/// What signing and verifying have in common.
struct Signing {
    keys: Keys,
    digests: Digests,
    digest: *const Digest,
    /// The padding of RSA.
    settings: Option<Parameters>,
    halves: Vec<Half>,
}

struct Ready {
    begun: Begun,
    hashing: Owned<DigestContext>,
}

impl Signing {
    fn new(asked: &Asked<'_>, halves: Vec<Half>) -> Self {
        let Asked { functions, keys, recipe, .. } = *asked;
        let padding = |mode| Parameters::new().text(c"digest", "SHA256").text(c"pad-mode", mode);
        let settings = match recipe.manner {
            Manner::Pkcs1 => Some(padding("pkcs1")),
            Manner::Pss => Some(padding("pss").text(c"saltlen", "digest")),
            _ => None,
        };
        Self { keys, digests: functions.digests, digest: recipe.digest, settings, halves }
    }

    #[inline(always)]
    fn ready(
        &self,
        key: Owned<Key>,
        begin: unsafe extern "C" fn(*mut KeyContext) -> i32,
    ) -> Result<Ready, Failed> {
        // SAFETY: the context is live.
        let begun = self.keys.begun(key, |context| unsafe { begin(context) })?;
        // SAFETY: the context is live, the list ends as lists must, and what is returned is
        // ours to free.
        let hashing = unsafe {
            if let Some(settings) = &self.settings {
                check((self.keys.set)(begun.context.pointer(), settings.pointer()))?;
            }
            Owned::new((self.digests.new)(), self.digests.free).ok_or(Failed)?
        };
        Ok(Ready { begun, hashing })
    }

    #[inline(always)]
    fn hash(&self, ready: &Ready, case: &Case) -> Result<([u8; MOST_DIGEST_BYTES], usize), Failed> {
        let Digests { init, update, finish, .. } = self.digests;
        let (message, context) = (case.message.bytes(), ready.hashing.pointer());
        let (mut digest, mut length): (_, c_uint) = ([0; MOST_DIGEST_BYTES], 0);
        // SAFETY: the context is live, the message has this length, and there is room for
        // any digest.
        unsafe {
            check(init(context, self.digest, ptr::null_mut()))?;
            check(update(context, message.as_ptr(), message.len()))?;
            check(finish(context, digest.as_mut_ptr(), &raw mut length))?;
        }
        Ok((digest, length as usize))
    }
}

pub(super) fn prepare(asked: Asked<'_>) -> Made {
    let result_bytes = asked.inputs.result_bytes;
    if asked.inputs.outputs.is_empty() {
        let halves = asked.publics();
        let own = |case: &Case| match asked.recipe.form {
            Form::Curve => der::of_pair(case.bytes(Role::Signature)),
            _ => case.bytes(Role::Signature).to_vec(),
        };
        let signatures = asked.inputs.cases.iter().map(own).collect();
        let signing = Signing::new(&asked, halves);
        return asked.turns(Verification { signing, signatures });
    }
    let signing = Signing::new(&asked, asked.secrets());
    // libcrypto writes r and s in DER.
    let pair_bytes = (asked.recipe.form == Form::Curve).then_some(result_bytes);
    asked.turns(Signature { signing, pair_bytes })
}

struct Signature {
    signing: Signing,
    /// Of r and s together.
    pair_bytes: Option<usize>,
}

impl Task for Signature {
    type Ready = Ready;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Ready, Failed> {
        let Signing { keys, halves, .. } = &self.signing;
        self.signing.ready(keys.read_secret(&halves[turn.number])?, keys.begin_signing)
    }

    #[inline(always)]
    fn run(&mut self, ready: &Ready, turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failed> {
        let (digest, digest_bytes) = self.signing.hash(ready, turn.case)?;
        let (sign, context) = (self.signing.keys.sign, ready.begun.context.pointer());
        let mut length = output.len();
        // SAFETY: the context is live; digest and output are as long as stated.
        check(unsafe {
            sign(context, output.as_mut_ptr(), &raw mut length, digest.as_ptr(), digest_bytes)
        })?;
        Ok(length)
    }

    fn encoded(&self, output: &[u8]) -> Result<Vec<u8>, String> {
        match self.pair_bytes {
            None => Ok(output.to_vec()),
            Some(bytes) => der::pair_of(output, bytes)
                .ok_or_else(|| "the signature is no pair of numbers in DER".to_owned()),
        }
    }
}

struct Verification {
    signing: Signing,
    /// As libcrypto takes them, by case.
    signatures: Vec<Vec<u8>>,
}

impl Task for Verification {
    type Ready = Ready;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Ready, Failed> {
        let Signing { keys, halves, .. } = &self.signing;
        self.signing.ready(keys.read_public(&halves[turn.number])?, keys.begin_verifying)
    }

    #[inline(always)]
    fn run(&mut self, ready: &Ready, turn: Turn<'_>, _: &mut [u8]) -> Result<usize, Failed> {
        let (digest, digest_bytes) = self.signing.hash(ready, turn.case)?;
        let (verify, context) = (self.signing.keys.verify, ready.begun.context.pointer());
        let signature = &self.signatures[turn.number];
        // SAFETY: the context is live; digest and signature are as long as stated.
        check(unsafe {
            verify(context, signature.as_ptr(), signature.len(), digest.as_ptr(), digest_bytes)
        })?;
        Ok(0)
    }
}
