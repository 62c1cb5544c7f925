//! Key pairs from libcrypto's own randomness, or from seeds where it takes them.

use super::{Asked, Form, Key, KeyContext, Keys, c_text};
use crate::Made;
use crate::openssl::functions::{Failed, check};
use crate::openssl::parameters::Parameters;
use crate::runtime::{Owned, Task, Turn};
use cpb_model::Role;
use cpb_provider::{Case, scheme};
use std::ffi::CString;
use std::ptr;

pub(super) fn prepare(asked: Asked<'_>) -> Made {
    let keys = asked.keys;
    let lengths: Vec<usize> = asked.inputs.outputs.iter().map(|(_, bytes)| *bytes).collect();
    let bits = scheme::modulus_bits(lengths.first().copied().unwrap_or(0)) as u64;
    let settings = |case: &Case| match (asked.recipe.form, case.bytes(Role::Randomness)) {
        (Form::Rsa, _) => Some(Parameters::new().number(c"bits", bits)),
        (Form::Curve | Form::Group, _) => Some(Parameters::new().text(c"group", asked.recipe.name)),
        (_, []) => None,
        (_, seed) => Some(Parameters::new().bytes(c"seed", seed)),
    };
    let task = Generation {
        keys,
        form: asked.recipe.form,
        name: match asked.recipe.form {
            form @ (Form::Curve | Form::Group) => form.of_numbers().to_owned(),
            _ => c_text(asked.recipe.name),
        },
        settings: asked.inputs.cases.iter().map(settings).collect(),
        lengths,
        pair: None,
    };
    asked.turns(task)
}

struct Generation {
    keys: Keys,
    form: Form,
    name: CString,
    /// By case.
    settings: Vec<Option<Parameters>>,
    /// Of public key and secret key.
    lengths: Vec<usize>,
    /// The key pair of the last call that left it as an object.
    pair: Option<Owned<Key>>,
}

impl Generation {
    #[inline(always)]
    fn generate(&self, context: &Owned<KeyContext>, number: usize) -> Result<Owned<Key>, Failed> {
        let Keys { set, generate, .. } = self.keys;
        let mut key = ptr::null_mut();
        // SAFETY: the context is live, lists end as they must, and there is room for a key,
        // which is ours.
        unsafe {
            if let Some(settings) = &self.settings[number] {
                check(set(context.pointer(), settings.pointer()))?;
            }
            check(generate(context.pointer(), &raw mut key))?;
            self.keys.own(key)
        }
    }

    fn write(&self, pair: &Owned<Key>, output: &mut [u8]) -> Result<usize, Failed> {
        let [public, secret] = self.lengths[..] else { return Err(Failed) };
        let (public_half, rest) = output.split_at_mut_checked(public).ok_or(Failed)?;
        let secret_half = rest.get_mut(..secret).ok_or(Failed)?;
        let written = self.keys.write_public(self.form, pair, public_half)?
            + self.keys.write_secret(self.form, pair, secret_half)?;
        Ok(written)
    }
}

impl Task for Generation {
    type Ready = Owned<KeyContext>;
    type Failure = Failed;

    #[inline(always)]
    fn begin(&self, _: Turn<'_>) -> Result<Self::Ready, Failed> {
        let context = self.keys.context_by_name(&self.name)?;
        // SAFETY: the context is live.
        check(unsafe { (self.keys.begin_generating)(context.pointer()) })?;
        Ok(context)
    }

    /// Leaves the pair as an object.
    #[inline(always)]
    fn run(
        &mut self,
        context: &Self::Ready,
        turn: Turn<'_>,
        _: &mut [u8],
    ) -> Result<usize, Failed> {
        let pair = self.generate(context, turn.number)?;
        self.pair = Some(pair);
        Ok(0)
    }

    #[inline(always)]
    fn oneshot(&mut self, turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failed> {
        let context = self.begin(turn)?;
        let pair = self.generate(&context, turn.number)?;
        self.pair = None;
        self.write(&pair, output)
    }

    fn encoded(&self, output: &[u8]) -> Result<Vec<u8>, String> {
        let Some(pair) = &self.pair else { return Ok(output.to_vec()) };
        let mut encoded = vec![0; self.lengths.iter().sum()];
        let written = self.write(pair, &mut encoded);
        let length = written.map_err(|_| "the key pair cannot be written".to_owned())?;
        encoded.truncate(length);
        Ok(encoded)
    }
}
