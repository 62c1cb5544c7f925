//! Tries ChaCha20, Poly1305 and their combination against RustCrypto.

use ::chacha20::cipher::{KeyIvInit, StreamCipher, StreamCipherSeek};
use ::poly1305::universal_hash::KeyInit;
use chacha20poly1305::aead::{Aead, Payload};
use cpb_kernels::{chacha20, chacha20_poly1305, poly1305};

use crate::guarded::Guarded;
use crate::trial::Trial;

/// Twice the longest run that is processed at once, and more.
const LONGEST: usize = 20_000;

fn array<const N: usize>(bytes: &Guarded) -> &[u8; N] {
    (&**bytes).try_into().unwrap()
}

pub fn stream(backend: chacha20::Backend, trial: &mut Trial) {
    let (key, nonce) = (trial.input(32), trial.input(12));
    let (key, nonce) = (array(&key), array(&nonce));
    // With the last of these counters, the longest message ends with the last block.
    let last = u32::MAX - LONGEST.div_ceil(64) as u32;
    let any = trial.number(0..=last as usize) as u32;
    let counter = trial.element(&[0, 1, any, last]);
    let length = trial.length(LONGEST);
    let message = trial.input(length);
    let mut expected = message.to_vec();
    let mut other = ::chacha20::ChaCha20::new(key.into(), nonce.into());
    other.seek(u64::from(counter) * 64);
    other.apply_keystream(&mut expected);

    let mut out = trial.output(length);
    chacha20::xor_with(backend, key, nonce, counter, &message, &mut out).unwrap();
    trial.compare(&out, &expected, "the text");
    let mut data = trial.placed(&message);
    let mut cipher = chacha20::ChaCha20::with_backend(backend, key, nonce, counter);
    cipher.apply_keystream(&mut data).unwrap();
    trial.compare(&data, &expected, "the text in place");

    let mut cipher = chacha20::ChaCha20::with_backend(backend, key, nonce, counter);
    let mut done = 0;
    for mut piece in trial.pieces(&message) {
        let wanted = &expected[done..done + piece.len()];
        if trial.coin() {
            cipher.apply_keystream(&mut piece).unwrap();
            trial.compare(&piece, wanted, "the text in pieces in place");
        } else {
            let mut out = trial.output(piece.len());
            cipher.xor(&piece, &mut out).unwrap();
            trial.compare(&out, wanted, "the text in pieces");
        }
        done += piece.len();
    }
}

pub fn mac(backend: poly1305::Backend, trial: &mut Trial) {
    let (mut key, length) = (trial.input(32), trial.length(LONGEST));
    let mut message = trial.input(length);
    // Carries propagate furthest where every bit is one.
    if trial.number(0..=7) == 0 {
        key.fill(0xff);
        message.fill(0xff);
    }
    let key = array(&key);
    let expected = ::poly1305::Poly1305::new(key.into()).compute_unpadded(&message);
    let tag = poly1305::Poly1305::mac_with(backend, key, &message);
    trial.compare(&tag, &expected, "the tag");
    let mut mac = poly1305::Poly1305::with_backend(backend, key);
    for piece in trial.pieces(&message) {
        mac.update(&piece);
    }
    trial.compare(&mac.finalize(), &expected, "the tag of pieces");
}

pub fn aead(backend: chacha20_poly1305::Backend, trial: &mut Trial) {
    let (key, nonce) = (trial.input(32), trial.input(12));
    let (key, nonce) = (array(&key), array(&nonce));
    let (aad_length, length) = (trial.length(2000), trial.length(LONGEST));
    let (aad, message) = (trial.input(aad_length), trial.input(length));
    let other = chacha20poly1305::ChaCha20Poly1305::new(key.into());
    let sealed = other.encrypt(nonce.into(), Payload { msg: &message, aad: &aad }).unwrap();
    let (ciphertext, expected_tag) = sealed.split_at(length);

    let cipher = chacha20_poly1305::ChaCha20Poly1305::with_backend(backend, key);
    let mut out = trial.output(length);
    let tag = cipher.seal_detached(nonce, &aad, &message, &mut out).unwrap();
    trial.compare(&out, ciphertext, "the ciphertext");
    trial.compare(&tag, expected_tag, "the tag");
    let mut data = trial.placed(&message);
    let tag = cipher.seal_in_place(nonce, &aad, &mut data).unwrap();
    trial.compare(&data, ciphertext, "the ciphertext in place");
    trial.compare(&tag, expected_tag, "the tag in place");

    let tag = trial.placed(&tag);
    cipher.open_in_place(nonce, &aad, &mut data, array(&tag)).unwrap();
    trial.compare(&data, &message, "the plaintext in place");
    let (ciphertext, mut out) = (trial.placed(ciphertext), trial.output(length));
    cipher.open_detached(nonce, &aad, &ciphertext, array(&tag), &mut out).unwrap();
    trial.compare(&out, &message, "the plaintext");

    let mut wrong = trial.placed(&tag);
    let bit = trial.number(0..=127);
    wrong[bit / 8] ^= 1 << (bit % 8);
    let refused = cipher.open_detached(nonce, &aad, &ciphertext, array(&wrong), &mut out);
    assert_eq!(refused, Err(chacha20_poly1305::Error::WrongTag), "bit {bit} of the tag");
    trial.compare(&out, &vec![0; length], "what is left of a refused message");
}
