//! Public keys of Ed448. What libgcrypt 1.10 works out where it is asked for one by name is
//! another: it takes 32 of the 57 bytes of the scalar. Its signing and its own key
//! generation take all of them; here it is asked for the same steps one by one (RFC 8032
//! section 5.2.5).

use super::multiply::UNSIGNED;
use super::{Asked, Keys};
use crate::Made;
use crate::gcrypt::functions::{Digests, Failure, check};
use crate::runtime::{Owned, Task, Turn};
use cpb_model::Role;
use std::ffi::c_int;
use std::ptr;

/// Of a secret key, a public key and a scalar.
pub(super) const BYTES: usize = 57;
/// `GCRY_MD_SHAKE256`.
const SHAKE256: c_int = 317;

pub(super) fn prepare(asked: Asked, digests: Digests) -> Made {
    let keys = asked.keys;
    asked.turns(PublicKey { keys, digests })
}

struct PublicKey {
    keys: Keys,
    digests: Digests,
}

impl Task for PublicKey {
    type Ready = ();
    type Failure = Failure;

    #[inline(always)]
    fn begin(&self, _: Turn<'_>) -> Result<(), Failure> {
        Ok(())
    }

    fn run(&mut self, (): &(), turn: Turn<'_>, output: &mut [u8]) -> Result<usize, Failure> {
        write_public(&self.keys, &self.digests, turn.case.bytes(Role::SecretKey), output)
    }
}

/// Writes the public half of a secret key, and returns how long it is.
pub(super) fn write_public(
    keys: &Keys,
    digests: &Digests,
    secret: &[u8],
    output: &mut [u8],
) -> Result<usize, Failure> {
    let scalar = scalar(digests, secret)?;
    let mut handle = ptr::null_mut();
    // SAFETY: there is room for each handle, which is ours to release; names end in a zero,
    // and points, number and context are live where they are used.
    unsafe {
        check((keys.scan)(
            &raw mut handle,
            UNSIGNED,
            scalar.as_ptr(),
            scalar.len(),
            ptr::null_mut(),
        ))?;
        let number = Owned::new(handle, keys.release_number).ok_or(Failure::UNEXPLAINED)?;
        handle = ptr::null_mut();
        check((keys.curve)(&raw mut handle, ptr::null_mut(), c"Ed448".as_ptr()))?;
        let curve = Owned::new(handle, keys.release_curve).ok_or(Failure::UNEXPLAINED)?;
        let own = |point| Owned::new(point, keys.release_point).ok_or(Failure::UNEXPLAINED);
        let base = own((keys.point)(c"g".as_ptr(), curve.pointer(), 1))?;
        let product = own((keys.new_point)(0))?;
        let multiply = keys.multiply_point;
        multiply(product.pointer(), number.pointer(), base.pointer(), curve.pointer());
        check((keys.set_point)(c"q".as_ptr(), product.pointer(), curve.pointer()))?;
        keys.write_compressed(&curve, output)
    }
}

/// The number that the base is multiplied by, big-endian.
fn scalar(digests: &Digests, secret: &[u8]) -> Result<[u8; BYTES], Failure> {
    let (mut handle, mut scalar) = (ptr::null_mut(), [0; BYTES]);
    // SAFETY: there is room for a handle, which is ours to close; secret and scalar have the
    // lengths stated.
    unsafe {
        check((digests.open)(&raw mut handle, SHAKE256, 0))?;
        let hashing = Owned::new(handle, digests.close).ok_or(Failure::UNEXPLAINED)?;
        (digests.write)(hashing.pointer(), secret.as_ptr(), secret.len());
        check((digests.extract)(hashing.pointer(), SHAKE256, scalar.as_mut_ptr(), BYTES))?;
    }
    scalar[0] &= 0xfc;
    scalar[BYTES - 2] |= 0x80;
    scalar[BYTES - 1] = 0;
    scalar.reverse();
    Ok(scalar)
}
