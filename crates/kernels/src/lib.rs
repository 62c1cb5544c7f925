//! Implements cryptographic primitives, one folder per primitive, one file per
//! instruction set.
//!
//! **Who should use it:** programs that measure, or that want a named implementation
//! of a primitive rather than whichever one happens to be chosen. Every primitive has
//! a `Backend` type: a value with a name, chosen at run time, that can be forced by
//! name and exists only where the CPU can run it.
//!
//! **Limits:** nothing here has been audited. Memory is not wiped after use. The
//! algorithms are meant to run in constant time (none has branches or table look-ups
//! that depend on data), but this is not verified. Messages are whole bytes.
//! ```
//! use cpb_kernels::sha3::Sha3_256;
//! use cpb_kernels::{Backend, keccak};
//!
//! let backend = keccak::Backend::by_name("portable")?;
//! assert_eq!(Sha3_256::digest(b"abc"), Sha3_256::digest_with(backend, b"abc"));
//! # Ok::<(), cpb_kernels::Unavailable>(())
//! ```

#![allow(unsafe_code, reason = "loads, stores and the instructions of each set")]

mod backend;
pub mod base16;
pub mod base64;
#[cfg(target_arch = "x86_64")]
mod bytes_512;
pub mod chacha20;
pub mod chacha20_poly1305;
mod codec;
mod codec_error;
pub mod cpu;
pub mod hash;
pub mod hkdf;
pub mod hmac;
mod in_out;
pub mod keccak;
pub mod pbkdf2;
pub mod poly1305;
pub mod recursive_sha256;
pub mod sha1;
pub mod sha256;
pub mod sha512;

pub use backend::{Backend, Unavailable};
pub use keccak::sha3;

/// Makes an array of the results of the generic function `$of` for each
/// [`IteratedHash`](hash::IteratedHash). Further expressions are appended.
#[macro_export]
macro_rules! iterated_hashes {
    ($of:ident $(, $others:expr)*) => {
        [
            $of::<$crate::sha1::Sha1>(),
            $of::<$crate::sha256::Sha224>(),
            $of::<$crate::sha256::Sha256>(),
            $of::<$crate::sha512::Sha384>(),
            $of::<$crate::sha512::Sha512>(),
            $of::<$crate::sha512::Sha512_224>(),
            $of::<$crate::sha512::Sha512_256>(),
            $($others),*
        ]
    };
}

/// Makes an array of the results of the generic function `$of`, without arguments, for
/// each [`Hash`](hash::Hash), in the order in which users see them.
#[macro_export]
macro_rules! hashes {
    ($of:ident) => {
        $crate::iterated_hashes!(
            $of,
            $of::<$crate::sha3::Sha3_224>(),
            $of::<$crate::sha3::Sha3_256>(),
            $of::<$crate::sha3::Sha3_384>(),
            $of::<$crate::sha3::Sha3_512>()
        )
    };
}
