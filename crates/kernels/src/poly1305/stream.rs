//! Computes the tag of a message, in one piece or in several.

use super::Backend;
use super::backend::Powers;
use super::portable::{Multiplier, Sum};
use crate::Backend as _;
use std::fmt;

/// The tag is not that of the message.
#[derive(thiserror::Error, Debug, Clone, Copy, PartialEq, Eq)]
#[error("wrong tag: the message, its associated data, the key or the nonce differs")]
pub struct WrongTag;

/// Holds the tag of a message in progress.
///
/// ```
/// use cpb_kernels::poly1305::Poly1305;
///
/// let key = [7; 32];
/// let mut poly1305 = Poly1305::new(&key);
/// poly1305.update(b"a message ");
/// poly1305.update(b"in pieces");
/// assert_eq!(poly1305.finalize(), Poly1305::mac(&key, b"a message in pieces"));
/// ```
#[derive(Clone)]
pub struct Poly1305 {
    backend: Backend,
    r: Multiplier,
    pad: [u8; 16],
    sum: Sum,
    /// The beginning of an incomplete block.
    block: [u8; 16],
    filled: usize,
    powers: Powers,
}

impl fmt::Debug for Poly1305 {
    /// Leaves out the key and everything derived from it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Poly1305").field("backend", &self.backend).finish_non_exhaustive()
    }
}

impl Poly1305 {
    /// Starts the authenticator of an empty message on [`Backend::fastest`].
    #[inline]
    pub fn new(key: &[u8; 32]) -> Self {
        Self::with_backend(Backend::fastest(), key)
    }

    /// Starts the authenticator of an empty message on the given backend.
    #[inline]
    pub fn with_backend(backend: Backend, key: &[u8; 32]) -> Self {
        let (r, pad) = halves(key);
        Self {
            backend,
            r: Multiplier::new(r),
            pad: *pad,
            sum: Sum::ZERO,
            block: [0; 16],
            filled: 0,
            powers: Powers::None,
        }
    }

    /// Appends to the message.
    #[inline]
    pub fn update(&mut self, mut message: &[u8]) {
        if self.filled != 0 {
            let room = &mut self.block[self.filled..];
            let (head, rest) = message.split_at(message.len().min(room.len()));
            room[..head.len()].copy_from_slice(head);
            self.filled += head.len();
            if self.filled < self.block.len() {
                return;
            }
            self.sum.absorb_blocks(&self.r, &[self.block]);
            message = rest;
        }
        let (blocks, tail) = message.as_chunks::<16>();
        self.backend.absorb_blocks(&mut self.sum, &self.r, &mut self.powers, blocks);
        self.block[..tail.len()].copy_from_slice(tail);
        self.filled = tail.len();
    }

    /// Appends zeros up to the end of the block (RFC 8439 section 2.8).
    #[inline]
    pub(crate) fn pad_block(&mut self) {
        if self.filled != 0 {
            self.block[self.filled..].fill(0);
            self.sum.absorb_blocks(&self.r, &[self.block]);
            self.filled = 0;
        }
    }

    /// Returns the tag of everything appended.
    #[inline]
    pub fn finalize(mut self) -> [u8; 16] {
        self.finish()
    }

    /// Does the same as [`finalize`](Self::finalize) without a copy of the state.
    #[inline]
    pub(crate) fn finish(&mut self) -> [u8; 16] {
        if self.filled != 0 {
            self.sum.absorb_last(&self.r, &self.block[..self.filled]);
        }
        self.sum.tag(&self.pad)
    }

    /// Compares the tag of everything appended in constant time.
    ///
    /// # Errors
    /// Returns [`WrongTag`] if `tag` differs.
    #[inline]
    pub fn verify(self, tag: &[u8; 16]) -> Result<(), WrongTag> {
        if tags_equal(&self.finalize(), tag) { Ok(()) } else { Err(WrongTag) }
    }

    /// Returns the tag of a message, on [`Backend::fastest`].
    #[inline]
    pub fn mac(key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        Self::mac_with(Backend::fastest(), key, message)
    }

    /// Returns the tag of a message, on the given backend.
    #[inline]
    pub fn mac_with(backend: Backend, key: &[u8; 32], message: &[u8]) -> [u8; 16] {
        let (r, pad) = halves(key);
        let r = Multiplier::new(r);
        let mut sum = Sum::ZERO;
        let (blocks, tail) = message.as_chunks::<16>();
        backend.absorb_blocks(&mut sum, &r, &mut Powers::None, blocks);
        if !tail.is_empty() {
            sum.absorb_last(&r, tail);
        }
        sum.tag(pad)
    }
}

/// Whether two tags are equal, in constant time: a single comparison of 128 bits.
#[inline]
pub(crate) fn tags_equal(a: &[u8; 16], b: &[u8; 16]) -> bool {
    u128::from_le_bytes(*a) ^ u128::from_le_bytes(*b) == 0
}

fn halves(key: &[u8; 32]) -> (&[u8; 16], &[u8; 16]) {
    let [r, pad] = key.as_chunks::<16>().0 else { unreachable!("32 bytes are two halves") };
    (r, pad)
}
