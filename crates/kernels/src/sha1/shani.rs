//! Uses the SHA extensions of x86-64.
//!
//! A compression is limited by twenty `sha1rnds4`, each waiting for the one before;
//! everything else fits beside them. For PBKDF2 two lanes are interleaved, which fills
//! the waiting time.

use std::arch::asm;
use std::arch::x86_64::*;

use super::{DigestBlock, State};
use crate::cpu::ShaNi;
use crate::hash::{Lane, Midstates, entries};

entries!(ShaNi, two lanes at once);

/// Holds a chaining value in the order of the instructions: D C B A from the lowest lane
/// up, and E in the highest lane above zeros.
#[derive(Clone, Copy)]
struct Registers {
    abcd: __m128i,
    e: __m128i,
}

#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn compress_blocks(state: &mut State, first: &[u8], last: &[u8]) {
    let (first, last) = (first.as_chunks().0.iter(), last.as_chunks().0.iter());
    // A message of one block would notice the cost of a loop over two slices.
    if first.len() == 0 {
        compress_each(state, last);
    } else {
        compress_each(state, first.chain(last));
    }
}

#[inline(never)]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn compress_each<'a>(state: &mut State, blocks: impl Iterator<Item = &'a [u8; 64]>) {
    // If a caller left the upper halves of vector registers in use, SHA instructions cost
    // recent Intel cores a hundred microcode assists per block.
    _mm256_zeroupper();
    let mut chained = [load(state)];
    for block in blocks {
        chained = compress_words(chained, [load_block(block)]);
    }
    *state = store(chained[0]);
}

#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn compress_one_digest(state: &State, digest: &State, padding: &DigestBlock) -> State {
    _mm256_zeroupper();
    let block = with_padding([load(digest)], load_words(&padding.padding));
    let [state] = compress_words([load(state)], block);
    store(state)
}

#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn iterate_lanes<const LANES: usize>(
    key: &Midstates<State>,
    padding: &DigestBlock,
    lanes: &mut [Lane<State>; LANES],
    count: u64,
) {
    _mm256_zeroupper();
    let inner = [load(&key.inner); LANES];
    let outer = [load(&key.outer); LANES];
    let padding = load_words(&padding.padding);
    let mut last = [inner[0]; LANES];
    let mut sum = [inner[0]; LANES];
    for i in 0..LANES {
        last[i] = load(&lanes[i].last);
        sum[i] = load(&lanes[i].sum);
    }
    for _ in 0..count {
        last = compress_words(inner, with_padding(last, padding));
        last = compress_words(outer, with_padding(last, padding));
        for i in 0..LANES {
            sum[i].abcd = _mm_xor_si128(sum[i].abcd, last[i].abcd);
            sum[i].e = _mm_xor_si128(sum[i].e, last[i].e);
        }
    }
    for i in 0..LANES {
        lanes[i] = Lane { last: store(last[i]), sum: store(sum[i]) };
    }
}

/// Holds the blocks that digests make. SHA-1 is never truncated.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn with_padding<const LANES: usize>(
    digests: [Registers; LANES],
    padding: [__m128i; 4],
) -> [[__m128i; 4]; LANES] {
    let [_, words1, words2, words3] = padding;
    digests.map(|Registers { abcd, e }| [abcd, _mm_or_si128(e, words1), words2, words3])
}

/// Does one compression in every lane, of sixteen words in four registers.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn compress_words<const LANES: usize>(
    start: [Registers; LANES],
    mut w: [[__m128i; 4]; LANES],
) -> [Registers; LANES] {
    let mut abcd = start.map(|state| state.abcd);
    // This is A of four rounds ago, from which sha1nexte makes the next E.
    let mut before = abcd;

    macro_rules! four_rounds {
        ($function:literal, $i:ident, $e:expr) => {
            // The copy is made outside the chain of rounds; compilers put it into the
            // chain, where a core that does not always rename it away waits a cycle.
            // SAFETY: the instructions are among the features of this function and touch
            // nothing but these registers.
            unsafe {
                asm!(
                    "vmovdqa {before}, {abcd}",
                    "sha1rnds4 {abcd}, {e}, {function}",
                    before = out(xmm_reg) before[$i],
                    abcd = inout(xmm_reg) abcd[$i],
                    e = in(xmm_reg) $e,
                    function = const $function,
                    options(pure, nomem, nostack, preserves_flags),
                );
            }
        };
    }
    macro_rules! four_times {
        ($function:literal, $($step:literal)+) => {
            $(
                for i in 0..LANES {
                    four_rounds!($function, i, _mm_sha1nexte_epu32(before[i], w[i][0]));
                    w[i] = advance(w[i], $step);
                }
            )+
        };
    }
    for i in 0..LANES {
        four_rounds!(0, i, _mm_add_epi32(start[i].e, w[i][0]));
        w[i] = advance(w[i], 0);
    }
    four_times!(0, 1 2 3 4);
    four_times!(1, 5 6 7 8 9);
    four_times!(2, 10 11 12 13 14);
    four_times!(3, 15 16 17 18 19);

    let mut state = start;
    for i in 0..LANES {
        state[i].e = _mm_sha1nexte_epu32(before[i], start[i].e);
        state[i].abcd = _mm_add_epi32(abcd[i], start[i].abcd);
    }
    state
}

/// Replaces the oldest four of sixteen words by the next four of the schedule, where more
/// are needed.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn advance(w: [__m128i; 4], step: usize) -> [__m128i; 4] {
    let next = if step < 16 {
        let sum = _mm_xor_si128(_mm_sha1msg1_epu32(w[0], w[1]), w[2]);
        _mm_sha1msg2_epu32(sum, w[3])
    } else {
        w[0]
    };
    [w[1], w[2], w[3], next]
}

/// Loads the words of a block, the first of four in the highest lane.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn load_block(block: &[u8; 64]) -> [__m128i; 4] {
    let reverse = _mm_set_epi64x(0x0001_0203_0405_0607, 0x0809_0a0b_0c0d_0e0f);
    let block = block.as_ptr().cast::<__m128i>();
    // SAFETY: the four loads are the 64 bytes of the block.
    let quarters = unsafe { [0, 1, 2, 3].map(|i| _mm_loadu_si128(block.add(i))) };
    quarters.map(|quarter| _mm_shuffle_epi8(quarter, reverse))
}

/// Loads sixteen words in the same order.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn load_words(words: &[u32; 16]) -> [__m128i; 4] {
    let words = words.as_ptr().cast::<__m128i>();
    // SAFETY: the four loads are the sixteen words.
    let quarters = unsafe { [0, 1, 2, 3].map(|i| _mm_loadu_si128(words.add(i))) };
    quarters.map(|quarter| _mm_shuffle_epi32::<0b00_01_10_11>(quarter))
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn load(state: &State) -> Registers {
    // SAFETY: the load is the first four of the five words.
    let abcd = unsafe { _mm_loadu_si128(state.as_ptr().cast()) };
    Registers {
        abcd: _mm_shuffle_epi32::<0b00_01_10_11>(abcd),
        e: _mm_set_epi32(state[4].cast_signed(), 0, 0, 0),
    }
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn store(state: Registers) -> State {
    let mut stored = [0; 5];
    let abcd = _mm_shuffle_epi32::<0b00_01_10_11>(state.abcd);
    // SAFETY: the store is the first four of the five words.
    unsafe { _mm_storeu_si128(stored.as_mut_ptr().cast(), abcd) };
    stored[4] = _mm_extract_epi32::<3>(state.e).cast_unsigned();
    stored
}
