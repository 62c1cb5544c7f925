//! AVX2: encodes 32 bytes to 64 digits, and decodes them.

use std::arch::x86_64::*;

use super::ALPHABET;
use super::entries::entries;
use crate::cpu::Avx2;

entries!(Avx2, "avx2", BYTES 32, TEXT 64);

#[inline]
#[target_feature(enable = "avx2")]
fn encode_block(bytes: &[u8; 32], text: &mut [u8; 64]) {
    let (halves, _) = bytes.as_chunks::<16>();
    for (half, text) in halves.iter().zip(text.as_chunks_mut::<32>().0) {
        // SAFETY: the array has 16 bytes.
        let bytes = unsafe { _mm_loadu_si128(half.as_ptr().cast()) };
        // The high nibble comes first, so it goes into the lower byte of each 16
        // bits.
        let pairs = _mm256_cvtepu8_epi16(bytes);
        let pairs = _mm256_or_si256(_mm256_srli_epi16::<4>(pairs), _mm256_slli_epi16::<8>(pairs));
        let nibbles = _mm256_and_si256(pairs, _mm256_set1_epi8(0x0f));
        // SAFETY: the array has 16 bytes.
        let alphabet = unsafe { _mm_loadu_si128(ALPHABET.as_ptr().cast()) };
        let digits = _mm256_shuffle_epi8(_mm256_broadcastsi128_si256(alphabet), nibbles);
        // SAFETY: the array has 32 bytes.
        unsafe { _mm256_storeu_si256(text.as_mut_ptr().cast(), digits) }
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn decode_block(text: &[u8; 64], bytes: &mut [u8; 32]) -> __m256i {
    // SAFETY: the array has twice 32 bytes.
    let [first, second] = unsafe {
        let start = text.as_ptr();
        [_mm256_loadu_si256(start.cast()), _mm256_loadu_si256(start.add(32).cast())]
    };
    let (first, second) = (values(first), values(second));
    let packed = _mm256_packus_epi16(joined(first), joined(second));
    // SAFETY: the array has 32 bytes.
    unsafe {
        let in_order = _mm256_permute4x64_epi64::<0b11_01_10_00>(packed);
        _mm256_storeu_si256(bytes.as_mut_ptr().cast(), in_order);
    }
    _mm256_max_epu8(first, second)
}

/// Returns the values of digits; a byte that is no digit gets a value of at least
/// 16.
#[inline]
#[target_feature(enable = "avx2")]
fn values(text: __m256i) -> __m256i {
    let all = |byte: u8| _mm256_set1_epi8(byte.cast_signed());
    // Moves the decimal digits to the top of the range, so that subtracting with
    // saturation brings only them below 10; everything else ends at 16 or more.
    let top = _mm256_add_epi8(text, all(0xff - b'9'));
    let decimal = _mm256_sub_epi8(_mm256_subs_epu8(top, all(6)), all(0xf0));
    // Upper and lower case differ in one bit.
    let letter = _mm256_sub_epi8(_mm256_and_si256(text, all(0xdf)), all(b'A'));
    _mm256_min_epu8(decimal, _mm256_adds_epu8(letter, all(10)))
}

/// Joins pairs of nibbles to bytes, each in 16 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn joined(values: __m256i) -> __m256i {
    _mm256_maddubs_epi16(values, _mm256_set1_epi16(0x0110))
}

#[inline]
#[target_feature(enable = "avx2")]
fn either(a: __m256i, b: __m256i) -> __m256i {
    _mm256_max_epu8(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn is_wrong(largest: __m256i) -> bool {
    let above = _mm256_subs_epu8(largest, _mm256_set1_epi8(15));
    _mm256_testz_si256(above, above) == 0
}
