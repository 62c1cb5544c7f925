//! AVX2: encodes 24 bytes to 32 characters and decodes them, 12 bytes and 16
//! characters in each half.

use std::arch::asm;
use std::arch::x86_64::*;

use super::entries::entries;
use crate::cpu::Avx2;

entries!(Avx2, "avx2", BYTES 24, TEXT 32, READ 28, WRITE 32);

#[inline]
#[target_feature(enable = "avx2")]
fn encode_block(bytes: &[u8; 28], text: &mut [u8; 32]) {
    // SAFETY: the array has 16 bytes from offset 0 and from offset 12.
    let halves = unsafe {
        let start = bytes.as_ptr();
        _mm256_loadu2_m128i(start.add(12).cast(), start.cast())
    };
    // Each quantum of bytes a, b, c becomes the 32 bits b, a, c, b.
    let quanta = _mm256_shuffle_epi8(halves, in_both_halves(SPREAD));
    // Multiplications serve as shifts: the first and third sextet move right, the
    // second and fourth left, each into its own byte.
    let odd = _mm256_and_si256(quanta, _mm256_set1_epi32(0x0fc0_fc00));
    let odd = _mm256_mulhi_epu16(odd, multiplier(0x0400_0040));
    let even = _mm256_and_si256(quanta, _mm256_set1_epi32(0x003f_03f0));
    let even = _mm256_mullo_epi16(even, multiplier(0x0100_0010));
    let sextets = _mm256_or_si256(odd, even);
    // The ranges are 0 for A to Z, 1 for a to z, 2 to 11 for the digits, 12 for +
    // and 13 for /.
    let range = _mm256_subs_epu8(sextets, _mm256_set1_epi8(51));
    let range = _mm256_sub_epi8(range, _mm256_cmpgt_epi8(sextets, _mm256_set1_epi8(25)));
    let distance = _mm256_shuffle_epi8(in_both_halves(DISTANCES), range);
    let characters = _mm256_add_epi8(sextets, distance);
    // SAFETY: the array has 32 bytes.
    unsafe { _mm256_storeu_si256(text.as_mut_ptr().cast(), characters) }
}

/// Returns the result in the first 24 bytes; the others are zero.
#[inline]
#[target_feature(enable = "avx2")]
fn decode_block(text: &[u8; 32], bytes: &mut [u8; 32]) -> __m256i {
    // SAFETY: the array has 32 bytes.
    let text = unsafe { _mm256_loadu_si256(text.as_ptr().cast()) };
    let nibble = _mm256_set1_epi8(0x0f);
    let high = _mm256_and_si256(_mm256_srli_epi16::<4>(text), nibble);
    let low = _mm256_and_si256(text, nibble);
    let wrong = _mm256_and_si256(
        _mm256_shuffle_epi8(in_both_halves(KINDS), high),
        _mm256_shuffle_epi8(in_both_halves(WRONG_KINDS), low),
    );
    // '/' differs from its value by another distance than '+', but has the same
    // high nibble.
    let slash = _mm256_cmpeq_epi8(text, _mm256_set1_epi8(b'/'.cast_signed()));
    let range = _mm256_add_epi8(high, slash);
    let values = _mm256_add_epi8(text, _mm256_shuffle_epi8(in_both_halves(VALUES), range));
    // Joins pairs of sextets to 12 bits, then pairs of these to 24.
    let pairs = _mm256_maddubs_epi16(values, _mm256_set1_epi32(0x0140_0140));
    let quanta = _mm256_madd_epi16(pairs, _mm256_set1_epi32(0x0001_1000));
    let halves = _mm256_shuffle_epi8(quanta, in_both_halves(GATHER));
    let joined = _mm256_permutevar8x32_epi32(halves, _mm256_setr_epi32(0, 1, 2, 4, 5, 6, 3, 7));
    // SAFETY: the array has 32 bytes.
    unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), joined) }
    wrong
}

/// Hides a constant from the compiler, which otherwise turns a multiplication by it
/// into shifts: ten instructions instead of one.
#[inline]
#[target_feature(enable = "avx2")]
fn multiplier(value: i32) -> __m256i {
    let mut multiplier = _mm256_set1_epi32(value);
    // SAFETY: no instruction at all; the value passes through unchanged.
    unsafe {
        asm!("/* {0} */", inout(ymm_reg) multiplier, options(pure, nomem, nostack, preserves_flags));
    }
    multiplier
}

#[inline]
#[target_feature(enable = "avx2")]
fn nothing_wrong() -> __m256i {
    _mm256_setzero_si256()
}

#[inline]
#[target_feature(enable = "avx2")]
fn either(a: __m256i, b: __m256i) -> __m256i {
    _mm256_or_si256(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn is_wrong(wrong: __m256i) -> bool {
    _mm256_testz_si256(wrong, wrong) == 0
}

const SPREAD: [i8; 16] = [1, 0, 2, 1, 4, 3, 5, 4, 7, 6, 8, 7, 10, 9, 11, 10];
const GATHER: [i8; 16] = [2, 1, 0, 6, 5, 4, 10, 9, 8, 14, 13, 12, -1, -1, -1, -1];

/// Gives the distance from a value to its character, by range.
const DISTANCES: [i8; 16] = [65, 71, -4, -4, -4, -4, -4, -4, -4, -4, -4, -4, -19, -16, 0, 0];
/// Gives the distance from a character to its value, by high nibble; index 1 has
/// that of '/'.
const VALUES: [i8; 16] = [0, 16, 19, 4, -65, -65, -71, -71, 0, 0, 0, 0, 0, 0, 0, 0];

/// Gives the kinds of characters for each high nibble: `+` and `/`, digits, letters
/// from the first or from the sixteenth on, or none.
const KINDS: [i8; 16] = [16, 16, 1, 2, 4, 8, 4, 8, 16, 16, 16, 16, 16, 16, 16, 16];
/// Gives for each low nibble the kinds that have no character there.
const WRONG_KINDS: [i8; 16] = {
    let mut wrong = [16; 16];
    let mut low = 0;
    while low < 16 {
        wrong[low] |= if low == 0xb || low == 0xf { 0 } else { 1 };
        wrong[low] |= if low <= 9 { 0 } else { 2 };
        wrong[low] |= if low != 0 { 0 } else { 4 };
        wrong[low] |= if low <= 0xa { 0 } else { 8 };
        low += 1;
    }
    wrong
};

#[inline]
#[target_feature(enable = "avx2")]
fn in_both_halves(table: [i8; 16]) -> __m256i {
    // SAFETY: the array has 16 bytes.
    _mm256_broadcastsi128_si256(unsafe { _mm_loadu_si128(table.as_ptr().cast()) })
}
