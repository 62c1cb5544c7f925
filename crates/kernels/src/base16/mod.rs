//! Base16 (RFC 4648 section 8): two hexadecimal digits for each byte.
//!
//! Encoding writes lower case, as most programs do, although the RFC's table has upper
//! case. Decoding accepts both, also mixed, and nothing else.
//!
//! **Constant time:** the time and the memory accesses of encoding depend on the length
//! alone; the same holds for decoding a valid text. The time of decoding an invalid
//! text may reveal what the error reveals.

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

use crate::codec::codec;

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

codec! {
    /// Returns the text of `bytes`, encoded by the fastest backend.
    ///
    /// ```
    /// assert_eq!(cpb_kernels::base16::encode(b"fooba"), "666f6f6261");
    /// ```
    encode

    /// Returns the bytes of `text`, decoded by the fastest backend.
    ///
    /// ```
    /// use cpb_kernels::base16::{DecodeError, decode};
    /// assert_eq!(decode("666F6f6261")?, b"fooba");
    /// assert_eq!(decode("66g0"), Err(DecodeError::Character { position: 2, byte: b'g' }));
    /// # Ok::<(), DecodeError>(())
    /// ```
    decode
}

/// Returns what is wrong with a text that a backend has rejected.
#[cold]
fn first_error(text: &[u8], _: usize) -> DecodeError {
    let right = text.iter().take_while(|byte| portable::is_digit(**byte)).count();
    DecodeError::Character { position: right, byte: text[right] }
}
