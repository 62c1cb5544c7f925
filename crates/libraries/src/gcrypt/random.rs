//! Random bytes, of the quality of session keys. All threads have one generator, and a lock.

use super::Recipe;
use super::functions::Functions;
use crate::runtime::{Entry, offer};
use crate::{Inputs, Made};
use cpb_model::Operation;
use cpb_provider::{Implementation, call};
use std::ffi::c_int;

/// `GCRY_STRONG_RANDOM`.
const STRONG: c_int = 1;

pub(super) fn entry() -> Entry<Recipe> {
    let (name, lengths) = ("random".to_owned(), Implementation::RANDOM);
    let offer = offer(name, Operation::Random, "gcry_randomize".to_owned(), lengths);
    Entry { offer, recipe: Recipe::Random }
}

/// The contracts differ in nothing.
pub(super) fn prepare(functions: &Functions, inputs: Inputs) -> Made {
    let fill = functions.randomness.fill;
    Ok(call(inputs, move |_, output| {
        // SAFETY: the output has this length.
        unsafe { fill(output.as_mut_ptr(), output.len(), STRONG) };
        Ok(())
    }))
}
