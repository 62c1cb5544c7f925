//! Implements Poly1305 on 64-bit limbs, close to RFC 8439. It is the reference for
//! every other backend, and they use it for short messages.
//!
//! The message is a polynomial whose coefficients are its blocks of 16 bytes, as
//! numbers with one more bit on top. It is evaluated at r modulo p = 2¹³⁰ - 5 by
//! Horner's rule: each block is added to the sum so far, and the sum is multiplied by
//! r.

/// Holds the clamped first half of the key as the multiplier: clamping clears the
/// upper 4 bits of each 32-bit word, and the lower 2 bits of the upper three words
/// (RFC 8439 section 2.5). Therefore products do not overflow.
#[derive(Clone, Copy)]
pub(super) struct Multiplier {
    r: [u64; 2],
    /// The upper limb times 5/4, which is an integer because its low bits are clear.
    /// This is its weight where a product reaches 2¹³⁰ ≡ 5.
    wrapped: u64,
}

impl Multiplier {
    #[inline]
    pub(super) fn new(bytes: &[u8; 16]) -> Self {
        let r = u128::from_le_bytes(*bytes) & 0x0fff_fffc_0fff_fffc_0fff_fffc_0fff_ffff;
        let r = [r as u64, (r >> 64) as u64];
        Self { r, wrapped: r[1] + (r[1] >> 2) }
    }

    /// Converts to a sum, from which powers are made.
    #[cfg_attr(not(any(target_arch = "x86_64", target_arch = "aarch64")), allow(dead_code))]
    #[inline]
    pub(super) fn as_sum(&self) -> Sum {
        Sum([self.r[0], self.r[1], 0])
    }
}

/// A number modulo p in limbs of 64 bits, not fully reduced: the uppermost limb is at
/// most 4.
#[derive(Clone, Copy)]
pub(super) struct Sum(pub(super) [u64; 3]);

impl Sum {
    pub(super) const ZERO: Self = Self([0; 3]);

    /// Adds each block with its top bit to the sum, and multiplies.
    #[inline]
    pub(super) fn absorb_blocks(&mut self, r: &Multiplier, blocks: &[[u8; 16]]) {
        let mut sum = *self;
        for block in blocks {
            sum = sum.plus(u128::from_le_bytes(*block), 1).times(r);
        }
        *self = sum;
    }

    /// Adds the last block, of fewer than 16 bytes, directly followed by a set bit.
    #[inline]
    pub(super) fn absorb_last(&mut self, r: &Multiplier, bytes: &[u8]) {
        let mut block = [0; 16];
        block[..bytes.len()].copy_from_slice(bytes);
        block[bytes.len()] = 1;
        *self = self.plus(u128::from_le_bytes(block), 0).times(r);
    }

    /// Returns this + low + top · 2¹²⁸.
    #[inline(always)]
    fn plus(self, low: u128, top: u64) -> Self {
        let [a, b, c] = self.0;
        let (sum, carry) = (u128::from(b) << 64 | u128::from(a)).overflowing_add(low);
        Self([sum as u64, (sum >> 64) as u64, c + top + u64::from(carry)])
    }

    /// Returns this · r mod p.
    #[inline(always)]
    pub(super) fn times(self, r: &Multiplier) -> Self {
        let [a, b, c] = self.0;
        let product = |x: u64, y: u64| u128::from(x) * u128::from(y);
        let low = product(a, r.r[0]) + product(b, r.wrapped);
        let middle = product(a, r.r[1]) + product(b, r.r[0]) + u128::from(c * r.wrapped);
        let middle = middle + (low >> 64);
        let top = c * r.r[0] + (middle >> 64) as u64;
        // The part above 2¹³⁰ counts five times at the bottom: top / 4 · 5.
        let wrapped = (top & !3) + (top >> 2);
        Self([low as u64, middle as u64, top & 3]).plus(u128::from(wrapped), 0)
    }

    /// Returns the tag: the fully reduced sum plus the key's second half, modulo 2¹²⁸
    /// (RFC 8439 section 2.5).
    #[inline]
    pub(super) fn tag(self, pad: &[u8; 16]) -> [u8; 16] {
        let sum = |limbs: [u64; 3]| u128::from(limbs[1]) << 64 | u128::from(limbs[0]);
        // The sum is at least p exactly if adding 5 reaches 2¹³⁰. At most 4 · 2¹²⁸ +
        // 2¹²⁸ is below 2p, so one subtraction of p is enough.
        let minus_p = self.plus(5, 0);
        let mask = u128::from(minus_p.0[2] >> 2 != 0).wrapping_neg();
        let reduced = sum(self.0) & !mask | sum(minus_p.0) & mask;
        reduced.wrapping_add(u128::from_le_bytes(*pad)).to_le_bytes()
    }
}
