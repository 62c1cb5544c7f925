//! Implements one lane in plain Rust, close to FIPS 180-4. It explains the other
//! backends and is their reference.

use super::constants::{
    INITIAL, PADDING, ROUND_CONSTANTS, big_sigma0, big_sigma1, choose, majority, small_sigma0,
    small_sigma1,
};
use super::words::{from_words, to_words};

/// Replaces the lane by its own hash, `count` times.
pub(super) fn iterate(lanes: &mut [[u8; 32]; 1], count: u64) {
    let mut words = to_words(&lanes[0]);
    for _ in 0..count {
        words = hash(words);
    }
    lanes[0] = from_words(words);
}

/// Returns SHA-256 of eight words (FIPS 180-4 section 6.2.2). With their padding
/// they form one block.
fn hash(message: [u32; 8]) -> [u32; 8] {
    let mut w = [0_u32; 64];
    w[..8].copy_from_slice(&message);
    w[8..16].copy_from_slice(&PADDING);
    for t in 16..64 {
        w[t] = small_sigma1(w[t - 2])
            .wrapping_add(w[t - 7])
            .wrapping_add(small_sigma0(w[t - 15]))
            .wrapping_add(w[t - 16]);
    }

    let mut state = INITIAL;
    for (t, word) in w.into_iter().enumerate() {
        let [a, b, c, d, e, f, g, h] = state;
        let first = h
            .wrapping_add(big_sigma1(e))
            .wrapping_add(choose(e, f, g))
            .wrapping_add(ROUND_CONSTANTS[t])
            .wrapping_add(word);
        let second = big_sigma0(a).wrapping_add(majority(a, b, c));
        state = [first.wrapping_add(second), a, b, c, d.wrapping_add(first), e, f, g];
    }
    std::array::from_fn(|i| state[i].wrapping_add(INITIAL[i]))
}
