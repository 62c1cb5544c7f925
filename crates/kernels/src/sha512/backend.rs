//! Chooses the implementations of the compression function by name.

use super::{DigestBlock, State};
use crate::hash::compressions;

compressions! {
    /// An implementation of the compression of SHA-512 that this CPU can run.
    Backend {
        Avx2(Avx2Bmi2) "avx2" on "x86_64" in avx2,
        Avx512(Avx512Bmi2) "avx512" on "x86_64" in avx512,
        Armv8Sha512(Armv8Sha512) "armv8-sha512" on "aarch64" in armv8_sha512,
    }
    prefers &["avx512", "avx2", "armv8-sha512"]
}
