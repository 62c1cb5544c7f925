//! NEON: encodes 16 bytes to 32 digits and decodes them, with interleaving loads and
//! stores.

use std::arch::aarch64::*;

use super::ALPHABET;
use super::entries::entries;
use crate::cpu::Neon;

entries!(Neon, "neon", BYTES 16, TEXT 32);

#[inline]
#[target_feature(enable = "neon")]
fn encode_block(bytes: &[u8; 16], text: &mut [u8; 32]) {
    // SAFETY: both arrays have 16 bytes.
    let (bytes, alphabet) = unsafe { (vld1q_u8(bytes.as_ptr()), vld1q_u8(ALPHABET.as_ptr())) };
    let high = vqtbl1q_u8(alphabet, vshrq_n_u8::<4>(bytes));
    let low = vqtbl1q_u8(alphabet, vandq_u8(bytes, vdupq_n_u8(0x0f)));
    // SAFETY: the array has 32 bytes.
    unsafe { vst2q_u8(text.as_mut_ptr(), uint8x16x2_t(high, low)) }
}

#[inline]
#[target_feature(enable = "neon")]
fn decode_block(text: &[u8; 32], bytes: &mut [u8; 16]) -> uint8x16_t {
    // SAFETY: the array has 32 bytes.
    let uint8x16x2_t(high, low) = unsafe { vld2q_u8(text.as_ptr()) };
    let (high, low) = (values(high), values(low));
    // SAFETY: the array has 16 bytes.
    unsafe { vst1q_u8(bytes.as_mut_ptr(), vsliq_n_u8::<4>(low, high)) }
    vmaxq_u8(high, low)
}

/// Returns the values of digits; a byte that is no digit gets a value of at least 16.
#[inline]
#[target_feature(enable = "neon")]
fn values(text: uint8x16_t) -> uint8x16_t {
    let decimal = vsubq_u8(text, vdupq_n_u8(b'0'));
    let none = vandq_u8(vcgtq_u8(decimal, vdupq_n_u8(9)), vdupq_n_u8(0x80));
    // Upper and lower case differ in one bit.
    let letter = vsubq_u8(vorrq_u8(text, vdupq_n_u8(0x20)), vdupq_n_u8(b'a'));
    vminq_u8(vorrq_u8(decimal, none), vqaddq_u8(letter, vdupq_n_u8(10)))
}

#[inline]
#[target_feature(enable = "neon")]
fn either(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    vmaxq_u8(a, b)
}

#[inline]
#[target_feature(enable = "neon")]
fn is_wrong(largest: uint8x16_t) -> bool {
    vmaxvq_u8(largest) >= 16
}
