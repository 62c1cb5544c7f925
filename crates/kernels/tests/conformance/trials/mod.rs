//! How a backend of each kernel is tried once.

pub mod ciphers;
pub mod codecs;
pub mod hashes;
pub mod recursive;
pub mod xofs;
