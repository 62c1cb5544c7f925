//! x86-64 with AVX2, BMI1 and BMI2: computes the message schedules of two blocks at once,
//! two words of each in a register, while the first block's rounds run in general
//! registers; the second block then reads its schedule from memory.

use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::{DigestBlock, ROUND_CONSTANTS, State};
use crate::cpu::Avx2Bmi2;
use crate::hash::entries;

entries!(Avx2Bmi2, entering each time);

/// Holds sums of words and constants: those of rounds 2i and 2i + 1 of two blocks at 2i,
/// with unused space between.
type Schedule = [__m256i; 80];

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn compress_blocks(state: &mut State, first: &[u8], last: &[u8]) {
    if !first.is_empty() {
        compress_groups(state, first);
    }
    compress_groups(state, last);
}

#[inline(never)]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn compress_groups(state: &mut State, blocks: &[u8]) {
    let swap =
        _mm256_broadcastsi128_si256(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    for group in blocks.chunks(2 * 128) {
        let group = group.as_chunks::<128>().0;
        // A missing second block is replaced by the first.
        let pointers = [0, 1].map(|i| group.get(i).unwrap_or(&group[0]).as_ptr());
        let words = [0, 16, 32, 48, 64, 80, 96, 112].map(|offset| {
            // SAFETY: the pointers are those of blocks of 128 bytes.
            let pairs = unsafe { pointers.map(|block| _mm_loadu_si128(block.add(offset).cast())) };
            _mm256_shuffle_epi8(_mm256_set_m128i(pairs[1], pairs[0]), swap)
        });
        compress_group(state, words, group.len());
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2")]
fn compress_one_digest(state: &State, digest: &State, padding: &DigestBlock) -> State {
    let mut state = *state;
    let words = padding.with(digest);
    let words = [0, 2, 4, 6, 8, 10, 12, 14].map(|i| {
        _mm256_castsi128_si256(_mm_set_epi64x(words[i + 1].cast_signed(), words[i].cast_signed()))
    });
    compress_group(&mut state, words, 1);
    state
}

/// Computes in ymm9 the exclusive or of the terms of sigma for ymm8: rotations to the right
/// by two distances, each given with its difference to 64, and a shift.
#[rustfmt::skip]
macro_rules! sigma {
    ($right1:literal $left1:literal $right2:literal $left2:literal $shift:literal) => {
        concat!(
            "vpsrlq ymm9, ymm8, ", $right1, "\n",
            "vpsllq ymm10, ymm8, ", $left1, "\n",
            "vpsrlq ymm11, ymm8, ", $right2, "\n",
            "vpxor ymm9, ymm9, ymm10\n",
            "vpsllq ymm10, ymm8, ", $left2, "\n",
            "vpxor ymm9, ymm9, ymm11\n",
            "vpsrlq ymm11, ymm8, ", $shift, "\n",
            "vpxor ymm10, ymm10, ymm11\n",
            "vpxor ymm9, ymm9, ymm10\n",
        )
    };
}

/// Adds the oldest words, sigma0 and the seventh word before.
#[rustfmt::skip]
macro_rules! begin_words {
    ($w0:literal $w1:literal $w4:literal $w5:literal) => {
        concat!(
            "vpalignr ymm8, ymm", $w1, ", ymm", $w0, ", 8\n",
            "vpalignr ymm12, ymm", $w5, ", ymm", $w4, ", 8\n",
            "vpaddq ymm", $w0, ", ymm", $w0, ", ymm12\n",
            sigma!(1 63 8 56 7),
            "vpaddq ymm", $w0, ", ymm", $w0, ", ymm9\n",
        )
    };
}

/// Adds sigma1, and stores the sums with the constants.
#[rustfmt::skip]
macro_rules! end_words {
    ($w0:literal $w7:literal $constants:literal $to:literal) => {
        concat!(
            "vmovdqa ymm8, ymm", $w7, "\n",
            sigma!(19 45 61 3 6),
            "vbroadcasti128 ymm8, xmmword ptr [rsi + ", $constants, "]\n",
            "vpaddq ymm", $w0, ", ymm", $w0, ", ymm9\n",
            "vpaddq ymm8, ymm8, ymm", $w0, "\n",
            "vmovdqa ymmword ptr [rdi + ", $to, "], ymm8\n",
        )
    };
}

/// Compresses one or two blocks, whose words are given in pairs.
#[inline]
#[target_feature(enable = "avx2,bmi1,bmi2")]
fn compress_group(state: &mut State, words: [__m256i; 8], blocks: usize) {
    let mut schedule = MaybeUninit::<Schedule>::uninit();
    let to: *mut __m256i = schedule.as_mut_ptr().cast();
    let (first, rest) = ROUND_CONSTANTS.split_at(16);
    for (i, constants) in first.as_chunks::<2>().0.iter().enumerate() {
        // SAFETY: the load is the two constants; the schedule has 80 vectors.
        unsafe {
            let constants = _mm256_broadcastsi128_si256(_mm_loadu_si128(constants.as_ptr().cast()));
            _mm256_store_si256(to.add(2 * i), _mm256_add_epi64(words[i], constants));
        }
    }
    // SAFETY: the instructions are among the features of this function. They read
    // and write the state, write and then read the schedule, and read the constants
    // from round 16 to the last. The stack is left as it was.
    unsafe {
        asm!(
            rounds_with_schedule!(),
            inout("rax") state.as_mut_ptr() => _,
            inout("rdi") to => _,
            inout("rsi") rest.as_ptr() => _,
            inout("ymm0") words[0] => _, inout("ymm1") words[1] => _,
            inout("ymm2") words[2] => _, inout("ymm3") words[3] => _,
            inout("ymm4") words[4] => _, inout("ymm5") words[5] => _,
            inout("ymm6") words[6] => _, inout("ymm7") words[7] => _,
            out("ymm8") _, out("ymm9") _, out("ymm10") _, out("ymm11") _, out("ymm12") _,
            out("rcx") _, out("rdx") _, out("r8") _, out("r9") _, out("r10") _,
            out("r11") _, out("r12") _, out("r13") _, out("r14") _, out("r15") _,
        );
    }
    for block in 1..blocks {
        // SAFETY: the instructions are among the features of this function. They read
        // and write the state, and read the schedule, which was written, this block's
        // part included. The stack is left as it was.
        unsafe {
            asm!(
                rounds_of_schedule!(),
                inout("rax") state.as_mut_ptr() => _,
                inout("rdi") to.byte_add(16 * block) => _,
                out("rcx") _, out("rdx") _, out("rsi") _, out("r8") _, out("r9") _,
                out("r10") _, out("r11") _, out("r12") _, out("r13") _, out("r14") _,
                out("r15") _,
            );
        }
    }
}
