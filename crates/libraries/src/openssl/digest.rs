//! Hashes and XOFs.

use super::functions::{Digest, DigestContext, Digests, Failed, Functions, check};
use crate::runtime::{Call, Memory, Owned, ready};
use crate::{Inputs, Made};
use cpb_model::Contract;
use cpb_provider::Case;
use std::ffi::c_uint;
use std::ptr;

/// `EVP_MAX_MD_SIZE`: room for whatever `EVP_DigestFinal_ex` puts out.
const MOST_DIGEST_BYTES: usize = 64;

/// What a call is made of.
#[derive(Clone, Copy)]
pub(super) struct Recipe {
    pub(super) digest: *const Digest,
    pub(super) is_xof: bool,
    /// Whether a context that is used again is told its digest again.
    pub(super) is_named_anew: bool,
}

pub(super) fn prepare(
    functions: &Functions,
    recipe: Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let Functions { core, digests, .. } = *functions;
    let call = Hashing { digests, recipe, memory: Memory::new(inputs) };
    match contract {
        Contract::Compat => {
            let compat = Compat { hashing: call, digest: [0; MOST_DIGEST_BYTES], digest_bytes: 0 };
            ready(core, compat, contract)
        }
        _ => ready(core, call, contract),
    }
}

/// Whether it hashes without being told more: a provider may have digests that
/// ask for parameters.
pub(super) fn works(functions: &Functions, recipe: Recipe) -> bool {
    let digests = &functions.digests;
    let mut output = [0; MOST_DIGEST_BYTES];
    let (output, length) = (output.as_mut_ptr(), output.len());
    begin(digests, recipe.digest).is_ok_and(|context| {
        // SAFETY: the context is live, and the output has room for both ends.
        unsafe {
            (digests.update)(context.pointer(), output, length) == 1
                && if recipe.is_xof {
                    (digests.finish_xof)(context.pointer(), output, length) == 1
                } else {
                    (digests.finish)(context.pointer(), output, ptr::null_mut()) == 1
                }
        }
    })
}

#[inline(always)]
fn begin(digests: &Digests, digest: *const Digest) -> Result<Owned<DigestContext>, Failed> {
    // SAFETY: the function takes nothing, and what it returns is ours to free.
    let context = unsafe { Owned::new((digests.new)(), digests.free) }.ok_or(Failed)?;
    // SAFETY: the context is live, and digests that were found are never freed.
    check(unsafe { (digests.init)(context.pointer(), digest, ptr::null_mut()) })?;
    Ok(context)
}

struct Hashing {
    digests: Digests,
    recipe: Recipe,
    memory: Memory,
}

impl Hashing {
    #[inline(always)]
    fn absorb(&self, context: &Owned<DigestContext>) -> Result<(), Failed> {
        let Memory { message, message_bytes, .. } = self.memory;
        // SAFETY: the context is live and has begun; the message has this length.
        check(unsafe { (self.digests.update)(context.pointer(), message, message_bytes) })
    }
}

impl Call for Hashing {
    type Context = Owned<DigestContext>;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self) -> Result<Self::Context, Failed> {
        begin(&self.digests, self.recipe.digest)
    }

    #[inline(always)]
    fn restart(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let Recipe { digest, is_named_anew, .. } = self.recipe;
        let digest = if is_named_anew { digest } else { ptr::null() };
        // SAFETY: the context is live, digests that were found are never freed, and null
        // keeps the context's.
        check(unsafe { (self.digests.init)(context.pointer(), digest, ptr::null_mut()) })
    }

    #[inline(always)]
    fn process(&mut self, context: &Self::Context) -> Result<(), Failed> {
        self.absorb(context)?;
        let Memory { destination, output_bytes, .. } = self.memory;
        // SAFETY: the context is live; the destination has room for the digest's own
        // length, or for as many bytes as an XOF is asked for.
        check(unsafe {
            if self.recipe.is_xof {
                (self.digests.finish_xof)(context.pointer(), destination, output_bytes)
            } else {
                (self.digests.finish)(context.pointer(), destination, ptr::null_mut())
            }
        })
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }

    fn next_case(&mut self) -> Option<&mut Case> {
        Some(self.memory.case())
    }
}

/// As bench-slopes has it: an XOF puts out its own length, whatever length is asked for,
/// and nobody looks whether that worked.
struct Compat {
    hashing: Hashing,
    digest: [u8; MOST_DIGEST_BYTES],
    digest_bytes: c_uint,
}

impl Call for Compat {
    type Context = Owned<DigestContext>;
    type Failure = Failed;

    fn begin(&self) -> Result<Self::Context, Failed> {
        self.hashing.begin()
    }

    #[inline(always)]
    fn restart(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let _ = self.hashing.restart(context);
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, context: &Self::Context) -> Result<(), Failed> {
        let _ = self.hashing.absorb(context);
        let (digest, length) = (self.digest.as_mut_ptr(), &raw mut self.digest_bytes);
        // SAFETY: the context is live, and there is room for any digest.
        unsafe { (self.hashing.digests.finish)(context.pointer(), digest, length) };
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.digest[..self.digest_bytes as usize]
    }
}
