//! Base16 (RFC 4648 section 8): two hexadecimal digits for each byte.
//!
//! Encoding writes lower case, as most programs do, although the RFC's table has upper
//! case. Decoding accepts both, also mixed, and nothing else.
//!
//! **Constant time:** the time and the memory accesses of encoding depend on the length
//! alone; the same holds for decoding a valid text. The time of decoding an invalid
//! text may reveal what the error reveals.

mod backend;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod entries;
mod portable;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;

pub use crate::codec_error::{DecodeError, NoRoom};
pub use backend::Backend;

/// The characters of the values 0 to 15.
#[cfg(any(test, target_arch = "x86_64", target_arch = "aarch64"))]
const ALPHABET: &[u8; 16] = b"0123456789abcdef";

/// Marks a byte that is no digit.
const NO_VALUE: u8 = 0x80;

/// Returns the length of the text for a message of this length; `usize::MAX` where it would
/// overflow, which no slice reaches.
#[inline]
pub const fn encoded_len(bytes: usize) -> usize {
    bytes.saturating_mul(2)
}

/// Returns the number of bytes that the text stands for, from its length alone.
///
/// # Errors
/// Returns [`DecodeError::Length`] if the length is odd.
#[inline]
pub const fn decoded_len(text: &[u8]) -> Result<usize, DecodeError> {
    if text.len().is_multiple_of(2) {
        Ok(text.len() / 2)
    } else {
        Err(DecodeError::Length { length: text.len(), multiple: 2 })
    }
}

/// Encodes into the beginning of `out` and returns the length of the text.
///
/// # Errors
/// Returns [`NoRoom`] if `out` is too short, that is, shorter than [`encoded_len`];
/// nothing is written.
#[inline]
pub fn encode_to_slice(backend: Backend, bytes: &[u8], out: &mut [u8]) -> Result<usize, NoRoom> {
    let (needed, room) = (encoded_len(bytes.len()), out.len());
    let out = out.get_mut(..needed).ok_or(NoRoom { needed, room })?;
    backend.encode(bytes, out);
    Ok(needed)
}

/// Decodes into the beginning of `out` and returns the number of bytes.
///
/// # Errors
/// Returns a [`DecodeError`] that says what is wrong with the text and where. `out` is
/// then unspecified up to [`decoded_len`].
#[inline]
pub fn decode_to_slice(
    backend: Backend,
    text: &[u8],
    out: &mut [u8],
) -> Result<usize, DecodeError> {
    let (needed, room) = (decoded_len(text)?, out.len());
    let out = out.get_mut(..needed).ok_or(NoRoom { needed, room })?;
    if backend.decode(text, out) { Ok(needed) } else { Err(first_error(text)) }
}

/// Returns the text of `bytes`, encoded by the fastest backend.
///
/// ```
/// assert_eq!(cpb_kernels::base16::encode(b"fooba"), "666f6f6261");
/// ```
pub fn encode(bytes: &[u8]) -> String {
    let mut text = vec![0; encoded_len(bytes.len())];
    Backend::fastest().encode(bytes, &mut text);
    // SAFETY: the digits are ASCII, and nothing else was written.
    unsafe { String::from_utf8_unchecked(text) }
}

/// Returns the bytes of `text`, decoded by the fastest backend.
///
/// ```
/// use cpb_kernels::base16::{DecodeError, decode};
/// assert_eq!(decode("666F6f6261")?, b"fooba");
/// assert_eq!(decode("66g0"), Err(DecodeError::Character { position: 2, byte: b'g' }));
/// # Ok::<(), DecodeError>(())
/// ```
///
/// # Errors
/// Returns the errors of [`decode_to_slice`].
pub fn decode(text: impl AsRef<[u8]>) -> Result<Vec<u8>, DecodeError> {
    let text = text.as_ref();
    let mut bytes = vec![0; decoded_len(text)?];
    decode_to_slice(Backend::fastest(), text, &mut bytes)?;
    Ok(bytes)
}

/// Returns what is wrong with a text that a backend has rejected.
#[cold]
fn first_error(text: &[u8]) -> DecodeError {
    let right = text.iter().take_while(|byte| portable::is_digit(**byte)).count();
    DecodeError::Character { position: right, byte: text[right] }
}
