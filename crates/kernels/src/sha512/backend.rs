//! Chooses the implementations of the compression function by name.

use super::{DigestBlock, State};
use crate::backend::backends;
use crate::hash::{Lane, Midstates};

backends! {
    /// An implementation of the compression of SHA-512 that this CPU can run.
    Backend {
        Avx2(Avx2Bmi2) "avx2" on "x86_64" in avx2,
        Avx512(Avx512Bmi2) "avx512" on "x86_64" in avx512,
        Armv8Sha512(Armv8Sha512) "armv8-sha512" on "aarch64" in armv8_sha512,
    }

    /// Compresses two runs of whole blocks, one after the other.
    pub(super) fn compress(state: &mut State, first: &[u8], last: &[u8]);

    /// Compresses the block that `digest` makes.
    pub(super) fn compress_digest(
        state: &State,
        digest: &State,
        padding: &DigestBlock,
    ) -> State;

    /// Does PBKDF2's iterations.
    pub(super) fn iterate(
        key: &Midstates<State>,
        padding: &DigestBlock,
        lanes: &mut [Lane<State>],
        count: u64,
    );
}

fn preferences() -> &'static [&'static str] {
    // Dedicated instructions win wherever a CPU has them.
    &["avx512", "avx2", "armv8-sha512"]
}
