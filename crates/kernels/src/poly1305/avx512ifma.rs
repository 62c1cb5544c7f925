//! AVX-512 with 52-bit multiply-add: eight blocks at a time, in limbs of 44, 44 and 42
//! bits.
//!
//! Lane i holds every eighth block from block i on, so a step of eight blocks is a
//! multiplication by r⁸; at the end lane i is multiplied by r⁸⁻ⁱ, and the lanes are
//! added. A long run takes four steps at once: sum · r³² + a · r²⁴ + b · r¹⁶ + c · r⁸ +
//! d, where one reduction serves four products, and three of these do not wait for the
//! sum.
//!
//! Limbs are kept below 2⁴⁶. Products of limbs have 52 low and up to 43 high bits, which
//! are summed separately; twelve of either stay below 2⁵⁶.

use std::arch::x86_64::*;

use super::portable::{Multiplier, Sum};
use crate::cpu::Avx512Ifma;

/// Below this number, scalar code is faster. Cycles on Zen 5, including making the
/// powers: 170 against 181 for 12 blocks, 170 against 151 for 10.
pub(super) const FEWEST_BLOCKS: usize = 12;

/// The number of blocks per vector.
const LANES: usize = 8;
/// The number of vectors per iteration of the long loop.
const STEPS: usize = 4;
/// Below this number, the long loop does not pay for its powers. Cycles on Zen 5: 316
/// against 331 for 6 vectors after the first, 318 against 299 for 5.
const FEWEST_VECTORS_IN_STEPS: usize = 6;

const MASK_44: i64 = (1 << 44) - 1;
const MASK_42: i64 = (1 << 42) - 1;
/// 2¹²⁸ in limb 2.
const TOP_BIT: i64 = 1 << 40;

/// Holds eight numbers modulo p, limb by limb.
type Limbs = [__m512i; 3];

/// Holds r⁸ to r¹ for lanes 0 to 7, and r⁸, r¹⁶, r²⁴, r³² if a long run needed them.
#[derive(Clone)]
pub(super) struct Powers {
    lanes: Limbs,
    steps: Option<[Limbs; STEPS]>,
}

pub(super) fn powers(_: Avx512Ifma, r: &Multiplier) -> Powers {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { make_powers(r) }
}

pub(super) fn absorb_blocks(
    _: Avx512Ifma,
    sum: &mut Sum,
    _: &Multiplier,
    powers: &mut Powers,
    blocks: &[[u8; 16]],
) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { absorb(sum, powers, blocks) }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn make_powers(r: &Multiplier) -> Powers {
    let r1 = r.as_sum();
    let r2 = r1.times(r);
    let r3 = r2.times(r);
    let r4 = r3.times(r);
    // Lanes 4 to 7 get r⁴ to r¹, and lanes 0 to 3 the same times r⁴.
    let [r1, r2, r3, r4] = [r1, r2, r3, r4].map(limbs);
    let pairs = |i: usize| [r4[i], r4[i], r3[i], r3[i], r2[i], r2[i], r1[i], r1[i]];
    let factors = |i: usize| {
        let one = u64::from(i == 0);
        [r4[i], one, r4[i], one, r4[i], one, r4[i], one]
    };
    let pairs = [0, 1, 2].map(pairs);
    let factors = [0, 1, 2].map(factors);
    let lanes = multiply(vectors(pairs), vectors(factors));
    Powers { lanes, steps: None }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn make_steps(lanes: Limbs) -> [Limbs; STEPS] {
    let r8 = first_lane(lanes);
    let r16 = multiply(r8, r8);
    [r8, r16, multiply(r16, r8), multiply(r16, r16)]
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn absorb(sum: &mut Sum, powers: &mut Powers, blocks: &[[u8; 16]]) {
    // The first vector takes the blocks that are left over, so that all others are
    // whole.
    let head = match blocks.len() % LANES {
        0 => LANES.min(blocks.len()),
        part => part,
    };
    let (head, rest) = blocks.split_at(head);
    let vectors = rest.as_chunks::<LANES>().0;
    let mut sums = load_first(head, *sum);
    if vectors.len() >= FEWEST_VECTORS_IN_STEPS {
        let steps = match powers.steps {
            Some(steps) => steps,
            None => make_steps(powers.lanes),
        };
        powers.steps = Some(steps);
        let [r8, r16, r24, r32] = steps;
        let factors = [Factor::new(r8), Factor::new(r16), Factor::new(r24), Factor::new(r32)];
        sums = absorb_in_steps(sums, &factors, vectors);
    } else {
        let r8 = Factor::new(first_lane(powers.lanes));
        for vector in vectors {
            sums = step(sums, [&r8], [vector]);
        }
    }
    *sum = total(multiply(sums, powers.lanes));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn absorb_in_steps(
    mut sums: Limbs,
    [r8, r16, r24, r32]: &[Factor; STEPS],
    vectors: &[[[u8; 16]; LANES]],
) -> Limbs {
    let (long, rest) = vectors.as_chunks::<STEPS>();
    for [a, b, c, d] in long {
        sums = step(sums, [r32, r24, r16, r8], [a, b, c, d]);
    }
    match rest {
        [a, b, c] => step(sums, [r24, r16, r8], [a, b, c]),
        [a, b] => step(sums, [r16, r8], [a, b]),
        [a] => step(sums, [r8], [a]),
        _ => sums,
    }
}

/// Advances by N vectors: the sum times the highest power, each vector times the next
/// lower, the last vector unchanged. Only the first product waits for the sum, so it
/// comes last.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn step<const N: usize>(
    sums: Limbs,
    powers: [&Factor; N],
    vectors: [&[[u8; 16]; LANES]; N],
) -> Limbs {
    let mut product = Product::zero();
    for i in 1..N {
        product = product.plus(load(vectors[i - 1]), powers[i]);
    }
    add(product.plus(sums, powers[0]).reduced(), load(vectors[N - 1]))
}

/// Loads eight blocks and adds their top bits. The lanes hold blocks 0 4 1 5 2 6 3 7,
/// the order after one unpack instruction per half.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn load(blocks: &[[u8; 16]; LANES]) -> Limbs {
    let bytes = blocks.as_ptr();
    // SAFETY: there are eight blocks of 16 bytes.
    let (first, last) = unsafe {
        (_mm512_loadu_si512(bytes.cast()), _mm512_loadu_si512(bytes.add(LANES / 2).cast()))
    };
    let mut limbs = split(first, last);
    limbs[2] = _mm512_or_si512(limbs[2], _mm512_set1_epi64(TOP_BIT));
    limbs
}

/// Loads up to eight blocks into the last lanes, with zeros in those before, and adds
/// `sum` to the first block.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn load_first(blocks: &[[u8; 16]], sum: Sum) -> Limbs {
    let missing = LANES - blocks.len();
    let bytes = blocks.as_ptr().wrapping_sub(missing).cast::<i64>();
    // The mask has one bit per half block.
    let present = (u16::MAX << (2 * missing)).to_le_bytes();
    // SAFETY: the masks select the bytes of `blocks`.
    let (first, last) = unsafe {
        (
            _mm512_maskz_loadu_epi64(present[0], bytes),
            _mm512_maskz_loadu_epi64(present[1], bytes.wrapping_add(LANES)),
        )
    };
    let mut vector = split(first, last);
    let order = _mm512_setr_epi64(0, 4, 1, 5, 2, 6, 3, 7);
    let missing = _mm512_set1_epi64(missing as i64);
    let present = _mm512_cmpge_epi64_mask(order, missing);
    let first = _mm512_cmpeq_epi64_mask(order, missing);
    vector[2] = _mm512_mask_or_epi64(vector[2], present, vector[2], _mm512_set1_epi64(TOP_BIT));
    for (limb, sum) in vector.iter_mut().zip(limbs(sum)) {
        let sum = _mm512_set1_epi64(sum.cast_signed());
        *limb = _mm512_mask_add_epi64(*limb, first, *limb, sum);
    }
    vector
}

/// Splits two vectors of low and high halves of blocks into limbs.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn split(first: __m512i, last: __m512i) -> Limbs {
    let low = _mm512_unpacklo_epi64(first, last);
    let high = _mm512_unpackhi_epi64(first, last);
    let mask = _mm512_set1_epi64(MASK_44);
    let middle = _mm512_or_si512(_mm512_srli_epi64::<44>(low), _mm512_slli_epi64::<20>(high));
    [_mm512_and_si512(low, mask), _mm512_and_si512(middle, mask), _mm512_srli_epi64::<24>(high)]
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn add(a: Limbs, b: Limbs) -> Limbs {
    [_mm512_add_epi64(a[0], b[0]), _mm512_add_epi64(a[1], b[1]), _mm512_add_epi64(a[2], b[2])]
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn multiply(a: Limbs, b: Limbs) -> Limbs {
    Product::zero().plus(a, &Factor::new(b)).reduced()
}

/// Holds a factor, and 20 times its upper limbs, which is their weight in a limb from
/// 2¹³² ≡ 20 on.
#[derive(Clone, Copy)]
struct Factor {
    limbs: Limbs,
    wrapped: [__m512i; 2],
}

impl Factor {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
    fn new(limbs: Limbs) -> Self {
        let twenty =
            |limb| _mm512_add_epi64(_mm512_slli_epi64::<4>(limb), _mm512_slli_epi64::<2>(limb));
        Self { limbs, wrapped: [twenty(limbs[1]), twenty(limbs[2])] }
    }
}

/// Holds a sum of products, with low and high parts separate: low parts start at their
/// limb, high parts 52 bits higher.
struct Product {
    low: Limbs,
    high: Limbs,
}

impl Product {
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
    fn zero() -> Self {
        let zero = [_mm512_setzero_si512(); 3];
        Self { low: zero, high: zero }
    }

    /// Returns this + a · b.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
    fn plus(mut self, a: Limbs, b: &Factor) -> Self {
        let Factor { limbs: [b0, b1, b2], wrapped: [w1, w2] } = *b;
        let rows = [[b0, w2, w1], [b1, b0, w2], [b2, b1, b0]];
        for (limb, row) in rows.into_iter().enumerate() {
            for (a, b) in a.into_iter().zip(row) {
                self.low[limb] = _mm512_madd52lo_epu64(self.low[limb], a, b);
                self.high[limb] = _mm512_madd52hi_epu64(self.high[limb], a, b);
            }
        }
        self
    }

    /// Reduces to limbs of little more than 44, 44 and 42 bits. The carries propagate in
    /// parallel, not one after the other.
    #[inline]
    #[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
    fn reduced(self) -> Limbs {
        let Self { low, high } = self;
        // 52 = 44 + 8, so high parts move up 8 bits; from limb 2, 2¹⁴⁰ ≡ 5 · 2¹⁰.
        let wrapped = five_times(_mm512_slli_epi64::<10>(high[2]));
        let limb0 = _mm512_add_epi64(low[0], wrapped);
        let limb1 = _mm512_add_epi64(low[1], _mm512_slli_epi64::<8>(high[0]));
        let limb2 = _mm512_add_epi64(low[2], _mm512_slli_epi64::<8>(high[1]));
        let mask = _mm512_set1_epi64(MASK_44);
        let carry2 = five_times(_mm512_srli_epi64::<42>(limb2));
        [
            _mm512_add_epi64(_mm512_and_si512(limb0, mask), carry2),
            _mm512_add_epi64(_mm512_and_si512(limb1, mask), _mm512_srli_epi64::<44>(limb0)),
            _mm512_add_epi64(
                _mm512_and_si512(limb2, _mm512_set1_epi64(MASK_42)),
                _mm512_srli_epi64::<44>(limb1),
            ),
        ]
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn five_times(limb: __m512i) -> __m512i {
    _mm512_add_epi64(limb, _mm512_slli_epi64::<2>(limb))
}

/// Copies lane 0 to every lane.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn first_lane(limbs: Limbs) -> Limbs {
    limbs.map(|limb| _mm512_broadcastq_epi64(_mm512_castsi512_si128(limb)))
}

/// Sums over the lanes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512ifma")]
fn total(sums: Limbs) -> Sum {
    let [a, b, c] = sums.map(|limb| _mm512_reduce_add_epi64(limb).cast_unsigned());
    from_limbs([a, b, c])
}

fn vectors(limbs: [[u64; LANES]; 3]) -> Limbs {
    // SAFETY: both are 192 bytes without padding, and any bits will do.
    unsafe { std::mem::transmute(limbs) }
}

/// Converts limbs of 64 bits to limbs of 44, 44 and the remaining bits.
#[inline(always)]
fn limbs(sum: Sum) -> [u64; 3] {
    let [a, b, c] = sum.0;
    let mask = MASK_44.cast_unsigned();
    [a & mask, (a >> 44 | b << 20) & mask, b >> 24 | c << 40]
}

/// Converts limbs of up to 50 bits back to limbs of 64 bits.
#[inline(always)]
fn from_limbs([a, b, c]: [u64; 3]) -> Sum {
    let c = c + (b >> 44);
    let b = b & MASK_44.cast_unsigned();
    // The part above 2¹³⁰ counts five times at the bottom.
    let top = c >> 42;
    let c = c & MASK_42.cast_unsigned();
    let low = u128::from(a) + (u128::from(b) << 44) + u128::from(5 * top);
    let (low, carry) = low.overflowing_add(u128::from(c) << 88);
    Sum([low as u64, (low >> 64) as u64, (c >> 40) + u64::from(carry)])
}
