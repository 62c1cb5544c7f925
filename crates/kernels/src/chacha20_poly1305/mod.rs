//! Authenticated encryption with associated data by ChaCha20 and Poly1305 (RFC 8439
//! section 2.8): 32-byte key, 12-byte nonce, 16-byte tag.
//!
//! **Constant time** as its parts are: branches and addresses depend on lengths alone,
//! until a tag is found to be wrong.
//!
//! **Limits:** a key and a nonce must be used together only once. A message is sealed
//! or opened as a whole, because no part of a plaintext may be trusted before the tag
//! is verified.

mod aead;
mod backend;

pub use aead::{ChaCha20Poly1305, Error};
pub use backend::Backend;
