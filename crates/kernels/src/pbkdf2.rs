//! Implements PBKDF2 with HMAC (RFC 8018 section 5.2) over any [`IteratedHash`].
//!
//! An iteration is two compressions of chaining values: the key's blocks are
//! compressed once, and a digest's padding is always the same. Output of several
//! blocks is computed in as many lanes at once as the backend has.
//!
//! ```
//! use cpb_kernels::pbkdf2;
//! use cpb_kernels::sha256::Sha256;
//! use std::num::NonZeroU64;
//!
//! let mut key = [0; 32];
//! let iterations = NonZeroU64::new(1000).ok_or("not zero")?;
//! pbkdf2::derive::<Sha256>(b"password", b"salt", iterations, &mut key)?;
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

use std::num::NonZeroU64;

use crate::Backend as _;
use crate::hash::{Compression, IteratedHash, Lane};
use crate::hmac::{Hmac, Key};

/// The number of output blocks computed at once: a multiple of every backend's
/// lanes.
const LANES: usize = 8;

/// More output was requested than RFC 8018 section 5.2 allows.
#[derive(thiserror::Error, Debug, Clone, Copy, PartialEq, Eq)]
#[error("PBKDF2 gives at most {longest} bytes with this hash, {asked} were asked for")]
pub struct OutputTooLong {
    /// The requested length in bytes.
    pub asked: usize,
    /// The longest possible length in bytes, see [`longest_output`].
    pub longest: usize,
}

/// Returns the longest output in bytes: 2^32 - 1 digests.
pub const fn longest_output<H: IteratedHash>() -> usize {
    (u32::MAX as usize).saturating_mul(H::OUTPUT_BYTES)
}

/// Fills `out`, on the hash's fastest backend.
///
/// # Errors
/// Returns [`OutputTooLong`] with `out` unchanged.
#[inline]
pub fn derive<H: IteratedHash>(
    password: &[u8],
    salt: &[u8],
    iterations: NonZeroU64,
    out: &mut [u8],
) -> Result<(), OutputTooLong> {
    derive_with::<H>(<H::Backend>::fastest(), password, salt, iterations, out)
}

/// Fills `out`, on the given backend.
///
/// # Errors
/// Returns [`OutputTooLong`] with `out` unchanged.
pub fn derive_with<H: IteratedHash>(
    backend: H::Backend,
    password: &[u8],
    salt: &[u8],
    iterations: NonZeroU64,
    out: &mut [u8],
) -> Result<(), OutputTooLong> {
    let longest = longest_output::<H>();
    if out.len() > longest {
        return Err(OutputTooLong { asked: out.len(), longest });
    }
    let key = Key::<H>::with_backend(backend, password);
    let mut salted = Hmac::with_key(&key);
    salted.update(salt);
    let mut number = 0_u32;
    for group in out.chunks_mut(LANES * H::OUTPUT_BYTES) {
        let mut lanes = [Lane { last: H::INITIAL, sum: H::INITIAL }; LANES];
        let lanes = &mut lanes[..group.len().div_ceil(H::OUTPUT_BYTES)];
        for lane in &mut *lanes {
            number += 1;
            let mut first = salted.clone();
            first.update(&number.to_be_bytes());
            let first = first.finish();
            *lane = Lane { last: first, sum: first };
        }
        let more = iterations.get() - 1;
        H::Function::iterate(backend, key.midstates(), &H::DIGEST_BLOCK, lanes, more);
        for (piece, lane) in group.chunks_mut(H::OUTPUT_BYTES).zip(lanes) {
            piece.copy_from_slice(&H::output(&lane.sum).as_ref()[..piece.len()]);
        }
    }
    Ok(())
}
