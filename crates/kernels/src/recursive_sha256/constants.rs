//! Holds the constants of SHA-256, and words 8 to 15 of the one block of a 32-byte
//! message, which are constant too.

use crate::hash::IteratedHash;
use crate::sha256::Sha256;

pub(super) use crate::sha256::K as ROUND_CONSTANTS;

/// Holds H(0), the state before the block (FIPS 180-4 section 5.3.3).
pub(super) const INITIAL: [u32; 8] = <Sha256 as IteratedHash>::INITIAL;

/// Holds words 8 to 15 of the block: a bit that ends the message, and its length in
/// bits (FIPS 180-4 section 5.1.1).
pub(super) const PADDING: [u32; 8] = [0x8000_0000, 0, 0, 0, 0, 0, 0, 256];

/// Holds K\[t\], plus W\[t\] where the padding makes that constant.
#[cfg(any(target_arch = "x86_64", target_arch = "aarch64"))]
pub(super) const ROUND_CONSTANTS_AND_PADDING: [u32; 64] = {
    let mut sums = ROUND_CONSTANTS;
    let mut i = 0;
    while i < PADDING.len() {
        sums[8 + i] = sums[8 + i].wrapping_add(PADDING[i]);
        i += 1;
    }
    sums
};

/// Computes σ₀ (FIPS 180-4 equation 4.6).
#[inline]
pub(super) const fn small_sigma0(x: u32) -> u32 {
    x.rotate_right(7) ^ x.rotate_right(18) ^ (x >> 3)
}

/// Computes σ₁ (FIPS 180-4 equation 4.7).
#[inline]
pub(super) const fn small_sigma1(x: u32) -> u32 {
    x.rotate_right(17) ^ x.rotate_right(19) ^ (x >> 10)
}

/// Computes Σ₀ (FIPS 180-4 equation 4.4).
#[inline]
pub(super) const fn big_sigma0(x: u32) -> u32 {
    x.rotate_right(2) ^ x.rotate_right(13) ^ x.rotate_right(22)
}

/// Computes Σ₁ (FIPS 180-4 equation 4.5).
#[inline]
pub(super) const fn big_sigma1(x: u32) -> u32 {
    x.rotate_right(6) ^ x.rotate_right(11) ^ x.rotate_right(25)
}

/// Computes Ch (FIPS 180-4 equation 4.2).
#[inline]
pub(super) const fn choose(x: u32, y: u32, z: u32) -> u32 {
    (x & y) ^ (!x & z)
}

/// Computes Maj (FIPS 180-4 equation 4.3).
#[inline]
pub(super) const fn majority(x: u32, y: u32, z: u32) -> u32 {
    (x & y) ^ (x & z) ^ (y & z)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns the first 32 bits of the fractional part of a root of `n`: the
    /// largest x with x^`power` ≤ n · 2^(32 · power), modulo 2^32.
    fn fraction_of_root(n: u128, power: u32) -> u32 {
        let wide = |x: u128| {
            (0..power).fold([1_u128, 0], |[low, high], _| {
                let product = low * x;
                let carried = high * x + (product >> 64);
                [product & u128::from(u64::MAX), carried]
            })
        };
        let (target_low, target_high) = match power {
            2 => (0, n),
            _ => (0, n << 32),
        };
        let mut root = 0_u128;
        for bit in (0..40).rev() {
            let candidate = root | 1 << bit;
            let [low, high] = wide(candidate);
            if (high, low) <= (target_high, target_low) {
                root = candidate;
            }
        }
        root as u32
    }

    fn primes() -> impl Iterator<Item = u128> {
        (2..).filter(|n| (2..*n).all(|divisor| n % divisor != 0))
    }

    #[test]
    fn constants_follow_their_definition() {
        for (prime, initial) in primes().zip(INITIAL) {
            assert_eq!(initial, fraction_of_root(prime, 2), "{prime}");
        }
        for (prime, constant) in primes().zip(ROUND_CONSTANTS) {
            assert_eq!(constant, fraction_of_root(prime, 3), "{prime}");
        }
    }
}
