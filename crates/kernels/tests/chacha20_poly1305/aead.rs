//! Authenticated encryption against RustCrypto's, at every edge of length and place,
//! and with everything that can be wrong.

use chacha20poly1305::aead::{Aead, KeyInit, Payload};
use cpb_kernels::chacha20_poly1305::{Backend, ChaCha20Poly1305, Error};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};

use crate::{lengths, message, on_every_backend};

const KEY: [u8; 32] = *b"0123456789abcdef-ghijklmnopqrstu";
const NONCE: [u8; 12] = *b"twelve bytes";

/// By RustCrypto: ciphertext and tag.
fn expected(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], message: &[u8]) -> Vec<u8> {
    let cipher = chacha20poly1305::ChaCha20Poly1305::new(key.into());
    cipher.encrypt(nonce.into(), Payload { msg: message, aad }).unwrap()
}

#[test]
fn every_length() {
    let cases: Vec<_> = lengths()
        .chain([16384 + 1984, 20000])
        .map(|length| {
            let (message, aad) = (message(length), message(length % 40));
            (expected(&KEY, &NONCE, &aad, &message), aad, message)
        })
        .collect();
    println!("aead lengths: {}", cases.len());
    on_every_backend!(Backend, "aead lengths", |backend| {
        let cipher = ChaCha20Poly1305::with_backend(backend, &KEY);
        for (expected, aad, message) in &cases {
            let what = format!("{}, {} bytes", backend.name(), message.len());
            assert_eq!(&cipher.seal(&NONCE, aad, message).unwrap(), expected, "{what}");
            assert_eq!(&cipher.open(&NONCE, aad, expected).unwrap(), message, "{what}");

            let mut data = message.clone();
            let tag = cipher.seal_in_place(&NONCE, aad, &mut data).unwrap();
            assert_eq!([&data[..], &tag].concat(), *expected, "{what}, in place");
            cipher.open_in_place(&NONCE, aad, &mut data, &tag).unwrap();
            assert_eq!(&data, message, "{what}, in place");
        }
    });
}

#[test]
fn every_length_of_associated_data() {
    on_every_backend!(Backend, "aead associated data", |backend| {
        let cipher = ChaCha20Poly1305::with_backend(backend, &KEY);
        for length in (0..=600).chain([1000, 2000, 5000]) {
            let (aad, message) = (message(length), message(77));
            let sealed = cipher.seal(&NONCE, &aad, &message).unwrap();
            let what = format!("{}, {length} bytes", backend.name());
            assert_eq!(sealed, expected(&KEY, &NONCE, &aad, &message), "{what}");
        }
    });
}

#[test]
fn nothing_is_written_beside_the_output() {
    on_every_backend!(Backend, "aead alignments", |backend| {
        let cipher = ChaCha20Poly1305::with_backend(backend, &KEY);
        for length in [1, 100, 447, 500, 2000, 12000] {
            let message = message(length);
            let expected = expected(&KEY, &NONCE, b"aad", &message);
            for offset in (0..64).step_by(7) {
                let mut output = vec![0x55; length + 192];
                let to = &mut output[64 + offset..][..length];
                let tag = cipher.seal_detached(&NONCE, b"aad", &message, to).unwrap();
                assert_eq!([&*to, &tag].concat(), expected, "{}", backend.name());
                let around = [&output[..64 + offset], &output[64 + offset + length..]].concat();
                assert!(around.iter().all(|byte| *byte == 0x55), "{}", backend.name());
            }
        }
    });
}

/// A bit more or less anywhere, and nothing of the plaintext comes out.
#[test]
fn whatever_is_changed_is_noticed() {
    on_every_backend!(Backend, "aead changes", |backend| {
        let cipher = ChaCha20Poly1305::with_backend(backend, &KEY);
        for length in [0, 1, 40, 600, 2500] {
            let (aad, message) = (message(20), message(length));
            let sealed = cipher.seal(&NONCE, &aad, &message).unwrap();
            let (ciphertext, tag) = sealed.split_last_chunk().unwrap();
            let refused = |nonce: &[u8; 12], aad: &[u8], ciphertext: &[u8], tag: &[u8; 16]| {
                let mut plaintext = vec![0x55; ciphertext.len()];
                let result = cipher.open_detached(nonce, aad, ciphertext, tag, &mut plaintext);
                assert_eq!(result, Err(Error::WrongTag), "{}", backend.name());
                assert!(plaintext.iter().all(|byte| *byte == 0), "{}", backend.name());
                let mut data = ciphertext.to_vec();
                let result = cipher.open_in_place(nonce, aad, &mut data, tag);
                assert_eq!(result, Err(Error::WrongTag), "{}", backend.name());
                assert!(data.iter().all(|byte| *byte == 0), "{}", backend.name());
            };
            for bit in 0..128 {
                refused(&NONCE, &aad, ciphertext, &flipped(tag, bit).try_into().unwrap());
            }
            for bit in (0..8 * length).step_by(101) {
                refused(&NONCE, &aad, &flipped(ciphertext, bit), tag);
            }
            for bit in 0..8 * aad.len() {
                refused(&NONCE, &flipped(&aad, bit), ciphertext, tag);
            }
            refused(&flipped(&NONCE, 95).try_into().unwrap(), &aad, ciphertext, tag);
            refused(&NONCE, &aad[..19], ciphertext, tag);
            if length > 0 {
                refused(&NONCE, &aad, &ciphertext[1..], tag);
            }
        }
    });
}

fn flipped(bytes: &[u8], bit: usize) -> Vec<u8> {
    let mut bytes = bytes.to_vec();
    bytes[bit / 8] ^= 1 << (bit % 8);
    bytes
}

#[test]
fn lengths_that_cannot_be_are_refused() {
    let cipher = ChaCha20Poly1305::new(&KEY);
    let mut output = [0x55; 3];
    let lengths = Error::Lengths { input: 4, output: 3 };
    assert_eq!(cipher.seal_detached(&NONCE, &[], &[0; 4], &mut output), Err(lengths));
    assert_eq!(cipher.open_detached(&NONCE, &[], &[0; 4], &[0; 16], &mut output), Err(lengths));
    assert_eq!(output, [0x55; 3]);
    assert_eq!(cipher.open(&NONCE, &[], &[0; 15]), Err(Error::TooShort { bytes: 15 }));
}

/// Random keys, nonces, associated data and messages against RustCrypto.
#[test]
fn random() {
    let cases = 96;
    println!("aead random: cases={cases}");
    on_every_backend!(Backend, "aead random", |backend| {
        let mut runner =
            TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
        let bytes = |most| proptest::collection::vec(any::<u8>(), 0..most);
        let strategy = (any::<[u8; 32]>(), any::<[u8; 12]>(), bytes(300), bytes(3000));
        runner
            .run(&strategy, |(key, nonce, aad, message)| {
                let cipher = ChaCha20Poly1305::with_backend(backend, &key);
                let sealed = cipher.seal(&nonce, &aad, &message).unwrap();
                prop_assert_eq!(&sealed, &expected(&key, &nonce, &aad, &message));
                prop_assert_eq!(cipher.open(&nonce, &aad, &sealed).unwrap(), message);
                Ok(())
            })
            .unwrap_or_else(|error| panic!("backend {}: {error}", backend.name()));
    });
}
