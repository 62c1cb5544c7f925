//! The implementations, by name.

use super::state::State;
use crate::backend::backends;
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
use crate::cpu;
use crate::in_out::InOut;

backends! {
    /// An implementation of ChaCha20 that this CPU can run.
    Backend {
        Ssse3(Ssse3) "ssse3" on "x86_64" in ssse3,
        Avx2(Avx2) "avx2" on "x86_64" in avx2,
        Avx512(Avx512) "avx512" on "x86_64" in avx512,
        Neon(Neon) "neon" on "aarch64" in neon,
    }

    /// Output = input ^ keystream, from the state's counter on.
    pub(crate) fn xor(state: &State, data: InOut<'_>);
}

impl Backend {
    pub(crate) const PORTABLE: Self = Self(Kind::Portable);

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn avx2(token: cpu::Avx2) -> Self {
        Self(Kind::Avx2(token))
    }

    #[cfg(target_arch = "x86_64")]
    pub(crate) fn avx512(token: cpu::Avx512) -> Self {
        Self(Kind::Avx512(token))
    }

    #[cfg(target_arch = "aarch64")]
    pub(crate) fn neon(token: cpu::Neon) -> Self {
        Self(Kind::Neon(token))
    }
}

fn preferences() -> &'static [&'static str] {
    &["avx512", "avx2", "ssse3", "neon"]
}
