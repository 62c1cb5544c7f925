//! Key encapsulation.

use super::{Asked, Begun, Half, Keys};
use crate::Made;
use crate::openssl::functions::{Failed, check};
use crate::openssl::parameters::Parameters;
use crate::runtime::{Task, Turn};
use cpb_model::Role;
use cpb_provider::Case;
use std::ptr;

pub(super) fn prepare_encapsulation(asked: Asked<'_>) -> Made {
    let keys = asked.keys;
    let settings = |case: &Case| match case.bytes(Role::Randomness) {
        [] => None,
        randomness => Some(Parameters::new().bytes(c"ikme", randomness)),
    };
    let task = Encapsulation {
        keys,
        halves: asked.publics(),
        settings: asked.inputs.cases.iter().map(settings).collect(),
        ciphertext_bytes: asked.inputs.outputs.first().map_or(0, |(_, bytes)| *bytes),
    };
    asked.turns(task)
}

struct Encapsulation {
    keys: Keys,
    halves: Vec<Half>,
    /// By case.
    settings: Vec<Option<Parameters>>,
    ciphertext_bytes: usize,
}

impl Task for Encapsulation {
    type Ready = Begun;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Begun, Failed> {
        let key = self.keys.read_public(&self.halves[turn.number])?;
        // SAFETY: the context is live.
        let begin = |context| unsafe { (self.keys.begin_encapsulating)(context, ptr::null()) };
        self.keys.begun(key, begin)
    }

    #[inline(always)]
    fn run(&mut self, ready: &Begun, turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failed> {
        let Keys { begin_encapsulating, encapsulate, .. } = self.keys;
        let context = ready.context.pointer();
        let (ciphertext, secret) =
            output.split_at_mut_checked(self.ciphertext_bytes).ok_or(Failed)?;
        let (mut bytes, mut secret_bytes) = (ciphertext.len(), secret.len());
        // SAFETY: the context is live, the list ends as lists must, and both outputs have
        // the room stated.
        unsafe {
            // Randomness serves one ciphertext.
            if let Some(settings) = &self.settings[turn.number] {
                check(begin_encapsulating(context, settings.pointer()))?;
            }
            check(encapsulate(
                context,
                ciphertext.as_mut_ptr(),
                &raw mut bytes,
                secret.as_mut_ptr(),
                &raw mut secret_bytes,
            ))?;
        }
        Ok(bytes + secret_bytes)
    }
}

pub(super) fn prepare_decapsulation(asked: Asked<'_>) -> Made {
    let (keys, halves) = (asked.keys, asked.secrets());
    asked.turns(Decapsulation { keys, halves })
}

struct Decapsulation {
    keys: Keys,
    halves: Vec<Half>,
}

impl Task for Decapsulation {
    type Ready = Begun;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, turn: Turn<'_>) -> Result<Begun, Failed> {
        let key = self.keys.read_secret(&self.halves[turn.number])?;
        // SAFETY: the context is live.
        let begin = |context| unsafe { (self.keys.begin_decapsulating)(context, ptr::null()) };
        self.keys.begun(key, begin)
    }

    #[inline(always)]
    fn run(&mut self, ready: &Begun, turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failed> {
        let ciphertext = turn.case.bytes(Role::Ciphertext);
        let mut length = output.len();
        // SAFETY: the context is live; ciphertext and output are as long as stated.
        check(unsafe {
            (self.keys.decapsulate)(
                ready.context.pointer(),
                output.as_mut_ptr(),
                &raw mut length,
                ciphertext.as_ptr(),
                ciphertext.len(),
            )
        })?;
        Ok(length)
    }
}
