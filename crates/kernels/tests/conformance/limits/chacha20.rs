//! Tests ChaCha20 up to its last block, and what it refuses.

use ::chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use cpb_kernels::chacha20::{Backend, ChaCha20, Error, xor_with};

use crate::{message, on_every_backend};

const KEY: [u8; 32] = *b"0123456789abcdef-ghijklmnopqrstu";
const NONCE: [u8; 12] = *b"twelve bytes";

/// Computes the expected result with RustCrypto.
fn expected(counter: u32, message: &[u8]) -> Vec<u8> {
    let mut cipher = ::chacha20::ChaCha20::new(&KEY.into(), &NONCE.into());
    cipher.seek(u64::from(counter) * 64);
    let mut data = message.to_vec();
    cipher.apply_keystream(&mut data);
    data
}

/// Tests counters whose blocks reach the last one, 2³² - 1.
#[test]
fn counters_up_to_the_last() {
    on_every_backend("chacha20 counters", |backend: Backend| {
        for blocks in [1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 100] {
            let counter = (1_u64 << 32) - blocks as u64;
            let counter = u32::try_from(counter).unwrap();
            // Goes block by block, so that RustCrypto need not reach the end in one
            // call.
            let message = message(64 * blocks);
            let mut expected = Vec::new();
            for (index, block) in message.chunks(64).enumerate() {
                expected.extend(portable_block(counter + index as u32, block));
            }
            let mut output = vec![0; message.len()];
            xor_with(backend, &KEY, &NONCE, counter, &message, &mut output).unwrap();
            assert_eq!(output, expected, "{backend:?}");

            let mut cipher = ChaCha20::with_backend(backend, &KEY, &NONCE, counter);
            let mut data = message.clone();
            cipher.apply_keystream(&mut data).unwrap();
            assert_eq!(data, expected, "{backend:?}");
            assert_eq!(
                cipher.apply_keystream(&mut [0]),
                Err(Error::Exhausted { asked: 1, left: 0 })
            );
            assert_eq!(cipher.apply_keystream(&mut []), Ok(()));

            let mut untouched = vec![0x55; message.len() + 1];
            let input = vec![0; message.len() + 1];
            let result = xor_with(backend, &KEY, &NONCE, counter, &input, &mut untouched);
            let (asked, left) = (input.len(), message.len() as u64);
            assert_eq!(result, Err(Error::Exhausted { asked, left }));
            assert!(untouched.iter().all(|byte| *byte == 0x55));
        }
    });
}

/// Computes one block by the textbook algorithm, which shares nothing with the code
/// under test.
fn portable_block(counter: u32, text: &[u8]) -> Vec<u8> {
    let words = |bytes: &[u8]| -> Vec<u32> {
        bytes.chunks(4).map(|word| u32::from_le_bytes(word.try_into().unwrap())).collect()
    };
    let mut start = words(b"expand 32-byte k");
    start.extend(words(&KEY));
    start.push(counter);
    start.extend(words(&NONCE));
    let mut state = start.clone();
    let mut quarter = |a: usize, b: usize, c: usize, d: usize| {
        for (x, y, z, left) in [(a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)] {
            state[x] = state[x].wrapping_add(state[y]);
            state[z] = (state[z] ^ state[x]).rotate_left(left);
        }
    };
    for _ in 0..10 {
        (0..4).for_each(|i| quarter(i, 4 + i, 8 + i, 12 + i));
        (0..4).for_each(|i| quarter(i, 4 + (i + 1) % 4, 8 + (i + 2) % 4, 12 + (i + 3) % 4));
    }
    let keystream = state.iter().zip(start).flat_map(|(a, b)| a.wrapping_add(b).to_le_bytes());
    text.iter().zip(keystream).map(|(text, key)| text ^ key).collect()
}

#[test]
fn the_textbook_agrees_with_rustcrypto() {
    for counter in [0, 1, 1 << 31, u32::MAX - 1] {
        let text = message(64);
        assert_eq!(portable_block(counter, &text), expected(counter, &text));
    }
}

#[test]
fn lengths_that_differ_are_refused() {
    let mut output = [0x55; 3];
    let result = cpb_kernels::chacha20::xor(&KEY, &NONCE, 0, &[0; 4], &mut output);
    assert_eq!(result, Err(Error::Lengths { input: 4, output: 3 }));
    assert_eq!(output, [0x55; 3]);
}
