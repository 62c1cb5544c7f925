//! A call of a kernel, again and again.

use super::Made;
use crate::buffer::zeros;
use crate::{Inputs, Prepared};
use std::hint::black_box;

struct Call<F> {
    inputs: Inputs,
    output: Vec<u8>,
    ran: bool,
    call: F,
}

/// Makes `call` ready to run: inputs go in, the output is overwritten.
pub(super) fn boxed<F>(inputs: Inputs, call: F) -> Made
where
    F: Fn(&Inputs, &mut [u8]) + 'static,
{
    let output = zeros(inputs.output_bytes)?;
    Ok(Box::new(Call { inputs, output, ran: false, call }))
}

impl<F: Fn(&Inputs, &mut [u8])> Prepared for Call<F> {
    fn run(&mut self, calls: u64) {
        for _ in 0..calls {
            // The compiler must neither hoist the call nor drop its output.
            (self.call)(black_box(&self.inputs), black_box(&mut self.output));
        }
        self.ran |= calls != 0;
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        Ok(if self.ran { self.output.clone() } else { Vec::new() })
    }
}
