//! Processes lanes in lockstep: a vector register holds one word of every lane of a
//! group. The algorithm is written once, over the operations of each instruction set.
//!
//! Message words stay in memory, so that registers hold states and the temporaries of a
//! round. Six words are computed for every eight rounds from the first round on, so that
//! independent work is always available beside the critical path from round to round.
//! (Computing words when they are due leaves none for the first rounds and takes 3 %
//! longer with `avx512`.) The rounds from 24 on are a loop: with all 64 unrolled, the
//! code ran at 26 or at 46 cycles per hash, depending on how it lay in the cache of
//! decoded instructions.

use super::constants::{INITIAL, ROUND_CONSTANTS_AND_PADDING};

/// Says which terms of a round are constant.
pub(super) mod known {
    pub(in super::super) const IS_WORD: u8 = 1;
    pub(in super::super) const IS_STATE: u8 = 2;
    pub(in super::super) const IS_H: u8 = 3;

    pub(in super::super) const NOTHING: [u8; 8] = [0; 8];
    pub(in super::super) const WORD: [u8; 8] = [IS_WORD; 8];
    pub(in super::super) const STATE: [u8; 8] = [IS_STATE, IS_H, IS_H, IS_H, 0, 0, 0, 0];
}

/// Holds K of eight rounds each, plus the other terms that are constant in their round: a
/// word that is padding, or h.
pub(super) static CONSTANTS: [[u32; 8]; 8] = {
    let mut constants = [[0; 8]; 8];
    let mut t = 0;
    while t < 64 {
        constants[t / 8][t % 8] = ROUND_CONSTANTS_AND_PADDING[t];
        if t < 4 {
            constants[0][t] = constants[0][t].wrapping_add(INITIAL[7 - t]);
        }
        t += 1;
    }
    constants
};

/// Generates `iterate` for groups of `$lanes` lanes. The caller's scope has, with the
/// same target features: `load(&[u32; LANES])` and `store(&mut [u32; LANES], vector)`,
/// `broadcast(u32)`, `add(x, y)`, `vector_sigma0(x)` and `vector_sigma1(x)` (FIPS 180-4
/// equations 4.6 and 4.7), and `full_round::<G>(&mut State, h)`, a round whose `h`
/// already includes word and constant.
macro_rules! lockstep {
    ($Vector:ty, $lanes:literal, $features:literal) => {
        /// Holds word t of the message schedule of each of G groups.
        type Words<const G: usize> = [[$Vector; G]; 64];

        /// Holds the working variables a to h (FIPS 180-4 section 6.2.2).
        type State = [$Vector; 8];

        /// Replaces each lane by its own hash, `count` times.
        #[target_feature(enable = $features)]
        fn iterate<const G: usize>(lanes: &mut [[[u8; 32]; $lanes]; G], count: u64) {
            let mut w: Words<G> = [[broadcast(0); G]; 64];
            for (g, lanes) in lanes.iter().enumerate() {
                for (t, word) in transpose(lanes).iter().enumerate() {
                    w[t][g] = load(word);
                }
            }
            for _ in 0..count {
                hash(&mut w);
            }
            for (g, lanes) in lanes.iter_mut().enumerate() {
                let mut words = [[0; $lanes]; 8];
                for (t, word) in words.iter_mut().enumerate() {
                    store(word, w[t][g]);
                }
                *lanes = transpose_back(&words);
            }
        }

        /// Replaces W\[0\] to W\[7\] by their hashes.
        #[inline]
        #[target_feature(enable = $features)]
        fn hash<const G: usize>(w: &mut Words<G>) {
            let mut states: [State; G] = [INITIAL.map(|word| broadcast(word)); G];
            eight_rounds!(states, w, 0, STATE, padded = true);
            eight_rounds!(states, w, 1, WORD, padded = true);
            eight_rounds!(states, w, 2, NOTHING, padded = true);
            for eight in 3..8 {
                eight_rounds!(states, w, eight, NOTHING, padded = false);
            }
            for (g, state) in states.iter().enumerate() {
                for (t, initial) in INITIAL.into_iter().enumerate() {
                    w[t][g] = add(state[t], broadcast(initial));
                }
            }
        }

        /// Computes W\[t\] of group `g` (FIPS 180-4 section 6.2.2 step 1). With `PADDED`,
        /// words 8 to 15 may be among its terms; the compiler then knows `t`, and so the
        /// sum of the constant terms.
        #[inline]
        #[target_feature(enable = $features)]
        fn schedule<const G: usize, const PADDED: bool>(w: &mut Words<G>, t: usize, g: usize) {
            let padding = |t: usize| match t {
                8..16 if PADDED => Some(PADDING[t - 8]),
                _ => None,
            };
            let mut sum = broadcast(0);
            let mut constant = 0_u32;
            match padding(t - 15) {
                None => sum = vector_sigma0(w[t - 15][g]),
                Some(word) => constant = small_sigma0(word),
            }
            for t in [t - 16, t - 7] {
                match padding(t) {
                    None => sum = add(sum, w[t][g]),
                    Some(word) => constant = constant.wrapping_add(word),
                }
            }
            match padding(t - 2) {
                None => sum = add(sum, vector_sigma1(w[t - 2][g])),
                Some(word) => constant = constant.wrapping_add(small_sigma1(word)),
            }
            w[t][g] = add(sum, broadcast(constant));
        }

        /// Does round 8 · `eight` + R of group `g` (FIPS 180-4 section 6.2.2 step 3).
        #[inline]
        #[target_feature(enable = $features)]
        fn round<const G: usize, const R: usize, const KNOWN: u8>(
            state: &mut State,
            w: &Words<G>,
            eight: usize,
            g: usize,
        ) {
            let word = w[8 * eight + R][g];
            let constant = CONSTANTS[eight][R];
            let h = match KNOWN {
                known::IS_STATE => return first_round(state, word, constant),
                known::IS_H => add(word, broadcast(constant)),
                known::IS_WORD => add(state[7], broadcast(constant)),
                _ => add(add(state[7], broadcast(constant)), word),
            };
            full_round::<G>(state, h);
        }

        /// Does round 0, of which everything but the word is constant; h is in
        /// `constant`.
        #[inline]
        #[target_feature(enable = $features)]
        fn first_round(state: &mut State, word: $Vector, constant: u32) {
            let [a, b, c, d, e, f, g, _] = INITIAL;
            let first = constant.wrapping_add(big_sigma1(e)).wrapping_add(choose(e, f, g));
            let second = big_sigma0(a).wrapping_add(majority(a, b, c));
            *state = [
                add(word, broadcast(first.wrapping_add(second))),
                state[0],
                state[1],
                state[2],
                add(word, broadcast(first.wrapping_add(d))),
                state[4],
                state[5],
                state[6],
            ];
        }
    };
}

/// Generates rounds 8 · `$eight` to 8 · `$eight` + 7, each for every group, and between
/// them six words of the schedule, in time for their rounds.
macro_rules! eight_rounds {
    ($states:ident, $w:ident, $eight:expr, $known:ident, padded = $padded:literal) => {
        eight_rounds!(
            @ $states, $w, $eight, $known, $padded,
            (0, 0) (1, 1) (2, 2) (3) (4, 3) (5, 4) (6, 5) (7)
        );
    };
    (@ $states:ident, $w:ident, $eight:expr, $known:ident, $padded:literal,
        $(($round:literal $(, $word:literal)?))+) => {
        $(
            $(for g in 0..G {
                schedule::<G, $padded>($w, 16 + 6 * $eight + $word, g);
            })?
            for (g, state) in $states.iter_mut().enumerate() {
                round::<G, $round, { known::$known[$round] }>(state, $w, $eight, g);
            }
        )+
    };
}

pub(super) use {eight_rounds, lockstep};
