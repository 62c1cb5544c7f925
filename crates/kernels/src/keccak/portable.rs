//! Implements the permutation in plain Rust, close to FIPS 202. It explains the
//! algorithm and is the reference for every other backend.
//!
//! The state is a 5 × 5 array of 64-bit lanes A\[x, y\], here at index x + 5y.
//! Coordinates are taken modulo 5. A row is the five lanes with one y, a column the
//! five with one x.

use super::ROUND_CONSTANTS;
use super::state::State;

/// Gives how far rho rotates each lane to the left, at index x + 5y (FIPS 202
/// section 3.2.2, table 2, modulo 64).
const ROTATIONS: [u32; 25] = [
    0, 1, 62, 28, 27, //
    36, 44, 6, 55, 20, //
    3, 10, 43, 25, 39, //
    41, 45, 15, 21, 8, //
    18, 2, 61, 56, 14,
];

pub(super) fn permute(state: &mut State) {
    permute_lanes(&mut state.0);
}

pub(super) fn absorb_blocks(state: &mut State, rate: usize, blocks: &[u8]) {
    for block in blocks.chunks_exact(rate) {
        state.xor_block(block);
        permute_lanes(&mut state.0);
    }
}

pub(super) fn squeeze_blocks(state: &mut State, rate: usize, out: &mut [u8]) {
    for block in out.chunks_exact_mut(rate) {
        permute_lanes(&mut state.0);
        state.copy_bytes(0, block);
    }
}

/// Permutes by Keccak-f\[1600\]: 24 rounds of the five steps (FIPS 202 sections 3.3
/// and 3.4).
#[inline(always)]
fn permute_lanes(lanes: &mut [u64; 25]) {
    let mut a = *lanes;
    for constant in ROUND_CONSTANTS {
        theta(&mut a);
        a = rho_and_pi(&a);
        a = chi(&a);
        iota(&mut a, constant);
    }
    *lanes = a;
}

/// Adds to each bit the parities of two columns: the one to its left, and the one
/// to its right a bit earlier (FIPS 202 section 3.2.1).
#[inline(always)]
fn theta(a: &mut [u64; 25]) {
    // C[x] is the parity of the column.
    let mut parity = [0; 5];
    for x in 0..5 {
        parity[x] = a[x] ^ a[x + 5] ^ a[x + 10] ^ a[x + 15] ^ a[x + 20];
    }
    for x in 0..5 {
        // D[x] = C[x - 1] ^ rotate(C[x + 1], 1).
        let effect = parity[(x + 4) % 5] ^ parity[(x + 1) % 5].rotate_left(1);
        for y in 0..5 {
            a[x + 5 * y] ^= effect;
        }
    }
}

/// Rotates each lane by its own distance, so that bits of different depth meet
/// (rho, FIPS 202 section 3.2.2), and moves lane (x + 3y, x) to (x, y), so that
/// rows become scattered (pi, section 3.2.3).
#[inline(always)]
fn rho_and_pi(a: &[u64; 25]) -> [u64; 25] {
    let mut moved = [0; 25];
    for y in 0..5 {
        for x in 0..5 {
            let from = (x + 3 * y) % 5 + 5 * x;
            moved[x + 5 * y] = a[from].rotate_left(ROTATIONS[from]);
        }
    }
    moved
}

/// Flips each bit whose right neighbour is 0 if the bit after that is 1 (FIPS 202
/// section 3.2.4). Chi is the only step that is not linear.
#[inline(always)]
fn chi(a: &[u64; 25]) -> [u64; 25] {
    let mut flipped = [0; 25];
    for y in 0..5 {
        for x in 0..5 {
            let (right, next) = ((x + 1) % 5, (x + 2) % 5);
            flipped[x + 5 * y] = a[x + 5 * y] ^ (!a[right + 5 * y] & a[next + 5 * y]);
        }
    }
    flipped
}

/// Adds the round constant, which makes the rounds differ (FIPS 202 section 3.2.5).
#[inline(always)]
fn iota(a: &mut [u64; 25], constant: u64) {
    a[0] ^= constant;
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Derives table 2 from its rule: walking (x, y) → (y, 2x + 3y) from (1, 0),
    /// step t rotates by (t + 1)(t + 2) / 2 (FIPS 202 section 3.2.2, algorithm 2).
    #[test]
    fn rotations_follow_their_definition() {
        let mut expected = [0; 25];
        let (mut x, mut y) = (1, 0);
        for t in 0..24_u32 {
            expected[x + 5 * y] = (t + 1) * (t + 2) / 2 % 64;
            (x, y) = (y, (2 * x + 3 * y) % 5);
        }
        assert_eq!(ROTATIONS, expected);
    }

    /// Compares lane 0 and lane 24 of the permuted zero state with the Keccak
    /// team's published intermediate values.
    #[test]
    fn zero_state() {
        let mut state = State::ZERO;
        permute(&mut state);
        assert_eq!(state.0[0], 0xf125_8f79_40e1_dde7);
        assert_eq!(state.0[24], 0xeaf1_ff7b_5cec_a249);
    }
}
