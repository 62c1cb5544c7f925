//! Key pairs of libgcrypt's own randomness, which it tests by signing something.

use super::sexp::request;
use super::{Asked, Keys};
use crate::Made;
use crate::gcrypt::functions::{Context, Failure, check};
use crate::runtime::{Owned, Task, Turn};
use std::ptr;

pub(super) fn prepare(asked: Asked) -> Made {
    let lengths = asked.inputs.outputs.iter().map(|(_, bytes)| *bytes).collect();
    let (keys, request) = (asked.keys, request(asked.algorithm));
    asked.turns(Generation { keys, request, lengths, pair: None })
}

struct Generation {
    keys: Keys,
    /// As an expression.
    request: Vec<u8>,
    /// Of public key and secret key.
    lengths: Vec<usize>,
    /// The key pair of the last call that left it as an expression.
    pair: Option<Context>,
}

impl Generation {
    #[inline(always)]
    fn generate(&self, request: &Context) -> Result<Context, Failure> {
        let mut handle = ptr::null_mut();
        // SAFETY: the request is live, and there is room for a handle, which is ours to
        // release.
        unsafe {
            check((self.keys.generate)(&raw mut handle, request.pointer()))?;
            Owned::new(handle, self.keys.release).ok_or(Failure::UNEXPLAINED)
        }
    }

    /// Both keys, one behind the other.
    fn bytes(&self, pair: &Context) -> Option<Vec<u8>> {
        let [public, secret] = self.lengths[..] else { return None };
        let public = self.keys.number(pair, c"q", public)?;
        Some([public, self.keys.number(pair, c"d", secret)?].concat())
    }
}

impl Task for Generation {
    type Ready = Context;
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self, _: Turn<'_>) -> Result<Context, Failure> {
        self.keys.read(&self.request)
    }

    /// Leaves the pair as an expression.
    #[inline(always)]
    fn run(&mut self, request: &Context, _: Turn<'_>, _: &mut [u8]) -> Result<usize, Failure> {
        self.pair = Some(self.generate(request)?);
        Ok(0)
    }

    #[inline(always)]
    fn oneshot(&mut self, turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failure> {
        let request = self.begin(turn)?;
        let pair = self.generate(&request)?;
        self.pair = None;
        let bytes = self.bytes(&pair).ok_or(Failure::UNEXPLAINED)?;
        let room = output.get_mut(..bytes.len()).ok_or(Failure::UNEXPLAINED)?;
        room.copy_from_slice(&bytes);
        Ok(bytes.len())
    }

    fn encoded(&self, output: &[u8]) -> Result<Vec<u8>, String> {
        let Some(pair) = &self.pair else { return Ok(output.to_vec()) };
        let wrong = || "the key pair has another length than it should".to_owned();
        self.bytes(pair).ok_or_else(wrong)
    }
}
