//! Chooses the implementations of base64 by name.

use crate::backend::backends;

backends! {
    /// An implementation of base64 that this CPU can run.
    Backend {
        Avx2(Avx2) "avx2" on "x86_64" in avx2,
        Avx512(Avx512Vbmi) "avx512" on "x86_64" in avx512,
        Neon(Neon) "neon" on "aarch64" in neon,
    }

    /// Fills `out`, which has [`encoded_len`](super::encoded_len) bytes.
    pub(super) fn encode(bytes: &[u8], out: &mut [u8]);

    /// Fills `out`, which has [`decoded_len`](super::decoded_len) bytes, and
    /// returns whether the text is valid.
    pub(super) fn decode(text: &[u8], out: &mut [u8]) -> bool;
}

fn preferences() -> &'static [&'static str] {
    &["avx512", "avx2", "neon"]
}
