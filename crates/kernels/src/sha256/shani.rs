//! Uses the SHA extensions of x86-64.
//!
//! A compression is limited by 32 `sha256rnds2`, each waiting for the one before (4 cycles on
//! AMD's and Intel's cores); everything else fits beside them. For PBKDF2 two lanes are
//! interleaved, which fills the waiting time.

use std::arch::x86_64::*;
use std::mem::transmute;

use super::{DigestBlock, ROUND_CONSTANTS, State};
use crate::cpu::ShaNi;
use crate::hash::{Lane, Midstates, entries};

entries!(ShaNi, two lanes at once);

/// Holds a chaining value in the order of the instructions: F E B A from the lowest lane up, and
/// H G D C.
#[derive(Clone, Copy)]
struct Registers {
    abef: __m128i,
    cdgh: __m128i,
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
    // If a caller left the upper halves of vector registers in use, SHA instructions cost recent
    // Intel cores a hundred microcode assists per block.
    _mm256_zeroupper();
    let mut chained = [load(state)];
    for block in blocks {
        let words = load_block(block);
        let sums = sums(words[0], &ROUND_CONSTANTS.as_chunks().0[0]);
        chained = compress_words(chained, [Block { sums, words }]);
    }
    *state = store(chained[0]);
}

#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn compress_one_digest(state: &State, digest: &State, padding: &DigestBlock) -> State {
    _mm256_zeroupper();
    let block = Padding::new(padding).with([load(digest)]);
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
    let padding = Padding::new(padding);
    let mut last = [inner[0]; LANES];
    let mut sum = [inner[0]; LANES];
    for i in 0..LANES {
        last[i] = load(&lanes[i].last);
        sum[i] = load(&lanes[i].sum);
    }
    for _ in 0..count {
        last = compress_words(inner, padding.with(last));
        last = compress_words(outer, padding.with(last));
        for i in 0..LANES {
            sum[i].abef = _mm_xor_si128(sum[i].abef, last[i].abef);
            sum[i].cdgh = _mm_xor_si128(sum[i].cdgh, last[i].cdgh);
        }
    }
    for i in 0..LANES {
        lanes[i] = Lane { last: store(last[i]), sum: store(sum[i]) };
    }
}

/// Holds sixteen words in four registers, and the sums of the first four and their constants: two
/// in the low half of one register, two in the low half of another.
#[derive(Clone, Copy)]
struct Block {
    sums: [__m128i; 2],
    words: [__m128i; 4],
}

/// Holds a digest's padding in registers.
#[derive(Clone, Copy)]
struct Padding {
    /// Masks words 4 to 7 of the digest; both hashes keep the first four.
    keep: __m128i,
    words: [__m128i; 4],
}

impl Padding {
    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1,avx")]
    fn new(padding: &DigestBlock) -> Self {
        let [_, keep] = quarters(&padding.keep);
        Self { keep, words: quarters(&padding.padding) }
    }

    /// Holds the blocks that digests make.
    #[inline]
    #[target_feature(enable = "sha,ssse3,sse4.1,avx")]
    fn with<const LANES: usize>(&self, digests: [Registers; LANES]) -> [Block; LANES] {
        let [constants01, constants23] =
            sums(_mm_setzero_si128(), &ROUND_CONSTANTS.as_chunks().0[0]);
        digests.map(|digest| {
            // The first rounds wait for these sums; putting the words in their order first takes
            // longer.
            let ab = _mm_shuffle_epi32::<0b10_11>(digest.abef);
            let cd = _mm_shuffle_epi32::<0b10_11>(digest.cdgh);
            let [abcd, efgh] = words(digest);
            let efgh = _mm_or_si128(_mm_and_si128(efgh, self.keep), self.words[1]);
            Block {
                sums: [_mm_add_epi32(ab, constants01), _mm_add_epi32(cd, constants23)],
                words: [abcd, efgh, self.words[2], self.words[3]],
            }
        })
    }
}

/// Does one compression in every lane.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn compress_words<const LANES: usize>(
    start: [Registers; LANES],
    blocks: [Block; LANES],
) -> [Registers; LANES] {
    let mut state = start;
    let mut w = blocks.map(|block| block.words);
    for i in 0..LANES {
        state[i] = four_rounds(state[i], blocks[i].sums);
        w[i] = [w[i][1], w[i][2], w[i][3], next_words(w[i])];
    }
    let (with_next, without) = ROUND_CONSTANTS.split_at(48);
    for constants in &with_next.as_chunks().0[1..] {
        for i in 0..LANES {
            state[i] = four_rounds(state[i], sums(w[i][0], constants));
            w[i] = [w[i][1], w[i][2], w[i][3], next_words(w[i])];
        }
    }
    for constants in without.as_chunks::<4>().0 {
        for i in 0..LANES {
            state[i] = four_rounds(state[i], sums(w[i][0], constants));
            w[i] = [w[i][1], w[i][2], w[i][3], w[i][0]];
        }
    }
    for i in 0..LANES {
        state[i].abef = _mm_add_epi32(state[i].abef, start[i].abef);
        state[i].cdgh = _mm_add_epi32(state[i].cdgh, start[i].cdgh);
    }
    state
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn four_rounds(state: Registers, [kw01, kw23]: [__m128i; 2]) -> Registers {
    let cdgh = _mm_sha256rnds2_epu32(state.cdgh, state.abef, kw01);
    let abef = _mm_sha256rnds2_epu32(state.abef, cdgh, kw23);
    Registers { abef, cdgh }
}

/// Adds words and constants as [`Block::sums`] has them.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn sums(words: __m128i, constants: &[u32; 4]) -> [__m128i; 2] {
    let [constants] = quarters(constants);
    let kw = _mm_add_epi32(words, constants);
    [kw, _mm_shuffle_epi32::<0b11_10>(kw)]
}

/// Returns the next four words of the schedule after sixteen, given the oldest first.
///
/// One of the next words needs a word of the newest four, which is added last. One `palignr`
/// would fetch it with the other three, but would lengthen the path from four words to the next
/// four, for which the rounds wait if a block is made of a digest (Zen 5: 283 cycles per PBKDF2
/// iteration against 273).
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn next_words(w: [__m128i; 4]) -> __m128i {
    let early = _mm_add_epi32(_mm_sha256msg1_epu32(w[0], w[1]), _mm_bsrli_si128::<4>(w[2]));
    _mm_add_epi32(_mm_sha256msg2_epu32(early, w[3]), _mm_bslli_si128::<12>(w[3]))
}

/// Loads the words of a block, in their order.
///
/// It does not use `_mm_loadu_si128`: with the checks that debug assertions add to it, blocks are
/// not inlined, and copies between them leave upper halves in use (Rocket Lake: 298 cycles/byte
/// instead of 2).
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn load_block(block: &[u8; 64]) -> [__m128i; 4] {
    let swap = _mm_set_epi64x(0x0c0d_0e0f_0809_0a0b, 0x0405_0607_0001_0203);
    let quarters = block.as_chunks::<16>().0;
    // SAFETY: both types have the same size, and all bit patterns are valid.
    let load = |i| unsafe { transmute::<[u8; 16], __m128i>(quarters[i]) };
    std::array::from_fn(|i| _mm_shuffle_epi8(load(i), swap))
}

/// Loads words in their order, four to a register.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn quarters<const COUNT: usize>(words: &[u32]) -> [__m128i; COUNT] {
    let quarters = words.as_chunks::<4>().0;
    assert!(quarters.len() == COUNT);
    // SAFETY: both types have the same size, and all bit patterns are valid.
    std::array::from_fn(|i| unsafe { transmute::<[u32; 4], __m128i>(quarters[i]) })
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn load(state: &State) -> Registers {
    let [abcd, efgh] = quarters(state);
    let (badc, fehg) = (_mm_shuffle_epi32::<0xb1>(abcd), _mm_shuffle_epi32::<0xb1>(efgh));
    Registers { abef: _mm_unpacklo_epi64(fehg, badc), cdgh: _mm_unpackhi_epi64(fehg, badc) }
}

/// Returns a chaining value as eight words in their order.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn words(state: Registers) -> [__m128i; 2] {
    let (feba, hgdc) = (_mm_castsi128_ps(state.abef), _mm_castsi128_ps(state.cdgh));
    [
        _mm_castps_si128(_mm_shuffle_ps::<0b10_11_10_11>(feba, hgdc)),
        _mm_castps_si128(_mm_shuffle_ps::<0b00_01_00_01>(feba, hgdc)),
    ]
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1,avx")]
fn store(state: Registers) -> State {
    let mut stored = [0; 8];
    let [abcd, efgh] = words(state);
    let to = stored.as_mut_ptr().cast::<__m128i>();
    // SAFETY: the two stores are the eight words.
    unsafe {
        _mm_storeu_si128(to, abcd);
        _mm_storeu_si128(to.add(1), efgh);
    }
    stored
}
