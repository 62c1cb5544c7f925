//! NEON: encodes 48 bytes to 64 characters and decodes them, with loads and stores
//! that interleave three or four registers.

use std::arch::aarch64::*;

use super::entries::entries;
use super::{ALPHABET, VALUES};
use crate::cpu::Neon;

entries!(Neon, "neon", BYTES 48, TEXT 64, READ 48, WRITE 48);

#[inline]
#[target_feature(enable = "neon")]
fn encode_block(bytes: &[u8; 48], text: &mut [u8; 64]) {
    // SAFETY: the array has 48 bytes.
    let uint8x16x3_t(a, b, c) = unsafe { vld3q_u8(bytes.as_ptr()) };
    let low = vdupq_n_u8(0x3f);
    let sextets = [
        vshrq_n_u8::<2>(a),
        vandq_u8(vsliq_n_u8::<4>(vshrq_n_u8::<4>(b), a), low),
        vandq_u8(vsliq_n_u8::<2>(vshrq_n_u8::<6>(c), b), low),
        vandq_u8(c, low),
    ];
    let alphabet = table(ALPHABET);
    let [a, b, c, d] = sextets.map(|sextets| vqtbl4q_u8(alphabet, sextets));
    // SAFETY: the array has 64 bytes.
    unsafe { vst4q_u8(text.as_mut_ptr(), uint8x16x4_t(a, b, c, d)) }
}

#[inline]
#[target_feature(enable = "neon")]
fn decode_block(text: &[u8; 64], bytes: &mut [u8; 48]) -> uint8x16_t {
    // SAFETY: the array has 64 bytes.
    let uint8x16x4_t(a, b, c, d) = unsafe { vld4q_u8(text.as_ptr()) };
    let (low, high) = (table(&VALUES[0]), table(&VALUES[1]));
    let [a, b, c, d] = [a, b, c, d].map(|text| {
        // A byte beyond both tables, which is not ASCII, is kept: its top bit marks
        // it as wrong.
        let values = vqtbx4q_u8(text, low, text);
        vqtbx4q_u8(values, high, veorq_u8(text, vdupq_n_u8(64)))
    });
    let wrong = vorrq_u8(vorrq_u8(a, b), vorrq_u8(c, d));
    let joined = uint8x16x3_t(
        vorrq_u8(vshlq_n_u8::<2>(a), vshrq_n_u8::<4>(b)),
        vorrq_u8(vshlq_n_u8::<4>(b), vshrq_n_u8::<2>(c)),
        vorrq_u8(vshlq_n_u8::<6>(c), d),
    );
    // SAFETY: the array has 48 bytes.
    unsafe { vst3q_u8(bytes.as_mut_ptr(), joined) }
    wrong
}

#[inline]
#[target_feature(enable = "neon")]
fn nothing_wrong() -> uint8x16_t {
    vdupq_n_u8(0)
}

#[inline]
#[target_feature(enable = "neon")]
fn either(a: uint8x16_t, b: uint8x16_t) -> uint8x16_t {
    vorrq_u8(a, b)
}

/// A wrong character has its top bit set; no value of a character has.
#[inline]
#[target_feature(enable = "neon")]
fn is_wrong(wrong: uint8x16_t) -> bool {
    vmaxvq_u8(wrong) >= 0x80
}

#[inline]
#[target_feature(enable = "neon")]
fn table(bytes: &[u8; 64]) -> uint8x16x4_t {
    // SAFETY: the array has 64 bytes.
    unsafe { vld1q_u8_x4(bytes.as_ptr()) }
}
