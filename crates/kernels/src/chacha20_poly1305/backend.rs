//! Chooses pairs of implementations by name.

use crate::backend::backends;
#[cfg(target_arch = "x86_64")]
use crate::cpu;
use crate::{Backend as _, chacha20, poly1305};

backends! {
    /// An implementation of ChaCha20-Poly1305 that this CPU can run: the ChaCha20 of
    /// the same name, and the Poly1305 that goes with it (`avx512ifma` with `avx512`).
    Backend {
        Avx2(Avx2) "avx2" on "x86_64",
        Avx512(Avx512Ifma) "avx512" on "x86_64",
        Neon(Neon) "neon" on "aarch64",
    }
}

impl Backend {
    #[inline]
    pub(super) fn chacha20(self) -> chacha20::Backend {
        match self.0 {
            Kind::Portable => chacha20::Backend::PORTABLE,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(token) => token.into(),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) => cpu::Avx512::from(token).into(),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(token) => token.into(),
        }
    }

    #[inline]
    pub(super) fn poly1305(self) -> poly1305::Backend {
        match self.0 {
            Kind::Portable => poly1305::Backend::PORTABLE,
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(token) => token.into(),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) => token.into(),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(token) => token.into(),
        }
    }
}

fn preferences() -> &'static [&'static str] {
    &["avx512", "avx2", "neon"]
}
