//! AVX2: each vector register holds two rows of a column, and the shift distance
//! differs by lane.
//!
//! Fifteen registers hold rows 0 and 1, rows 2 and 3, and row 4 twice. Pi takes the
//! lanes of a new column from one old row, so one unpack instruction makes a pair.
//! Keeping one lane per register is simpler, but then half of the work is shifts:
//! 1460 cycles on Zen 5.

use std::arch::x86_64::*;

use super::ROUND_CONSTANTS;
use super::entries::entries;
use super::state::State;
use crate::cpu::Avx2;

entries!(Avx2, "avx2");

/// Gives rho's rotations (FIPS 202 section 3.2.2, table 2, modulo 64) of the rows in
/// a register, for columns 0 to 4. The second copy of row 4 serves theta alone;
/// after rho nothing reads it.
const ROTATIONS: [[[u64; 2]; 5]; 3] = [
    [[0, 36], [1, 44], [62, 6], [28, 55], [27, 20]],
    [[3, 41], [10, 45], [43, 15], [25, 21], [39, 8]],
    [[18, 18], [2, 2], [61, 61], [56, 56], [14, 14]],
];

#[target_feature(enable = "avx2")]
fn permute_lanes(state: &mut State) {
    let a = &mut state.0;
    let mut pairs = [[_mm_setzero_si128(); 5]; 3];
    for x in 0..5 {
        pairs[0][x] = pair(a[x], a[x + 5]);
        pairs[1][x] = pair(a[x + 10], a[x + 15]);
        pairs[2][x] = pair(a[x + 20], a[x + 20]);
    }
    for constant in ROUND_CONSTANTS {
        pairs = round(pairs, constant);
    }
    for x in 0..5 {
        (a[x], a[x + 5]) = lanes(pairs[0][x]);
        (a[x + 10], a[x + 15]) = lanes(pairs[1][x]);
        (a[x + 20], _) = lanes(pairs[2][x]);
    }
}

#[inline]
#[target_feature(enable = "avx2")]
fn round(mut a: [[__m128i; 5]; 3], constant: u64) -> [[__m128i; 5]; 3] {
    // Theta: each parity and effect is in both halves.
    let mut parities = [_mm_setzero_si128(); 5];
    for x in 0..5 {
        let rows = _mm_xor_si128(a[0][x], a[1][x]);
        let swapped = _mm_shuffle_epi32::<0b01_00_11_10>(rows);
        parities[x] = _mm_xor_si128(_mm_xor_si128(rows, a[2][x]), swapped);
    }
    for x in 0..5 {
        let next = parities[(x + 1) % 5];
        let rotated = _mm_or_si128(_mm_add_epi64(next, next), _mm_srli_epi64::<63>(next));
        let effect = _mm_xor_si128(parities[(x + 4) % 5], rotated);
        for rows in 0..3 {
            // Rho.
            let lanes = _mm_xor_si128(a[rows][x], effect);
            let [first, second] = ROTATIONS[rows][x];
            a[rows][x] = _mm_or_si128(
                _mm_sllv_epi64(lanes, pair(first, second)),
                _mm_srlv_epi64(lanes, pair(64 - first, 64 - second)),
            );
        }
    }
    // Pi: row y of column x comes from column x + 3y of row x.
    let mut b = a;
    for x in 0..5 {
        let old = a[x / 2];
        let sources = [(x, x + 3), (x + 6, x + 9), (x + 12, x + 12)];
        for (rows, (first, second)) in b.iter_mut().zip(sources) {
            let (first, second) = (old[first % 5], old[second % 5]);
            rows[x] = if x % 2 == 0 {
                _mm_unpacklo_epi64(first, second)
            } else {
                _mm_unpackhi_epi64(first, second)
            };
        }
    }
    // Chi and iota.
    for rows in 0..3 {
        for x in 0..5 {
            let flips = _mm_andnot_si128(b[rows][(x + 1) % 5], b[rows][(x + 2) % 5]);
            a[rows][x] = _mm_xor_si128(b[rows][x], flips);
        }
    }
    a[0][0] = _mm_xor_si128(a[0][0], pair(constant, 0));
    a
}

#[inline]
#[target_feature(enable = "avx2")]
fn pair(low: u64, high: u64) -> __m128i {
    _mm_set_epi64x(high.cast_signed(), low.cast_signed())
}

#[inline]
#[target_feature(enable = "avx2")]
fn lanes(pair: __m128i) -> (u64, u64) {
    (_mm_cvtsi128_si64(pair).cast_unsigned(), _mm_extract_epi64::<1>(pair).cast_unsigned())
}
