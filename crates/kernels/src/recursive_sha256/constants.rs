//! Holds the constants of SHA-256, and words 8 to 15 of the one block of a 32-byte
//! message, which are constant too.

/// Holds H(0), the state before the block (FIPS 180-4 section 5.3.3).
pub(super) const INITIAL: [u32; 8] = [
    0x6a09_e667,
    0xbb67_ae85,
    0x3c6e_f372,
    0xa54f_f53a,
    0x510e_527f,
    0x9b05_688c,
    0x1f83_d9ab,
    0x5be0_cd19,
];

/// Holds K, the constants of the rounds (FIPS 180-4 section 4.2.2).
#[rustfmt::skip]
pub(super) const ROUND_CONSTANTS: [u32; 64] = [
    0x428a_2f98, 0x7137_4491, 0xb5c0_fbcf, 0xe9b5_dba5, 0x3956_c25b, 0x59f1_11f1, 0x923f_82a4, 0xab1c_5ed5,
    0xd807_aa98, 0x1283_5b01, 0x2431_85be, 0x550c_7dc3, 0x72be_5d74, 0x80de_b1fe, 0x9bdc_06a7, 0xc19b_f174,
    0xe49b_69c1, 0xefbe_4786, 0x0fc1_9dc6, 0x240c_a1cc, 0x2de9_2c6f, 0x4a74_84aa, 0x5cb0_a9dc, 0x76f9_88da,
    0x983e_5152, 0xa831_c66d, 0xb003_27c8, 0xbf59_7fc7, 0xc6e0_0bf3, 0xd5a7_9147, 0x06ca_6351, 0x1429_2967,
    0x27b7_0a85, 0x2e1b_2138, 0x4d2c_6dfc, 0x5338_0d13, 0x650a_7354, 0x766a_0abb, 0x81c2_c92e, 0x9272_2c85,
    0xa2bf_e8a1, 0xa81a_664b, 0xc24b_8b70, 0xc76c_51a3, 0xd192_e819, 0xd699_0624, 0xf40e_3585, 0x106a_a070,
    0x19a4_c116, 0x1e37_6c08, 0x2748_774c, 0x34b0_bcb5, 0x391c_0cb3, 0x4ed8_aa4a, 0x5b9c_ca4f, 0x682e_6ff3,
    0x748f_82ee, 0x78a5_636f, 0x84c8_7814, 0x8cc7_0208, 0x90be_fffa, 0xa450_6ceb, 0xbef9_a3f7, 0xc671_78f2,
];

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
