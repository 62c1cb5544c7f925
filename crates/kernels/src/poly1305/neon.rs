//! NEON: four lanes in two registers; one instruction multiplies and adds two
//! lanes.

use std::arch::aarch64::*;

use super::lanes::{LANES, MASK_26, STEPS, from_limbs, limbs, poly1305_in_lanes};
use super::portable::{Multiplier, Sum};
use crate::cpu::Neon;

/// The value of AVX2, whose costs are similar; not measured on hardware.
pub(super) const FEWEST_BLOCKS: usize = 52;
/// The value of AVX2.
const FEWEST_VECTORS_IN_STEPS: usize = 8;
const ORDER: [usize; LANES] = [0, 1, 2, 3];

type Vector = [uint64x2_t; 2];
type Narrow = [uint32x2_t; 2];

poly1305_in_lanes!(Neon, "neon");

#[inline]
#[target_feature(enable = "neon")]
fn load_halves(blocks: &[[u8; 16]; LANES]) -> (Vector, Vector) {
    let halves = blocks.as_ptr().cast::<u64>();
    // SAFETY: there are four blocks of two halves.
    let (first, last) = unsafe { (vld2q_u64(halves), vld2q_u64(halves.add(LANES))) };
    ([first.0, last.0], [first.1, last.1])
}

#[inline]
#[target_feature(enable = "neon")]
fn splat(limb: u64) -> Vector {
    [vdupq_n_u64(limb); 2]
}

#[inline]
#[target_feature(enable = "neon")]
fn vector(lanes: [u64; LANES]) -> Vector {
    let [a, b, c, d] = [lanes[0], lanes[1], lanes[2], lanes[3]].map(|lane| vcreate_u64(lane));
    [vcombine_u64(a, b), vcombine_u64(c, d)]
}

#[inline]
#[target_feature(enable = "neon")]
fn array([low, high]: Vector) -> [u64; LANES] {
    [
        vgetq_lane_u64::<0>(low),
        vgetq_lane_u64::<1>(low),
        vgetq_lane_u64::<0>(high),
        vgetq_lane_u64::<1>(high),
    ]
}

#[inline]
#[target_feature(enable = "neon")]
fn narrow([low, high]: Vector) -> Narrow {
    [vmovn_u64(low), vmovn_u64(high)]
}

#[inline]
#[target_feature(enable = "neon")]
fn add(a: Vector, b: Vector) -> Vector {
    [vaddq_u64(a[0], b[0]), vaddq_u64(a[1], b[1])]
}

#[inline]
#[target_feature(enable = "neon")]
fn or(a: Vector, b: Vector) -> Vector {
    [vorrq_u64(a[0], b[0]), vorrq_u64(a[1], b[1])]
}

/// Returns a mask of the low 26 bits.
#[inline]
#[target_feature(enable = "neon")]
fn masked([low, high]: Vector) -> Vector {
    let mask = vdupq_n_u64(MASK_26);
    [vandq_u64(low, mask), vandq_u64(high, mask)]
}

#[inline]
#[target_feature(enable = "neon")]
fn left<const BITS: i32>([low, high]: Vector) -> Vector {
    [vshlq_n_u64::<BITS>(low), vshlq_n_u64::<BITS>(high)]
}

#[inline]
#[target_feature(enable = "neon")]
fn right<const BITS: i32>([low, high]: Vector) -> Vector {
    [vshrq_n_u64::<BITS>(low), vshrq_n_u64::<BITS>(high)]
}

#[inline]
#[target_feature(enable = "neon")]
fn multiply_add(sum: Vector, a: Narrow, b: Narrow) -> Vector {
    [vmlal_u32(sum[0], a[0], b[0]), vmlal_u32(sum[1], a[1], b[1])]
}
