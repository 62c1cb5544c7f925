//! AArch64 with NEON alone: each of 25 vector registers holds one lane in its low
//! half. A rotation is a shift and a shift-and-insert.

use std::arch::aarch64::*;

use super::ROUND_CONSTANTS;
use super::entries::entries;
use super::lanes::{chi_row, round};
use super::state::State;
use crate::cpu::Neon;

entries!(Neon, "neon");

#[target_feature(enable = "neon")]
fn permute_lanes(state: &mut State) {
    let mut a = state.0.map(|lane| vdupq_n_u64(lane));
    for constant in ROUND_CONSTANTS {
        a = round!(a, constant);
    }
    state.0 = a.map(|lane| vgetq_lane_u64::<0>(lane));
}

#[inline]
#[target_feature(enable = "neon")]
fn parity(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t, d: uint64x2_t, e: uint64x2_t) -> uint64x2_t {
    veorq_u64(veorq_u64(veorq_u64(a, b), veorq_u64(c, d)), e)
}

#[inline]
#[target_feature(enable = "neon")]
fn effect(c: uint64x2_t, d: uint64x2_t) -> uint64x2_t {
    veorq_u64(c, vsliq_n_u64::<1>(vshrq_n_u64::<63>(d), d))
}

macro_rules! add_and_rotate_by {
    ($($left:literal)+) => {
        #[inline]
        #[target_feature(enable = "neon")]
        fn add_and_rotate<const N: u32>(a: uint64x2_t, d: uint64x2_t) -> uint64x2_t {
            let sum = veorq_u64(a, d);
            match N {
                0 => sum,
                $($left => vsliq_n_u64::<$left>(vshrq_n_u64::<{ 64 - $left }>(sum), sum),)+
                _ => unreachable!(),
            }
        }
    };
}

add_and_rotate_by! { 1 2 3 6 8 10 14 15 18 20 21 25 27 28 36 39 41 43 44 45 55 56 61 62 }

#[inline]
#[target_feature(enable = "neon")]
fn chi(a: uint64x2_t, b: uint64x2_t, c: uint64x2_t) -> uint64x2_t {
    veorq_u64(a, vbicq_u64(c, b))
}

#[inline]
#[target_feature(enable = "neon")]
fn iota(a: uint64x2_t, constant: u64) -> uint64x2_t {
    veorq_u64(a, vdupq_n_u64(constant))
}
