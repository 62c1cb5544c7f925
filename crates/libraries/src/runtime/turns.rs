//! Calls that take several cases in turn, as all do that work with key pairs.

use super::call::{Call, ErrorText, ready};
use crate::{Inputs, Made};
use cpb_model::{Contract, Role};
use cpb_provider::Case;

/// The case whose turn it is, and its number.
#[derive(Clone, Copy)]
pub(crate) struct Turn<'a> {
    pub(crate) number: usize,
    pub(crate) case: &'a Case,
}

/// What is done with one case.
pub(crate) trait Task {
    /// What is made ready once under the contract keyed: key objects.
    type Ready;
    /// Why a call failed, as cheap as a number.
    type Failure;

    /// Makes a case ready.
    fn begin(&self, turn: Turn<'_>) -> Result<Self::Ready, Self::Failure>;
    /// One call of a case that is ready; returns how many bytes it put out.
    fn run(
        &mut self,
        ready: &Self::Ready,
        turn: Turn<'_>,
        output: &mut [u8],
    ) -> Result<usize, Self::Failure>;
    /// One call from bytes to bytes.
    #[inline(always)]
    fn oneshot(&mut self, turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Self::Failure> {
        let ready = self.begin(turn)?;
        self.run(&ready, turn, output)
    }
    /// What was put out, in the encoding of the catalogue; in words why it is none.
    fn encoded(&self, output: &[u8]) -> Result<Vec<u8>, String> {
        Ok(output.to_vec())
    }
}

/// More than any encoding takes beside what it encodes, and than a modulus of RSA has: a
/// library may want room for one to decrypt into.
const FURTHER_BYTES: usize = 1024;

/// Makes `task` ready to run as `contract` wants it.
///
/// # Errors
/// [`PrepareError::Unavailable`](crate::PrepareError), where the library takes a key of no
/// case.
pub(crate) fn turns<L, T>(library: L, task: T, contract: Contract, inputs: Inputs) -> Made
where
    L: ErrorText<T::Failure> + 'static,
    T: Task + 'static,
{
    let output = vec![0; inputs.result_bytes + FURTHER_BYTES];
    ready(library, Turns { task, inputs, output, put_out: 0, next: 0 }, contract)
}

struct Turns<T> {
    task: T,
    inputs: Inputs,
    output: Vec<u8>,
    /// Bytes that the last call put out.
    put_out: usize,
    /// The case of the next call.
    next: usize,
}

impl<T: Task> Turns<T> {
    /// The number of the case whose turn it is.
    #[inline(always)]
    fn next(&mut self) -> usize {
        let number = self.next;
        self.next = if number + 1 == self.inputs.cases.len() { 0 } else { number + 1 };
        number
    }
}

impl<T: Task> Call for Turns<T> {
    type Context = Vec<T::Ready>;
    type Failure = T::Failure;

    fn begin(&self) -> Result<Self::Context, T::Failure> {
        let cases = self.inputs.cases.iter().enumerate();
        cases.map(|(number, case)| self.task.begin(Turn { number, case })).collect()
    }

    #[inline(always)]
    fn restart(&mut self, _: &Self::Context) -> Result<(), T::Failure> {
        Ok(())
    }

    #[inline(always)]
    fn process(&mut self, context: &Self::Context) -> Result<(), T::Failure> {
        let number = self.next();
        let Self { task, inputs, output, put_out, .. } = self;
        let turn = Turn { number, case: &inputs.cases[number] };
        *put_out = task.run(&context[number], turn, output)?;
        Ok(())
    }

    #[inline(always)]
    fn oneshot(&mut self) -> Result<(), T::Failure> {
        let number = self.next();
        let Self { task, inputs, output, put_out, .. } = self;
        let turn = Turn { number, case: &inputs.cases[number] };
        *put_out = task.oneshot(turn, output)?;
        Ok(())
    }

    fn output(&self) -> &[u8] {
        &self.output[..self.put_out.min(self.output.len())]
    }

    fn next_case(&mut self) -> Option<&mut Case> {
        Some(&mut self.inputs.cases[self.next])
    }

    fn encoded(&self) -> Result<Vec<u8>, String> {
        let encoded = self.task.encoded(self.output())?;
        let most = self.inputs.result_bytes;
        if (most - self.inputs.shorter_by..=most).contains(&encoded.len()) {
            return Ok(encoded);
        }
        let roles: Vec<&str> =
            self.inputs.outputs.iter().map(|(role, _)| Role::name(*role)).collect();
        Err(format!(
            "it put out {} bytes of its {} where {} are right",
            encoded.len(),
            roles.join(" and "),
            self.inputs.result_bytes
        ))
    }
}
