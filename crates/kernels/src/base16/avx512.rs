//! AVX-512 with byte permutes: 32 bytes to 64 digits, 128 digits to 64 bytes. What is
//! left at the end is the same with masks.

use std::arch::x86_64::*;

use super::{ALPHABET, NO_VALUE};
use crate::bytes_512::{load, store, table};
use crate::cpu::Avx512Vbmi;

pub(super) fn encode(_: Avx512Vbmi, bytes: &[u8], out: &mut [u8]) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { encode_all(bytes, out) }
}

pub(super) fn decode(_: Avx512Vbmi, text: &[u8], out: &mut [u8]) -> bool {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { decode_all(text, out) }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn encode_all(bytes: &[u8], out: &mut [u8]) {
    let digits = table(&DIGITS);
    let (blocks, rest) = bytes.as_chunks::<32>();
    let (texts, last) = out.as_chunks_mut::<64>();
    for (block, text) in blocks.iter().zip(texts) {
        store(text, encode_block(load(block, 0), digits));
    }
    store(last, encode_block(load(rest, 0), digits));
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn decode_all(text: &[u8], out: &mut [u8]) -> bool {
    let values = (table(&VALUES[0]), table(&VALUES[1]));
    let even = table(&EVEN);
    let (texts, rest) = text.as_chunks::<128>();
    let (blocks, last) = out.as_chunks_mut::<64>();
    let mut wrong = _mm512_setzero_si512();
    for (text, block) in texts.iter().zip(blocks) {
        let (first, second) = text.split_at(64);
        let first = decode_block(load(first, b'0'), values, &mut wrong);
        let second = decode_block(load(second, b'0'), values, &mut wrong);
        store(block, _mm512_permutex2var_epi8(first, even, second));
    }
    for (text, bytes) in rest.chunks(64).zip(last.chunks_mut(32)) {
        let block = decode_block(load(text, b'0'), values, &mut wrong);
        store(bytes, _mm512_permutex2var_epi8(block, even, block));
    }
    _mm512_movepi8_mask(wrong) == 0
}

/// The digits of the first 32 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn encode_block(bytes: __m512i, digits: __m512i) -> __m512i {
    // Four bytes to each 64 bits, then their nibbles by bit offset. What comes along
    // above a nibble does not matter: the digits are there four times.
    let spread = _mm512_cvtepu32_epi64(_mm512_castsi512_si256(bytes));
    let shifts = _mm512_set1_epi64(i64::from_le_bytes([4, 0, 12, 8, 20, 16, 28, 24]));
    _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(shifts, spread), digits)
}

/// The bytes of 64 digits, in 16 bits each. The sign bits of `wrong` tell of bytes
/// that are no digits.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn decode_block(text: __m512i, values: (__m512i, __m512i), wrong: &mut __m512i) -> __m512i {
    let nibbles = _mm512_permutex2var_epi8(values.0, text, values.1);
    const OR_OF_THREE: i32 = 0xfe;
    *wrong = _mm512_ternarylogic_epi64::<OR_OF_THREE>(*wrong, text, nibbles);
    _mm512_maddubs_epi16(nibbles, _mm512_set1_epi16(0x0110))
}

const DIGITS: [u8; 64] = {
    let mut digits = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        digits[lane] = ALPHABET[lane % 16];
        lane += 1;
    }
    digits
};

/// The even bytes of two registers.
const EVEN: [u8; 64] = {
    let mut lanes = [0; 64];
    let mut lane = 0;
    while lane < 64 {
        lanes[lane] = 2 * lane as u8;
        lane += 1;
    }
    lanes
};

/// The value of each ASCII character, 64 at a time.
const VALUES: [[u8; 64]; 2] = {
    let mut values = [[NO_VALUE; 64]; 2];
    let mut nibble = 0;
    while nibble < 16 {
        let digit = ALPHABET[nibble];
        values[digit as usize / 64][digit as usize % 64] = nibble as u8;
        let upper = digit.to_ascii_uppercase() as usize;
        values[upper / 64][upper % 64] = nibble as u8;
        nibble += 1;
    }
    values
};
