//! AVX2: four lanes in one register.

use std::arch::x86_64::*;

use super::lanes::{LANES, MASK_26, STEPS, from_limbs, limbs, poly1305_in_lanes};
use super::portable::{Multiplier, Sum};
use crate::cpu::Avx2;

/// Below this number, scalar code is faster. Cycles on Zen 5, including making the
/// powers: 748 against 820 for 56 blocks, 751 against 704 for 48.
pub(super) const FEWEST_BLOCKS: usize = 52;
/// Below this number, the long loop does not pay for its powers, which take about 90
/// cycles on Zen 5, where it saves 14 per vector.
const FEWEST_VECTORS_IN_STEPS: usize = 8;
/// The order of the blocks after one unpack instruction per half.
const ORDER: [usize; LANES] = [0, 2, 1, 3];

type Vector = __m256i;
type Narrow = __m256i;

poly1305_in_lanes!(Avx2, "avx2");

#[inline]
#[target_feature(enable = "avx2")]
fn load_halves(blocks: &[[u8; 16]; LANES]) -> (Vector, Vector) {
    let bytes = blocks.as_ptr();
    // SAFETY: there are four blocks of 16 bytes.
    let (first, last) = unsafe {
        (_mm256_loadu_si256(bytes.cast()), _mm256_loadu_si256(bytes.add(LANES / 2).cast()))
    };
    (_mm256_unpacklo_epi64(first, last), _mm256_unpackhi_epi64(first, last))
}

#[inline]
#[target_feature(enable = "avx2")]
fn splat(limb: u64) -> Vector {
    _mm256_set1_epi64x(limb.cast_signed())
}

#[inline]
#[target_feature(enable = "avx2")]
fn vector(lanes: [u64; LANES]) -> Vector {
    let [a, b, c, d] = lanes.map(u64::cast_signed);
    _mm256_setr_epi64x(a, b, c, d)
}

#[inline]
#[target_feature(enable = "avx2")]
fn array(vector: Vector) -> [u64; LANES] {
    let mut lanes = [0; LANES];
    // SAFETY: there is room for four lanes.
    unsafe { _mm256_storeu_si256(lanes.as_mut_ptr().cast(), vector) };
    lanes
}

/// Narrows lanes to their low 32 bits, which is all that multiplication reads.
#[inline]
#[target_feature(enable = "avx2")]
fn narrow(vector: Vector) -> Narrow {
    vector
}

#[inline]
#[target_feature(enable = "avx2")]
fn add(a: Vector, b: Vector) -> Vector {
    _mm256_add_epi64(a, b)
}

#[inline]
#[target_feature(enable = "avx2")]
fn or(a: Vector, b: Vector) -> Vector {
    _mm256_or_si256(a, b)
}

/// Returns a mask of the low 26 bits.
#[inline]
#[target_feature(enable = "avx2")]
fn masked(limb: Vector) -> Vector {
    _mm256_and_si256(limb, splat(MASK_26))
}

#[inline]
#[target_feature(enable = "avx2")]
fn left<const BITS: i32>(limb: Vector) -> Vector {
    _mm256_slli_epi64::<BITS>(limb)
}

#[inline]
#[target_feature(enable = "avx2")]
fn right<const BITS: i32>(limb: Vector) -> Vector {
    _mm256_srli_epi64::<BITS>(limb)
}

#[inline]
#[target_feature(enable = "avx2")]
fn multiply_add(sum: Vector, a: Narrow, b: Narrow) -> Vector {
    _mm256_add_epi64(sum, _mm256_mul_epu32(a, b))
}
