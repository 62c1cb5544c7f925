//! SHA extensions: `sha256rnds2` does two rounds of a lane; up to four lanes are
//! interleaved.
//!
//! One lane is limited by a chain of 32 of them, four cycles each. Between two hashes the
//! chain has one more shuffle and nothing else: the initial hash value and the round
//! constants of words 0 and 1 are part of the constant state they are added to. Zen 5
//! takes 132 cycles.
//!
//! Several lanes are limited by the instruction's throughput, 64 cycles per hash where it
//! starts every second cycle. Two, three, four lanes reach 85, 77, 69: two have no slack,
//! so any delay of one chain is lost.

use std::arch::asm;
use std::arch::x86_64::*;
use std::sync::OnceLock;
use std::time::Instant;

use super::constants::{INITIAL, PADDING, ROUND_CONSTANTS, ROUND_CONSTANTS_AND_PADDING, choose};
use super::words::{from_words, to_words};
use crate::cpu::{Avx2, ShaNi};

/// How long before its rounds a word of the schedule is computed, in units of four rounds.
const NEAR: usize = 2;
const FAR: usize = 3;

pub(super) fn iterate<const N: usize>(token: ShaNi, lanes: &mut [[u8; 32]; N], count: u64) {
    if N == 1 || N == 3 && three_are_faster_near(token) {
        iterate_at::<N, NEAR>(token, lanes, count);
    } else {
        iterate_at::<N, FAR>(token, lanes, count);
    }
}

/// Whether three lanes are faster with near words on this CPU. Those wait for other words;
/// far ones need more than 16 registers for three lanes. Which costs more is measured, since
/// it differs: Zen 4 takes 194 cycles with near words and 209 with far ones, Rocket Lake 324
/// and 305.
fn three_are_faster_near(token: ShaNi) -> bool {
    static ARE_FASTER: OnceLock<bool> = OnceLock::new();
    *ARE_FASTER.get_or_init(|| {
        let mut lanes = [[0; 32]; 3];
        let mut time = |iterate: fn(ShaNi, &mut [[u8; 32]; 3], u64)| {
            let start = Instant::now();
            iterate(token, &mut lanes, 64);
            start.elapsed()
        };
        // Whatever interrupts one of these calls hardly interrupts all.
        let times = [(); 8].map(|()| [iterate_at::<3, NEAR>, iterate_at::<3, FAR>].map(&mut time));
        let least = |of: usize| times.iter().map(|times| times[of]).min();
        least(0) < least(1)
    })
}

fn iterate_at<const N: usize, const AHEAD: usize>(_: ShaNi, lanes: &mut [[u8; 32]; N], count: u64) {
    if Avx2::detect().is_some() {
        // SAFETY: the token proves that the CPU has the feature.
        unsafe { clear_upper_halves() }
    }
    // SAFETY: the token proves that the CPU has the features.
    unsafe { iterate_lanes::<N, AHEAD>(lanes, count) }
}

/// Holds half a state, from the highest element down: a b e f or c d g h.
type Half = __m128i;

/// Holds the result of the rounds of one lane, before the initial hash value is added.
#[derive(Clone, Copy)]
struct State {
    abef: Half,
    cdgh: Half,
}

/// The words to add to the result of the rounds, which give a digest's words plus K.
const TO_DIGEST: [u32; 4] = [
    ROUND_CONSTANTS[0].wrapping_add(INITIAL[0]),
    ROUND_CONSTANTS[1].wrapping_add(INITIAL[1]),
    ROUND_CONSTANTS[2].wrapping_add(INITIAL[2]),
    ROUND_CONSTANTS[3].wrapping_add(INITIAL[3]),
];

/// Holds the constant state before round 0. What would be added to words 0 and 1 is in h,
/// which round 0 adds, and in g, which round 1 adds; h also undoes the effect of the
/// changed g on Ch in round 0.
const START: [u32; 8] = {
    let [a, b, c, d, e, f, g, h] = INITIAL;
    let changed_g = g.wrapping_add(TO_DIGEST[1]);
    let changed_h = h
        .wrapping_add(TO_DIGEST[0])
        .wrapping_add(choose(e, f, g))
        .wrapping_sub(choose(e, f, changed_g));
    [a, b, c, d, e, f, changed_g, changed_h]
};

/// Clears the upper halves of vector registers, which a caller may have left in use: some
/// CPUs then need microcode for each SSE instruction.
#[target_feature(enable = "avx")]
fn clear_upper_halves() {
    _mm256_zeroupper();
}

#[target_feature(enable = "sha,ssse3,sse4.1")]
fn iterate_lanes<const N: usize, const AHEAD: usize>(lanes: &mut [[u8; 32]; N], count: u64) {
    let mut states = lanes.map(|lane| load(&lane));
    for _ in 0..count {
        hash::<N, AHEAD>(&mut states);
    }
    *lanes = states.map(|state| store(state));
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn load(lane: &[u8; 32]) -> State {
    let mut words = to_words(lane);
    for (word, initial) in words.iter_mut().zip(INITIAL) {
        *word = word.wrapping_sub(initial);
    }
    halves(words)
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn store(state: State) -> [u8; 32] {
    let [low, high] = first_words(state);
    let mut words = [0; 8];
    let (quads, _) = words.as_chunks_mut::<4>();
    for (quad, vector) in quads.iter_mut().zip([low, high]) {
        // SAFETY: the target is an array of four words; no alignment is required.
        unsafe { _mm_storeu_si128(quad.as_mut_ptr().cast(), vector) }
    }
    from_words(words)
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn hash<const N: usize, const AHEAD: usize>(states: &mut [State; N]) {
    let digests = *states;
    let words = digests.map(|digest| first_words(digest));
    let mut w = [
        words.map(|[low, _]| low),
        words.map(|[_, high]| high),
        [four(&PADDING, 0); N],
        [four(&PADDING, 4); N],
    ];
    let mut s = [halves(START); N];
    two_rounds(&mut s, digests.map(|digest| reversed_upper_half(digest.abef)));
    let words_2_and_3 = digests.map(|digest| reversed_upper_half(digest.cdgh));
    two_rounds(&mut s, words_2_and_3.map(|words| _mm_add_epi32(words, two(&TO_DIGEST, 2))));

    macro_rules! each_four_rounds {
        ($($quad:literal)+) => {
            $(four_rounds::<N, AHEAD, $quad>(&mut s, &mut w);)+
        };
    }
    each_four_rounds!(1 2 3 4 5 6 7 8 9 10 11 12 13 14 15);
    *states = s;
}

/// Does rounds 4 · Q to 4 · Q + 3 of every lane, and computes the four words of the schedule
/// for rounds 4 · (Q + AHEAD) on.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn four_rounds<const N: usize, const AHEAD: usize, const Q: usize>(
    s: &mut [State; N],
    w: &mut [[__m128i; N]; 4],
) {
    if Q == 2 || Q == 3 {
        two_rounds(s, [two(&ROUND_CONSTANTS_AND_PADDING, 4 * Q); N]);
        two_rounds(s, [two(&ROUND_CONSTANTS_AND_PADDING, 4 * Q + 2); N]);
    } else {
        let sums = w[Q % 4].map(|words| _mm_add_epi32(words, four(&ROUND_CONSTANTS, 4 * Q)));
        two_rounds(s, sums);
        two_rounds(s, sums.map(|sum| _mm_shuffle_epi32::<0b00_00_11_10>(sum)));
    }
    let next = Q + AHEAD;
    if (4..16).contains(&next) {
        let [w0, w1, w2, w3] = std::array::from_fn(|i| w[(next + i) % 4]);
        w[next % 4] = std::array::from_fn(|l| {
            // Words 9 to 12 are 0, so their σ₀ is 0 as well.
            let sum = if next == 6 { w0[l] } else { _mm_sha256msg1_epu32(w0[l], w1[l]) };
            schedule::<N>(sum, w2[l], w3[l])
        });
    }
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn reversed_upper_half(vector: __m128i) -> __m128i {
    _mm_shuffle_epi32::<0b00_00_10_11>(vector)
}

/// Does two rounds of every lane; the lower half of `sums` holds K + W.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn two_rounds<const N: usize>(states: &mut [State; N], sums: [__m128i; N]) {
    for (state, sum) in states.iter_mut().zip(sums) {
        let State { abef, cdgh } = *state;
        *state = State { abef: pin(_mm_sha256rnds2_epu32(cdgh, abef, sum)), cdgh: abef };
    }
}

/// Returns the next four words (FIPS 180-4 section 6.2.2 step 1). `sum` is W\[t - 16\] +
/// σ₀(W\[t - 15\]), `w2` and `w3` are the last eight words.
///
/// One of W\[t - 7\] is in `w3`, for which a single lane would have to wait, so it is
/// added last.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn schedule<const N: usize>(sum: __m128i, w2: __m128i, w3: __m128i) -> __m128i {
    if N == 1 {
        let early = _mm_add_epi32(sum, _mm_bsrli_si128::<4>(w2));
        let late = _mm_bslli_si128::<12>(w3);
        pin(_mm_add_epi32(_mm_sha256msg2_epu32(early, w3), late))
    } else {
        _mm_sha256msg2_epu32(_mm_add_epi32(sum, _mm_alignr_epi8::<4>(w3, w2)), w3)
    }
}

/// Returns a digest's words 0 to 3, and 4 to 7.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn first_words(State { abef, cdgh }: State) -> [__m128i; 2] {
    let abcd = _mm_shuffle_epi32::<0b10_11_00_01>(_mm_unpackhi_epi64(abef, cdgh));
    let efgh = _mm_shuffle_epi32::<0b10_11_00_01>(_mm_unpacklo_epi64(abef, cdgh));
    [_mm_add_epi32(abcd, four(&INITIAL, 0)), _mm_add_epi32(efgh, four(&INITIAL, 4))]
}

#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn halves(words: [u32; 8]) -> State {
    let [a, b, c, d, e, f, g, h] = words.map(u32::cast_signed);
    State { abef: _mm_set_epi32(a, b, e, f), cdgh: _mm_set_epi32(c, d, g, h) }
}

/// Loads words `t` to `t` + 3.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn four(words: &[u32], t: usize) -> __m128i {
    let word = |i: usize| words[t + i].cast_signed();
    _mm_set_epi32(word(3), word(2), word(1), word(0))
}

/// Loads words `t` and `t` + 1 into the lower half.
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn two(words: &[u32], t: usize) -> __m128i {
    _mm_set_epi32(0, 0, words[t + 1].cast_signed(), words[t].cast_signed())
}

/// Keeps values in the order of the source. Otherwise the compiler moves the whole message
/// schedule in front of the rounds, which then wait for it (171 cycles, one lane).
#[inline]
#[target_feature(enable = "sha,ssse3,sse4.1")]
fn pin(mut vector: __m128i) -> __m128i {
    // SAFETY: there is no instruction in it.
    unsafe {
        asm!("/* {0} */", inout(xmm_reg) vector, options(nomem, nostack, preserves_flags));
    }
    vector
}
