//! Implements HMAC (RFC 2104, FIPS 198-1) over any [`IteratedHash`].
//!
//! ```
//! use cpb_kernels::hmac::{Hmac, Key};
//! use cpb_kernels::sha256::Sha256;
//!
//! let mut mac = Hmac::<Sha256>::new(b"key");
//! mac.update(b"mess");
//! mac.update(b"age");
//! let tag = mac.finalize();
//!
//! let key = Key::<Sha256>::new(b"key");
//! assert_eq!(key.tag(b"message"), tag);
//! assert!(key.verify(b"message", &tag));
//! ```
//!
//! The result of a verification must be used:
//!
//! ```compile_fail
//! #![deny(unused_must_use)]
//! # use cpb_kernels::{hmac::Key, sha256::Sha256};
//! Key::<Sha256>::new(b"key").verify(b"message", &[0; 32]);
//! ```
//!
//! ```compile_fail
//! #![deny(unused_must_use)]
//! # use cpb_kernels::{hmac::Hmac, sha256::Sha256};
//! Hmac::<Sha256>::new(b"key").verify(&[0; 32]);
//! ```

use crate::Backend as _;
use crate::hash::{Compression, IteratedHash, Midstates, Stream, chain};

/// Holds a key after both of its blocks have been compressed: a message then costs
/// its own blocks and two compressions of padding.
#[derive(Clone)]
pub struct Key<H: IteratedHash> {
    midstates: Midstates<<H::Function as Compression>::State>,
    backend: H::Backend,
}

impl<H: IteratedHash> Key<H> {
    /// Prepares a key of any length, on the hash's fastest backend.
    #[inline]
    pub fn new(key: &[u8]) -> Self {
        Self::with_backend(<H::Backend>::fastest(), key)
    }

    /// Prepares a key of any length, on the given backend.
    #[inline]
    pub fn with_backend(backend: H::Backend, key: &[u8]) -> Self {
        let digest;
        let key = if key.len() > H::BLOCK_BYTES {
            digest = H::hash(backend, key);
            digest.as_ref()
        } else {
            key
        };
        let midstate = |pad: u8| {
            let mut block = H::Function::ZEROS;
            block.as_mut()[..key.len()].copy_from_slice(key);
            block.as_mut().iter_mut().for_each(|byte| *byte ^= pad);
            let mut state = H::INITIAL;
            H::Function::compress(backend, &mut state, block.as_ref(), &[]);
            state
        };
        Self { midstates: Midstates { inner: midstate(0x36), outer: midstate(0x5c) }, backend }
    }

    #[inline]
    pub fn tag(&self, message: &[u8]) -> H::Output {
        H::output(&self.state_of(message))
    }

    /// Returns whether `tag` is the whole tag of the message, in a time that does
    /// not depend on where they differ.
    #[must_use = "false is a wrong tag"]
    pub fn verify(&self, message: &[u8], tag: &[u8]) -> bool {
        equal(self.tag(message).as_ref(), tag)
    }

    /// Returns the tag of a message as a chaining value.
    #[inline]
    pub(crate) fn state_of(&self, message: &[u8]) -> <H::Function as Compression>::State {
        let before = H::BLOCK_BYTES as u64;
        self.outer(&chain::<H::Function>(self.backend, self.midstates.inner, before, message))
    }

    /// Computes the tag from the final state of the inner hash.
    #[inline]
    fn outer(
        &self,
        digest: &<H::Function as Compression>::State,
    ) -> <H::Function as Compression>::State {
        H::Function::compress_digest(self.backend, &self.midstates.outer, digest, &H::DIGEST_BLOCK)
    }

    pub(crate) fn midstates(&self) -> &Midstates<<H::Function as Compression>::State> {
        &self.midstates
    }
}

/// Holds a tag in progress.
#[derive(Clone)]
pub struct Hmac<H: IteratedHash> {
    inner: Stream<H::Function>,
    key: Key<H>,
}

impl<H: IteratedHash> Hmac<H> {
    /// Starts the tag of an empty message, on the hash's fastest backend.
    #[inline]
    pub fn new(key: &[u8]) -> Self {
        Self::with_key(&Key::new(key))
    }

    /// Starts the tag of an empty message, on the given backend.
    #[inline]
    pub fn with_backend(backend: H::Backend, key: &[u8]) -> Self {
        Self::with_key(&Key::with_backend(backend, key))
    }

    /// Starts the tag of an empty message without compressing the key again.
    #[inline]
    pub fn with_key(key: &Key<H>) -> Self {
        let before = H::BLOCK_BYTES as u64;
        Self { inner: Stream::new(key.backend, key.midstates.inner, before), key: key.clone() }
    }

    /// Appends to the message.
    #[inline]
    pub fn update(&mut self, message: &[u8]) {
        self.inner.update(message);
    }

    /// Returns the tag of everything appended.
    #[inline]
    pub fn finalize(self) -> H::Output {
        H::output(&self.finish())
    }

    /// Returns the tag of everything appended as a chaining value.
    #[inline]
    pub(crate) fn finish(&self) -> <H::Function as Compression>::State {
        self.key.outer(&self.inner.finish())
    }

    /// Returns whether `tag` is the whole tag of everything appended, in a time
    /// that does not depend on where they differ.
    #[must_use = "false is a wrong tag"]
    pub fn verify(self, tag: &[u8]) -> bool {
        equal(self.finalize().as_ref(), tag)
    }
}

/// Compares all bytes, wherever the first difference is. Lengths are not secret.
fn equal(a: &[u8], b: &[u8]) -> bool {
    let mut difference = 0;
    for (a, b) in a.iter().zip(b) {
        // The barrier keeps the compiler from returning at the first difference.
        difference = std::hint::black_box(difference | (a ^ b));
    }
    a.len() == b.len() && difference == 0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sha256::Sha256;

    #[test]
    fn only_the_whole_tag_verifies() {
        let key = Key::<Sha256>::new(b"key");
        let tag = key.tag(b"message");
        assert!(key.verify(b"message", &tag));
        assert!(Hmac::with_key(&key).finalize() != tag);
        for bit in 0..256 {
            let mut wrong = tag;
            wrong[bit / 8] ^= 1 << (bit % 8);
            assert!(!key.verify(b"message", &wrong), "bit {bit}");
        }
        assert!(!key.verify(b"message", &tag[..31]));
        assert!(!key.verify(b"message", &[]));
        assert!(!key.verify(b"message", &[&tag[..], &[0]].concat()));
    }
}
