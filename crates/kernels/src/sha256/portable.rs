//! The compression function as FIPS 180-4 section 6.2.2 writes it.

use super::{DigestBlock, ROUND_CONSTANTS, State};
use crate::hash::{Lane, Midstates, iterate_one_by_one};

pub(super) fn compress(state: &mut State, blocks: &[u8]) {
    for block in blocks.as_chunks::<64>().0 {
        let mut words = [0; 16];
        for (word, bytes) in words.iter_mut().zip(block.as_chunks().0) {
            *word = u32::from_be_bytes(*bytes);
        }
        compress_words(state, words);
    }
}

pub(super) fn compress_digest(state: &State, digest: &State, padding: &DigestBlock) -> State {
    let mut state = *state;
    compress_words(&mut state, padding.with(digest));
    state
}

pub(super) fn iterate(
    key: &Midstates<State>,
    padding: &DigestBlock,
    lanes: &mut [Lane<State>],
    count: u64,
) {
    iterate_one_by_one(lanes, count, |last| {
        compress_digest(&key.outer, &compress_digest(&key.inner, last, padding), padding)
    });
}

/// `w` holds the last sixteen words of the message schedule.
fn compress_words(state: &mut State, mut w: [u32; 16]) {
    let mut working = *state;
    // A loop would not be unrolled, and its variables would wander through memory.
    macro_rules! sixteen_rounds {
        ($constants:ident, $word:ident: $($i:literal)+) => {
            $(working = round(working, $constants[$i].wrapping_add($word(&mut w, $i)));)+
        };
    }
    let [first, rest @ ..] = ROUND_CONSTANTS.as_chunks::<16>().0 else { return };
    sixteen_rounds!(first, word: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    for constants in rest {
        sixteen_rounds!(constants, next_word: 0 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    }
    for (word, new) in state.iter_mut().zip(working) {
        *word = word.wrapping_add(new);
    }
}

/// A word of the block.
#[inline(always)]
fn word(w: &mut [u32; 16], t: usize) -> u32 {
    w[t]
}

/// The word sixteen after the one at `t`, which it replaces.
#[inline(always)]
fn next_word(w: &mut [u32; 16], t: usize) -> u32 {
    let (w2, w7, w15) = (w[(t + 14) % 16], w[(t + 9) % 16], w[(t + 1) % 16]);
    let sigma1 = w2.rotate_right(17) ^ w2.rotate_right(19) ^ (w2 >> 10);
    let sigma0 = w15.rotate_right(7) ^ w15.rotate_right(18) ^ (w15 >> 3);
    w[t] = w[t].wrapping_add(sigma0).wrapping_add(w7).wrapping_add(sigma1);
    w[t]
}

/// One round; `kw` is the sum of its constant and its word.
#[inline(always)]
fn round([a, b, c, d, e, f, g, h]: State, kw: u32) -> State {
    let sum1 = e.rotate_right(6) ^ e.rotate_right(11) ^ e.rotate_right(25);
    let choose = (e & f) ^ (!e & g);
    let sum0 = a.rotate_right(2) ^ a.rotate_right(13) ^ a.rotate_right(22);
    let majority = (a & b) ^ (a & c) ^ (b & c);
    let t1 = h.wrapping_add(kw).wrapping_add(choose).wrapping_add(sum1);
    let t2 = sum0.wrapping_add(majority);
    [t1.wrapping_add(t2), a, b, c, d.wrapping_add(t1), e, f, g]
}
