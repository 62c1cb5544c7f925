//! Four blocks in four registers: each holds one row of the state, its four 128-bit
//! lanes the blocks. The diagonals become columns by turning rows.

use std::arch::x86_64::*;

use super::super::state::State;

/// The four rows of four blocks.
type Rows = [__m512i; 4];

/// Four blocks of keystream.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn keystream_4(state: &State) -> [__m512i; 4] {
    let start = rows(state, 0);
    let mut working = start;
    for _ in 0..10 {
        working = double_round(working);
    }
    blocks(sum(working, start))
}

/// Eight blocks of keystream: two chains of operations that hide each other's latency.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn keystream_8(state: &State) -> [__m512i; 8] {
    let starts = [rows(state, 0), rows(state, 4)];
    let [mut first, mut second] = starts;
    for _ in 0..10 {
        first = double_round(first);
        second = double_round(second);
    }
    let [a, b, c, d] = blocks(sum(first, starts[0]));
    let [e, f, g, h] = blocks(sum(second, starts[1]));
    [a, b, c, d, e, f, g, h]
}

/// The rows of the states from `first` blocks on.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn rows(state: &State, first: u32) -> Rows {
    let mut rows = [_mm512_setzero_si512(); 4];
    for (row, words) in rows.iter_mut().zip(state.0.as_chunks::<4>().0) {
        let [a, b, c, d] = words.map(u32::cast_signed);
        *row = _mm512_broadcast_i32x4(_mm_setr_epi32(a, b, c, d));
    }
    let first = first.cast_signed();
    let counters = _mm512_setr_epi32(
        first,
        0,
        0,
        0,
        first + 1,
        0,
        0,
        0,
        first + 2,
        0,
        0,
        0,
        first + 3,
        0,
        0,
        0,
    );
    rows[3] = _mm512_add_epi32(rows[3], counters);
    rows
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn double_round(mut rows: Rows) -> Rows {
    rows = quarter_rounds(rows);
    rows[1] = _mm512_shuffle_epi32::<0b00_11_10_01>(rows[1]);
    rows[2] = _mm512_shuffle_epi32::<0b01_00_11_10>(rows[2]);
    rows[3] = _mm512_shuffle_epi32::<0b10_01_00_11>(rows[3]);
    rows = quarter_rounds(rows);
    rows[1] = _mm512_shuffle_epi32::<0b10_01_00_11>(rows[1]);
    rows[2] = _mm512_shuffle_epi32::<0b01_00_11_10>(rows[2]);
    rows[3] = _mm512_shuffle_epi32::<0b00_11_10_01>(rows[3]);
    rows
}

/// Four quarter rounds in each block.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn quarter_rounds([mut a, mut b, mut c, mut d]: Rows) -> Rows {
    a = _mm512_add_epi32(a, b);
    d = _mm512_rol_epi32::<16>(_mm512_xor_si512(d, a));
    c = _mm512_add_epi32(c, d);
    b = _mm512_rol_epi32::<12>(_mm512_xor_si512(b, c));
    a = _mm512_add_epi32(a, b);
    d = _mm512_rol_epi32::<8>(_mm512_xor_si512(d, a));
    c = _mm512_add_epi32(c, d);
    b = _mm512_rol_epi32::<7>(_mm512_xor_si512(b, c));
    [a, b, c, d]
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn sum(working: Rows, start: Rows) -> Rows {
    let mut sum = start;
    for (sum, working) in sum.iter_mut().zip(working) {
        *sum = _mm512_add_epi32(*sum, working);
    }
    sum
}

/// Rows of four blocks to four blocks: a transposition of 128-bit lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn blocks([a, b, c, d]: Rows) -> [__m512i; 4] {
    let ab_low = _mm512_shuffle_i32x4::<0b01_00_01_00>(a, b);
    let ab_high = _mm512_shuffle_i32x4::<0b11_10_11_10>(a, b);
    let cd_low = _mm512_shuffle_i32x4::<0b01_00_01_00>(c, d);
    let cd_high = _mm512_shuffle_i32x4::<0b11_10_11_10>(c, d);
    [
        _mm512_shuffle_i32x4::<0b10_00_10_00>(ab_low, cd_low),
        _mm512_shuffle_i32x4::<0b11_01_11_01>(ab_low, cd_low),
        _mm512_shuffle_i32x4::<0b10_00_10_00>(ab_high, cd_high),
        _mm512_shuffle_i32x4::<0b11_01_11_01>(ab_high, cd_high),
    ]
}
