//! The implementations of base64, by name.

#[cfg(target_arch = "aarch64")]
use super::neon;
use super::portable;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512};
use crate::backend::backends;

backends! {
    /// An implementation of base64 that this CPU can run.
    Backend {
        Avx2(Avx2) "avx2" on "x86_64",
        Avx512(Avx512Vbmi) "avx512" on "x86_64",
        Neon(Neon) "neon" on "aarch64",
    }
}

impl Backend {
    /// Fills `out`, which has [`encoded_len`](super::encoded_len) bytes.
    #[inline]
    pub(super) fn encode(self, bytes: &[u8], out: &mut [u8]) {
        match self.0 {
            Kind::Portable => portable::encode(bytes, out),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(token) => avx2::encode(token, bytes, out),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) => avx512::encode(token, bytes, out),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(token) => neon::encode(token, bytes, out),
        }
    }

    /// Fills `out`, which has [`decoded_len`](super::decoded_len) bytes, and says
    /// whether the text is valid.
    #[inline]
    pub(super) fn decode(self, text: &[u8], out: &mut [u8]) -> bool {
        match self.0 {
            Kind::Portable => portable::decode(text, out),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(token) => avx2::decode(token, text, out),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512(token) => avx512::decode(token, text, out),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(token) => neon::decode(token, text, out),
        }
    }
}

fn preferences() -> &'static [&'static str] {
    &["avx512", "avx2", "neon"]
}
