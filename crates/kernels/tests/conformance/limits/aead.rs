//! Tests authenticated encryption with every kind of wrong input.

use cpb_kernels::chacha20_poly1305::{Backend, ChaCha20Poly1305, Error};

use crate::{message, on_every_backend};

const KEY: [u8; 32] = *b"0123456789abcdef-ghijklmnopqrstu";
const NONCE: [u8; 12] = *b"twelve bytes";

/// A bit more, less or changed anywhere makes opening fail and reveals nothing of
/// the plaintext.
#[test]
fn whatever_is_changed_is_noticed() {
    on_every_backend("aead changes", |backend: Backend| {
        let cipher = ChaCha20Poly1305::with_backend(backend, &KEY);
        for length in [0, 1, 40, 600, 2500] {
            let (aad, message) = (message(20), message(length));
            let sealed = cipher.seal(&NONCE, &aad, &message).unwrap();
            let (ciphertext, tag) = sealed.split_last_chunk().unwrap();
            let refused = |nonce: &[u8; 12], aad: &[u8], ciphertext: &[u8], tag: &[u8; 16]| {
                let mut plaintext = vec![0x55; ciphertext.len()];
                let result = cipher.open_detached(nonce, aad, ciphertext, tag, &mut plaintext);
                assert_eq!(result, Err(Error::WrongTag), "{backend:?}");
                assert!(plaintext.iter().all(|byte| *byte == 0), "{backend:?}");
                let mut data = ciphertext.to_vec();
                let result = cipher.open_in_place(nonce, aad, &mut data, tag);
                assert_eq!(result, Err(Error::WrongTag), "{backend:?}");
                assert!(data.iter().all(|byte| *byte == 0), "{backend:?}");
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
