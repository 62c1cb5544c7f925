//! AVX-512: sixteen lanes in lockstep form a group; one group, or two with
//! interleaved instructions.
//!
//! After folding, a hash of a group is 1539 operations, at least 385 cycles on Zen
//! 5's four pipes, of which two rotate. One group waits for its own results and takes
//! 560 cycles. Two groups fill each other's gaps and take 853, that is 26.6 per lane,
//! where the lower bound is 24.
//!
//! Rounds are assembly, because a compiler reorders their additions and so lengthens
//! the critical path from round to round.

use std::arch::asm;
use std::arch::x86_64::*;

use super::constants::{
    INITIAL, PADDING, big_sigma0, big_sigma1, choose, majority, small_sigma0, small_sigma1,
};
use super::lockstep::{CONSTANTS, eight_rounds, known, lockstep};
use super::words::{transpose, transpose_back};
use crate::cpu::Avx512;

pub(super) fn iterate_16(_: Avx512, lanes: &mut [[u8; 32]; 16], count: u64) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { iterate(std::array::from_mut(lanes), count) }
}

pub(super) fn iterate_32(_: Avx512, lanes: &mut [[u8; 32]; 32], count: u64) {
    let mut groups = [[[0; 32]; 16]; 2];
    groups.as_flattened_mut().copy_from_slice(lanes);
    // SAFETY: the token proves that the CPU has the features.
    unsafe { iterate(&mut groups, count) }
    lanes.copy_from_slice(groups.as_flattened());
}

lockstep!(__m512i, 16, "avx512f");

#[inline]
#[target_feature(enable = "avx512f")]
fn full_round<const G: usize>(state: &mut State, h: __m512i) {
    if G == 1 {
        round_for_latency(state, h);
    } else {
        round_for_throughput(state, h);
    }
}

/// Generates a round whose `h` already includes word and constant. The assembly is
/// not `pure`, because then the compiler would move it.
macro_rules! round_of {
    ($name:ident: $($line:literal)+) => {
        #[inline]
        #[target_feature(enable = "avx512f")]
        fn $name(state: &mut State, mut h: __m512i) {
            let [a, b, c, mut d, e, f, g, _] = *state;
            // SAFETY: the instructions are among the features of this function; they
            // touch registers only.
            unsafe {
                asm!(
                    $($line,)+
                    a = in(zmm_reg) a, b = in(zmm_reg) b, c = in(zmm_reg) c,
                    d = inout(zmm_reg) d,
                    e = in(zmm_reg) e, f = in(zmm_reg) f, g = in(zmm_reg) g,
                    h = inout(zmm_reg) h,
                    x = out(zmm_reg) _, y = out(zmm_reg) _,
                    z = out(zmm_reg) _, t = out(zmm_reg) _,
                    options(nomem, nostack, preserves_flags),
                );
            }
            *state = [h, a, b, c, d, e, f, g];
        }
    };
}

// `vpternlogd` overwrites the operand that arrives last, because the others have one
// cycle more of latency.

// A round takes 17 operations including those of h, the fewest possible.
round_of! { round_for_throughput:
    "vmovdqa32 {t}, {e}"
    "vpternlogd {t}, {f}, {g}, 0xca" // Ch
    "vprord {x}, {e}, 6"
    "vprord {y}, {e}, 11"
    "vprord {z}, {e}, 25"
    "vpternlogd {z}, {x}, {y}, 0x96" // Σ₁
    "vpaddd {h}, {h}, {t}"
    "vprord {x}, {a}, 2"
    "vprord {y}, {a}, 13"
    "vprord {t}, {a}, 22"
    "vpternlogd {t}, {x}, {y}, 0x96" // Σ₀
    "vpaddd {h}, {h}, {z}"
    "vpaddd {d}, {d}, {h}"
    "vmovdqa32 {z}, {a}"
    "vpternlogd {z}, {b}, {c}, 0xe8" // Maj
    "vpaddd {t}, {t}, {z}"
    "vpaddd {h}, {h}, {t}"
}

// This takes one operation more, so that Σ₁ and Σ₀, which are ready last, need only
// one addition each to become e and a.
round_of! { round_for_latency:
    "vmovdqa32 {t}, {e}"
    "vpternlogd {t}, {f}, {g}, 0xca" // Ch
    "vpaddd {h}, {h}, {t}"
    "vpaddd {d}, {d}, {h}"
    "vprord {x}, {e}, 6"
    "vprord {y}, {e}, 11"
    "vprord {z}, {e}, 25"
    "vpternlogd {z}, {x}, {y}, 0x96" // Σ₁
    "vpaddd {d}, {d}, {z}"
    "vpaddd {h}, {h}, {z}"
    "vprord {x}, {a}, 2"
    "vprord {y}, {a}, 13"
    "vprord {t}, {a}, 22"
    "vpternlogd {t}, {x}, {y}, 0x96" // Σ₀
    "vmovdqa32 {z}, {a}"
    "vpternlogd {z}, {b}, {c}, 0xe8" // Maj
    "vpaddd {h}, {h}, {z}"
    "vpaddd {h}, {h}, {t}"
}

/// Computes σ₀ (FIPS 180-4 equation 4.6).
#[inline]
#[target_feature(enable = "avx512f")]
fn vector_sigma0(x: __m512i) -> __m512i {
    xor3(_mm512_ror_epi32::<7>(x), _mm512_ror_epi32::<18>(x), _mm512_srli_epi32::<3>(x))
}

/// Computes σ₁ (FIPS 180-4 equation 4.7).
#[inline]
#[target_feature(enable = "avx512f")]
fn vector_sigma1(x: __m512i) -> __m512i {
    xor3(_mm512_ror_epi32::<17>(x), _mm512_ror_epi32::<19>(x), _mm512_srli_epi32::<10>(x))
}

#[inline]
#[target_feature(enable = "avx512f")]
fn xor3(a: __m512i, b: __m512i, c: __m512i) -> __m512i {
    _mm512_ternarylogic_epi32::<0x96>(a, b, c)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn broadcast(word: u32) -> __m512i {
    _mm512_set1_epi32(word.cast_signed())
}

#[inline]
#[target_feature(enable = "avx512f")]
fn add(x: __m512i, y: __m512i) -> __m512i {
    _mm512_add_epi32(x, y)
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(words: &[u32; 16]) -> __m512i {
    // SAFETY: the source is an array of 16 words; no alignment is required.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store(words: &mut [u32; 16], vector: __m512i) {
    // SAFETY: the target is an array of 16 words; no alignment is required.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), vector) }
}
