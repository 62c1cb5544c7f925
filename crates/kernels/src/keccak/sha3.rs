//! Implements SHA3-224, SHA3-256, SHA3-384, SHA3-512, SHAKE128 and SHAKE256 (FIPS
//! 202 section 6) for messages of whole bytes.

use super::Backend;
use super::sponge::{Parameters, Sponge, Squeezing};
use crate::Backend as _;
use crate::hash::{Hash, hash_by_its_functions};

/// SHA3-224 (FIPS 202 section 6.1).
#[allow(non_camel_case_types, reason = "the standard's own spelling")]
pub type Sha3_224 = Sha3<28>;
/// SHA3-256 (FIPS 202 section 6.1).
#[allow(non_camel_case_types, reason = "the standard's own spelling")]
pub type Sha3_256 = Sha3<32>;
/// SHA3-384 (FIPS 202 section 6.1).
#[allow(non_camel_case_types, reason = "the standard's own spelling")]
pub type Sha3_384 = Sha3<48>;
/// SHA3-512 (FIPS 202 section 6.1).
#[allow(non_camel_case_types, reason = "the standard's own spelling")]
pub type Sha3_512 = Sha3<64>;
/// SHAKE128 (FIPS 202 section 6.2): security strength 128 bits, rate 168 bytes.
pub type Shake128 = Shake<168>;
/// SHAKE256 (FIPS 202 section 6.2): security strength 256 bits, rate 136 bytes.
pub type Shake256 = Shake<136>;

/// Holds a SHA-3 hash in progress; `OUTPUT_BYTES` is 28, 32, 48 or 64.
///
/// ```
/// use cpb_kernels::sha3::Sha3_256;
///
/// let mut hash = Sha3_256::new();
/// hash.update(b"a");
/// hash.update(b"bc");
/// assert_eq!(hash.finalize(), Sha3_256::digest(b"abc"));
/// ```
#[derive(Clone, Debug)]
pub struct Sha3<const OUTPUT_BYTES: usize>(Sponge<HashParameters<OUTPUT_BYTES>>);

impl<const OUTPUT_BYTES: usize> Sha3<OUTPUT_BYTES> {
    /// The number of bytes per permutation: 144, 136, 104 or 72 (FIPS 202 table 3,
    /// in bytes).
    pub const RATE: usize = <HashParameters<OUTPUT_BYTES> as Parameters>::RATE;

    /// Starts the hash of an empty message on [`Backend::fastest`].
    #[inline]
    pub fn new() -> Self {
        Self::with_backend(Backend::fastest())
    }

    /// Starts the hash of an empty message on the given backend.
    #[inline]
    pub fn with_backend(backend: Backend) -> Self {
        Self(Sponge::new(backend))
    }

    /// Appends to the message.
    #[inline]
    pub fn update(&mut self, message: &[u8]) {
        self.0.absorb(message);
    }

    /// Returns the digest of everything appended.
    #[inline]
    pub fn finalize(mut self) -> [u8; OUTPUT_BYTES] {
        self.0.finish_into()
    }

    /// Returns the digest of a message, on [`Backend::fastest`].
    #[inline]
    pub fn digest(message: &[u8]) -> [u8; OUTPUT_BYTES] {
        Self::digest_with(Backend::fastest(), message)
    }

    /// Returns the digest of a message, on the given backend.
    #[inline]
    pub fn digest_with(backend: Backend, message: &[u8]) -> [u8; OUTPUT_BYTES] {
        let mut hash = Self::with_backend(backend);
        hash.update(message);
        // This avoids the copy of the state that finalize() would make.
        hash.0.finish_into()
    }
}

impl<const OUTPUT_BYTES: usize> Hash for Sha3<OUTPUT_BYTES> {
    const NAME: &'static str = match OUTPUT_BYTES {
        28 => "sha3-224",
        32 => "sha3-256",
        48 => "sha3-384",
        _ => "sha3-512",
    };
    const BLOCK_BYTES: usize = Self::RATE;
    hash_by_its_functions! { OUTPUT_BYTES }
}

impl<const OUTPUT_BYTES: usize> Default for Sha3<OUTPUT_BYTES> {
    fn default() -> Self {
        Self::new()
    }
}

/// Holds a SHAKE in progress, an extendable-output function; `RATE`, in bytes, is
/// 168 or 136.
///
/// ```
/// use cpb_kernels::sha3::Shake128;
///
/// let mut shake = Shake128::new();
/// shake.update(b"abc");
/// let mut reader = shake.finalize_xof();
/// let (mut first, mut second, mut both) = ([0; 100], [0; 100], [0; 200]);
/// reader.read(&mut first);
/// reader.read(&mut second);
/// Shake128::xof(b"abc", &mut both);
/// assert_eq!([first, second].concat(), both);
/// ```
#[derive(Clone, Debug)]
pub struct Shake<const RATE: usize>(Sponge<XofParameters<RATE>>);

impl<const RATE: usize> Shake<RATE> {
    /// The number of bytes per permutation (FIPS 202 section 6.2, from the
    /// capacity).
    pub const RATE: usize = <XofParameters<RATE> as Parameters>::RATE;

    /// Starts the SHAKE of an empty message on [`Backend::fastest`].
    #[inline]
    pub fn new() -> Self {
        Self::with_backend(Backend::fastest())
    }

    /// Starts the SHAKE of an empty message on the given backend.
    #[inline]
    pub fn with_backend(backend: Backend) -> Self {
        Self(Sponge::new(backend))
    }

    /// Appends to the message.
    #[inline]
    pub fn update(&mut self, message: &[u8]) {
        self.0.absorb(message);
    }

    /// Ends the message and returns the reader of its output.
    #[inline]
    pub fn finalize_xof(self) -> ShakeReader<RATE> {
        ShakeReader(self.0.into_squeezing())
    }

    /// Fills `out` with the first output bytes of a message, on
    /// [`Backend::fastest`].
    #[inline]
    pub fn xof(message: &[u8], out: &mut [u8]) {
        Self::xof_with(Backend::fastest(), message, out);
    }

    /// Fills `out` with the first output bytes of a message, on the given backend.
    #[inline]
    pub fn xof_with(backend: Backend, message: &[u8], out: &mut [u8]) {
        let mut shake = Self::with_backend(backend);
        shake.update(message);
        shake.finalize_xof().read(out);
    }
}

impl<const RATE: usize> Default for Shake<RATE> {
    fn default() -> Self {
        Self::new()
    }
}

/// Reads the endless output of a SHAKE.
#[derive(Clone, Debug)]
pub struct ShakeReader<const RATE: usize>(Squeezing<XofParameters<RATE>>);

impl<const RATE: usize> ShakeReader<RATE> {
    /// Fills `out` with the output bytes that follow those read before.
    #[inline]
    pub fn read(&mut self, out: &mut [u8]) {
        self.0.squeeze(out);
    }
}

#[derive(Clone, Debug)]
struct HashParameters<const OUTPUT_BYTES: usize>;

impl<const OUTPUT_BYTES: usize> Parameters for HashParameters<OUTPUT_BYTES> {
    const RATE: usize = {
        assert!(matches!(OUTPUT_BYTES, 28 | 32 | 48 | 64), "not a SHA-3");
        // The capacity is twice the output (FIPS 202 section 6.1).
        200 - 2 * OUTPUT_BYTES
    };
    /// Holds the suffix bits 01 (FIPS 202 section 6.1, in the order of appendix
    /// B.2).
    const SUFFIX: u8 = 0b0000_0110;
}

#[derive(Clone, Debug)]
struct XofParameters<const RATE: usize>;

impl<const RATE: usize> Parameters for XofParameters<RATE> {
    const RATE: usize = {
        assert!(matches!(RATE, 168 | 136), "not a SHAKE");
        RATE
    };
    /// Holds the suffix bits 1111 (FIPS 202 section 6.2, in the order of appendix
    /// B.2).
    const SUFFIX: u8 = 0b0001_1111;
}
