//! Uses the SHA-512 instructions of Armv8.2.

use std::arch::aarch64::*;

use super::{DigestBlock, ROUND_CONSTANTS, State};
use crate::cpu::Armv8Sha512;
use crate::hash::entries;

entries!(Armv8Sha512, "neon,sha3");

/// Holds a and b, c and d, e and f, g and h, the first of each in the low lane.
type Registers = [uint64x2_t; 4];

#[target_feature(enable = "neon,sha3")]
fn compress_blocks(state: &mut State, first: &[u8], last: &[u8]) {
    let mut chained = load(state);
    for block in first.as_chunks::<128>().0.iter().chain(last.as_chunks().0) {
        chained = compress_words(chained, load_block(block));
    }
    *state = store(chained);
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn compress_one_digest(state: &State, digest: &State, padding: &DigestBlock) -> State {
    store(compress_words(load(state), load(&padding.with(digest))))
}

/// Does one compression of sixteen words.
#[inline]
#[target_feature(enable = "neon,sha3")]
fn compress_words(start: Registers, mut w: [uint64x2_t; 8]) -> Registers {
    let mut state = start;
    let (with_next, without) = ROUND_CONSTANTS.split_at(64);
    for constants in with_next.as_chunks::<2>().0 {
        state = two_rounds(state, w[0], constants);
        let sum = vsha512su0q_u64(w[0], w[1]);
        let next = vsha512su1q_u64(sum, w[7], vextq_u64::<1>(w[4], w[5]));
        w = [w[1], w[2], w[3], w[4], w[5], w[6], w[7], next];
    }
    for (constants, words) in without.as_chunks::<2>().0.iter().zip(w) {
        state = two_rounds(state, words, constants);
    }
    for (words, old) in state.iter_mut().zip(start) {
        *words = vaddq_u64(*words, old);
    }
    state
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn two_rounds([ab, cd, ef, gh]: Registers, words: uint64x2_t, constants: &[u64; 2]) -> Registers {
    let [constants] = load(constants);
    let kw = vaddq_u64(words, constants);
    // The instruction takes the second of two words first.
    let sum = vaddq_u64(vextq_u64::<1>(kw, kw), gh);
    let half = vsha512hq_u64(sum, vextq_u64::<1>(ef, gh), vextq_u64::<1>(cd, ef));
    [vsha512h2q_u64(half, cd, ab), ab, vaddq_u64(cd, half), ef]
}

/// Loads the words of a block.
#[inline]
#[target_feature(enable = "neon,sha3")]
fn load_block(block: &[u8; 128]) -> [uint64x2_t; 8] {
    [0, 16, 32, 48, 64, 80, 96, 112].map(|offset| {
        // SAFETY: the eight loads are the 128 bytes of the block.
        let bytes = unsafe { vld1q_u8(block.as_ptr().add(offset)) };
        vreinterpretq_u64_u8(vrev64q_u8(bytes))
    })
}

/// Loads `COUNT` times two words.
#[inline]
#[target_feature(enable = "neon,sha3")]
fn load<const COUNT: usize>(words: &[u64]) -> [uint64x2_t; COUNT] {
    assert!(words.len() == 2 * COUNT);
    // SAFETY: the loads are the words, as was just checked.
    std::array::from_fn(|i| unsafe { vld1q_u64(words.as_ptr().add(2 * i)) })
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn store(state: Registers) -> State {
    let mut stored = [0; 8];
    for (i, words) in state.into_iter().enumerate() {
        // SAFETY: the four stores are the eight words.
        unsafe { vst1q_u64(stored.as_mut_ptr().add(2 * i), words) };
    }
    stored
}
