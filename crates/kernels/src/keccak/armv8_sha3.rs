//! AArch64 with the SHA-3 extension: each of 25 vector registers holds one lane in
//! its low half. EOR3, RAX1, XAR and BCAX do the steps of the round directly.

use std::arch::aarch64::*;

use super::ROUND_CONSTANTS;
use super::entries::entries;
use super::lanes::{chi_row, round};
use super::state::State;
use crate::cpu::Armv8Sha3;

entries!(Armv8Sha3, "neon,sha3");

#[target_feature(enable = "neon,sha3")]
fn permute_lanes(state: &mut State) {
    let mut a = state.0.map(|lane| vdupq_n_u64(lane));
    for constant in ROUND_CONSTANTS {
        a = round!(a, constant);
    }
    state.0 = a.map(|lane| vgetq_lane_u64::<0>(lane));
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn parity(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t, d: uint64x2_t, e: uint64x2_t) -> uint64x2_t {
    veor3q_u64(veor3q_u64(a, b, c), d, e)
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn effect(c: uint64x2_t, d: uint64x2_t) -> uint64x2_t {
    vrax1q_u64(c, d)
}

/// XAR rotates to the right, so the distance is subtracted from 64.
macro_rules! add_and_rotate_by {
    ($($left:literal)+) => {
        #[inline]
        #[target_feature(enable = "neon,sha3")]
        fn add_and_rotate<const N: u32>(a: uint64x2_t, d: uint64x2_t) -> uint64x2_t {
            match N {
                0 => veorq_u64(a, d),
                $($left => vxarq_u64::<{ 64 - $left }>(a, d),)+
                _ => unreachable!(),
            }
        }
    };
}

add_and_rotate_by! { 1 2 3 6 8 10 14 15 18 20 21 25 27 28 36 39 41 43 44 45 55 56 61 62 }

#[inline]
#[target_feature(enable = "neon,sha3")]
fn chi(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t) -> uint64x2_t {
    vbcaxq_u64(a, c, b)
}

#[inline]
#[target_feature(enable = "neon,sha3")]
fn iota(a: uint64x2_t, constant: u64) -> uint64x2_t {
    veorq_u64(a, vdupq_n_u64(constant))
}
