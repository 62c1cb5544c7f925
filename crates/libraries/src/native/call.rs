//! A call of a kernel, again and again.

use crate::runtime::{Call, Made, Speaks, ready};
use crate::{Buffer, Inputs};
use cpb_model::Contract;
use std::fmt::Display;
use std::hint::black_box;

/// Makes `call` ready to run: inputs go in, and a result of the offer's length is
/// overwritten.
pub(super) fn boxed<E, F>(inputs: Inputs, call: F) -> Made
where
    E: Display + 'static,
    F: FnMut(&Inputs, &mut [u8]) -> Result<(), E> + 'static,
{
    let room = inputs.result_bytes;
    with_room(inputs, room, call)
}

/// As [`boxed`], where the call is given more room than it fills.
pub(super) fn with_room<E, F>(mut inputs: Inputs, room: usize, call: F) -> Made
where
    E: Display + 'static,
    F: FnMut(&Inputs, &mut [u8]) -> Result<(), E> + 'static,
{
    let destination = std::mem::replace(&mut inputs.destination, Buffer::zeroed(0)?);
    let kernel = Kernel { inputs, destination, room, call };
    // Whatever the contract, there is nothing between calls but what `call` holds.
    ready(Native, kernel, Contract::Keyed)
}

struct Kernel<F> {
    inputs: Inputs,
    destination: Buffer,
    room: usize,
    call: F,
}

impl<E, F: FnMut(&Inputs, &mut [u8]) -> Result<(), E>> Call for Kernel<F> {
    type Context = ();
    type Failure = E;

    fn begin(&self) -> Result<(), E> {
        Ok(())
    }

    #[inline(always)]
    fn restart(&mut self, (): &()) -> Result<(), E> {
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, (): &()) -> Result<(), E> {
        let output = &mut self.destination.bytes_mut()[..self.room];
        // The compiler must neither hoist the call nor drop its output.
        (self.call)(black_box(&self.inputs), black_box(output))
    }

    fn output(&self) -> &[u8] {
        &self.destination.bytes()[..self.inputs.result_bytes]
    }
}

struct Native;

impl<E: Display> Speaks<E> for Native {
    fn words(&self, failure: E) -> String {
        failure.to_string()
    }
}
