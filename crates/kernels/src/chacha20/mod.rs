//! The stream cipher ChaCha20 (RFC 8439 section 2.4): 32-byte key, 12-byte nonce,
//! 32-bit block counter.
//!
//! **Constant time** by construction: additions, exclusive-ors and rotations by fixed
//! distances; branches and addresses depend on lengths alone.
//!
//! **Limits:** a key and a nonce must be used together only once, and encryption
//! alone does not detect changes: use
//! [`chacha20_poly1305`](crate::chacha20_poly1305).

mod backend;
mod portable;
mod state;
mod stream;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
#[cfg(target_arch = "aarch64")]
mod neon;
#[cfg(target_arch = "x86_64")]
mod ssse3;

pub use backend::Backend;
pub(crate) use state::State;
pub use stream::{ChaCha20, Error, xor, xor_with};
