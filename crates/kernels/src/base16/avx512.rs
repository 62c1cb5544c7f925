//! AVX-512 with byte permutes: encodes 32 bytes to 64 digits, and decodes 128 digits
//! to 64 bytes. The last block is aligned to the end of the input and repeats the part
//! it shares with the block before, because masks cost more, above all masked stores
//! on Zen. Inputs shorter than a block need masks.

use std::arch::x86_64::*;

use super::{ALPHABET, NO_VALUE};
use crate::bytes_512::{lanes, lanes_of, load, store, table};
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
    let (Some(last), Some(text)) = (bytes.last_chunk::<32>(), out.last_chunk_mut::<64>()) else {
        // SAFETY: lanes beyond the slice are masked, and masked lanes are not read.
        let bytes =
            unsafe { _mm256_maskz_loadu_epi8(lanes(bytes.len()) as u32, bytes.as_ptr().cast()) };
        return store(out, encode_block(bytes, digits));
    };
    store(text, encode_block(load_32(last), digits));
    // One byte is left out, so that an input of whole blocks does not process its last
    // block twice.
    let (blocks, _) = bytes[..bytes.len() - 1].as_chunks::<32>();
    for (block, text) in blocks.iter().zip(out.as_chunks_mut::<64>().0) {
        store(text, encode_block(load_32(block), digits));
    }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn decode_all(text: &[u8], out: &mut [u8]) -> bool {
    let values = (table(&VALUES[0]), table(&VALUES[1]));
    let even = table(&EVEN);
    let mut wrong = _mm512_setzero_si512();
    if let (Some(last), Some(bytes)) = (text.last_chunk::<128>(), out.last_chunk_mut::<64>()) {
        store(bytes, decode_two_blocks(last, values, even, &mut wrong));
        let (texts, _) = text[..text.len() - 1].as_chunks::<128>();
        for (text, bytes) in texts.iter().zip(out.as_chunks_mut::<64>().0) {
            store(bytes, decode_two_blocks(text, values, even, &mut wrong));
        }
    } else if let (Some(last), Some(bytes)) = (text.last_chunk::<64>(), out.last_chunk_mut::<32>())
    {
        store_32(bytes, decode_block(load(last, 0), values, even, &mut wrong));
        let first = (text.first_chunk::<64>(), out.first_chunk_mut::<32>());
        if let (true, (Some(first), Some(bytes))) = (text.len() > 64, first) {
            store_32(bytes, decode_block(load(first, 0), values, even, &mut wrong));
        }
    } else {
        store(out, decode_block(load(text, b'0'), values, even, &mut wrong));
    }
    _mm512_movepi8_mask(wrong) == 0
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn load_32(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: the array has 32 bytes.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn store_32(out: &mut [u8; 32], bytes: __m512i) {
    // SAFETY: the array has 32 bytes.
    unsafe { _mm256_storeu_si256(out.as_mut_ptr().cast(), _mm512_castsi512_si256(bytes)) }
}

/// Returns the digits of 32 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn encode_block(bytes: __m256i, digits: __m512i) -> __m512i {
    // Copies four bytes to each 64 bits, then selects their nibbles by bit offset. The
    // bits above a nibble do not matter, because the table holds the digits four
    // times.
    let spread = _mm512_cvtepu32_epi64(bytes);
    let shifts = _mm512_set1_epi64(i64::from_le_bytes([4, 0, 12, 8, 20, 16, 28, 24]));
    _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(shifts, spread), digits)
}

/// Returns the bytes of 128 digits.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn decode_two_blocks(
    text: &[u8; 128],
    values: (__m512i, __m512i),
    even: __m512i,
    wrong: &mut __m512i,
) -> __m512i {
    let [first, second] = [0, 64].map(|at| load(&text[at..at + 64], 0));
    let first = pairs(first, values, wrong);
    let second = pairs(second, values, wrong);
    _mm512_permutex2var_epi8(first, even, second)
}

/// Returns the bytes of 64 digits, in the lower half.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn decode_block(
    text: __m512i,
    values: (__m512i, __m512i),
    even: __m512i,
    wrong: &mut __m512i,
) -> __m512i {
    _mm512_permutexvar_epi8(even, pairs(text, values, wrong))
}

/// Returns the bytes of 64 digits, in 16 bits each. Sets sign bits of `wrong` where a
/// byte is no digit.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn pairs(text: __m512i, values: (__m512i, __m512i), wrong: &mut __m512i) -> __m512i {
    let nibbles = _mm512_permutex2var_epi8(values.0, text, values.1);
    const OR_OF_THREE: i32 = 0xfe;
    *wrong = _mm512_ternarylogic_epi64::<OR_OF_THREE>(*wrong, text, nibbles);
    _mm512_maddubs_epi16(nibbles, _mm512_set1_epi16(0x0110))
}

const DIGITS: [u8; 64] = lanes_of!(|lane| ALPHABET[lane % 16]);

/// Selects the even bytes of two registers.
const EVEN: [u8; 64] = lanes_of!(|lane| 2 * lane as u8);

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
