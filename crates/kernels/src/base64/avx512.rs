//! AVX-512 with byte permutes: encodes 48 bytes to 64 characters in three steps, and
//! decodes them. The remainder goes the same way under masks, so short inputs take
//! one block.

use std::arch::x86_64::*;

use super::{ALPHABET, PADDING, VALUES, characters};
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
    let (spread, alphabet) = (table(&SPREAD), table(ALPHABET));
    let (blocks, rest) = bytes.as_chunks::<48>();
    // 46 or 47 bytes at the end also fill a block of text, so not all blocks of text
    // are whole blocks of bytes.
    let (texts, last) = out.split_at_mut(blocks.len() * 64);
    for (block, text) in blocks.iter().zip(texts.as_chunks_mut::<64>().0) {
        store(text, encode_block(load(block, 0), spread, alphabet));
    }
    let text = encode_block(load(rest, 0), spread, alphabet);
    let padding = _mm512_set1_epi8(PADDING.cast_signed());
    let text = _mm512_mask_mov_epi8(padding, lanes(characters(rest.len())), text);
    store(last, text);
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn decode_all(text: &[u8], out: &mut [u8]) -> bool {
    let values = (table(&VALUES[0]), table(&VALUES[1]));
    let gather = table(&GATHER);
    let (texts, rest) = text[..characters(out.len())].as_chunks::<64>();
    let (blocks, last) = out.split_at_mut(texts.len() * 48);
    let mut wrong = _mm512_setzero_si512();
    for (text, block) in texts.iter().zip(blocks.as_chunks_mut::<48>().0) {
        store(block, decode_block(load(text, 0), values, gather, &mut wrong));
    }
    let bytes = decode_block(load(rest, b'A'), values, gather, &mut wrong);
    store(last, bytes);
    // Beyond the last byte there are only the bits that padding leaves over.
    let left_over = _mm512_mask_test_epi8_mask(!lanes(last.len()), bytes, bytes);
    _mm512_movepi8_mask(wrong) | left_over == 0
}

/// Returns the 64 characters of the first 48 bytes.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn encode_block(bytes: __m512i, spread: __m512i, alphabet: __m512i) -> __m512i {
    let quanta = _mm512_permutexvar_epi8(spread, bytes);
    let shifts = _mm512_set1_epi64(SHIFTS);
    // The two bits above each sextet do not matter: the alphabet has 64 lanes.
    _mm512_permutexvar_epi8(_mm512_multishift_epi64_epi8(shifts, quanta), alphabet)
}

/// Returns the 48 bytes of 64 characters, then zeros. Sets sign bits of `wrong` where
/// a byte is not in the alphabet.
#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw,avx512vbmi")]
fn decode_block(
    text: __m512i,
    values: (__m512i, __m512i),
    gather: __m512i,
    wrong: &mut __m512i,
) -> __m512i {
    let sextets = _mm512_permutex2var_epi8(values.0, text, values.1);
    const OR_OF_THREE: i32 = 0xfe;
    *wrong = _mm512_ternarylogic_epi64::<OR_OF_THREE>(*wrong, text, sextets);
    // Joins pairs of sextets to 12 bits, then pairs of these to 24.
    let pairs = _mm512_maddubs_epi16(sextets, _mm512_set1_epi32(0x0140_0140));
    let quanta = _mm512_madd_epi16(pairs, _mm512_set1_epi32(0x0001_1000));
    _mm512_permutexvar_epi8(gather, quanta)
}

/// Gives `vpmultishiftqb` the bit offsets of the sextets of two quanta in 64 bits;
/// each quantum of bytes a, b, c is the 32 bits b, a, c, b, from the lowest.
const SHIFTS: i64 = i64::from_le_bytes([10, 4, 22, 16, 42, 36, 54, 48]);

const SPREAD: [u8; 64] = lanes_of!(|lane| (lane / 4 * 3) as u8 + [1, 0, 2, 1][lane % 4]);

/// Selects bytes 2, 1, 0 of every 32 bits, then the zero in byte 3 of the first.
const GATHER: [u8; 64] =
    lanes_of!(|byte| if byte < 48 { (byte / 3 * 4 + 2 - byte % 3) as u8 } else { 3 });
