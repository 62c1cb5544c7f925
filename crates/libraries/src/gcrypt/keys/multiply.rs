//! Multiples of points: public keys, and what two key pairs agree on.

use super::sexp::secret_key;
use super::{Algorithm, Asked, Keys};
use crate::Made;
use crate::gcrypt::functions::{Context, Failure, check};
use crate::runtime::{Owned, Task, Turn};
use cpb_model::Role;
use cpb_provider::Case;
use std::ffi::c_int;
use std::ptr;

/// On a curve of RFC 7748, of a peer's point or of the base. Keys are bytes: there is
/// nothing to make ready.
pub(super) fn prepare(asked: Asked, curve: c_int) -> Made {
    let keys = asked.keys;
    asked.turns(Multiplication { keys, curve })
}

struct Multiplication {
    keys: Keys,
    curve: c_int,
}

impl Task for Multiplication {
    type Ready = ();
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self, _: Turn<'_>) -> Result<(), Failure> {
        Ok(())
    }

    #[inline(always)]
    fn run(&mut self, (): &(), turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failure> {
        let (secret, point) = (turn.case.bytes(Role::SecretKey), turn.case.bytes(Role::PublicKey));
        let point = if point.is_empty() { ptr::null() } else { point.as_ptr() };
        // SAFETY: by the catalogue scalar, point and result have the curve's length, and
        // the output has room beyond.
        check(unsafe {
            (self.keys.multiply)(self.curve, output.as_mut_ptr(), secret.as_ptr(), point)
        })?;
        Ok(secret.len())
    }
}

/// The public key of a secret key that signs.
pub(super) fn prepare_base(asked: Asked) -> Made {
    let (keys, algorithm) = (asked.keys, asked.algorithm);
    let secret = |case: &Case| secret_key(algorithm, case.bytes(Role::SecretKey), None);
    let secrets = asked.expressions(secret)?;
    asked.turns(PublicKey { keys, algorithm, secrets })
}

struct PublicKey {
    keys: Keys,
    algorithm: Algorithm,
    /// As expressions, by case.
    secrets: Vec<Vec<u8>>,
}

/// `GCRYMPI_FMT_USG`.
pub(super) const UNSIGNED: c_int = 5;

impl Keys {
    /// Writes the public half of a secret key, and returns how long it is.
    pub(super) fn write_public(
        &self,
        algorithm: Algorithm,
        secret: &[u8],
        output: &mut [u8],
    ) -> Result<usize, Failure> {
        let secret = self.read(secret)?;
        let mut handle = ptr::null_mut();
        // SAFETY: there is room for a handle, which is ours to release, as the number is;
        // the output has this room.
        unsafe {
            check((self.curve)(&raw mut handle, secret.pointer(), ptr::null()))?;
            let on_curve = Owned::new(handle, self.release_curve).ok_or(Failure::UNEXPLAINED)?;
            if let Algorithm::Ed25519 = algorithm {
                return self.write_compressed(&on_curve, output);
            }
            let number = (self.number)(c"q".as_ptr(), on_curve.pointer(), 1);
            let number = Owned::new(number, self.release_number).ok_or(Failure::UNEXPLAINED)?;
            let (at, room, mut length) = (output.as_mut_ptr(), output.len(), 0);
            check((self.print)(UNSIGNED, at, room, &raw mut length, number.pointer()))?;
            Ok(length)
        }
    }

    /// Writes the public key of a curve's context as RFC 8032 has it, and returns how long
    /// it is.
    pub(super) fn write_compressed(
        &self,
        on_curve: &Context,
        output: &mut [u8],
    ) -> Result<usize, Failure> {
        // SAFETY: the context is live, and the number ours to release; its bytes are copied
        // while it lives, where they fit.
        unsafe {
            let number = (self.number)(c"q@eddsa".as_ptr(), on_curve.pointer(), 1);
            let number = Owned::new(number, self.release_number).ok_or(Failure::UNEXPLAINED)?;
            let mut bits = 0;
            let bytes = (self.opaque)(number.pointer(), &raw mut bits);
            let length = bits.div_ceil(8) as usize;
            if bytes.is_null() || length > output.len() {
                return Err(Failure::UNEXPLAINED);
            }
            ptr::copy_nonoverlapping(bytes, output.as_mut_ptr(), length);
            Ok(length)
        }
    }
}

impl Task for PublicKey {
    type Ready = ();
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self, _: Turn<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&mut self, (): &(), turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failure> {
        self.keys.write_public(self.algorithm, &self.secrets[turn.number], output)
    }
}
