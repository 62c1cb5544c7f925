//! Key pairs of libgcrypt's own randomness, which it tests by signing something.

use super::multiply::UNSIGNED;
use super::rsa;
use super::sexp::request;
use super::{Algorithm, Asked, Keys};
use crate::Made;
use crate::gcrypt::functions::{Context, Failure, check};
use crate::runtime::{Owned, Task, Turn};
use cpb_provider::scheme;
use std::ptr;

pub(super) fn prepare(asked: Asked) -> Made {
    let lengths: Vec<usize> = asked.inputs.outputs.iter().map(|(_, bytes)| *bytes).collect();
    let (keys, algorithm) = (asked.keys, asked.algorithm);
    let modulus_bits = scheme::modulus_bits(lengths.first().copied().unwrap_or(0));
    let request = request(algorithm, modulus_bits);
    asked.turns(Generation { keys, algorithm, request, lengths, pair: None })
}

struct Generation {
    keys: Keys,
    algorithm: Algorithm,
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
        if let Algorithm::Rsa(_) = self.algorithm {
            return self.keys.rsa_pair(pair);
        }
        let [public, secret] = self.lengths[..] else { return None };
        let public = self.keys.number(pair, c"q", public)?;
        Some([public, self.keys.number(pair, c"d", secret)?].concat())
    }
}

impl Keys {
    /// Both keys of RSA in DER, one behind the other.
    fn rsa_pair(&self, pair: &Context) -> Option<Vec<u8>> {
        let secret = self.part(pair, c"private-key")?;
        let number = |name| {
            let bytes = self.bytes(&secret, name)?;
            let start = bytes.iter().position(|byte| *byte != 0)?;
            Some(bytes[start..].to_vec())
        };
        let [n, e, d] = [number(c"n")?, number(c"e")?, number(c"d")?];
        let [p, q, u] = [number(c"p")?, number(c"q")?, number(c"u")?];
        let [by_q, by_p] = [self.remainder(&d, &q)?, self.remainder(&d, &p)?];
        let secret = rsa::secret_der([&n, &e, &d, &p, &q, &u], [&by_q, &by_p]);
        Some([rsa::public_der(&n, &e), secret].concat())
    }

    /// What `number` leaves divided by one less than `prime`, which is odd.
    fn remainder(&self, number: &[u8], prime: &[u8]) -> Option<Vec<u8>> {
        let mut divisor = prime.to_vec();
        *divisor.last_mut()? &= !1;
        let [number, divisor] = [self.read_number(number)?, self.read_number(&divisor)?];
        let mut bytes = vec![0; prime.len()];
        let (at, room, mut length) = (bytes.as_mut_ptr(), bytes.len(), 0);
        // SAFETY: both numbers are live, the remainder takes the place of the first, and it
        // has no more bytes than the divisor, for which there is room.
        unsafe {
            (self.remainder)(number.pointer(), number.pointer(), divisor.pointer());
            check((self.print)(UNSIGNED, at, room, &raw mut length, number.pointer())).ok()?;
        }
        bytes.truncate(length);
        Some(bytes)
    }

    fn read_number(&self, bytes: &[u8]) -> Option<Context> {
        let (mut handle, at) = (ptr::null_mut(), bytes.as_ptr());
        // SAFETY: there is room for a handle, which is ours to release; the bytes have this
        // length.
        unsafe {
            let read = (self.scan)(&raw mut handle, UNSIGNED, at, bytes.len(), ptr::null_mut());
            check(read).ok()?;
            Owned::new(handle, self.release_number)
        }
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
