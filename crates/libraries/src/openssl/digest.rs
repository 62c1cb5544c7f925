//! Hashes and XOFs.

use super::calls::{History, repeat};
use super::functions::{Digest, DigestContext, Functions, Owned};
use crate::{Inputs, PrepareError, Prepared};
use cpb_model::Contract;
use std::ffi::c_uint;
use std::ptr;

/// `EVP_MAX_MD_SIZE`: room for whatever `EVP_DigestFinal_ex` puts out.
const MOST_DIGEST_BYTES: usize = 64;

/// What a call is made of.
#[derive(Clone, Copy)]
pub(super) struct Recipe {
    pub(super) digest: *const Digest,
    pub(super) is_xof: bool,
}

pub(super) fn prepare(
    functions: &'static Functions,
    recipe: Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Result<Box<dyn Prepared>, PrepareError> {
    let refused = || PrepareError::Unavailable(functions.last_error());
    let core = &functions.core;
    // SAFETY: the function takes nothing, and what it returns is ours.
    let context =
        Owned::new(unsafe { (core.digest_new)() }, core.digest_free).ok_or_else(refused)?;
    // SAFETY: context and digest are live.
    if unsafe { (core.digest_init)(context.pointer(), recipe.digest, ptr::null_mut()) } != 1 {
        return Err(refused());
    }
    Ok(Box::new(DigestCall {
        functions,
        recipe,
        contract,
        context,
        inputs,
        scratch: [0; MOST_DIGEST_BYTES],
        scratch_bytes: 0,
        history: History::default(),
    }))
}

/// Whether it hashes without being told more: a provider may have digests that
/// ask for parameters.
pub(super) fn works(functions: &Functions, recipe: Recipe) -> bool {
    let core = &functions.core;
    let mut output = [0; MOST_DIGEST_BYTES];
    let (output, length) = (output.as_mut_ptr(), output.len());
    // SAFETY: the function takes nothing, and what it returns is ours.
    let Some(owned) = Owned::new(unsafe { (core.digest_new)() }, core.digest_free) else {
        return false;
    };
    let context = owned.pointer();
    // SAFETY: context and digest are live, and the output has room for both.
    unsafe {
        (core.digest_init)(context, recipe.digest, ptr::null_mut()) == 1
            && (core.digest_update)(context, output, length) == 1
            && if recipe.is_xof {
                (core.digest_final_xof)(context, output, length) == 1
            } else {
                (core.digest_final)(context, output, ptr::null_mut()) == 1
            }
    }
}

struct DigestCall {
    functions: &'static Functions,
    recipe: Recipe,
    contract: Contract,
    context: Owned<DigestContext>,
    inputs: Inputs,
    /// Under compat an XOF's own length of output, whatever length is asked for.
    scratch: [u8; MOST_DIGEST_BYTES],
    scratch_bytes: c_uint,
    history: History,
}

impl Prepared for DigestCall {
    fn run(&mut self, calls: u64) {
        let core = &self.functions.core;
        let (new, free) = (core.digest_new, core.digest_free);
        let (init, update) = (core.digest_init, core.digest_update);
        let (finish, finish_xof) = (core.digest_final, core.digest_final_xof);
        let Recipe { digest, is_xof } = self.recipe;
        let reused = self.context.pointer();
        let message = self.inputs.message.bytes().as_ptr();
        let message_bytes = self.inputs.message.bytes().len();
        let output = self.inputs.destination.bytes_mut().as_mut_ptr();
        let output_bytes = self.inputs.output_bytes;
        let scratch = self.scratch.as_mut_ptr();
        let scratch_bytes = &raw mut self.scratch_bytes;

        // SAFETY: in all uses contexts are live; the message has its length
        // and the output room for what is put out: a digest's own length, or
        // as many bytes as an XOF is asked for.
        let absorb = |context, digest| unsafe {
            init(context, digest, ptr::null_mut()) == 1
                && update(context, message, message_bytes) == 1
        };
        // SAFETY: as above.
        let squeeze = |context| unsafe {
            if is_xof {
                finish_xof(context, output, output_bytes) == 1
            } else {
                finish(context, output, ptr::null_mut()) == 1
            }
        };
        let worked = match self.contract {
            Contract::Keyed => repeat(calls, || absorb(reused, ptr::null()) && squeeze(reused)),
            Contract::Oneshot => repeat(calls, || {
                // SAFETY: the context is made, used and freed here.
                unsafe {
                    let context = new();
                    let worked = !context.is_null() && absorb(context, digest) && squeeze(context);
                    free(context);
                    worked
                }
            }),
            Contract::Compat => repeat(calls, || {
                absorb(reused, ptr::null());
                // SAFETY: the scratch has room for any digest.
                unsafe { finish(reused, scratch, scratch_bytes) };
                true
            }),
        };
        self.history.note(self.functions, calls, worked);
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        self.history.output(match self.contract {
            Contract::Compat => &self.scratch[..self.scratch_bytes as usize],
            _ => &self.inputs.destination.bytes()[..self.inputs.output_bytes],
        })
    }
}
