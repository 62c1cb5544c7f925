//! Multiples of points: public keys, and what two key pairs agree on.

use super::sexp::secret_key;
use super::{Curve, Keys};
use crate::gcrypt::functions::{Core, Failure, check};
use crate::runtime::{Owned, Task, Turn, turns};
use crate::{Inputs, Made};
use cpb_model::{Contract, Role};
use cpb_provider::Case;
use std::ffi::c_int;
use std::ptr;

/// On a curve of RFC 7748, of a peer's point or of the base. Keys are bytes: there is
/// nothing to make ready.
pub(super) fn prepare(
    core: Core,
    keys: Keys,
    curve: c_int,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    turns(core, Multiplication { keys, curve }, contract, inputs)
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
pub(super) fn prepare_base(
    core: Core,
    keys: Keys,
    curve: Curve,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let secret = |case: &Case| secret_key(curve, case.bytes(Role::SecretKey), None);
    let secrets = inputs.cases.iter().map(secret).collect();
    turns(core, PublicKey { keys, curve, secrets }, contract, inputs)
}

struct PublicKey {
    keys: Keys,
    curve: Curve,
    /// As expressions, by case.
    secrets: Vec<Vec<u8>>,
}

/// `GCRYMPI_FMT_USG`.
const UNSIGNED: c_int = 5;

impl Keys {
    /// Writes the public half of a secret key, and returns how long it is.
    pub(super) fn write_public(
        &self,
        curve: Curve,
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
            let is_eddsa = matches!(curve, Curve::Ed25519);
            let name = if is_eddsa { c"q@eddsa" } else { c"q" };
            let number = (self.number)(name.as_ptr(), on_curve.pointer(), 1);
            let number = Owned::new(number, self.release_number).ok_or(Failure::UNEXPLAINED)?;
            let (mut bits, mut length) = (0, 0);
            if is_eddsa {
                let bytes = (self.opaque)(number.pointer(), &raw mut bits);
                length = bits.div_ceil(8) as usize;
                if bytes.is_null() || length > output.len() {
                    return Err(Failure::UNEXPLAINED);
                }
                ptr::copy_nonoverlapping(bytes, output.as_mut_ptr(), length);
                return Ok(length);
            }
            let (at, room) = (output.as_mut_ptr(), output.len());
            check((self.print)(UNSIGNED, at, room, &raw mut length, number.pointer()))?;
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
        self.keys.write_public(self.curve, &self.secrets[turn.number], output)
    }
}
