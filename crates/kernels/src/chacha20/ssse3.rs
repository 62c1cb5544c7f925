//! SSSE3, for x86-64 CPUs without AVX2: four blocks in sixteen registers, each with
//! one word of every block. A remainder of one or two blocks goes through scalar code.
//!
//! The rotations by 16 and 8 are byte shuffles, the others two shifts.

use std::arch::x86_64::*;
use std::hint::black_box;

use super::portable;
use super::state::{COUNTER, State};
use crate::cpu::Ssse3;
use crate::in_out::InOut;

/// Holds word i of four blocks at index i.
type Words = [__m128i; 16];

pub(super) fn xor(_: Ssse3, state: &State, data: InOut<'_>) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { xor_any(state, data) }
}

#[target_feature(enable = "ssse3")]
fn xor_any(state: &State, mut data: InOut<'_>) {
    let mut state = *state;
    while data.len() > 128 {
        xor_vectors(&keystream_4(&state), data.take(256));
        state = state.after(4);
    }
    portable::xor(&state, data);
}

/// Computes output = input ^ keystream; the keystream is at least as long as the data.
#[inline]
#[target_feature(enable = "ssse3")]
fn xor_vectors(keystream: &[__m128i; 16], mut data: InOut<'_>) {
    for vector in keystream {
        let mut part = data.take(16);
        if part.len() == 16 {
            // SAFETY: there are 16 bytes.
            unsafe {
                let text = _mm_loadu_si128(part.input().cast());
                _mm_storeu_si128(part.output().cast(), _mm_xor_si128(text, *vector));
            }
        } else {
            let mut bytes = [0; 16];
            // SAFETY: there is room for 16 bytes.
            unsafe { _mm_storeu_si128(bytes.as_mut_ptr().cast(), *vector) };
            part.xor(&bytes);
            return;
        }
    }
}

/// Returns four blocks of keystream.
#[inline]
#[target_feature(enable = "ssse3")]
fn keystream_4(state: &State) -> [__m128i; 16] {
    let start = words(state);
    // The compiler would split a shuffle with a known order into two.
    let by_16 = black_box(_mm_set_epi8(13, 12, 15, 14, 9, 8, 11, 10, 5, 4, 7, 6, 1, 0, 3, 2));
    let by_8 = black_box(_mm_set_epi8(14, 13, 12, 15, 10, 9, 8, 11, 6, 5, 4, 7, 2, 1, 0, 3));
    let orders = (by_16, by_8);
    let mut w = start;
    for _ in 0..10 {
        w = quarter_rounds(w, orders, [0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]);
        w = quarter_rounds(w, orders, [0, 1, 2, 3], [5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]);
    }
    for (word, start) in w.iter_mut().zip(start) {
        *word = _mm_add_epi32(*word, start);
    }
    blocks(w)
}

/// Returns the words of the next four states.
#[inline]
#[target_feature(enable = "ssse3")]
fn words(state: &State) -> Words {
    let mut words = state.0.map(|word| _mm_set1_epi32(word.cast_signed()));
    let counters = _mm_set_epi32(3, 2, 1, 0);
    words[COUNTER] = _mm_add_epi32(words[COUNTER], counters);
    words
}

/// Does four quarter rounds side by side, on the words at these indices.
#[inline]
#[target_feature(enable = "ssse3")]
fn quarter_rounds(
    mut w: Words,
    (by_16, by_8): (__m128i, __m128i),
    a: [usize; 4],
    b: [usize; 4],
    c: [usize; 4],
    d: [usize; 4],
) -> Words {
    macro_rules! step {
        ($to:ident += $from:ident, $turned:ident <<< $rotated:expr) => {
            for i in 0..4 {
                w[$to[i]] = _mm_add_epi32(w[$to[i]], w[$from[i]]);
            }
            for i in 0..4 {
                w[$turned[i]] = $rotated(_mm_xor_si128(w[$turned[i]], w[$to[i]]));
            }
        };
    }
    step!(a += b, d <<< |word| _mm_shuffle_epi8(word, by_16));
    step!(c += d, b <<< |word| rotated::<12, 20>(word));
    step!(a += b, d <<< |word| _mm_shuffle_epi8(word, by_8));
    step!(c += d, b <<< |word| rotated::<7, 25>(word));
    w
}

/// Rotates words to the left; the two distances add up to 32.
#[inline]
#[target_feature(enable = "ssse3")]
fn rotated<const LEFT: i32, const RIGHT: i32>(word: __m128i) -> __m128i {
    _mm_or_si128(_mm_slli_epi32::<LEFT>(word), _mm_srli_epi32::<RIGHT>(word))
}

/// Transposes words of four blocks to four blocks of four registers each.
#[inline]
#[target_feature(enable = "ssse3")]
fn blocks(words: Words) -> [__m128i; 16] {
    let mut blocks = [_mm_setzero_si128(); 16];
    for (group, words) in words.as_chunks::<4>().0.iter().enumerate() {
        let [a, b, c, d] = *words;
        let (ab_low, ab_high) = (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm_unpacklo_epi32(c, d), _mm_unpackhi_epi32(c, d));
        blocks[group] = _mm_unpacklo_epi64(ab_low, cd_low);
        blocks[4 + group] = _mm_unpackhi_epi64(ab_low, cd_low);
        blocks[8 + group] = _mm_unpacklo_epi64(ab_high, cd_high);
        blocks[12 + group] = _mm_unpackhi_epi64(ab_high, cd_high);
    }
    blocks
}
