//! x86-64 with AVX-512, BMI1 and BMI2: computes the message schedules of four blocks
//! at once, two words of each in a register, while the first block's rounds run in
//! general registers; the other three blocks then read theirs from memory.

use std::arch::asm;
use std::arch::x86_64::*;
use std::mem::MaybeUninit;

use super::{DigestBlock, ROUND_CONSTANTS, State};
use crate::cpu::Avx512Bmi2;
use crate::hash::entries;

entries!(Avx512Bmi2, entering each time);

/// Holds sums of words and constants: those of rounds 2i and 2i + 1 of four blocks at
/// i.
type Schedule = [__m512i; 40];

#[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi1,bmi2")]
fn compress_blocks(state: &mut State, first: &[u8], last: &[u8]) {
    if !first.is_empty() {
        compress_groups(state, first);
    }
    compress_groups(state, last);
}

#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi1,bmi2")]
fn compress_groups(state: &mut State, blocks: &[u8]) {
    let swap = _mm512_broadcast_i32x4(_mm_set_epi64x(0x0809_0a0b_0c0d_0e0f, 0x0001_0203_0405_0607));
    for group in blocks.chunks(4 * 128) {
        let group = group.as_chunks::<128>().0;
        // Missing blocks are replaced by the first.
        let pointers = [0, 1, 2, 3].map(|i| group.get(i).unwrap_or(&group[0]).as_ptr());
        let words = [0, 16, 32, 48, 64, 80, 96, 112].map(|offset| {
            // SAFETY: the pointers are those of blocks of 128 bytes.
            let pairs = unsafe { pointers.map(|block| _mm_loadu_si128(block.add(offset).cast())) };
            let words = _mm512_castsi128_si512(pairs[0]);
            let words = _mm512_inserti32x4::<1>(words, pairs[1]);
            let words = _mm512_inserti32x4::<2>(words, pairs[2]);
            _mm512_shuffle_epi8(_mm512_inserti32x4::<3>(words, pairs[3]), swap)
        });
        compress_group(state, words, group.len());
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi1,bmi2")]
fn compress_one_digest(state: &State, digest: &State, padding: &DigestBlock) -> State {
    let mut state = *state;
    let words = padding.with(digest);
    let words = [0, 2, 4, 6, 8, 10, 12, 14].map(|i| {
        _mm512_castsi128_si512(_mm_set_epi64x(words[i + 1].cast_signed(), words[i].cast_signed()))
    });
    compress_group(&mut state, words, 1);
    state
}

/// Adds the oldest words, sigma0 and the seventh word before.
#[rustfmt::skip]
macro_rules! begin_words {
    ($w0:literal $w1:literal $w4:literal $w5:literal) => {
        concat!(
            "vpalignr zmm8, zmm", $w1, ", zmm", $w0, ", 8\n",
            "vpalignr zmm9, zmm", $w5, ", zmm", $w4, ", 8\n",
            "vprorq zmm10, zmm8, 1\n",
            "vprorq zmm11, zmm8, 8\n",
            "vpsrlq zmm8, zmm8, 7\n",
            "vpaddq zmm", $w0, ", zmm", $w0, ", zmm9\n",
            "vpternlogq zmm8, zmm10, zmm11, 0x96\n",
            "vpaddq zmm", $w0, ", zmm", $w0, ", zmm8\n",
        )
    };
}

/// Adds sigma1, and stores the sums with the constants.
#[rustfmt::skip]
macro_rules! end_words {
    ($w0:literal $w7:literal $constants:literal $to:literal) => {
        concat!(
            "vprorq zmm9, zmm", $w7, ", 19\n",
            "vprorq zmm10, zmm", $w7, ", 61\n",
            "vpsrlq zmm8, zmm", $w7, ", 6\n",
            "vbroadcasti32x4 zmm11, xmmword ptr [rsi + ", $constants, "]\n",
            "vpternlogq zmm8, zmm9, zmm10, 0x96\n",
            "vpaddq zmm", $w0, ", zmm", $w0, ", zmm8\n",
            "vpaddq zmm11, zmm11, zmm", $w0, "\n",
            "vmovdqa64 zmmword ptr [rdi + ", $to, "], zmm11\n",
        )
    };
}

/// Compresses one to four blocks, whose words are given in pairs.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,bmi1,bmi2")]
fn compress_group(state: &mut State, words: [__m512i; 8], blocks: usize) {
    let mut schedule = MaybeUninit::<Schedule>::uninit();
    let to: *mut __m512i = schedule.as_mut_ptr().cast();
    let (first, rest) = ROUND_CONSTANTS.split_at(16);
    for (i, constants) in first.as_chunks::<2>().0.iter().enumerate() {
        // SAFETY: the load is the two constants; the schedule has 40 vectors.
        unsafe {
            let constants = _mm512_broadcast_i32x4(_mm_loadu_si128(constants.as_ptr().cast()));
            _mm512_store_si512(to.add(i), _mm512_add_epi64(words[i], constants));
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
            inout("zmm0") words[0] => _, inout("zmm1") words[1] => _,
            inout("zmm2") words[2] => _, inout("zmm3") words[3] => _,
            inout("zmm4") words[4] => _, inout("zmm5") words[5] => _,
            inout("zmm6") words[6] => _, inout("zmm7") words[7] => _,
            out("zmm8") _, out("zmm9") _, out("zmm10") _, out("zmm11") _,
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
