//! Signatures whose scheme takes the message whole: Ed25519, Ed448, ML-DSA, SLH-DSA.

use super::{Asked, Half, Key, Keys, Manner};
use crate::Made;
use crate::openssl::functions::{DigestContext, Digests, Failed, check};
use crate::openssl::parameters::Parameters;
use crate::runtime::{Owned, Task, Turn};
use cpb_model::Role;
use std::ptr;

pub(super) fn prepare(asked: Asked<'_>) -> Made {
    let keys = asked.keys;
    let digests = asked.functions.digests;
    if asked.inputs.outputs.is_empty() {
        let halves = asked.publics();
        return asked.turns(Verification { keys, digests, halves });
    }
    let settings = (asked.recipe.manner == Manner::WholeWithChance)
        .then(|| Parameters::new().number(c"deterministic", 1));
    let halves = asked.secrets();
    asked.turns(Signature { keys, digests, settings, halves })
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
    fn begin(&self, turn: Turn<'_>) -> Result<Ready, Failed> {
        let key = self.keys.read_secret(&self.halves[turn.number])?;
        Ok(Ready { context: context(&self.digests)?, key })
    }

    /// The context is begun in the call: since 3.4 one signs once.
    #[inline(always)]
    fn run(&mut self, ready: &Ready, turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failed> {
        let Keys { begin_signing_whole, sign_whole, .. } = self.keys;
        let (message, context) = (turn.case.message.bytes(), ready.context.pointer());
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
    fn begin(&self, turn: Turn<'_>) -> Result<Ready, Failed> {
        let key = self.keys.read_public(&self.halves[turn.number])?;
        Ok(Ready { context: context(&self.digests)?, key })
    }

    #[inline(always)]
    fn run(&mut self, ready: &Ready, turn: Turn<'_>, _: &mut [u8]) -> Result<usize, Failed> {
        let Keys { begin_verifying_whole, verify_whole, .. } = self.keys;
        let (message, context) = (turn.case.message.bytes(), ready.context.pointer());
        let signature = turn.case.bytes(Role::Signature);
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
