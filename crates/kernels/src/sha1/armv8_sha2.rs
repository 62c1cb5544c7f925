//! Uses the SHA-1 instructions of Armv8.0's cryptographic extension.

use std::arch::aarch64::*;

use super::{DigestBlock, State};
use crate::cpu::Armv8Sha2;
use crate::hash::entries;

entries!(Armv8Sha2, "neon,sha2");

/// Holds a, b, c, d, the first in the lowest lane, and e.
#[derive(Clone, Copy)]
struct Registers {
    abcd: uint32x4_t,
    e: u32,
}

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
    store(compress_words(load(state), load_words(&padding.with(digest))))
}

/// Does one compression of sixteen words.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn compress_words(start: Registers, mut w: [uint32x4_t; 4]) -> Registers {
    let Registers { mut abcd, mut e } = start;
    macro_rules! twenty_rounds {
        ($rounds:ident + $constant:literal) => {
            let constant = vdupq_n_u32($constant);
            for _ in 0..5 {
                let next_e = vsha1h_u32(vgetq_lane_u32::<0>(abcd));
                abcd = $rounds(abcd, e, vaddq_u32(w[0], constant));
                e = next_e;
                // The last four results are not used.
                let next = vsha1su1q_u32(vsha1su0q_u32(w[0], w[1], w[2]), w[3]);
                w = [w[1], w[2], w[3], next];
            }
        };
    }
    twenty_rounds!(vsha1cq_u32 + 0x5a82_7999);
    twenty_rounds!(vsha1pq_u32 + 0x6ed9_eba1);
    twenty_rounds!(vsha1mq_u32 + 0x8f1b_bcdc);
    twenty_rounds!(vsha1pq_u32 + 0xca62_c1d6);
    Registers { abcd: vaddq_u32(abcd, start.abcd), e: e.wrapping_add(start.e) }
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

/// Loads sixteen words.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn load_words(words: &[u32; 16]) -> [uint32x4_t; 4] {
    // SAFETY: the four loads are the sixteen words.
    [0, 4, 8, 12].map(|i| unsafe { vld1q_u32(words.as_ptr().add(i)) })
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn load(state: &State) -> Registers {
    // SAFETY: the load is the first four of the five words.
    Registers { abcd: unsafe { vld1q_u32(state.as_ptr()) }, e: state[4] }
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn store(state: Registers) -> State {
    let mut stored = [0, 0, 0, 0, state.e];
    // SAFETY: the store is the first four of the five words.
    unsafe { vst1q_u32(stored.as_mut_ptr(), state.abcd) };
    stored
}
