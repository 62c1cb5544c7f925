//! AVX-512: 32 blocks at a time. The remainder goes by 16 blocks, or by rows no wider
//! than the data needs: on Zen 4 two blocks in 256-bit rows need 0.90 of the cycles of
//! four in 512-bit rows.
//!
//! On Zen 5 an addition, exclusive-or or rotation of vectors takes 2 cycles where a
//! scalar one takes 1, so any vector code needs about 500 cycles for its rounds, for one
//! block as for 16, and scalar code is faster for one. Cycles there, for 1, 2, 4, 8, 16
//! and 32 blocks: 311 by scalar code (two blocks: 590), 570, 574 by four blocks in rows,
//! 584 by eight, 590 by sixteen in columns, 700 by 32. The bytes of a partial block are
//! loaded and stored under a mask.

mod columns;
mod rows;

use std::arch::x86_64::*;

use super::backend::scalar_is_faster;
use super::portable;
use super::state::State;
use crate::cpu::Avx512;
use crate::in_out::InOut;

pub(super) fn xor(_: Avx512, state: &State, data: InOut<'_>) {
    // SAFETY: the token proves that the CPU has the features.
    unsafe { xor_any(state, data) }
}

#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn xor_any(state: &State, mut data: InOut<'_>) {
    // Copying a state that was just written costs a store-forwarding stall, so short
    // messages avoid it.
    if data.len() >= 2048 {
        let state = columns::xor_32s(state, &mut data);
        xor_rest(&state, data);
    } else {
        xor_rest(state, data);
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn xor_rest(state: &State, data: InOut<'_>) {
    match data.len() {
        0 => {}
        1..=128 => xor_up_to_2(state, data),
        129..=256 => xor_part(&rows::keystream_4(state), data),
        257..=512 => xor_part(&rows::keystream_8(state), data),
        513..=1024 => columns::xor_up_to_16(state, data),
        _ => columns::xor_up_to_32(state, data),
    }
}

/// Stays a separate function: otherwise the compiler outlines the columns from their
/// caller instead, which costs 8 % for sixteen blocks.
#[inline(never)]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn xor_up_to_2(state: &State, data: InOut<'_>) {
    match data.len() {
        0..=64 if scalar_is_faster() => xor_1_by_words(state, data),
        0..=64 => rows::xor_up_to_1(state, data),
        _ => xor_part(&rows::keystream_2(state), data),
    }
}

#[inline]
#[target_feature(enable = "avx512f,avx512vl,avx512bw")]
fn xor_1_by_words(state: &State, data: InOut<'_>) {
    xor_part(&[load(&portable::block(state))], data);
}

/// Computes output = input ^ keystream; both have the same length.
#[inline]
#[target_feature(enable = "avx512f")]
fn xor_whole<const N: usize>(keystream: [__m512i; N], mut data: InOut<'_>) {
    assert!(data.len() == 64 * N);
    for (index, vector) in keystream.into_iter().enumerate() {
        // SAFETY: the data has N vectors.
        unsafe {
            let text = _mm512_loadu_si512(data.input().add(64 * index).cast());
            let text = _mm512_xor_si512(text, vector);
            _mm512_storeu_si512(data.output().add(64 * index).cast(), text);
        }
    }
}

/// Computes output = input ^ keystream; the keystream is at least as long as the data.
#[inline]
#[target_feature(enable = "avx512f,avx512bw")]
fn xor_part<const N: usize>(keystream: &[__m512i; N], mut data: InOut<'_>) {
    for vector in keystream {
        let mut part = data.take(64);
        // Whole vectors are stored without a mask, because a masked store cannot be
        // forwarded to a later load.
        // SAFETY: there are 64 bytes, or the mask selects those that there are.
        unsafe {
            if part.len() == 64 {
                let text = _mm512_loadu_si512(part.input().cast());
                let text = _mm512_xor_si512(text, *vector);
                _mm512_storeu_si512(part.output().cast(), text);
            } else if part.is_empty() {
                return;
            } else {
                let mask = u64::MAX >> (64 - part.len());
                let text = _mm512_maskz_loadu_epi8(mask, part.input().cast());
                let text = _mm512_xor_si512(text, *vector);
                _mm512_mask_storeu_epi8(part.output().cast(), mask, text);
            }
        }
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn load(block: &[u8; 64]) -> __m512i {
    // SAFETY: 64 bytes can be read there.
    unsafe { _mm512_loadu_si512(block.as_ptr().cast()) }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Tests both ways, because a CPU takes one or the other and both must be right on
    /// every CPU.
    #[test]
    fn one_block_is_the_same_by_words_and_by_rows() {
        if Avx512::detect().is_none() {
            println!("skipped: not all of {:?}", Avx512::features());
            return;
        }
        let state = State::new(&[7; 32], &[9; 12], u32::MAX);
        let text: [u8; 64] = std::array::from_fn(|i| i as u8);
        for length in 1..=64 {
            let (mut by_words, mut by_rows) = ([0xa5; 64], [0xa5; 64]);
            let words = InOut::new(&text[..length], &mut by_words[..length]);
            let rows = InOut::new(&text[..length], &mut by_rows[..length]);
            // SAFETY: the features were just detected.
            unsafe {
                xor_1_by_words(&state, words.unwrap());
                rows::xor_up_to_1(&state, rows.unwrap());
            }
            assert_eq!(by_words, by_rows, "{length} bytes");
        }
    }
}
