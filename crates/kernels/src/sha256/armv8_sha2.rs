//! Uses the SHA-256 instructions of Armv8.0's cryptographic extension.

use std::arch::aarch64::*;

use super::{DigestBlock, ROUND_CONSTANTS, State};
use crate::cpu::Armv8Sha2;
use crate::hash::entries;

entries!(Armv8Sha2, "neon,sha2");

/// Holds a, b, c, d and e, f, g, h, the first of each in the lowest lane.
type Registers = [uint32x4_t; 2];

#[target_feature(enable = "neon,sha2")]
fn compress_blocks(state: &mut State, first: &[u8], last: &[u8]) {
    let mut chained = load(state);
    for block in first.as_chunks::<64>().0.iter().chain(last.as_chunks().0) {
        chained = compress_words(chained, load_block(block));
    }
    *state = store(chained);
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn compress_one_digest(state: &State, digest: &State, padding: &DigestBlock) -> State {
    store(compress_words(load(state), load(&padding.with(digest))))
}

/// Does one compression of sixteen words.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn compress_words(start: Registers, mut w: [uint32x4_t; 4]) -> Registers {
    let mut state = start;
    let (with_next, without) = ROUND_CONSTANTS.split_at(48);
    for constants in with_next.as_chunks::<4>().0 {
        state = four_rounds(state, w[0], constants);
        let sum = vsha256su0q_u32(w[0], w[1]);
        w = [w[1], w[2], w[3], vsha256su1q_u32(sum, w[2], w[3])];
    }
    for (constants, words) in without.as_chunks::<4>().0.iter().zip(w) {
        state = four_rounds(state, words, constants);
    }
    [vaddq_u32(state[0], start[0]), vaddq_u32(state[1], start[1])]
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn four_rounds([abcd, efgh]: Registers, words: uint32x4_t, constants: &[u32; 4]) -> Registers {
    let [constants] = load(constants);
    let kw = vaddq_u32(words, constants);
    [vsha256hq_u32(abcd, efgh, kw), vsha256h2q_u32(efgh, abcd, kw)]
}

/// Loads the words of a block.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn load_block(block: &[u8; 64]) -> [uint32x4_t; 4] {
    [0, 16, 32, 48].map(|offset| {
        // SAFETY: the four loads are the 64 bytes of the block.
        let bytes = unsafe { vld1q_u8(block.as_ptr().add(offset)) };
        vreinterpretq_u32_u8(vrev32q_u8(bytes))
    })
}

/// Loads `COUNT` times four words.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn load<const COUNT: usize>(words: &[u32]) -> [uint32x4_t; COUNT] {
    assert!(words.len() == 4 * COUNT);
    // SAFETY: the loads are the words, as was just checked.
    std::array::from_fn(|i| unsafe { vld1q_u32(words.as_ptr().add(4 * i)) })
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn store([abcd, efgh]: Registers) -> State {
    let mut stored = [0; 8];
    // SAFETY: the two stores are the eight words.
    unsafe {
        vst1q_u32(stored.as_mut_ptr(), abcd);
        vst1q_u32(stored.as_mut_ptr().add(4), efgh);
    }
    stored
}
