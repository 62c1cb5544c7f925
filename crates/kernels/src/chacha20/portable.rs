//! Implements the block function in plain Rust, close to RFC 8439. It is the reference
//! for every other backend. Some backends use it for a single block, where scalar
//! instructions have half the latency of vector instructions, as on Zen 5.

use super::state::State;
use crate::in_out::InOut;

pub(super) fn xor(state: &State, mut data: InOut<'_>) {
    let mut state = *state;
    while !data.is_empty() {
        data.take(64).xor(&block(&state));
        state = state.after(1);
    }
}

/// Returns one block of keystream (RFC 8439 section 2.3): twenty rounds, then the sum
/// with the initial state.
#[inline]
pub(super) fn block(state: &State) -> [u8; 64] {
    let mut words = state.0;
    for _ in 0..10 {
        double_round(&mut words);
    }
    let mut block = [0; 64];
    for (index, bytes) in block.as_chunks_mut::<4>().0.iter_mut().enumerate() {
        *bytes = words[index].wrapping_add(state.0[index]).to_le_bytes();
    }
    block
}

/// Does one round on the columns and one on the diagonals (RFC 8439 section 2.3).
#[inline(always)]
fn double_round(words: &mut [u32; 16]) {
    quarter_round(words, 0, 4, 8, 12);
    quarter_round(words, 1, 5, 9, 13);
    quarter_round(words, 2, 6, 10, 14);
    quarter_round(words, 3, 7, 11, 15);
    quarter_round(words, 0, 5, 10, 15);
    quarter_round(words, 1, 6, 11, 12);
    quarter_round(words, 2, 7, 8, 13);
    quarter_round(words, 3, 4, 9, 14);
}

/// Does the quarter round of RFC 8439 section 2.1.
#[inline(always)]
fn quarter_round(words: &mut [u32; 16], a: usize, b: usize, c: usize, d: usize) {
    words[a] = words[a].wrapping_add(words[b]);
    words[d] = (words[d] ^ words[a]).rotate_left(16);
    words[c] = words[c].wrapping_add(words[d]);
    words[b] = (words[b] ^ words[c]).rotate_left(12);
    words[a] = words[a].wrapping_add(words[b]);
    words[d] = (words[d] ^ words[a]).rotate_left(8);
    words[c] = words[c].wrapping_add(words[d]);
    words[b] = (words[b] ^ words[c]).rotate_left(7);
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Checks the example of RFC 8439 section 2.1.1.
    #[test]
    fn quarter_round_of_the_rfc() {
        let mut words = [0; 16];
        words[..4].copy_from_slice(&[0x1111_1111, 0x0102_0304, 0x9b8d_6f43, 0x0123_4567]);
        quarter_round(&mut words, 0, 1, 2, 3);
        assert_eq!(words[..4], [0xea2a_92f4, 0xcb1c_f8ce, 0x4581_472e, 0x5881_c4bb]);
    }
}
