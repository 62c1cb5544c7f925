//! Chooses the implementations of the compression function by name.

use super::{DigestBlock, State};
use crate::backend::backends;
use crate::hash::{Lane, Midstates};

backends! {
    /// An implementation of the compression of SHA-256 that this CPU can run.
    Backend {
        ShaNi(ShaNi) "shani" on "x86_64" in shani,
        Armv8Sha2(Armv8Sha2) "armv8-sha2" on "aarch64" in armv8_sha2,
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
    &["shani", "armv8-sha2"]
}
