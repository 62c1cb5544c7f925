//! Tries a backend of each kernel once.

pub mod ciphers;
pub mod codecs;
pub mod hashes;
pub mod recursive;
pub mod xofs;
