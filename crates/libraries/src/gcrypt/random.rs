//! Random bytes, of the quality of session keys. All threads have one generator, and a lock.

use super::Recipe;
use super::functions::{Failure, Functions, Randomness};
use crate::runtime::{Call, Entry, Memory, offer, ready};
use crate::{Inputs, Made};
use cpb_model::{Contract, Operation};
use cpb_provider::Implementation;
use std::ffi::c_int;

/// `GCRY_STRONG_RANDOM`.
const STRONG: c_int = 1;

pub(super) fn entry() -> Entry<Recipe> {
    let (name, lengths) = ("random".to_owned(), Implementation::RANDOM);
    let offer = offer(name, Operation::Random, "gcry_randomize".to_owned(), lengths);
    Entry { offer, recipe: Recipe::Random }
}

pub(super) fn prepare(functions: &Functions, contract: Contract, inputs: Inputs) -> Made {
    let call = Random { table: functions.randomness, memory: Memory::new(inputs) };
    ready(functions.core, call, contract)
}

/// The contracts differ in nothing.
struct Random {
    table: Randomness,
    memory: Memory,
}

impl Call for Random {
    type Context = ();
    type Failure = Failure;

    fn begin(&self) -> Result<(), Failure> {
        Ok(())
    }

    #[inline(always)]
    fn restart(&mut self, (): &()) -> Result<(), Failure> {
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, (): &()) -> Result<(), Failure> {
        let Memory { destination, output_bytes, .. } = self.memory;
        // SAFETY: the destination has room for so many bytes.
        unsafe { (self.table.fill)(destination, output_bytes, STRONG) };
        Ok(())
    }

    fn output(&self) -> &[u8] {
        self.memory.result()
    }
}
