//! Random bytes, of which each thread has a generator (NIST SP 800-90A) of its own.

use super::Recipe;
use super::functions::{Failed, Functions, Randomness, check};
use crate::runtime::{Call, Entry, Memory, offer, ready};
use crate::{Inputs, Made, PrepareError};
use cpb_model::{Contract, Operation};
use cpb_provider::Implementation;
use std::ffi::c_int;

/// Where the library has them.
pub(super) fn entry(functions: &Functions) -> Option<Entry<Recipe>> {
    functions.randomness?;
    let (name, lengths) = ("random".to_owned(), Implementation::RANDOM);
    let offer = offer(name, Operation::Random, "RAND_bytes".to_owned(), lengths);
    Some(Entry { offer, recipe: Recipe::Random })
}

pub(super) fn prepare(functions: &Functions, contract: Contract, inputs: Inputs) -> Made {
    let refused = |what| PrepareError::Unavailable(format!("this OpenSSL has no {what}"));
    let table = functions.randomness.ok_or_else(|| refused("RAND_bytes"))?;
    let memory = Memory::new(inputs);
    let bytes = memory.output_bytes;
    let bytes = c_int::try_from(bytes).map_err(|_| refused("RAND_bytes of such length"))?;
    ready(functions.core, Random { table, bytes, memory }, contract)
}

/// The contracts differ in nothing.
struct Random {
    table: Randomness,
    bytes: c_int,
    memory: Memory,
}

impl Call for Random {
    type Context = ();
    type Failure = Failed;

    fn begin(&self) -> Result<(), Failed> {
        Ok(())
    }

    #[inline(always)]
    fn restart(&mut self, (): &()) -> Result<(), Failed> {
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, (): &()) -> Result<(), Failed> {
        // SAFETY: the destination has room for so many bytes.
        check(unsafe { (self.table.bytes)(self.memory.destination, self.bytes) })
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }
}
