//! AVX2: eight blocks in sixteen registers, each with one word of every block. The remainder
//! goes by rows (two blocks in a register), or through scalar code for one block. Cycles on Zen
//! 5, for 1, 2, 4 and 8 blocks: 315 by scalar code (two blocks: 590), 675, 681 by two pairs in
//! rows, 783 in columns. Where vector operations take one cycle, as before Zen 5, rows are
//! faster for one block, too: Zen 4 needs 0.87 of the cycles of scalar code.
//!
//! The state alone fills all sixteen registers, so two words live in memory. The rotations by 16
//! and 8 are byte shuffles, the others two shifts.

use std::arch::x86_64::*;
use std::hint::black_box;

use super::backend::scalar_is_faster;
use super::portable;
use super::state::{COUNTER, State};
use crate::cpu::Avx2;
use crate::in_out::InOut;

/// Holds word i of eight blocks at index i.
type Words = [__m256i; 16];
/// Holds rows of two blocks, one in each half.
type Rows = [__m256i; 4];

pub(super) fn xor(_: Avx2, state: &State, data: InOut<'_>) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { xor_any(state, data) }
}

#[target_feature(enable = "avx2")]
fn xor_any(state: &State, mut data: InOut<'_>) {
    let mut state = *state;
    loop {
        match data.len() {
            0 => return,
            1..=64 if scalar_is_faster() => {
                data.xor(&portable::block(&state));
                return;
            }
            1..=128 => {
                xor_vectors(&rows_2(&state), data);
                return;
            }
            129..=256 => {
                xor_vectors(&rows_4(&state), data);
                return;
            }
            _ => {
                xor_vectors(&columns_8(&state), data.take(512));
                state = state.after(8);
            }
        }
    }
}

/// Computes output = input ^ keystream; the keystream is at least as long as the data.
#[inline]
#[target_feature(enable = "avx2")]
fn xor_vectors<const N: usize>(keystream: &[__m256i; N], mut data: InOut<'_>) {
    for vector in keystream {
        let mut part = data.take(32);
        if part.len() == 32 {
            // SAFETY: there are 32 bytes.
            unsafe {
                let text = _mm256_loadu_si256(part.input().cast());
                let text = _mm256_xor_si256(text, *vector);
                _mm256_storeu_si256(part.output().cast(), text);
            }
        } else {
            let mut bytes = [0; 32];
            // SAFETY: there is room for 32 bytes.
            unsafe { _mm256_storeu_si256(bytes.as_mut_ptr().cast(), *vector) };
            part.xor(&bytes);
            return;
        }
    }
}

/// Does two quarter rounds side by side; more would not fit in the registers.
macro_rules! two_quarter_rounds {
    ($shuffles:ident; $a:ident $b:ident $c:ident $d:ident, $e:ident $f:ident $g:ident $h:ident) => {
        two_quarter_rounds!($shuffles; 16: $a += $b, $d; $e += $f, $h);
        two_quarter_rounds!($shuffles; 12: $c += $d, $b; $g += $h, $f);
        two_quarter_rounds!($shuffles; 8: $a += $b, $d; $e += $f, $h);
        two_quarter_rounds!($shuffles; 7: $c += $d, $b; $g += $h, $f);
    };
    ($shuffles:ident; $left:literal: $a:ident += $b:ident, $d:ident; $e:ident += $f:ident, $h:ident) => {
        $a = _mm256_add_epi32($a, $b);
        $e = _mm256_add_epi32($e, $f);
        $d = $shuffles.rotated::<$left>(_mm256_xor_si256($d, $a));
        $h = $shuffles.rotated::<$left>(_mm256_xor_si256($h, $e));
    };
}
/// Returns eight blocks of keystream.
#[inline]
#[target_feature(enable = "avx2")]
#[rustfmt::skip]
fn columns_8(state: &State) -> [__m256i; 16] {
    let shuffles = Shuffles::new();
    let start = words(state);
    let [
        mut a0, mut a1, mut a2, mut a3, mut b0, mut b1, mut b2, mut b3,
        mut c0, mut c1, mut c2, mut c3, mut d0, mut d1, mut d2, mut d3,
    ] = start;
    for _ in 0..10 {
        two_quarter_rounds!(shuffles; a0 b0 c0 d0, a1 b1 c1 d1);
        two_quarter_rounds!(shuffles; a2 b2 c2 d2, a3 b3 c3 d3);
        two_quarter_rounds!(shuffles; a0 b1 c2 d3, a1 b2 c3 d0);
        two_quarter_rounds!(shuffles; a2 b3 c0 d1, a3 b0 c1 d2);
    }
    let mut sum = start;
    let working = [a0, a1, a2, a3, b0, b1, b2, b3, c0, c1, c2, c3, d0, d1, d2, d3];
    for (word, working) in sum.iter_mut().zip(working) {
        *word = _mm256_add_epi32(*word, working);
    }
    blocks(sum)
}

/// Returns the words of the next eight states.
#[inline]
#[target_feature(enable = "avx2")]
fn words(state: &State) -> Words {
    let mut words = state.0.map(|word| _mm256_set1_epi32(word.cast_signed()));
    let counters = _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7);
    words[COUNTER] = _mm256_add_epi32(words[COUNTER], counters);
    words
}

/// Holds byte shuffles that rotate words by 16 and 8. The compiler must not see their contents:
/// it splits a known shuffle into two, and rotates operands before adding them.
#[derive(Clone, Copy)]
struct Shuffles {
    by_16: __m256i,
    by_8: __m256i,
}

impl Shuffles {
    #[inline]
    #[target_feature(enable = "avx2")]
    fn new() -> Self {
        let by_16 = _mm_setr_epi8(2, 3, 0, 1, 6, 7, 4, 5, 10, 11, 8, 9, 14, 15, 12, 13);
        let by_8 = _mm_setr_epi8(3, 0, 1, 2, 7, 4, 5, 6, 11, 8, 9, 10, 15, 12, 13, 14);
        black_box(Self {
            by_16: _mm256_broadcastsi128_si256(by_16),
            by_8: _mm256_broadcastsi128_si256(by_8),
        })
    }

    #[inline]
    #[target_feature(enable = "avx2")]
    fn rotated<const LEFT: i32>(self, word: __m256i) -> __m256i {
        match LEFT {
            16 => _mm256_shuffle_epi8(word, self.by_16),
            8 => _mm256_shuffle_epi8(word, self.by_8),
            12 => _mm256_or_si256(_mm256_slli_epi32::<12>(word), _mm256_srli_epi32::<20>(word)),
            _ => _mm256_or_si256(_mm256_slli_epi32::<7>(word), _mm256_srli_epi32::<25>(word)),
        }
    }
}

/// Transposes words of eight blocks to eight blocks of two registers each.
#[inline]
#[target_feature(enable = "avx2")]
fn blocks(words: Words) -> [__m256i; 16] {
    // Holds four words of blocks i and 4 + i at [group of words][i].
    let mut quads = [[_mm256_setzero_si256(); 4]; 4];
    for (quad, words) in quads.iter_mut().zip(words.as_chunks::<4>().0) {
        let [a, b, c, d] = *words;
        let (ab_low, ab_high) = (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm256_unpacklo_epi32(c, d), _mm256_unpackhi_epi32(c, d));
        *quad = [
            _mm256_unpacklo_epi64(ab_low, cd_low),
            _mm256_unpackhi_epi64(ab_low, cd_low),
            _mm256_unpacklo_epi64(ab_high, cd_high),
            _mm256_unpackhi_epi64(ab_high, cd_high),
        ];
    }
    let mut blocks = [_mm256_setzero_si256(); 16];
    for i in 0..4 {
        for half in 0..2 {
            let (a, b) = (quads[2 * half][i], quads[2 * half + 1][i]);
            blocks[2 * i + half] = _mm256_permute2x128_si256::<0x20>(a, b);
            blocks[8 + 2 * i + half] = _mm256_permute2x128_si256::<0x31>(a, b);
        }
    }
    blocks
}

/// Returns two blocks of keystream.
#[inline]
#[target_feature(enable = "avx2")]
fn rows_2(state: &State) -> [__m256i; 4] {
    let shuffles = Shuffles::new();
    let start = rows(state, 0);
    let mut working = start;
    for _ in 0..10 {
        working = double_round(shuffles, working);
    }
    blocks_of_rows(working, start)
}

/// Returns four blocks of keystream, from two independent chains of operations that hide each
/// other's latency.
#[inline]
#[target_feature(enable = "avx2")]
fn rows_4(state: &State) -> [__m256i; 8] {
    let shuffles = Shuffles::new();
    let starts = [rows(state, 0), rows(state, 2)];
    let [mut first, mut second] = starts;
    for _ in 0..10 {
        first = double_round(shuffles, first);
        second = double_round(shuffles, second);
    }
    let [a, b, c, d] = blocks_of_rows(first, starts[0]);
    let [e, f, g, h] = blocks_of_rows(second, starts[1]);
    [a, b, c, d, e, f, g, h]
}

/// Returns the rows of the states from `first` blocks on.
#[inline]
#[target_feature(enable = "avx2")]
fn rows(state: &State, first: u32) -> Rows {
    let mut rows = [_mm256_setzero_si256(); 4];
    for (row, words) in rows.iter_mut().zip(state.0.as_chunks::<4>().0) {
        let [a, b, c, d] = words.map(u32::cast_signed);
        *row = _mm256_broadcastsi128_si256(_mm_setr_epi32(a, b, c, d));
    }
    let first = first.cast_signed();
    let counters = _mm256_setr_epi32(first, 0, 0, 0, first + 1, 0, 0, 0);
    rows[3] = _mm256_add_epi32(rows[3], counters);
    rows
}

#[inline]
#[target_feature(enable = "avx2")]
fn double_round(shuffles: Shuffles, mut rows: Rows) -> Rows {
    rows = quarter_rounds(shuffles, rows);
    rows[0] = _mm256_shuffle_epi32::<0b10_01_00_11>(rows[0]);
    rows[2] = _mm256_shuffle_epi32::<0b00_11_10_01>(rows[2]);
    rows[3] = _mm256_shuffle_epi32::<0b01_00_11_10>(rows[3]);
    rows = quarter_rounds(shuffles, rows);
    rows[0] = _mm256_shuffle_epi32::<0b00_11_10_01>(rows[0]);
    rows[2] = _mm256_shuffle_epi32::<0b10_01_00_11>(rows[2]);
    rows[3] = _mm256_shuffle_epi32::<0b01_00_11_10>(rows[3]);
    rows
}

/// Does four quarter rounds in each block.
#[inline]
#[target_feature(enable = "avx2")]
fn quarter_rounds(shuffles: Shuffles, [mut a, mut b, mut c, mut d]: Rows) -> Rows {
    a = _mm256_add_epi32(a, b);
    d = shuffles.rotated::<16>(_mm256_xor_si256(d, a));
    c = _mm256_add_epi32(c, d);
    b = shuffles.rotated::<12>(_mm256_xor_si256(b, c));
    a = _mm256_add_epi32(a, b);
    d = shuffles.rotated::<8>(_mm256_xor_si256(d, a));
    c = _mm256_add_epi32(c, d);
    b = shuffles.rotated::<7>(_mm256_xor_si256(b, c));
    [a, b, c, d]
}

/// Adds the initial rows, and rearranges rows of two blocks to two blocks.
#[inline]
#[target_feature(enable = "avx2")]
fn blocks_of_rows(working: Rows, start: Rows) -> [__m256i; 4] {
    let mut sum = start;
    for (sum, working) in sum.iter_mut().zip(working) {
        *sum = _mm256_add_epi32(*sum, working);
    }
    let [a, b, c, d] = sum;
    [
        _mm256_permute2x128_si256::<0x20>(a, b),
        _mm256_permute2x128_si256::<0x20>(c, d),
        _mm256_permute2x128_si256::<0x31>(a, b),
        _mm256_permute2x128_si256::<0x31>(c, d),
    ]
}
