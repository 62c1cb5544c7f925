//! Implements HKDF (RFC 5869) over any [`IteratedHash`].
//!
//! ```
//! use cpb_kernels::hkdf::{Info, Salt, derive};
//! use cpb_kernels::sha256::Sha256;
//!
//! let mut keys = [0; 80];
//! derive::<Sha256>(Salt(b"salt"), b"input keying material", Info(b"info"), &mut keys)?;
//! # Ok::<(), cpb_kernels::hkdf::OutputTooLong>(())
//! ```
//!
//! Salt and info have types of their own, so that they cannot be confused. A pseudorandom
//! key is as long as a digest (RFC 5869 section 2.3 accepts no shorter one):
//!
//! ```compile_fail,E0308
//! # use cpb_kernels::{hkdf::{Info, Salt, derive}, sha256::Sha256};
//! let _ = derive::<Sha256>(Info(b"info"), b"input", Salt(b"salt"), &mut [0; 80]);
//! ```
//!
//! ```compile_fail,E0308
//! # use cpb_kernels::{Backend, hkdf::{Info, expand_with}, sha256::{self, Sha256}};
//! let _ = expand_with::<Sha256>(sha256::Backend::fastest(), &[7; 31], Info(b"info"), &mut [0; 80]);
//! ```

use crate::Backend as _;
use crate::hash::IteratedHash;
use crate::hmac::{Hmac, Key};

/// The salt of the extraction, which is public and at best random. An absent salt is the
/// empty one.
#[derive(Clone, Copy, Debug)]
pub struct Salt<'a>(pub &'a [u8]);

/// Says what an output is for; it is public.
#[derive(Clone, Copy, Debug)]
pub struct Info<'a>(pub &'a [u8]);

/// More output was requested than RFC 5869 section 2.3 allows.
#[derive(thiserror::Error, Debug, Clone, Copy, PartialEq, Eq)]
#[error("HKDF gives at most {longest} bytes with this hash, {asked} were asked for")]
pub struct OutputTooLong {
    /// The requested length in bytes.
    pub asked: usize,
    /// The longest possible length in bytes, see [`longest_output`].
    pub longest: usize,
}

/// Returns the longest output in bytes: 255 digests.
pub const fn longest_output<H: IteratedHash>() -> usize {
    255 * H::OUTPUT_BYTES
}

/// Extracts, then expands, on the hash's fastest backend, and fills `out`.
///
/// # Errors
/// Returns [`OutputTooLong`] with `out` unchanged.
#[inline]
pub fn derive<H: IteratedHash>(
    salt: Salt<'_>,
    input: &[u8],
    info: Info<'_>,
    out: &mut [u8],
) -> Result<(), OutputTooLong> {
    derive_with::<H>(<H::Backend>::fastest(), salt, input, info, out)
}

/// Extracts, then expands, on the given backend, and fills `out`.
///
/// # Errors
/// Returns [`OutputTooLong`] with `out` unchanged.
#[inline]
pub fn derive_with<H: IteratedHash>(
    backend: H::Backend,
    salt: Salt<'_>,
    input: &[u8],
    info: Info<'_>,
    out: &mut [u8],
) -> Result<(), OutputTooLong> {
    expand_with::<H>(backend, &extract_with::<H>(backend, salt, input), info, out)
}

/// Returns the pseudorandom key of HKDF-Extract (RFC 5869 section 2.2), on the given
/// backend.
#[inline]
pub fn extract_with<H: IteratedHash>(
    backend: H::Backend,
    salt: Salt<'_>,
    input: &[u8],
) -> H::Output {
    Key::<H>::with_backend(backend, salt.0).tag(input)
}

/// Fills `out` by HKDF-Expand (RFC 5869 section 2.3), on the given backend.
///
/// # Errors
/// Returns [`OutputTooLong`] with `out` unchanged.
#[inline]
pub fn expand_with<H: IteratedHash>(
    backend: H::Backend,
    pseudorandom_key: &H::Output,
    info: Info<'_>,
    out: &mut [u8],
) -> Result<(), OutputTooLong> {
    let longest = longest_output::<H>();
    if out.len() > longest {
        return Err(OutputTooLong { asked: out.len(), longest });
    }
    let key = Key::<H>::with_backend(backend, pseudorandom_key.as_ref());
    let mut previous: Option<H::Output> = None;
    for (count, piece) in (1..=255_u8).zip(out.chunks_mut(H::OUTPUT_BYTES)) {
        let mut mac = Hmac::with_key(&key);
        if let Some(previous) = &previous {
            mac.update(previous.as_ref());
        }
        mac.update(info.0);
        mac.update(&[count]);
        let block = mac.finalize();
        piece.copy_from_slice(&block.as_ref()[..piece.len()]);
        previous = Some(block);
    }
    Ok(())
}
