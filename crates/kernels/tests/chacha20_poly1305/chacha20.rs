//! The cipher against RustCrypto's, at every edge of length, place, split and counter.

use ::chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use cpb_kernels::chacha20::{Backend, ChaCha20, Error, xor_with};
use proptest::prelude::*;
use proptest::sample::subsequence;
use proptest::test_runner::{Config, TestRunner};

use crate::{lengths, message, on_every_backend};

const KEY: [u8; 32] = *b"0123456789abcdef-ghijklmnopqrstu";
const NONCE: [u8; 12] = *b"twelve bytes";

/// By RustCrypto.
fn expected(counter: u32, message: &[u8]) -> Vec<u8> {
    let mut cipher = ::chacha20::ChaCha20::new(&KEY.into(), &NONCE.into());
    cipher.seek(u64::from(counter) * 64);
    let mut data = message.to_vec();
    cipher.apply_keystream(&mut data);
    data
}

fn one_shot(backend: Backend, counter: u32, message: &[u8]) -> Vec<u8> {
    let mut output = vec![0; message.len()];
    xor_with(backend, &KEY, &NONCE, counter, message, &mut output).unwrap();
    output
}

#[test]
fn every_length() {
    let cases: Vec<_> = lengths().map(message).map(|m| (expected(1, &m), m)).collect();
    println!("chacha20 lengths: {}", cases.len());
    on_every_backend!(Backend, "chacha20 lengths", |backend| {
        for (expected, message) in &cases {
            let what = format!("{}, {} bytes", backend.name(), message.len());
            assert_eq!(&one_shot(backend, 1, message), expected, "{what}");
            let mut data = message.clone();
            let mut cipher = ChaCha20::with_backend(backend, &KEY, &NONCE, 1);
            cipher.apply_keystream(&mut data).unwrap();
            assert_eq!(&data, expected, "{what}, in place");
        }
    });
}

#[test]
fn nothing_is_written_beside_the_output() {
    on_every_backend!(Backend, "chacha20 alignments", |backend| {
        for length in [1, 63, 65, 200, 500, 700, 1100, 2049, 5000] {
            let message = message(length);
            let expected = expected(7, &message);
            for offset in 0..64 {
                let mut input = vec![0xaa; length + 64];
                input[offset..][..length].copy_from_slice(&message);
                let mut output = vec![0x55; length + 192];
                let place = 64 + (offset * 7) % 64;
                let (from, to) = (&input[offset..][..length], &mut output[place..][..length]);
                xor_with(backend, &KEY, &NONCE, 7, from, to).unwrap();
                assert_eq!(output[place..][..length], expected, "{}", backend.name());
                assert!(output[..place].iter().all(|byte| *byte == 0x55), "{}", backend.name());
                let behind = &output[place + length..];
                assert!(behind.iter().all(|byte| *byte == 0x55), "{}", backend.name());
            }
        }
    });
}

/// Counters whose blocks reach the last, 2³² - 1.
#[test]
fn counters_up_to_the_last() {
    on_every_backend!(Backend, "chacha20 counters", |backend| {
        for blocks in [1, 2, 3, 4, 5, 8, 9, 16, 17, 31, 32, 33, 64, 100] {
            let counter = (1_u64 << 32) - blocks as u64;
            let counter = u32::try_from(counter).unwrap();
            // Block by block, so that RustCrypto need not reach the end at once.
            let message = message(64 * blocks);
            let mut expected = Vec::new();
            for (index, block) in message.chunks(64).enumerate() {
                expected.extend(portable_block(counter + index as u32, block));
            }
            assert_eq!(one_shot(backend, counter, &message), expected, "{}", backend.name());

            let mut cipher = ChaCha20::with_backend(backend, &KEY, &NONCE, counter);
            let mut data = message.clone();
            cipher.apply_keystream(&mut data).unwrap();
            assert_eq!(data, expected, "{}", backend.name());
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

/// One block of the textbook algorithm, which shares nothing with the code under test.
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

/// Random keys, counters and splits against RustCrypto.
#[test]
fn pieces_do_not_matter() {
    let cases = 64;
    println!("chacha20 pieces: cases={cases}");
    on_every_backend!(Backend, "chacha20 pieces", |backend| {
        let mut runner =
            TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
        let cuts = subsequence((0..3000).collect::<Vec<usize>>(), 0..=12);
        let strategy =
            (any::<[u8; 32]>(), any::<[u8; 12]>(), 0..=u32::MAX - 64, 0..3000_usize, cuts);
        runner
            .run(&strategy, |(key, nonce, counter, length, mut cuts)| {
                let message = message(length);
                let mut expected = message.clone();
                let mut reference = ::chacha20::ChaCha20::new(&key.into(), &nonce.into());
                reference.seek(u64::from(counter) * 64);
                reference.apply_keystream(&mut expected);

                let mut cipher = ChaCha20::with_backend(backend, &key, &nonce, counter);
                let mut output = vec![0; length];
                cuts.retain(|cut| *cut < length);
                cuts.push(length);
                let mut from = 0;
                for to in cuts {
                    cipher.xor(&message[from..to], &mut output[from..to]).unwrap();
                    from = to;
                }
                prop_assert_eq!(output, expected);
                Ok(())
            })
            .unwrap_or_else(|error| panic!("backend {}: {error}", backend.name()));
    });
}
