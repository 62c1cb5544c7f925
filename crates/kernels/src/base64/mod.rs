//! Base64 (RFC 4648 section 4): the standard alphabet, with padding.
//!
//! Decoding is strict: every byte must be in the alphabet, `=` may only fill up the
//! last four characters, and the bits that padding leaves over must be zero (RFC
//! 4648 sections 3.2, 3.3 and 3.5). So exactly one text decodes to given bytes.
//!
//! **Constant time:** the time and the memory accesses of encoding depend on the
//! length alone. Those of decoding a valid text depend on its length and its number
//! of `=`. The time of decoding an invalid text may reveal what the error reveals.

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

/// Lists the characters of the values 0 to 63 (RFC 4648 table 1).
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
const PADDING: u8 = b'=';

/// Marks a byte that is not in the alphabet.
const NO_VALUE: u8 = 0x80;

/// The value of each ASCII character, 64 at a time.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
const VALUES: [[u8; 64]; 2] = {
    let mut values = [[NO_VALUE; 64]; 2];
    let mut sextet = 0;
    while sextet < 64 {
        let byte = ALPHABET[sextet] as usize;
        values[byte / 64][byte % 64] = sextet as u8;
        sextet += 1;
    }
    values
};

/// Returns the length of the text for a message of this length; `usize::MAX` where it would
/// overflow, which no slice reaches.
#[inline]
pub const fn encoded_len(bytes: usize) -> usize {
    bytes.div_ceil(3).saturating_mul(4)
}

/// Returns the number of bytes that the text stands for, from its length and
/// padding alone.
///
/// # Errors
/// Returns [`DecodeError::Length`] if the length is no multiple of 4.
#[inline]
pub const fn decoded_len(text: &[u8]) -> Result<usize, DecodeError> {
    let padding = match text {
        [.., PADDING, PADDING] => 2,
        [.., PADDING] => 1,
        _ => 0,
    };
    if text.len().is_multiple_of(4) {
        Ok(text.len() / 4 * 3 - padding)
    } else {
        Err(DecodeError::Length { length: text.len(), multiple: 4 })
    }
}

codec! {
    /// Returns the text of `bytes`, encoded by the fastest backend.
    ///
    /// ```
    /// assert_eq!(cpb_kernels::base64::encode(b"fooba"), "Zm9vYmE=");
    /// ```
    encode

    /// Returns the bytes of `text`, decoded by the fastest backend.
    ///
    /// ```
    /// use cpb_kernels::base64::{DecodeError, decode};
    /// assert_eq!(decode("Zm9vYmE=")?, b"fooba");
    /// assert_eq!(decode("Zm9vYmF="), Err(DecodeError::TrailingBits { position: 6 }));
    /// # Ok::<(), DecodeError>(())
    /// ```
    decode
}

/// Returns how many characters of a text are not padding, given the number of bytes
/// that it stands for.
const fn characters(bytes: usize) -> usize {
    bytes / 3 * 4 + bytes % 3 + (bytes % 3).div_ceil(2)
}

/// Returns what is wrong with a text that a backend has rejected.
#[cold]
fn first_error(text: &[u8], bytes: usize) -> DecodeError {
    let text = &text[..characters(bytes)];
    let wrong = text.iter().enumerate().find(|(_, byte)| !portable::is_character(**byte));
    match wrong {
        Some((position, &PADDING)) => DecodeError::Padding { position },
        Some((position, &byte)) => DecodeError::Character { position, byte },
        None => DecodeError::TrailingBits { position: text.len() - 1 },
    }
}
