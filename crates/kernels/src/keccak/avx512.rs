//! AVX-512: each of 25 vector registers holds one lane in its low half.
//!
//! 32 registers hold the whole state and the temporaries of a round, `vpternlogq` does
//! chi in one instruction per lane, and `vprolq` rotates. A round is 95 operations, at
//! least 24 cycles on Zen 5's four pipes. It takes 29, because with a latency of 2 the
//! path from the last lane of a round through the parities to the first lane of the
//! next leaves pipes idle.
//!
//! The round is assembly because its scheduling is worth 10 % on Zen 5 and a compiler
//! undoes it: `vpternlogq` overwrites the operand that arrives last, because the
//! others have one cycle more of latency; D of theta is made by `vpxorq` for the same
//! reason; the next row is rotated before chi of this one; and the parities wait for
//! the last two rows only.

use std::arch::asm;
use std::arch::x86_64::*;

use super::ROUND_CONSTANTS;
use super::state::State;
use crate::cpu::Avx512;

pub(super) fn permute(_: Avx512, state: &mut State) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { permute_state(state) }
}

/// Calls a function with the rate as a constant, so that the state stays in registers
/// from block to block.
macro_rules! with_constant_rate {
    ($rate:ident, $function:ident($($argument:ident),+)) => {
        // SAFETY: the token proves that the CPU has the features.
        unsafe {
            match $rate {
                72 => $function::<72>($($argument),+),
                104 => $function::<104>($($argument),+),
                136 => $function::<136>($($argument),+),
                144 => $function::<144>($($argument),+),
                168 => $function::<168>($($argument),+),
                _ => unreachable!("no function of FIPS 202 has a rate of {} bytes", $rate),
            }
        }
    };
}

pub(super) fn absorb_blocks(_: Avx512, state: &mut State, rate: usize, blocks: &[u8]) {
    with_constant_rate!(rate, absorb(state, blocks));
}

pub(super) fn squeeze_blocks(_: Avx512, state: &mut State, rate: usize, out: &mut [u8]) {
    with_constant_rate!(rate, squeeze(state, out));
}

#[target_feature(enable = "avx512f,avx512vl")]
fn permute_state(state: &mut State) {
    let a = permute_lanes(load(state));
    store(state, a);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn absorb<const RATE: usize>(state: &mut State, blocks: &[u8]) {
    let mut a = load(state);
    for block in blocks.as_chunks::<RATE>().0 {
        for (lane, bytes) in a.iter_mut().zip(block.as_chunks::<8>().0) {
            *lane = _mm_xor_si128(*lane, _mm_set1_epi64x(i64::from_le_bytes(*bytes)));
        }
        a = permute_lanes(a);
    }
    store(state, a);
}

#[target_feature(enable = "avx512f,avx512vl")]
fn squeeze<const RATE: usize>(state: &mut State, out: &mut [u8]) {
    let mut a = load(state);
    for block in out.as_chunks_mut::<RATE>().0 {
        a = permute_lanes(a);
        for (bytes, lane) in block.as_chunks_mut::<8>().0.iter_mut().zip(a) {
            *bytes = _mm_cvtsi128_si64(lane).to_le_bytes();
        }
    }
    store(state, a);
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn load(state: &State) -> [__m128i; 25] {
    state.0.map(|lane| _mm_cvtsi64_si128(lane.cast_signed()))
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
fn store(state: &mut State, a: [__m128i; 25]) {
    state.0 = a.map(|lane| _mm_cvtsi128_si64(lane).cast_unsigned());
}

/// Emits one instruction on xmm registers, given by number.
macro_rules! op {
    ($name:literal $first:literal $($more:literal)+ $(, $immediate:literal)?) => {
        concat!($name, " xmm", $first, $(", xmm", $more,)+ $(", ", $immediate,)? "\n")
    };
}

/// Emits D of theta: `d` = `c` ^ rotate(`e`, 1).
macro_rules! effect {
    ($d:literal = $c:literal ^ rotated $e:literal) => {
        concat!(op!("vprolq" $d $e, 1), op!("vpxorq" $d $c $d))
    };
}

/// Emits the end of theta, and rho: `a` = rotate(`a` ^ `d`, `left`).
macro_rules! add_and_rotate {
    ($a:literal ^ $d:literal, $left:literal) => {
        concat!(op!("vpxorq" $a $a $d), op!("vprolq" $a $a, $left))
    };
}

/// Emits chi on a row. The new lanes 0, 1, 2 replace the old ones; 3 and 4 go to `c3`
/// and `c4`, which start as copies of lane 0, because it arrives last.
macro_rules! chi {
    ($b0:literal $b1:literal $b2:literal $b3:literal $b4:literal, $c3:literal $c4:literal) => {
        concat!(
            op!("vmovdqa64" $c3 $b0),
            op!("vmovdqa64" $c4 $b0),
            // b0 ^ (!b1 & b2)
            op!("vpternlogq" $b0 $b1 $b2, 0xd2),
            // b4 ^ (!b0 & b1)
            op!("vpternlogq" $c4 $b4 $b1, 0xc6),
            // b3 ^ (!b4 & b0)
            op!("vpternlogq" $c3 $b3 $b4, 0x9c),
            // b1 ^ (!b2 & b3)
            op!("vpternlogq" $b1 $b2 $b3, 0xd2),
            // b2 ^ (!b3 & b4)
            op!("vpternlogq" $b2 $b3 $b4, 0xd2),
        )
    };
}

/// Emits the sum of three lanes of a column; the first operand is the one that arrives
/// last.
macro_rules! sum {
    ($sum:literal = $a:literal ^ $b:literal ^ $c:literal) => {
        concat!(op!("vmovdqa64" $sum $a), op!("vpternlogq" $sum $b $c, 0x96))
    };
}

/// Emits the parity of a column whose five lanes are in registers.
macro_rules! parity {
    ($c:literal, $a0:literal $a1:literal $a2:literal $a3:literal $a4:literal) => {
        concat!(sum!($c = $a0 ^ $a1 ^ $a2), op!("vpternlogq" $c $a3 $a4, 0x96))
    };
}

/// Moves lanes back to their own registers. The moves occupy no pipe, because
/// registers are renamed.
macro_rules! put_back {
    ($($to:literal from $from:literal),+) => {
        concat!($(op!("vmovdqa64" $to $from)),+)
    };
}

/// Permutes the state: lane i is in xmm`i`, the parity of column x in xmm`25 + x`.
#[inline]
#[target_feature(enable = "avx512f,avx512vl")]
#[rustfmt::skip]
fn permute_lanes(mut a: [__m128i; 25]) -> [__m128i; 25] {
    let constants = ROUND_CONSTANTS.as_ptr_range();
    // SAFETY: the instructions are among the features of this function; memory is
    // read from the first round constant to the last.
    unsafe {
        asm!(
            parity!(25, 0 5 10 15 20),
            parity!(26, 1 6 11 16 21),
            parity!(27, 2 7 12 17 22),
            parity!(28, 3 8 13 18 23),
            parity!(29, 4 9 14 19 24),
            ".p2align 6",
            "2:",
            // D[4], D[1], D[3], D[0], D[2], in 30, 31, 25, 27, 29.
            effect!(30 = 28 ^ rotated 25),
            effect!(31 = 25 ^ rotated 27),
            effect!(25 = 27 ^ rotated 29),
            effect!(27 = 29 ^ rotated 26),
            effect!(29 = 26 ^ rotated 28),
            // Pi's sources of row 3.
            add_and_rotate!(23 ^ 25, 56),
            add_and_rotate!(17 ^ 29, 15),
            add_and_rotate!(11 ^ 31, 10),
            add_and_rotate!(5 ^ 27, 36),
            add_and_rotate!(4 ^ 30, 27),
            // Row 2.
            add_and_rotate!(20 ^ 27, 18),
            add_and_rotate!(19 ^ 30, 8),
            add_and_rotate!(13 ^ 25, 25),
            add_and_rotate!(7 ^ 29, 6),
            add_and_rotate!(1 ^ 31, 1),
            chi!(4 5 11 17 23, 26 28),
            // Row 4.
            add_and_rotate!(21 ^ 31, 2),
            add_and_rotate!(15 ^ 27, 41),
            add_and_rotate!(14 ^ 30, 39),
            add_and_rotate!(8 ^ 25, 55),
            add_and_rotate!(2 ^ 29, 62),
            chi!(1 7 13 19 20, 17 23),
            // Row 0, whose first lane is not rotated.
            add_and_rotate!(24 ^ 30, 14),
            add_and_rotate!(18 ^ 25, 21),
            add_and_rotate!(12 ^ 29, 43),
            add_and_rotate!(6 ^ 31, 44),
            "vpxorq xmm0, xmm0, xmm27",
            chi!(2 8 14 15 21, 19 20),
            // Row 1.
            add_and_rotate!(22 ^ 29, 61),
            add_and_rotate!(16 ^ 31, 45),
            add_and_rotate!(10 ^ 27, 3),
            add_and_rotate!(9 ^ 30, 20),
            add_and_rotate!(3 ^ 25, 28),
            chi!(0 6 12 18 24, 15 21),
            // Iota.
            "vpxorq xmm0, xmm0, qword ptr [{constants}]{{1to2}}",
            // The parities of columns 1, 3, 4, 0, 2 in rows 4, 2 and 3 ...
            sum!(27 = 8 ^ 7 ^ 5),
            sum!(31 = 19 ^ 17 ^ 26),
            sum!(29 = 20 ^ 23 ^ 28),
            sum!(25 = 2 ^ 1 ^ 4),
            sum!(30 = 14 ^ 13 ^ 11),
            chi!(3 9 10 16 22, 18 24),
            // ... and in rows 1 and 0.
            sum!(16 = 9 ^ 27 ^ 6),
            sum!(22 = 18 ^ 31 ^ 15),
            sum!(27 = 24 ^ 29 ^ 21),
            sum!(31 = 3 ^ 25 ^ 0),
            sum!(29 = 10 ^ 30 ^ 12),
            put_back!(
                25 from 31, 30 from 1, 1 from 6, 6 from 9, 9 from 24, 24 from 20,
                20 from 2, 2 from 12, 12 from 13, 13 from 17, 17 from 11, 11 from 7,
                7 from 10, 10 from 30, 30 from 3, 3 from 15, 15 from 4, 4 from 21,
                21 from 8, 8 from 18, 18 from 26, 26 from 16, 16 from 5, 5 from 30,
                30 from 14, 14 from 23, 23 from 19, 19 from 28, 28 from 22, 22 from 30,
                30 from 27, 27 from 29, 29 from 30
            ),
            "add {constants}, 8",
            "cmp {constants}, {end}",
            "jne 2b",
            constants = inout(reg) constants.start => _,
            end = in(reg) constants.end,
            inout("xmm0") a[0], inout("xmm1") a[1], inout("xmm2") a[2],
            inout("xmm3") a[3], inout("xmm4") a[4], inout("xmm5") a[5],
            inout("xmm6") a[6], inout("xmm7") a[7], inout("xmm8") a[8],
            inout("xmm9") a[9], inout("xmm10") a[10], inout("xmm11") a[11],
            inout("xmm12") a[12], inout("xmm13") a[13], inout("xmm14") a[14],
            inout("xmm15") a[15], inout("xmm16") a[16], inout("xmm17") a[17],
            inout("xmm18") a[18], inout("xmm19") a[19], inout("xmm20") a[20],
            inout("xmm21") a[21], inout("xmm22") a[22], inout("xmm23") a[23],
            inout("xmm24") a[24],
            out("xmm25") _, out("xmm26") _, out("xmm27") _, out("xmm28") _,
            out("xmm29") _, out("xmm30") _, out("xmm31") _,
            options(pure, readonly, nostack),
        );
    }
    a
}
