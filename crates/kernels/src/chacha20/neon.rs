//! NEON: four blocks in sixteen registers, each with one word of every block. A
//! remainder of one or two blocks goes through scalar code.

use std::arch::aarch64::*;

use super::portable;
use super::state::{COUNTER, State};
use crate::cpu::Neon;
use crate::in_out::InOut;

/// Holds word i of four blocks at index i.
type Words = [uint32x4_t; 16];

pub(super) fn xor(_: Neon, state: &State, data: InOut<'_>) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { xor_any(state, data) }
}

#[target_feature(enable = "neon")]
fn xor_any(state: &State, mut data: InOut<'_>) {
    let mut state = *state;
    while data.len() > 128 {
        xor_vectors(&keystream_4(&state), data.take(256));
        state = state.after(4);
    }
    portable::xor(&state, data);
}

/// Computes output = input ^ keystream; the keystream is at least as long as the
/// data.
#[inline]
#[target_feature(enable = "neon")]
fn xor_vectors(keystream: &[uint8x16_t; 16], mut data: InOut<'_>) {
    for vector in keystream {
        let mut part = data.take(16);
        if part.len() == 16 {
            // SAFETY: there are 16 bytes.
            unsafe { vst1q_u8(part.output(), veorq_u8(vld1q_u8(part.input()), *vector)) };
        } else {
            let mut bytes = [0; 16];
            // SAFETY: there is room for 16 bytes.
            unsafe { vst1q_u8(bytes.as_mut_ptr(), *vector) };
            part.xor(&bytes);
            return;
        }
    }
}

/// Returns four blocks of keystream.
#[inline]
#[target_feature(enable = "neon")]
fn keystream_4(state: &State) -> [uint8x16_t; 16] {
    let start = words(state);
    let mut w = start;
    for _ in 0..10 {
        w = quarter_rounds(w, [0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11], [12, 13, 14, 15]);
        w = quarter_rounds(w, [0, 1, 2, 3], [5, 6, 7, 4], [10, 11, 8, 9], [15, 12, 13, 14]);
    }
    for (word, start) in w.iter_mut().zip(start) {
        *word = vaddq_u32(*word, start);
    }
    blocks(w)
}

/// Returns the words of the next four states.
#[inline]
#[target_feature(enable = "neon")]
fn words(state: &State) -> Words {
    let mut words = state.0.map(|word| vdupq_n_u32(word));
    let counters = vcombine_u32(vcreate_u32(1 << 32), vcreate_u32(2 | 3 << 32));
    words[COUNTER] = vaddq_u32(words[COUNTER], counters);
    words
}

/// Does four quarter rounds side by side, on the words at these indices.
#[inline]
#[target_feature(enable = "neon")]
fn quarter_rounds(
    mut w: Words,
    a: [usize; 4],
    b: [usize; 4],
    c: [usize; 4],
    d: [usize; 4],
) -> Words {
    macro_rules! step {
        ($to:ident += $from:ident, $turned:ident <<< $rotated:expr) => {
            for i in 0..4 {
                w[$to[i]] = vaddq_u32(w[$to[i]], w[$from[i]]);
            }
            for i in 0..4 {
                w[$turned[i]] = $rotated(veorq_u32(w[$turned[i]], w[$to[i]]));
            }
        };
    }
    step!(a += b, d <<< rotated_16);
    step!(c += d, b <<< rotated::<12, 20>);
    step!(a += b, d <<< rotated::<8, 24>);
    step!(c += d, b <<< rotated::<7, 25>);
    w
}

#[inline]
#[target_feature(enable = "neon")]
fn rotated_16(word: uint32x4_t) -> uint32x4_t {
    vreinterpretq_u32_u16(vrev32q_u16(vreinterpretq_u16_u32(word)))
}

/// Rotates words to the left; the two distances add up to 32.
#[inline]
#[target_feature(enable = "neon")]
fn rotated<const LEFT: i32, const RIGHT: i32>(word: uint32x4_t) -> uint32x4_t {
    vsliq_n_u32::<LEFT>(vshrq_n_u32::<RIGHT>(word), word)
}

/// Transposes words of four blocks to four blocks of four registers each.
#[inline]
#[target_feature(enable = "neon")]
fn blocks(words: Words) -> [uint8x16_t; 16] {
    let mut blocks = [vdupq_n_u8(0); 16];
    for (group, words) in words.as_chunks::<4>().0.iter().enumerate() {
        let [a, b, c, d] = *words;
        let (ab_even, ab_odd) = (vtrn1q_u32(a, b), vtrn2q_u32(a, b));
        let (cd_even, cd_odd) = (vtrn1q_u32(c, d), vtrn2q_u32(c, d));
        let pairs = [(ab_even, cd_even), (ab_odd, cd_odd)];
        for (i, (ab, cd)) in pairs.into_iter().enumerate() {
            let (ab, cd) = (vreinterpretq_u64_u32(ab), vreinterpretq_u64_u32(cd));
            blocks[4 * i + group] = vreinterpretq_u8_u64(vtrn1q_u64(ab, cd));
            blocks[8 + 4 * i + group] = vreinterpretq_u8_u64(vtrn2q_u64(ab, cd));
        }
    }
    blocks
}
