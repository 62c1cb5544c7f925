//! Signatures whose scheme takes the message whole: Ed25519, Ed448, ML-DSA, SLH-DSA.

use super::{Half, Key, Keys, Manner, Recipe};
use crate::openssl::functions::{Core, DigestContext, Digests, Failed, Functions, check};
use crate::openssl::parameters::Parameters;
use crate::runtime::{Owned, Task, turns};
use crate::{Inputs, Made};
use cpb_model::{Contract, Role};
use cpb_provider::Case;
use std::ptr;

pub(super) fn prepare(
    functions: &Functions,
    keys: Keys,
    recipe: &Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let core: Core = functions.core;
    let digests = functions.digests;
    if inputs.outputs.is_empty() {
        let halves = recipe.publics(&inputs);
        return turns(core, Verification { keys, digests, halves }, contract, inputs);
    }
    let settings = (recipe.manner == Manner::WholeWithChance)
        .then(|| Parameters::new().number(c"deterministic", 1));
    let halves = recipe.secrets(&inputs);
    turns(core, Signature { keys, digests, settings, halves }, contract, inputs)
}

struct Ready {
    context: Owned<DigestContext>,
    key: Owned<Key>,
}

fn context(digests: &Digests) -> Result<Owned<DigestContext>, Failed> {
    // SAFETY: the function takes nothing, and what it returns is ours to free.
    unsafe { Owned::new((digests.new)(), digests.free) }.ok_or(Failed)
}

struct Signature {
    keys: Keys,
    digests: Digests,
    settings: Option<Parameters>,
    halves: Vec<Half>,
}

impl Task for Signature {
    type Ready = Ready;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, number: usize, _: &Case) -> Result<Ready, Failed> {
        let key = self.keys.read_secret(&self.halves[number])?;
        Ok(Ready { context: context(&self.digests)?, key })
    }

    /// The context is begun in the call: since 3.4 one signs once.
    #[inline(always)]
    fn run(
        &mut self,
        ready: &Ready,
        _: usize,
        case: &Case,
        output: &mut [u8],
    ) -> Result<usize, Failed> {
        let Keys { begin_signing_whole, sign_whole, .. } = self.keys;
        let (message, context) = (case.message.bytes(), ready.context.pointer());
        let settings = self.settings.as_ref().map_or(ptr::null(), Parameters::pointer);
        let mut length = output.len();
        // SAFETY: context and key are live, the list ends as lists must, and message and
        // output are as long as stated.
        unsafe {
            check(begin_signing_whole(
                context,
                ptr::null_mut(),
                ptr::null(),
                ptr::null_mut(),
                ptr::null(),
                ready.key.pointer(),
                settings,
            ))?;
            let (at, message_at) = (output.as_mut_ptr(), message.as_ptr());
            check(sign_whole(context, at, &raw mut length, message_at, message.len()))?;
        }
        Ok(length)
    }
}

struct Verification {
    keys: Keys,
    digests: Digests,
    halves: Vec<Half>,
}

impl Task for Verification {
    type Ready = Ready;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, number: usize, _: &Case) -> Result<Ready, Failed> {
        let key = self.keys.read_public(&self.halves[number])?;
        Ok(Ready { context: context(&self.digests)?, key })
    }

    #[inline(always)]
    fn run(&mut self, ready: &Ready, _: usize, case: &Case, _: &mut [u8]) -> Result<usize, Failed> {
        let Keys { begin_verifying_whole, verify_whole, .. } = self.keys;
        let (message, context) = (case.message.bytes(), ready.context.pointer());
        let signature = case.bytes(Role::Signature);
        // SAFETY: context and key are live; message and signature are as long as stated.
        unsafe {
            check(begin_verifying_whole(
                context,
                ptr::null_mut(),
                ptr::null(),
                ptr::null_mut(),
                ptr::null(),
                ready.key.pointer(),
                ptr::null(),
            ))?;
            let (at, message_at) = (signature.as_ptr(), message.as_ptr());
            check(verify_whole(context, at, signature.len(), message_at, message.len()))?;
        }
        Ok(0)
    }
}
