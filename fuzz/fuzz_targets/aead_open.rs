//! Fuzzes ChaCha20-Poly1305: forged messages do not open, sealed ones do, and one
//! changed bit anywhere prevents that. Every backend must give the same results as
//! `portable`, and sealing those of RFC 8439; if opening fails, the output holds
//! zeros.

#![no_main]

use arbitrary::Arbitrary;
use cpb_kernels::Backend as _;
use cpb_kernels::chacha20_poly1305::{Backend, ChaCha20Poly1305, Error};
use cpb_kernels::poly1305::Poly1305;
use cpb_kernels::{chacha20, poly1305};
use libfuzzer_sys::fuzz_target;

#[derive(Arbitrary, Clone, Debug)]
struct Input<'a> {
    key: [u8; 32],
    nonce: [u8; 12],
    /// The bit of key, nonce, associated data and sealed message that is changed.
    bit: u32,
    /// The repetitions of the message, to exceed the chunks of 8 KiB.
    repeats: u8,
    aad: &'a [u8],
    message: &'a [u8],
}

fuzz_target!(|input: Input| {
    let message = input.message.repeat(1 + usize::from(input.repeats % 8));
    let Input { mut key, mut nonce, .. } = input;
    let mut aad = input.aad.to_vec();

    let forged = open_everywhere(&key, &nonce, &aad, &message);
    match message.len() {
        bytes @ ..16 => assert_eq!(forged, Err(Error::TooShort { bytes })),
        // A valid tag is found by chance once in 2^100 attempts.
        _ => assert_eq!(forged, Err(Error::WrongTag)),
    }

    let mut sealed = seal_everywhere(&key, &nonce, &aad, &message);
    assert_eq!(open_everywhere(&key, &nonce, &aad, &sealed).as_ref(), Ok(&message));

    let parts: [&mut [u8]; 4] = [&mut key, &mut nonce, &mut aad, &mut sealed];
    let bits: usize = parts.iter().map(|part| 8 * part.len()).sum();
    let bit = input.bit as usize % bits;
    if let Some(byte) = parts.into_iter().flatten().nth(bit / 8) {
        *byte ^= 1 << (bit % 8);
    }
    assert_eq!(open_everywhere(&key, &nonce, &aad, &sealed), Err(Error::WrongTag));
});

/// Seals on every backend, whole, detached and in place.
fn seal_everywhere(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], message: &[u8]) -> Vec<u8> {
    let expected = seal_by_definition(key, nonce, aad, message);
    let (ciphertext, tag) = expected.split_last_chunk().expect("it ends with its tag");
    for backend in Backend::available() {
        let (name, cipher) = (backend.name(), cipher(backend, key));
        assert_eq!(cipher.seal(nonce, aad, message).as_ref(), Ok(&expected), "{name}");
        let mut output = vec![0xa5; message.len()];
        assert_eq!(cipher.seal_detached(nonce, aad, message, &mut output), Ok(*tag), "{name}");
        assert_eq!(output, ciphertext, "{name}");
        output.copy_from_slice(message);
        assert_eq!(cipher.seal_in_place(nonce, aad, &mut output), Ok(*tag), "{name}");
        assert_eq!(output, ciphertext, "{name}");
    }
    expected
}

/// Seals step by step as in RFC 8439 section 2.8. All backends share the code that
/// combines ChaCha20 and Poly1305, so their agreement does not test it.
fn seal_by_definition(key: &[u8; 32], nonce: &[u8; 12], aad: &[u8], message: &[u8]) -> Vec<u8> {
    let chacha20 = |counter, input: &[u8]| {
        let portable = chacha20::Backend::PORTABLE;
        let mut output = vec![0; input.len()];
        chacha20::xor_with(portable, key, nonce, counter, input, &mut output).expect("it is short");
        output
    };
    let padding = |bytes: usize| vec![0; bytes.next_multiple_of(16) - bytes];
    let mut sealed = chacha20(1, message);
    let authenticated = [
        aad,
        &padding(aad.len()),
        &sealed,
        &padding(sealed.len()),
        &(aad.len() as u64).to_le_bytes(),
        &(sealed.len() as u64).to_le_bytes(),
    ]
    .concat();
    let one_time_key = chacha20(0, &[0; 32]).try_into().expect("as long as its input");
    let portable = poly1305::Backend::PORTABLE;
    sealed.extend(Poly1305::mac_with(portable, &one_time_key, &authenticated));
    sealed
}

/// Opens on every backend, whole, detached and in place.
fn open_everywhere(
    key: &[u8; 32],
    nonce: &[u8; 12],
    aad: &[u8],
    sealed: &[u8],
) -> Result<Vec<u8>, Error> {
    let expected = cipher(Backend::PORTABLE, key).open(nonce, aad, sealed);
    for backend in Backend::available() {
        let (name, cipher) = (backend.name(), cipher(backend, key));
        assert_eq!(cipher.open(nonce, aad, sealed), expected, "{name}");
        let Some((ciphertext, tag)) = sealed.split_last_chunk() else { continue };
        let plaintext = expected.clone().unwrap_or(vec![0; ciphertext.len()]);
        let accepted = expected.as_ref().map(|_| ()).map_err(|error| *error);
        let mut output = vec![0xa5; ciphertext.len()];
        let opened = cipher.open_detached(nonce, aad, ciphertext, tag, &mut output);
        assert_eq!((opened, &output), (accepted, &plaintext), "{name}");
        output.copy_from_slice(ciphertext);
        let opened = cipher.open_in_place(nonce, aad, &mut output, tag);
        assert_eq!((opened, &output), (accepted, &plaintext), "{name}");
    }
    expected
}

fn cipher(backend: Backend, key: &[u8; 32]) -> ChaCha20Poly1305 {
    ChaCha20Poly1305::with_backend(backend, key)
}
