//! What hash functions have in common, and what SHA-1 and SHA-2 have (FIPS 180-4): a
//! compression function chained over the blocks of a padded message.
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
pub(crate) use entries::entries;
pub(crate) use function::compression_function;
pub(crate) use portable::portable;
pub(crate) use sha2::sha2_compression;
pub(crate) use stamp::{hash, hash_by_its_functions};
pub(crate) use stream::{Stream, chain};

use crate::Unavailable;

/// A hash function whose digests have one length. [`hashes!`](crate::hashes) has them all.
pub trait Hash: Clone + std::fmt::Debug {
    /// What names its implementations, such as
    /// [`sha256::Backend`](crate::sha256::Backend).
    type Backend: Copy + std::fmt::Debug + PartialEq;
    /// A digest: an array of [`OUTPUT_BYTES`](Self::OUTPUT_BYTES) bytes.
    type Output: Copy + std::fmt::Debug + PartialEq + AsRef<[u8]> + AsMut<[u8]>;
    /// The canonical name, such as `sha512-256`.
    const NAME: &'static str;
    /// Bytes of a message that are taken in at once.
    const BLOCK_BYTES: usize;
    /// Length of a digest in bytes.
    const OUTPUT_BYTES: usize;

    /// The names of its backends on all architectures, in the order they are listed
    /// to users.
    const BACKENDS: &'static [&'static str];

    /// The backend of that name.
    ///
    /// # Errors
    /// [`Unavailable`] says why this program or CPU has no such backend.
    fn backend(name: &str) -> Result<Self::Backend, Unavailable>;

    /// The backend that measured fastest on CPUs of this family.
    fn fastest() -> Self::Backend;

    /// The name of a backend.
    fn name(backend: Self::Backend) -> &'static str;

    /// The digest of a message, on the backend given.
    fn hash(backend: Self::Backend, message: &[u8]) -> Self::Output;

    /// A hash of the empty message so far, on the backend given.
    fn with_backend(backend: Self::Backend) -> Self;

    /// Appends to the message.
    fn update(&mut self, message: &[u8]);

    /// The digest of everything appended.
    fn finalize(self) -> Self::Output;
}

/// A hash that chains a compression function: SHA-1 or one of the six functions of
/// SHA-2. [`iterated_hashes!`](crate::iterated_hashes) has them all. Sealed.
pub trait IteratedHash: Hash + sealed::Sealed {
    #[doc(hidden)]
    type Function: Compression<Backend = Self::Backend>;
    /// The initial value (FIPS 180-4 section 5.3).
    #[doc(hidden)]
    const INITIAL: <Self::Function as Compression>::State;
    /// How a digest is padded that follows one block.
    #[doc(hidden)]
    const DIGEST_BLOCK: <Self::Function as Compression>::DigestBlock;
    /// The digest that a last chaining value stands for.
    #[doc(hidden)]
    fn output(state: &<Self::Function as Compression>::State) -> Self::Output;
}

pub(crate) mod sealed {
    pub trait Sealed {}
}
