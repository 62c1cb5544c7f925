//! Implements Poly1305 in vectors of four lanes of 64 bits, in five limbs of 26 bits,
//! for AVX2 and NEON.
//!
//! Lane i holds every fourth block from block i on, so a step of four blocks is a
//! multiplication by r⁴; at the end lane i is multiplied by r⁴⁻ⁱ, and the lanes are
//! added. A long run takes four steps at once: sum · r¹⁶ + a · r¹² + b · r⁸ + c · r⁴ +
//! d, where one reduction serves four products, and three of these do not wait for the
//! sum.
//!
//! Limbs are kept below 2²⁸, so that twenty products, one factor of each being five
//! times its limb, stay below 2⁶².

use super::portable::Sum;

/// The number of blocks per vector.
pub(super) const LANES: usize = 4;
/// The number of vectors per iteration of the long loop.
pub(super) const STEPS: usize = 4;
pub(super) const MASK_26: u64 = (1 << 26) - 1;

/// Generates `Powers`, `powers` and `absorb_blocks`. The caller's scope has the types
/// `Vector` and `Narrow` (the low 32 bits of lanes, as factors), the constants
/// `FEWEST_VECTORS_IN_STEPS` and `ORDER` (the block in each lane as loaded), and
/// `splat`, `vector`, `array`, `narrow`, `add`, `or`, `masked`, `left`, `right`,
/// `multiply_add`, `load_halves` with these target features.
macro_rules! poly1305_in_lanes {
    ($Token:ty, $features:literal) => {
        /// Holds four numbers modulo p, limb by limb.
        type Limbs = [Vector; 5];

        /// Holds r⁴ to r¹ for blocks 0 to 3, and r⁴, r⁸, r¹², r¹⁶ if a long run needed
        /// them.
        #[derive(Clone)]
        pub(super) struct Powers {
            lanes: Limbs,
            steps: Option<[Limbs; STEPS]>,
        }

        pub(super) fn powers(_: $Token, r: &Multiplier) -> Powers {
            // SAFETY: the token proves that the CPU has the features.
            unsafe { make_powers(r) }
        }

        pub(super) fn absorb_blocks(
            _: $Token,
            sum: &mut Sum,
            r: &Multiplier,
            powers: &mut Powers,
            blocks: &[[u8; 16]],
        ) {
            // The remaining blocks fill whole vectors.
            let (head, blocks) = blocks.split_at(blocks.len() % LANES);
            sum.absorb_blocks(r, head);
            // SAFETY: the token proves that the CPU has the features.
            unsafe { absorb(sum, powers, blocks.as_chunks().0) }
        }

        #[target_feature(enable = $features)]
        fn make_powers(r: &Multiplier) -> Powers {
            let r1 = r.as_sum();
            let r2 = r1.times(r);
            let r3 = r2.times(r);
            let powers = [r3.times(r), r3, r2, r1].map(limbs);
            let limb = |i: usize| ORDER.map(|block| powers[block][i]);
            let [a, b, c, d, e] = [limb(0), limb(1), limb(2), limb(3), limb(4)];
            Powers { lanes: [vector(a), vector(b), vector(c), vector(d), vector(e)], steps: None }
        }

        #[target_feature(enable = $features)]
        fn make_steps(lanes: &Limbs) -> [Limbs; STEPS] {
            let [a, b, c, d, e] = *lanes;
            let r4 = [first_of(a), first_of(b), first_of(c), first_of(d), first_of(e)];
            let r8 = multiply(r4, r4);
            [r4, r8, multiply(r8, r4), multiply(r8, r8)]
        }

        #[target_feature(enable = $features)]
        fn absorb(sum: &mut Sum, powers: &mut Powers, vectors: &[[[u8; 16]; LANES]]) {
            let Some((first, vectors)) = vectors.split_first() else { return };
            let mut sums = load(first);
            for (limb, sum) in sums.iter_mut().zip(limbs(*sum)) {
                *limb = add(*limb, vector([sum, 0, 0, 0]));
            }
            if vectors.len() >= FEWEST_VECTORS_IN_STEPS {
                let steps = match powers.steps {
                    Some(steps) => steps,
                    None => make_steps(&powers.lanes),
                };
                powers.steps = Some(steps);
                let [r4, r8, r12, r16] = steps;
                let factors = [Factor::new(r4), Factor::new(r8), Factor::new(r12), Factor::new(r16)];
                sums = absorb_in_steps(sums, &factors, vectors);
            } else {
                let [a, b, c, d, e] = powers.lanes;
                let r4 = [first_of(a), first_of(b), first_of(c), first_of(d), first_of(e)];
                let r4 = Factor::new(r4);
                for vector in vectors {
                    in_memory(&r4);
                    sums = plus(reduced(multiplied(sums, &r4, zero())), load(vector));
                }
            }
            *sum = total(multiply(sums, powers.lanes));
        }

        #[target_feature(enable = $features)]
        fn absorb_in_steps(
            mut sums: Limbs,
            factors: &[Factor; STEPS],
            vectors: &[[[u8; 16]; LANES]],
        ) -> Limbs {
            let [r4, r8, r12, r16] = factors;
            let (long, rest) = vectors.as_chunks::<STEPS>();
            for [a, b, c, d] in long {
                in_memory(factors);
                let mut product = multiplied(load(a), r12, zero());
                product = multiplied(load(b), r8, product);
                product = multiplied(load(c), r4, product);
                product = multiplied(sums, r16, product);
                sums = plus(reduced(product), load(d));
            }
            for vector in rest {
                in_memory(factors);
                sums = plus(reduced(multiplied(sums, r4, zero())), load(vector));
            }
            sums
        }

        /// Copies lane 0 to every lane.
        #[inline]
        #[target_feature(enable = $features)]
        fn first_of(limb: Vector) -> Vector {
            splat(array(limb)[0])
        }

        /// Makes the compiler assume that factors in memory have changed. Otherwise it
        /// moves their loads out of a loop, no longer knows there that only 32 bits of a
        /// lane count, and multiplies 64 bits in pieces.
        #[inline]
        fn in_memory<T>(factors: &T) {
            // SAFETY: there is no instruction.
            unsafe {
                std::arch::asm!(
                    "/* {} */",
                    in(reg) std::ptr::from_ref(factors),
                    options(nostack, preserves_flags)
                );
            }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn zero() -> Limbs {
            [splat(0); 5]
        }

        /// Loads four blocks and adds their top bits.
        #[inline]
        #[target_feature(enable = $features)]
        fn load(blocks: &[[u8; 16]; LANES]) -> Limbs {
            let (low, high) = load_halves(blocks);
            [
                masked(low),
                masked(right::<26>(low)),
                masked(or(right::<52>(low), left::<12>(high))),
                masked(right::<14>(high)),
                or(right::<40>(high), splat(1 << 24)),
            ]
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn plus(a: Limbs, b: Limbs) -> Limbs {
            let [a0, a1, a2, a3, a4] = a;
            let [b0, b1, b2, b3, b4] = b;
            [add(a0, b0), add(a1, b1), add(a2, b2), add(a3, b3), add(a4, b4)]
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn multiply(a: Limbs, b: Limbs) -> Limbs {
            reduced(multiplied(a, &Factor::new(b), zero()))
        }

        /// Holds a factor, and five times its upper limbs, which is their weight in a
        /// limb from 2¹³⁰ ≡ 5 on.
        struct Factor {
            limbs: [Narrow; 5],
            wrapped: [Narrow; 4],
        }

        impl Factor {
            #[inline]
            #[target_feature(enable = $features)]
            fn new([a, b, c, d, e]: Limbs) -> Self {
                Self {
                    limbs: [narrow(a), narrow(b), narrow(c), narrow(d), narrow(e)],
                    wrapped: [
                        narrow(five_times(b)),
                        narrow(five_times(c)),
                        narrow(five_times(d)),
                        narrow(five_times(e)),
                    ],
                }
            }
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn five_times(limb: Vector) -> Vector {
            add(limb, left::<2>(limb))
        }

        /// Returns product + a · b, not reduced.
        #[inline]
        #[target_feature(enable = $features)]
        fn multiplied(a: Limbs, b: &Factor, product: Limbs) -> Limbs {
            let [a0, a1, a2, a3, a4] = a;
            let a = [narrow(a0), narrow(a1), narrow(a2), narrow(a3), narrow(a4)];
            let Factor { limbs: [b0, b1, b2, b3, b4], wrapped: [w1, w2, w3, w4] } = *b;
            let [p0, p1, p2, p3, p4] = product;
            [
                dot(p0, a, [b0, w4, w3, w2, w1]),
                dot(p1, a, [b1, b0, w4, w3, w2]),
                dot(p2, a, [b2, b1, b0, w4, w3]),
                dot(p3, a, [b3, b2, b1, b0, w4]),
                dot(p4, a, [b4, b3, b2, b1, b0]),
            ]
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn dot(sum: Vector, a: [Narrow; 5], b: [Narrow; 5]) -> Vector {
            let sum = multiply_add(sum, a[0], b[0]);
            let sum = multiply_add(sum, a[1], b[1]);
            let sum = multiply_add(sum, a[2], b[2]);
            let sum = multiply_add(sum, a[3], b[3]);
            multiply_add(sum, a[4], b[4])
        }

        /// Reduces to limbs of little more than 26 bits. The carries propagate in
        /// parallel, not one after the other, and twice, because the first ones have up
        /// to 37 bits.
        #[inline]
        #[target_feature(enable = $features)]
        fn reduced(limbs: Limbs) -> Limbs {
            carried(carried(limbs))
        }

        #[inline]
        #[target_feature(enable = $features)]
        fn carried([a, b, c, d, e]: Limbs) -> Limbs {
            [
                add(masked(a), five_times(right::<26>(e))),
                add(masked(b), right::<26>(a)),
                add(masked(c), right::<26>(b)),
                add(masked(d), right::<26>(c)),
                add(masked(e), right::<26>(d)),
            ]
        }

        /// Sums over the lanes.
        #[inline]
        #[target_feature(enable = $features)]
        fn total([a, b, c, d, e]: Limbs) -> Sum {
            from_limbs(
                [array(a), array(b), array(c), array(d), array(e)]
                    .map(|lanes| lanes[0] + lanes[1] + lanes[2] + lanes[3]),
            )
        }
    };
}
pub(super) use poly1305_in_lanes;

/// Converts limbs of 64 bits to limbs of 26 bits.
#[inline(always)]
pub(super) fn limbs(sum: Sum) -> [u64; 5] {
    let [a, b, c] = sum.0;
    [
        a & MASK_26,
        a >> 26 & MASK_26,
        (a >> 52 | b << 12) & MASK_26,
        b >> 14 & MASK_26,
        b >> 40 | c << 24,
    ]
}

/// Converts limbs of up to 32 bits back to limbs of 64 bits.
#[inline(always)]
pub(super) fn from_limbs([a, b, c, d, e]: [u64; 5]) -> Sum {
    let [a, b, c, d] = [a, b, c, d].map(u128::from);
    let low = a + (b << 26) + (c << 52) + (d << 78);
    let e = e + (low >> 104) as u64;
    let low = low & ((1 << 104) - 1);
    // The part above 2¹³⁰ counts five times at the bottom.
    let low = low + u128::from(5 * (e >> 26));
    let e = e & MASK_26;
    let (low, carry) = low.overflowing_add(u128::from(e) << 104);
    Sum([low as u64, (low >> 64) as u64, (e >> 24) + u64::from(carry)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn limbs_and_back() {
        let most = u64::MAX;
        for sum in [[0, 0, 0], [most, most, 3], [1, 2, 4], [most, 0, 1], [0x0123 << 50, 99, 2]] {
            let expected = if sum[2] == 4 { [sum[0] + 5, sum[1], 0] } else { sum };
            assert_eq!(from_limbs(limbs(Sum(sum))).0, expected);
        }
    }
}
