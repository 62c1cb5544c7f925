//! Tries hashes against RustCrypto's, and HMAC, HKDF and PBKDF2 against direct
//! implementations of their standards.

use std::num::NonZeroU64;

use cpb_kernels::Backend;
use cpb_kernels::hash::{Hash, IteratedHash};
use cpb_kernels::hkdf::{Info, Salt, derive_with as hkdf_with};
use cpb_kernels::hmac::{Hmac, Key};
use cpb_kernels::pbkdf2::derive_with as pbkdf2_with;
use sha3::Digest;

use crate::trial::{Trial, try_kernel};

const LONGEST_MESSAGE: usize = 6000;
/// More than two blocks.
const LONGEST_SECRET: usize = 260;

pub fn hash<H: Hash>() {
    if other(H::NAME).is_none() {
        println!("{}: no other implementation, compared with the portable one", H::NAME);
    }
    try_kernel(H::NAME, &[H::BLOCK_BYTES], try_hash::<H>);
}

pub fn hmac<H: IteratedHash>() {
    try_kernel(&format!("hmac-{}", H::NAME), &[H::BLOCK_BYTES], try_hmac::<H>);
}

pub fn hkdf<H: IteratedHash>() {
    let edges = [H::OUTPUT_BYTES, H::BLOCK_BYTES];
    try_kernel(&format!("hkdf-{}", H::NAME), &edges, try_hkdf::<H>);
}

pub fn pbkdf2<H: IteratedHash>() {
    let edges = [H::OUTPUT_BYTES, H::BLOCK_BYTES];
    try_kernel(&format!("pbkdf2-{}", H::NAME), &edges, try_pbkdf2::<H>);
}

fn try_hash<H: Hash>(backend: H::Backend, trial: &mut Trial) {
    let length = trial.length(LONGEST_MESSAGE);
    let message = trial.input(length);
    let expected = digest::<H>(&message);
    trial.compare(H::hash(backend, &message).as_ref(), &expected, "the digest");
    let mut hash = H::with_backend(backend);
    for piece in trial.pieces(&message) {
        hash.update(&piece);
    }
    trial.compare(hash.finalize().as_ref(), &expected, "the digest of pieces");
}

fn try_hmac<H: IteratedHash>(backend: H::Backend, trial: &mut Trial) {
    let (key_length, length) = (trial.length(LONGEST_SECRET), trial.length(LONGEST_MESSAGE));
    let (key, message) = (trial.input(key_length), trial.input(length));
    let expected = hmac_by_the_book::<H>(&key)(&message);
    let key = Key::<H>::with_backend(backend, &key);
    trial.compare(key.tag(&message).as_ref(), &expected, "the tag");
    let mut mac = Hmac::<H>::with_key(&key);
    for piece in trial.pieces(&message) {
        mac.update(&piece);
    }
    trial.compare(mac.clone().finalize().as_ref(), &expected, "the tag of pieces");
    assert!(mac.verify(&expected), "{} does not verify its tag", H::NAME);
}

fn try_hkdf<H: IteratedHash>(backend: H::Backend, trial: &mut Trial) {
    let lengths = [(); 3].map(|()| trial.length(LONGEST_SECRET));
    let [salt, input, info] = lengths.map(|length| trial.input(length));
    let length = trial.length(20 * H::OUTPUT_BYTES);
    let mut out = trial.output(length);
    hkdf_with::<H>(backend, Salt(&salt), &input, Info(&info), &mut out).unwrap();
    trial.compare(&out, &hkdf_by_the_book::<H>(&salt, &input, &info, length), "the key");
}

fn try_pbkdf2<H: IteratedHash>(backend: H::Backend, trial: &mut Trial) {
    let lengths = [(); 2].map(|()| trial.length(LONGEST_SECRET));
    let [password, salt] = lengths.map(|length| trial.input(length));
    let length = trial.length(20 * H::OUTPUT_BYTES);
    let iterations = trial.element(&[1, 2, 3, 10]);
    let mut out = trial.output(length);
    let count = NonZeroU64::new(iterations).unwrap();
    pbkdf2_with::<H>(backend, &password, &salt, count, &mut out).unwrap();
    let expected = pbkdf2_by_the_book::<H>(&password, &salt, iterations, length);
    trial.compare(&out, &expected, "the key");
}

/// Hashes with RustCrypto, or with the portable backend where RustCrypto is not used.
fn digest<H: Hash>(message: &[u8]) -> Vec<u8> {
    match other(H::NAME) {
        Some(digest) => digest(message),
        None => H::hash(<H::Backend>::PORTABLE, message).as_ref().to_vec(),
    }
}

type Function = fn(&[u8]) -> Vec<u8>;

fn other(name: &str) -> Option<Function> {
    fn of<D: Digest>(message: &[u8]) -> Vec<u8> {
        D::digest(message).to_vec()
    }
    Some(match name {
        "sha1" => of::<sha1::Sha1>,
        "sha224" => of::<sha2::Sha224>,
        "sha256" => of::<sha2::Sha256>,
        "sha384" => of::<sha2::Sha384>,
        "sha512" => of::<sha2::Sha512>,
        "sha512-224" => of::<sha2::Sha512_224>,
        "sha512-256" => of::<sha2::Sha512_256>,
        "sha3-224" => of::<sha3::Sha3_224>,
        "sha3-256" => of::<sha3::Sha3_256>,
        "sha3-384" => of::<sha3::Sha3_384>,
        "sha3-512" => of::<sha3::Sha3_512>,
        _ => return None,
    })
}

/// Returns HMAC with this key, as RFC 2104 section 2 defines it.
fn hmac_by_the_book<H: Hash>(key: &[u8]) -> impl Fn(&[u8]) -> Vec<u8> + use<H> {
    let mut key = if key.len() > H::BLOCK_BYTES { digest::<H>(key) } else { key.to_vec() };
    key.resize(H::BLOCK_BYTES, 0);
    let padded = |pad: u8| -> Vec<u8> { key.iter().map(|byte| byte ^ pad).collect() };
    let (inner, outer) = (padded(0x36), padded(0x5c));
    move |message| {
        let inside = digest::<H>(&[inner.as_slice(), message].concat());
        digest::<H>(&[outer.as_slice(), &inside].concat())
    }
}

/// Computes HKDF as RFC 5869 section 2 defines it.
pub fn hkdf_by_the_book<H: Hash>(salt: &[u8], input: &[u8], info: &[u8], bytes: usize) -> Vec<u8> {
    let mac = hmac_by_the_book::<H>(&hmac_by_the_book::<H>(salt)(input));
    let (mut out, mut last) = (Vec::new(), Vec::new());
    for number in 1..=bytes.div_ceil(H::OUTPUT_BYTES) {
        last = mac(&[&last, info, &[number as u8]].concat());
        out.extend_from_slice(&last);
    }
    out.truncate(bytes);
    out
}

/// Computes PBKDF2 as RFC 8018 section 5.2 defines it.
fn pbkdf2_by_the_book<H: Hash>(
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    bytes: usize,
) -> Vec<u8> {
    let mac = hmac_by_the_book::<H>(password);
    let mut out = Vec::new();
    for number in 1..=bytes.div_ceil(H::OUTPUT_BYTES) as u32 {
        let mut last = mac(&[salt, &number.to_be_bytes()].concat());
        let mut sum = last.clone();
        for _ in 1..iterations {
            last = mac(&last);
            sum.iter_mut().zip(&last).for_each(|(sum, byte)| *sum ^= byte);
        }
        out.extend_from_slice(&sum);
    }
    out.truncate(bytes);
    out
}
