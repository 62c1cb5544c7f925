//! AVX2: eight lanes in lockstep, 120 cycles per hash on Zen 5. Without rotates and
//! three-operand logic a hash takes twice the operations of `avx512` at half the
//! width, so only CPUs without SHA extensions benefit from it.

use std::arch::asm;
use std::arch::x86_64::*;

use super::constants::{
    INITIAL, PADDING, big_sigma0, big_sigma1, choose, majority, small_sigma0, small_sigma1,
};
use super::lockstep::{CONSTANTS, eight_rounds, known, lockstep};
use super::words::{transpose, transpose_back};
use crate::cpu::Avx2;

pub(super) fn iterate_8(_: Avx2, lanes: &mut [[u8; 32]; 8], count: u64) {
    // SAFETY: the token proves that the CPU has the feature.
    unsafe { iterate(std::array::from_mut(lanes), count) }
}

lockstep!(__m256i, 8, "avx2");

#[inline]
#[target_feature(enable = "avx2")]
fn full_round<const G: usize>(state: &mut State, h: __m256i) {
    let [a, b, c, d, e, f, g, _] = *state;
    // The sums on the critical path from round to round come last.
    let early = pin(add(h, vector_choose(e, f, g)));
    let sigma1 = vector_big_sigma1(e);
    let first = pin(add(early, sigma1));
    let new_e = pin(add(pin(add(d, early)), sigma1));
    let new_a = pin(add(pin(add(first, vector_majority(a, b, c))), vector_big_sigma0(a)));
    *state = [new_a, a, b, c, new_e, e, f, g];
}

/// Keeps values in the order in which the source computes them, because the
/// compiler's order lengthens the critical path from round to round. The assembly is
/// not `pure`, because then it could be moved.
#[inline]
#[target_feature(enable = "avx2")]
fn pin(mut vector: __m256i) -> __m256i {
    // SAFETY: there is no instruction in it.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) vector, options(nomem, nostack, preserves_flags));
    }
    vector
}

#[inline]
#[target_feature(enable = "avx2")]
fn vector_choose(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
    _mm256_xor_si256(z, _mm256_and_si256(x, _mm256_xor_si256(y, z)))
}

/// Computes Maj: the exclusive or of `y` and `z` is that of `x` and `y` in the round
/// before.
#[inline]
#[target_feature(enable = "avx2")]
fn vector_majority(x: __m256i, y: __m256i, z: __m256i) -> __m256i {
    let differ = _mm256_and_si256(_mm256_xor_si256(x, y), _mm256_xor_si256(y, z));
    _mm256_xor_si256(y, differ)
}

/// Generates a function of FIPS 180-4 section 4.1.2 from rotates and shifts to the
/// right.
macro_rules! sigma {
    ($name:ident: $($rotate:literal)+ $(, shift $shift:literal)?) => {
        #[inline]
        #[target_feature(enable = "avx2")]
        fn $name(x: __m256i) -> __m256i {
            let mut sum = _mm256_setzero_si256();
            $(
                let left = _mm256_slli_epi32::<{ 32 - $rotate }>(x);
                sum = _mm256_xor_si256(sum, _mm256_xor_si256(_mm256_srli_epi32::<$rotate>(x), left));
            )+
            $(sum = _mm256_xor_si256(sum, _mm256_srli_epi32::<$shift>(x));)?
            sum
        }
    };
}

sigma! { vector_big_sigma0: 2 13 22 }
sigma! { vector_big_sigma1: 6 11 25 }
sigma! { vector_sigma0: 7 18, shift 3 }
sigma! { vector_sigma1: 17 19, shift 10 }

#[inline]
#[target_feature(enable = "avx2")]
fn add(x: __m256i, y: __m256i) -> __m256i {
    _mm256_add_epi32(x, y)
}

#[inline]
#[target_feature(enable = "avx2")]
fn broadcast(word: u32) -> __m256i {
    _mm256_set1_epi32(word.cast_signed())
}

#[inline]
#[target_feature(enable = "avx2")]
fn load(words: &[u32; 8]) -> __m256i {
    // SAFETY: the source is an array of 8 words; no alignment is required.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store(words: &mut [u32; 8], vector: __m256i) {
    // SAFETY: the target is an array of 8 words; no alignment is required.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), vector) }
}
