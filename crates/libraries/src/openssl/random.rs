//! Random bytes, of which each thread has a generator (NIST SP 800-90A) of its own.

use super::Recipe;
use super::functions::Functions;
use crate::runtime::{Entry, offer};
use crate::{Inputs, Made, PrepareError};
use cpb_model::Operation;
use cpb_provider::{Implementation, call, worked};
use std::ffi::c_int;

/// Where the library has them.
pub(super) fn entry(functions: &Functions) -> Option<Entry<Recipe>> {
    functions.randomness?;
    let (name, lengths) = ("random".to_owned(), Implementation::RANDOM);
    let offer = offer(name, Operation::Random, "RAND_bytes".to_owned(), lengths);
    Some(Entry { offer, recipe: Recipe::Random })
}

/// The contracts differ in nothing.
pub(super) fn prepare(functions: &Functions, inputs: Inputs) -> Made {
    let refused = |what| PrepareError::Unavailable(format!("this OpenSSL has no {what}"));
    let table = functions.randomness.ok_or_else(|| refused("RAND_bytes"))?;
    let bytes = c_int::try_from(inputs.output_bytes);
    let bytes = bytes.map_err(|_| refused("RAND_bytes of such length"))?;
    Ok(call(inputs, move |_, output| {
        // SAFETY: the output has room for so many bytes.
        worked(unsafe { (table.bytes)(output.as_mut_ptr(), bytes) } == 1)
    }))
}
