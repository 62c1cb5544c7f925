//! SHA-1 (FIPS 180-4 section 6.1). It no longer resists collisions; HMAC, HKDF and
//! PBKDF2 do not depend on that.
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

use crate::hash::{Compression, DigestBlock, Lane, Midstates, hash};

/// A chaining value, H0 to H4.
type State = [u32; 5];

hash! {
    /// SHA-1 in progress (FIPS 180-4 section 6.1).
    Sha1(Function), 20, [0x6745_2301, 0xefcd_ab89, 0x98ba_dcfe, 0x1032_5476, 0xc3d2_e1f0]
}

/// The compression function.
#[derive(Clone, Debug)]
pub struct Function;

impl Compression for Function {
    type Backend = Backend;
    type State = State;
    type Block = [u8; 64];
    type DigestBlock = DigestBlock<u32, 5>;
    const ZEROS: [u8; 64] = [0; 64];
    const LENGTH_BYTES: usize = 8;

    #[inline]
    fn compress(backend: Backend, state: &mut State, blocks: &[u8]) {
        backend.compress(state, blocks);
    }

    #[inline]
    fn compress_digest(
        backend: Backend,
        state: &State,
        digest: &State,
        padding: &DigestBlock<u32, 5>,
    ) -> State {
        backend.compress_digest(state, digest, padding)
    }

    #[inline]
    fn iterate(
        backend: Backend,
        key: &Midstates<State>,
        padding: &DigestBlock<u32, 5>,
        lanes: &mut [Lane<State>],
        count: u64,
    ) {
        backend.iterate(key, padding, lanes, count);
    }
}
