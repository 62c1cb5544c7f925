//! Implements SHA-1 (FIPS 180-4 section 6.1). It no longer resists collisions;
//! HMAC, HKDF and PBKDF2 do not depend on that.
//!
//! ```
//! use cpb_kernels::sha1::Sha1;
//!
//! let mut hash = Sha1::new();
//! hash.update(b"a");
//! hash.update(b"bc");
//! assert_eq!(hash.finalize(), Sha1::digest(b"abc"));
//! ```

mod backend;
mod portable;

#[cfg(target_arch = "aarch64")]
mod armv8_sha2;
#[cfg(target_arch = "x86_64")]
mod shani;

pub use backend::Backend;

use crate::hash::{self, compression_function, hash};

/// A chaining value, H0 to H4.
type State = [u32; 5];

/// The padding of a digest, a chaining value, to a block.
type DigestBlock = hash::DigestBlock<u32, 5>;

hash! {
    /// SHA-1 in progress (FIPS 180-4 section 6.1).
    Sha1(Function), "sha1", 20, [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
}

compression_function! {
    /// The compression function.
    Function, u32
}
