//! Defines what all hash functions have in common, and what SHA-1 and SHA-2 share (FIPS
//! 180-4): a compression function chained over the blocks of a padded message.
//! [`hmac`](crate::hmac), [`hkdf`](crate::hkdf) and [`pbkdf2`](crate::pbkdf2) work with
//! any [`IteratedHash`].

mod compression;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod entries;
mod function;
mod portable;
mod sha2;
mod stamp;
mod stream;

pub(crate) use compression::{Compression, DigestBlock, Lane, Midstates, iterate_one_by_one};
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(crate) use entries::{compressions, entries};
pub(crate) use function::compression_function;
pub(crate) use portable::portable;
pub(crate) use sha2::sha2_compression;
pub(crate) use stamp::{hash, hash_by_its_functions};
pub(crate) use stream::{Stream, chain};

/// A hash function with digests of one length. [`hashes!`](crate::hashes) lists them all.
pub trait Hash: Clone + std::fmt::Debug {
    /// Selects one of its implementations, as [`sha256::Backend`](crate::sha256::Backend)
    /// does.
    type Backend: crate::Backend;
    /// A digest: an array of [`OUTPUT_BYTES`](Self::OUTPUT_BYTES) bytes.
    type Output: Copy + std::fmt::Debug + PartialEq + AsRef<[u8]> + AsMut<[u8]>;
    /// The canonical name, such as `sha512-256`.
    const NAME: &'static str;
    /// The size of a message block in bytes.
    const BLOCK_BYTES: usize;
    /// The length of a digest in bytes.
    const OUTPUT_BYTES: usize;

    /// Returns the digest of a message, on the given backend.
    fn hash(backend: Self::Backend, message: &[u8]) -> Self::Output;

    /// Starts the hash of an empty message on the given backend.
    fn with_backend(backend: Self::Backend) -> Self;

    /// Appends to the message.
    fn update(&mut self, message: &[u8]);

    /// Returns the digest of everything appended.
    fn finalize(self) -> Self::Output;
}

/// A hash that chains a compression function: SHA-1 or one of the six functions of SHA-2.
/// [`iterated_hashes!`](crate::iterated_hashes) lists them all. The trait is sealed.
pub trait IteratedHash: Hash + sealed::Sealed {
    #[doc(hidden)]
    type Function: Compression<Backend = Self::Backend>;
    /// The initial hash value (FIPS 180-4 section 5.3).
    #[doc(hidden)]
    const INITIAL: <Self::Function as Compression>::State;
    /// The padding of a digest that follows one block.
    #[doc(hidden)]
    const DIGEST_BLOCK: <Self::Function as Compression>::DigestBlock;
    /// Returns the digest that a final chaining value stands for.
    #[doc(hidden)]
    fn output(state: &<Self::Function as Compression>::State) -> Self::Output;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}
