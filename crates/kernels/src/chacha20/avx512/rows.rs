//! Computes four blocks in four registers: each holds one row of the state, with one block
//! in each 128-bit lane. One or two blocks go in narrower registers. Rotating the rows
//! turns diagonals into columns; the second row stays, because it is ready last and would
//! delay the others.

use std::arch::x86_64::*;

use super::super::state::State;
use super::xor_part;
use crate::in_out::InOut;

/// Holds the four rows of four blocks.
type Rows = [__m512i; 4];
/// Holds the four rows of two blocks.
type RowsOf2 = [__m256i; 4];

/// Computes output = input ^ keystream for up to one block of data.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn xor_up_to_1(state: &State, mut data: InOut<'_>) {
    let block = keystream_1(state);
    if data.len() == 64 {
        // Writes row by row, because assembling the block first takes longer.
        for (index, row) in block.into_iter().enumerate() {
            // SAFETY: the data has four rows.
            unsafe {
                let text = _mm_loadu_si128(data.input().add(16 * index).cast());
                let text = _mm_xor_si128(text, row);
                _mm_storeu_si128(data.output().add(16 * index).cast(), text);
            }
        }
    } else {
        let [a, b, c, d] = block;
        xor_part(&[whole(_mm256_set_m128i(b, a), _mm256_set_m128i(d, c))], data);
    }
}

/// Returns the rows of one block of keystream.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn keystream_1(state: &State) -> [__m128i; 4] {
    let mut start = [_mm_setzero_si128(); 4];
    for (row, words) in start.iter_mut().zip(state.0.as_chunks::<4>().0) {
        let [a, b, c, d] = words.map(u32::cast_signed);
        *row = _mm_setr_epi32(a, b, c, d);
    }
    let mut working = start;
    for _ in 0..10 {
        working = double_round_1(working);
    }
    for (row, start) in working.iter_mut().zip(start) {
        *row = _mm_add_epi32(*row, start);
    }
    working
}

/// Returns two blocks of keystream.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn keystream_2(state: &State) -> [__m512i; 2] {
    let start = rows_of_2(state);
    let mut working = start;
    for _ in 0..10 {
        working = double_round_2(working);
    }
    let mut sum = start;
    for (sum, working) in sum.iter_mut().zip(working) {
        *sum = _mm256_add_epi32(*sum, working);
    }
    let [a, b, c, d] = sum;
    [
        whole(_mm256_permute2x128_si256::<0x20>(a, b), _mm256_permute2x128_si256::<0x20>(c, d)),
        whole(_mm256_permute2x128_si256::<0x31>(a, b), _mm256_permute2x128_si256::<0x31>(c, d)),
    ]
}

/// Joins the two halves of a block.
#[inline]
#[target_feature(enable = "avx512f")]
fn whole(first: __m256i, last: __m256i) -> __m512i {
    _mm512_inserti64x4::<1>(_mm512_castsi256_si512(first), last)
}

/// Returns the rows of the next two states.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn rows_of_2(state: &State) -> RowsOf2 {
    let mut rows = [_mm256_setzero_si256(); 4];
    for (row, words) in rows.iter_mut().zip(state.0.as_chunks::<4>().0) {
        let [a, b, c, d] = words.map(u32::cast_signed);
        *row = _mm256_broadcastsi128_si256(_mm_setr_epi32(a, b, c, d));
    }
    rows[3] = _mm256_add_epi32(rows[3], _mm256_setr_epi32(0, 0, 0, 0, 1, 0, 0, 0));
    rows
}

/// Returns four blocks of keystream.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn keystream_4(state: &State) -> [__m512i; 4] {
    let start = rows(state, 0);
    let mut working = start;
    for _ in 0..10 {
        working = double_round_4(working);
    }
    blocks(sum(working, start))
}

/// Returns eight blocks of keystream, from two independent chains of operations that hide
/// each other's latency.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn keystream_8(state: &State) -> [__m512i; 8] {
    let starts = [rows(state, 0), rows(state, 4)];
    let [mut first, mut second] = starts;
    for _ in 0..10 {
        first = double_round_4(first);
        second = double_round_4(second);
    }
    let [a, b, c, d] = blocks(sum(first, starts[0]));
    let [e, f, g, h] = blocks(sum(second, starts[1]));
    [a, b, c, d, e, f, g, h]
}

/// Returns the rows of the states from `first` blocks on.
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

/// Generates the double round for rows of one width from its additions, exclusive-ors,
/// rotations of words, and rotations of a row.
macro_rules! double_round {
    ($name:ident, $Row:ty, $add:ident, $xor:ident, $rotate:ident, $turn:ident) => {
        #[inline]
        #[target_feature(enable = "avx512f,avx512vl")]
        fn $name([mut a, mut b, mut c, mut d]: [$Row; 4]) -> [$Row; 4] {
            macro_rules! quarter_rounds {
                () => {
                    a = $add(a, b);
                    d = $rotate::<16>($xor(d, a));
                    c = $add(c, d);
                    b = $rotate::<12>($xor(b, c));
                    a = $add(a, b);
                    d = $rotate::<8>($xor(d, a));
                    c = $add(c, d);
                    b = $rotate::<7>($xor(b, c));
                };
            }
            quarter_rounds!();
            a = $turn::<0b10_01_00_11>(a);
            c = $turn::<0b00_11_10_01>(c);
            d = $turn::<0b01_00_11_10>(d);
            quarter_rounds!();
            a = $turn::<0b00_11_10_01>(a);
            c = $turn::<0b10_01_00_11>(c);
            d = $turn::<0b01_00_11_10>(d);
            [a, b, c, d]
        }
    };
}

#[rustfmt::skip]
double_round!(
    double_round_1, __m128i, _mm_add_epi32, _mm_xor_si128, _mm_rol_epi32, _mm_shuffle_epi32
);
#[rustfmt::skip]
double_round!(
    double_round_2, __m256i,
    _mm256_add_epi32, _mm256_xor_si256, _mm256_rol_epi32, _mm256_shuffle_epi32
);
#[rustfmt::skip]
double_round!(
    double_round_4, __m512i,
    _mm512_add_epi32, _mm512_xor_si512, _mm512_rol_epi32, _mm512_shuffle_epi32
);

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn sum(working: Rows, start: Rows) -> Rows {
    let mut sum = start;
    for (sum, working) in sum.iter_mut().zip(working) {
        *sum = _mm512_add_epi32(*sum, working);
    }
    sum
}

/// Rearranges rows of four blocks to four blocks, by a transposition of 128-bit lanes.
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
