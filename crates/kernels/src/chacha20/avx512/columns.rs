//! Computes sixteen blocks in sixteen registers: each holds one word of the state
//! of every block. A transposition then gives each block a register of its own.

use std::arch::asm;
use std::arch::x86_64::*;

use super::super::state::{COUNTER, State};
use super::{xor_part, xor_whole};
use crate::in_out::InOut;

/// Holds word i of sixteen blocks at index i.
type Words = [__m512i; 16];

/// Computes output = input ^ keystream for whole runs of 32 blocks, and returns the
/// state after them. Up to 31 blocks and a partial one remain.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn xor_32s(state: &State, data: &mut InOut<'_>) -> State {
    let chunks = data.len() / 2048;
    let mut start = words(state);
    for _ in 0..chunks {
        let second_start = after_16(start);
        let (first, second) = rounds_32(start, second_start);
        xor_whole(blocks(sum(first, start)), data.take(1024));
        xor_whole(blocks(sum(second, second_start)), data.take(1024));
        start = after_16(second_start);
    }
    // After the very last block the counter wraps, but is not used.
    state.after((chunks as u32).wrapping_mul(32))
}

/// Computes output = input ^ keystream for 17 to 32 blocks of data.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn xor_up_to_32(state: &State, mut data: InOut<'_>) {
    let start = words(state);
    let (first, second) = rounds_32(start, after_16(start));
    xor_whole(blocks(sum(first, start)), data.take(1024));
    xor_part(&blocks(sum(second, after_16(start))), data);
}

/// Computes output = input ^ keystream for up to 16 blocks of data. On Zen 5
/// latency leaves the pipes half idle here.
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
pub(super) fn xor_up_to_16(state: &State, data: InOut<'_>) {
    let start = words(state);
    xor_part(&blocks(sum(rounds_16(start), start)), data);
}

/// Returns the words of the next sixteen states.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn words(state: &State) -> Words {
    let mut words = state.0.map(|word| _mm512_set1_epi32(word.cast_signed()));
    let counters = _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    words[COUNTER] = _mm512_add_epi32(words[COUNTER], counters);
    words
}

#[inline]
#[target_feature(enable = "avx512f")]
fn after_16(mut words: Words) -> Words {
    words[COUNTER] = _mm512_add_epi32(words[COUNTER], _mm512_set1_epi32(16));
    words
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn sum(mut working: Words, start: Words) -> Words {
    for (word, start) in working.iter_mut().zip(start) {
        *word = _mm512_add_epi32(*word, start);
    }
    working
}

/// Transposes words of sixteen blocks to sixteen blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn blocks(words: Words) -> [__m512i; 16] {
    // Holds four words of blocks i, 4 + i, 8 + i, 12 + i at [group of words][i].
    let mut quads = [[_mm512_setzero_si512(); 4]; 4];
    for (quad, words) in quads.iter_mut().zip(words.as_chunks::<4>().0) {
        let [a, b, c, d] = *words;
        let (ab_low, ab_high) = (_mm512_unpacklo_epi32(a, b), _mm512_unpackhi_epi32(a, b));
        let (cd_low, cd_high) = (_mm512_unpacklo_epi32(c, d), _mm512_unpackhi_epi32(c, d));
        *quad = [
            _mm512_unpacklo_epi64(ab_low, cd_low),
            _mm512_unpackhi_epi64(ab_low, cd_low),
            _mm512_unpacklo_epi64(ab_high, cd_high),
            _mm512_unpackhi_epi64(ab_high, cd_high),
        ];
    }
    let mut blocks = [_mm512_setzero_si512(); 16];
    for i in 0..4 {
        let [a, b, c, d] = [quads[0][i], quads[1][i], quads[2][i], quads[3][i]];
        let ab_low = _mm512_shuffle_i32x4::<0b10_00_10_00>(a, b);
        let ab_high = _mm512_shuffle_i32x4::<0b11_01_11_01>(a, b);
        let cd_low = _mm512_shuffle_i32x4::<0b10_00_10_00>(c, d);
        let cd_high = _mm512_shuffle_i32x4::<0b11_01_11_01>(c, d);
        blocks[i] = _mm512_shuffle_i32x4::<0b10_00_10_00>(ab_low, cd_low);
        blocks[4 + i] = _mm512_shuffle_i32x4::<0b10_00_10_00>(ab_high, cd_high);
        blocks[8 + i] = _mm512_shuffle_i32x4::<0b11_01_11_01>(ab_low, cd_low);
        blocks[12 + i] = _mm512_shuffle_i32x4::<0b11_01_11_01>(ab_high, cd_high);
    }
    blocks
}

/// Emits one instruction for each of four quarter rounds, on two registers, or on
/// one with an immediate.
macro_rules! four {
    ($name:literal $($to:literal)+, $($from:literal)+) => {
        concat!($($name, " zmm", $to, ", zmm", $to, ", zmm", $from, "\n",)+)
    };
    ($name:literal $($to:literal)+; $immediate:literal) => {
        concat!($($name, " zmm", $to, ", zmm", $to, ", ", $immediate, "\n",)+)
    };
}

/// Emits four quarter rounds, on words a, b, c, d of each.
#[rustfmt::skip]
macro_rules! round {
    (
        $a0:literal $a1:literal $a2:literal $a3:literal,
        $b0:literal $b1:literal $b2:literal $b3:literal,
        $c0:literal $c1:literal $c2:literal $c3:literal,
        $d0:literal $d1:literal $d2:literal $d3:literal
    ) => {
        concat!(
            four!("vpaddd" $a0 $a1 $a2 $a3, $b0 $b1 $b2 $b3),
            four!("vpxord" $d0 $d1 $d2 $d3, $a0 $a1 $a2 $a3),
            four!("vprold" $d0 $d1 $d2 $d3; 16),
            four!("vpaddd" $c0 $c1 $c2 $c3, $d0 $d1 $d2 $d3),
            four!("vpxord" $b0 $b1 $b2 $b3, $c0 $c1 $c2 $c3),
            four!("vprold" $b0 $b1 $b2 $b3; 12),
            four!("vpaddd" $a0 $a1 $a2 $a3, $b0 $b1 $b2 $b3),
            four!("vpxord" $d0 $d1 $d2 $d3, $a0 $a1 $a2 $a3),
            four!("vprold" $d0 $d1 $d2 $d3; 8),
            four!("vpaddd" $c0 $c1 $c2 $c3, $d0 $d1 $d2 $d3),
            four!("vpxord" $b0 $b1 $b2 $b3, $c0 $c1 $c2 $c3),
            four!("vprold" $b0 $b1 $b2 $b3; 7),
        )
    };
}

/// Does the twenty rounds of 16 blocks.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
#[rustfmt::skip]
fn rounds_16(mut v: Words) -> Words {
    // SAFETY: the instructions are among the features of this function and touch
    // nothing but these registers.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            round!(0 1 2 3, 4 5 6 7, 8 9 10 11, 12 13 14 15),
            round!(0 1 2 3, 5 6 7 4, 10 11 8 9, 15 12 13 14),
            "sub {left:e}, 1",
            "jne 2b",
            left = inout(reg) 10 => _,
            inout("zmm0") v[0], inout("zmm1") v[1], inout("zmm2") v[2], inout("zmm3") v[3],
            inout("zmm4") v[4], inout("zmm5") v[5], inout("zmm6") v[6], inout("zmm7") v[7],
            inout("zmm8") v[8], inout("zmm9") v[9], inout("zmm10") v[10], inout("zmm11") v[11],
            inout("zmm12") v[12], inout("zmm13") v[13], inout("zmm14") v[14], inout("zmm15") v[15],
            options(pure, nomem, nostack),
        );
    }
    v
}

/// Does the twenty rounds of 32 blocks. They fill all 32 registers, because every
/// operation is in place; compilers need one more register and spill.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
#[rustfmt::skip]
fn rounds_32(mut v: Words, mut w: Words) -> (Words, Words) {
    // SAFETY: the instructions are among the features of this function and touch
    // nothing but these registers.
    unsafe {
        asm!(
            ".p2align 6",
            "2:",
            round!(0 1 2 3, 4 5 6 7, 8 9 10 11, 12 13 14 15),
            round!(16 17 18 19, 20 21 22 23, 24 25 26 27, 28 29 30 31),
            round!(0 1 2 3, 5 6 7 4, 10 11 8 9, 15 12 13 14),
            round!(16 17 18 19, 21 22 23 20, 26 27 24 25, 31 28 29 30),
            "sub {left:e}, 1",
            "jne 2b",
            left = inout(reg) 10 => _,
            inout("zmm0") v[0], inout("zmm1") v[1], inout("zmm2") v[2], inout("zmm3") v[3],
            inout("zmm4") v[4], inout("zmm5") v[5], inout("zmm6") v[6], inout("zmm7") v[7],
            inout("zmm8") v[8], inout("zmm9") v[9], inout("zmm10") v[10], inout("zmm11") v[11],
            inout("zmm12") v[12], inout("zmm13") v[13], inout("zmm14") v[14], inout("zmm15") v[15],
            inout("zmm16") w[0], inout("zmm17") w[1], inout("zmm18") w[2], inout("zmm19") w[3],
            inout("zmm20") w[4], inout("zmm21") w[5], inout("zmm22") w[6], inout("zmm23") w[7],
            inout("zmm24") w[8], inout("zmm25") w[9], inout("zmm26") w[10], inout("zmm27") w[11],
            inout("zmm28") w[12], inout("zmm29") w[13], inout("zmm30") w[14], inout("zmm31") w[15],
            options(pure, nomem, nostack),
        );
    }
    (v, w)
}
