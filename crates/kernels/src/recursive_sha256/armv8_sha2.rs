//! AArch64 with the SHA-256 instructions: `sha256h` and `sha256h2` do four rounds of a
//! lane; up to four lanes are interleaved.

use std::arch::aarch64::*;

use super::constants::{INITIAL, PADDING, ROUND_CONSTANTS, ROUND_CONSTANTS_AND_PADDING};
use super::words::{from_words, to_words};
use crate::cpu::Armv8Sha2;

pub(super) fn iterate<const N: usize>(_: Armv8Sha2, lanes: &mut [[u8; 32]; N], count: u64) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { iterate_lanes(lanes, count) }
}

/// Holds words 0 to 3 and 4 to 7 of a lane: a to d and e to h of a state.
#[derive(Clone, Copy)]
struct Halves {
    low: uint32x4_t,
    high: uint32x4_t,
}

#[target_feature(enable = "neon,sha2")]
fn iterate_lanes<const N: usize>(lanes: &mut [[u8; 32]; N], count: u64) {
    let mut digests = lanes.map(|lane| {
        let words = to_words(&lane);
        Halves { low: four(&words, 0), high: four(&words, 4) }
    });
    for _ in 0..count {
        hash(&mut digests);
    }
    *lanes = digests.map(|digest| {
        let mut words = [0; 8];
        let (quads, _) = words.as_chunks_mut::<4>();
        for (quad, vector) in quads.iter_mut().zip([digest.low, digest.high]) {
            // SAFETY: the target is an array of four words.
            unsafe { vst1q_u32(quad.as_mut_ptr(), vector) }
        }
        from_words(words)
    });
}

/// Does four rounds of each lane from round `$t` on, and replaces the first of the last
/// 16 words, `$w0` to `$w3`, by the words 16 places later.
macro_rules! four_rounds {
    ($s:ident, $t:literal, $w0:ident) => {
        for l in 0..N {
            $s[l] = rounds($s[l], vaddq_u32($w0[l], four(&ROUND_CONSTANTS, $t)));
        }
    };
    ($s:ident, $t:literal, $w0:ident $w1:ident $w2:ident $w3:ident) => {
        four_rounds!($s, $t, $w0);
        for l in 0..N {
            $w0[l] = vsha256su1q_u32(vsha256su0q_u32($w0[l], $w1[l]), $w2[l], $w3[l]);
        }
    };
}

#[inline]
#[target_feature(enable = "neon,sha2")]
fn hash<const N: usize>(digests: &mut [Halves; N]) {
    let start = Halves { low: four(&INITIAL, 0), high: four(&INITIAL, 4) };
    let mut s = [start; N];
    let mut w0 = digests.map(|digest| digest.low);
    let mut w1 = digests.map(|digest| digest.high);
    let mut w2 = [four(&PADDING, 0); N];
    let mut w3 = [four(&PADDING, 4); N];

    four_rounds!(s, 0, w0 w1 w2 w3);
    four_rounds!(s, 4, w1 w2 w3 w0);
    for l in 0..N {
        // Words 9 to 12 are 0, so their σ₀ is 0 as well.
        s[l] = rounds(s[l], four(&ROUND_CONSTANTS_AND_PADDING, 8));
        w2[l] = vsha256su1q_u32(w2[l], w0[l], w1[l]);
    }
    for l in 0..N {
        s[l] = rounds(s[l], four(&ROUND_CONSTANTS_AND_PADDING, 12));
        w3[l] = vsha256su1q_u32(vsha256su0q_u32(w3[l], w0[l]), w1[l], w2[l]);
    }
    four_rounds!(s, 16, w0 w1 w2 w3);
    four_rounds!(s, 20, w1 w2 w3 w0);
    four_rounds!(s, 24, w2 w3 w0 w1);
    four_rounds!(s, 28, w3 w0 w1 w2);
    four_rounds!(s, 32, w0 w1 w2 w3);
    four_rounds!(s, 36, w1 w2 w3 w0);
    four_rounds!(s, 40, w2 w3 w0 w1);
    four_rounds!(s, 44, w3 w0 w1 w2);
    four_rounds!(s, 48, w0);
    four_rounds!(s, 52, w1);
    four_rounds!(s, 56, w2);
    four_rounds!(s, 60, w3);
    *digests = s.map(|state| Halves {
        low: vaddq_u32(state.low, start.low),
        high: vaddq_u32(state.high, start.high),
    });
}

/// Does four rounds of one lane; `sums` holds K + W.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn rounds(state: Halves, sums: uint32x4_t) -> Halves {
    Halves {
        low: vsha256hq_u32(state.low, state.high, sums),
        high: vsha256h2q_u32(state.high, state.low, sums),
    }
}

/// Loads words `t` to `t` + 3.
#[inline]
#[target_feature(enable = "neon,sha2")]
fn four(words: &[u32], t: usize) -> uint32x4_t {
    let (quad, _) = words[t..].as_chunks::<4>();
    // SAFETY: the source is an array of four words.
    unsafe { vld1q_u32(quad[0].as_ptr()) }
}
