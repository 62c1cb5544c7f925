//! HKDF (RFC 5869) over any [`IteratedHash`].
//!
//! ```
//! use cpb_kernels::hkdf;
//! use cpb_kernels::sha256::Sha256;
//!
//! let mut keys = [0; 80];
//! hkdf::derive::<Sha256>(b"salt", b"input keying material", b"info", &mut keys)?;
//! # Ok::<(), cpb_kernels::hkdf::OutputTooLong>(())
//! ```

use crate::hash::IteratedHash;
use crate::hmac::{Hmac, Key};

/// More output asked for than RFC 5869 section 2.3 allows.
#[derive(thiserror::Error, Debug, Clone, Copy, PartialEq, Eq)]
#[error("HKDF gives at most {longest} bytes with this hash, {asked} were asked for")]
pub struct OutputTooLong {
    /// The length asked for, in bytes.
    pub asked: usize,
    /// The longest possible, see [`longest_output`].
    pub longest: usize,
}

/// The longest output in bytes: 255 digests.
pub const fn longest_output<H: IteratedHash>() -> usize {
    255 * H::OUTPUT_BYTES
}

/// Extract, then expand, on the hash's fastest backend; fills `out`.
///
/// # Errors
/// [`OutputTooLong`], with `out` left alone.
#[inline]
pub fn derive<H: IteratedHash>(
    salt: &[u8],
    input: &[u8],
    info: &[u8],
    out: &mut [u8],
) -> Result<(), OutputTooLong> {
    derive_with::<H>(H::fastest(), salt, input, info, out)
}

/// Extract, then expand, on the backend given; fills `out`.
///
/// # Errors
/// [`OutputTooLong`], with `out` left alone.
#[inline]
pub fn derive_with<H: IteratedHash>(
    backend: H::Backend,
    salt: &[u8],
    input: &[u8],
    info: &[u8],
    out: &mut [u8],
) -> Result<(), OutputTooLong> {
    expand_with::<H>(backend, extract_with::<H>(backend, salt, input).as_ref(), info, out)
}

/// HKDF-Extract (RFC 5869 section 2.2): the pseudorandom key, on the backend given.
/// No salt is the empty one.
#[inline]
pub fn extract_with<H: IteratedHash>(backend: H::Backend, salt: &[u8], input: &[u8]) -> H::Output {
    Key::<H>::with_backend(backend, salt).tag(input)
}

/// HKDF-Expand (RFC 5869 section 2.3), on the backend given; fills `out`.
///
/// # Errors
/// [`OutputTooLong`], with `out` left alone.
#[inline]
pub fn expand_with<H: IteratedHash>(
    backend: H::Backend,
    pseudorandom_key: &[u8],
    info: &[u8],
    out: &mut [u8],
) -> Result<(), OutputTooLong> {
    let longest = longest_output::<H>();
    if out.len() > longest {
        return Err(OutputTooLong { asked: out.len(), longest });
    }
    let key = Key::<H>::with_backend(backend, pseudorandom_key);
    let mut previous: Option<H::Output> = None;
    for (count, piece) in (1..=255_u8).zip(out.chunks_mut(H::OUTPUT_BYTES)) {
        let mut mac = Hmac::with_key(&key);
        if let Some(previous) = &previous {
            mac.update(previous.as_ref());
        }
        mac.update(info);
        mac.update(&[count]);
        let block = mac.finalize();
        piece.copy_from_slice(&block.as_ref()[..piece.len()]);
        previous = Some(block);
    }
    Ok(())
}
