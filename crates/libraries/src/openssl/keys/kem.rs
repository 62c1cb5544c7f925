//! Key encapsulation.

use super::{Half, Key, KeyContext, Keys, Recipe};
use crate::openssl::functions::{Core, Failed, check};
use crate::openssl::parameters::Parameters;
use crate::runtime::{Owned, Task, turns};
use crate::{Inputs, Made};
use cpb_model::{Contract, Role};
use cpb_provider::Case;
use std::ptr;

pub(super) fn prepare_encapsulation(
    core: Core,
    keys: Keys,
    recipe: &Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let settings = |case: &Case| match case.bytes(Role::Randomness) {
        [] => None,
        randomness => Some(Parameters::new().bytes(c"ikme", randomness)),
    };
    let task = Encapsulation {
        keys,
        halves: recipe.publics(&inputs),
        settings: inputs.cases.iter().map(settings).collect(),
        ciphertext_bytes: inputs.outputs.first().map_or(0, |(_, bytes)| *bytes),
    };
    turns(core, task, contract, inputs)
}

struct Ready {
    context: Owned<KeyContext>,
    _key: Owned<Key>,
}

struct Encapsulation {
    keys: Keys,
    halves: Vec<Half>,
    /// By case.
    settings: Vec<Option<Parameters>>,
    ciphertext_bytes: usize,
}

impl Task for Encapsulation {
    type Ready = Ready;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, number: usize, _: &Case) -> Result<Ready, Failed> {
        let key = self.keys.read_public(&self.halves[number])?;
        let context = self.keys.context_of(&key)?;
        // SAFETY: the context is live.
        check(unsafe { (self.keys.begin_encapsulating)(context.pointer(), ptr::null()) })?;
        Ok(Ready { context, _key: key })
    }

    #[inline(always)]
    fn run(
        &mut self,
        ready: &Ready,
        number: usize,
        _: &Case,
        output: &mut [u8],
    ) -> Result<usize, Failed> {
        let Keys { begin_encapsulating, encapsulate, .. } = self.keys;
        let context = ready.context.pointer();
        let (ciphertext, secret) =
            output.split_at_mut_checked(self.ciphertext_bytes).ok_or(Failed)?;
        let (mut bytes, mut secret_bytes) = (ciphertext.len(), secret.len());
        // SAFETY: the context is live, the list ends as lists must, and both outputs have
        // the room stated.
        unsafe {
            // Randomness serves one ciphertext.
            if let Some(settings) = &self.settings[number] {
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

pub(super) fn prepare_decapsulation(
    core: Core,
    keys: Keys,
    recipe: &Recipe,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    turns(core, Decapsulation { keys, halves: recipe.secrets(&inputs) }, contract, inputs)
}

struct Decapsulation {
    keys: Keys,
    halves: Vec<Half>,
}

impl Task for Decapsulation {
    type Ready = Ready;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, number: usize, _: &Case) -> Result<Ready, Failed> {
        let key = self.keys.read_secret(&self.halves[number])?;
        let context = self.keys.context_of(&key)?;
        // SAFETY: the context is live.
        check(unsafe { (self.keys.begin_decapsulating)(context.pointer(), ptr::null()) })?;
        Ok(Ready { context, _key: key })
    }

    #[inline(always)]
    fn run(
        &mut self,
        ready: &Ready,
        _: usize,
        case: &Case,
        output: &mut [u8],
    ) -> Result<usize, Failed> {
        let ciphertext = case.bytes(Role::Ciphertext);
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
