//! Implements the one-time authenticator Poly1305 (RFC 8439 section 2.5): a 32-byte
//! key, one message, a 16-byte tag.
//!
//! **Constant time** by construction: it uses multiplications, additions and shifts;
//! the final reduction selects by masks; branches and addresses depend on lengths
//! alone. Tags are compared as a whole.
//!
//! **Limits:** a key may authenticate one message only.

mod backend;
mod portable;
mod stream;

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512ifma;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
mod lanes;
#[cfg(target_arch = "aarch64")]
mod neon;

pub use backend::Backend;
pub(crate) use stream::tags_equal;
pub use stream::{Poly1305, WrongTag};
