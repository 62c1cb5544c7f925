//! AVX2: one lane in the low half of each vector register; without a rotate
//! instruction, a rotation is two shifts and an OR.

use std::arch::x86_64::*;

use super::ROUND_CONSTANTS;
use super::lanes::{chi_row, entries, round};
use super::state::State;
use crate::cpu::Avx2;

entries!(Avx2, "avx2");

#[target_feature(enable = "avx2")]
fn permute_lanes(state: &mut State) {
    let mut a = state.0.map(|lane| _mm_cvtsi64_si128(lane.cast_signed()));
    for constant in ROUND_CONSTANTS {
        a = round!(a, constant);
    }
    state.0 = a.map(|lane| _mm_cvtsi128_si64(lane).cast_unsigned());
}

#[inline]
#[target_feature(enable = "avx2")]
fn parity(a: __m128i, b: __m128i, c: __m128i, d: __m128i, e: __m128i) -> __m128i {
    _mm_xor_si128(_mm_xor_si128(_mm_xor_si128(a, b), _mm_xor_si128(c, d)), e)
}

#[inline]
#[target_feature(enable = "avx2")]
fn rotate_left<const N: u32>(a: __m128i) -> __m128i {
    _mm_or_si128(
        _mm_sll_epi64(a, _mm_cvtsi32_si128(N as i32)),
        _mm_srl_epi64(a, _mm_cvtsi32_si128(64 - N as i32)),
    )
}

#[inline]
#[target_feature(enable = "avx2")]
fn effect(c: __m128i, d: __m128i) -> __m128i {
    _mm_xor_si128(c, rotate_left::<1>(d))
}

#[inline]
#[target_feature(enable = "avx2")]
fn add_and_rotate<const N: u32>(a: __m128i, d: __m128i) -> __m128i {
    rotate_left::<N>(_mm_xor_si128(a, d))
}

#[inline]
#[target_feature(enable = "avx2")]
fn chi(a: __m128i, b: __m128i, c: __m128i) -> __m128i {
    _mm_xor_si128(a, _mm_andnot_si128(b, c))
}

#[inline]
#[target_feature(enable = "avx2")]
fn iota(a: __m128i, constant: u64) -> __m128i {
    _mm_xor_si128(a, _mm_cvtsi64_si128(constant.cast_signed()))
}
