//! Chooses the implementations by name.

use super::portable::{Multiplier, Sum};
use crate::backend::backends;

#[cfg(target_arch = "aarch64")]
use super::neon;
#[cfg(target_arch = "x86_64")]
use super::{avx2, avx512ifma};

backends! {
    /// An implementation of Poly1305 that this CPU can run.
    Backend {
        Avx2(Avx2) "avx2" on "x86_64",
        Avx512Ifma(Avx512Ifma) "avx512ifma" on "x86_64",
        Neon(Neon) "neon" on "aarch64",
    }
}

/// Holds powers of r, made when the first long piece of a message needs them.
#[derive(Clone)]
#[allow(clippy::large_enum_variant, reason = "short messages leave it empty where it lies")]
pub(super) enum Powers {
    None,
    #[cfg(target_arch = "x86_64")]
    Avx2(avx2::Powers),
    #[cfg(target_arch = "x86_64")]
    Avx512Ifma(avx512ifma::Powers),
    #[cfg(target_arch = "aarch64")]
    Neon(neon::Powers),
}

impl Backend {
    /// Adds each block with its top bit to the sum and multiplies. `powers` belong
    /// to `r` and this backend.
    #[inline]
    pub(super) fn absorb_blocks(
        self,
        sum: &mut Sum,
        r: &Multiplier,
        powers: &mut Powers,
        blocks: &[[u8; 16]],
    ) {
        macro_rules! vectors {
            ($backend:ident, $Kind:ident, $token:ident) => {{
                if blocks.len() < $backend::FEWEST_BLOCKS {
                    return sum.absorb_blocks(r, blocks);
                }
                if !matches!(powers, Powers::$Kind(_)) {
                    *powers = Powers::$Kind($backend::powers($token, r));
                }
                if let Powers::$Kind(powers) = powers {
                    $backend::absorb_blocks($token, sum, r, powers, blocks);
                }
            }};
        }
        match self.0 {
            Kind::Portable => {
                let _ = powers;
                sum.absorb_blocks(r, blocks);
            }
            #[cfg(target_arch = "x86_64")]
            Kind::Avx2(token) => vectors!(avx2, Avx2, token),
            #[cfg(target_arch = "x86_64")]
            Kind::Avx512Ifma(token) => vectors!(avx512ifma, Avx512Ifma, token),
            #[cfg(target_arch = "aarch64")]
            Kind::Neon(token) => vectors!(neon, Neon, token),
        }
    }
}

fn preferences() -> &'static [&'static str] {
    &["avx512ifma", "avx2", "neon"]
}
