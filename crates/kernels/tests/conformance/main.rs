//! Tests every kernel on every backend: against other implementations (`trials`), against known
//! answers (`answers`), and with inputs that are refused or at the upper limits (`limits`).
//!
//! A trial goes through the lengths around the edges of blocks and vectors one by one, then takes
//! random ones; with any split, any alignment, in place and out of place, in buffers that begin or
//! end at unmapped pages. A new hash function is a line of `cpb_kernels::hashes!`, another kernel a
//! line of [`every_kernel_agrees_with_another_implementation`]. For more or other random cases:
//! `CONFORMANCE_CASES=100000 CONFORMANCE_SEED=7 cargo test -p cpb-kernels --test conformance every_kernel`

#![allow(unsafe_code, reason = "memory between pages that cannot be touched")]
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "all of it is test code, which clippy sees only in #[test] functions"
)]

mod answers;
mod guarded;
mod limits;
mod trial;
mod trials;

use cpb_kernels::{
    Backend, Unavailable, base16, base64, chacha20, hashes, iterated_hashes, poly1305, sha256,
    sha512,
};

use trial::try_kernel;
use trials::hashes::{hash, hkdf, hmac, pbkdf2};
use trials::{ciphers, codecs, recursive, xofs};

/// Tries every backend of every kernel: its name, the lengths in bytes at whose multiples a block or
/// vector begins or ends, and how one of its backends is tried once.
#[test]
fn every_kernel_agrees_with_another_implementation() {
    try_kernel("shake128", &[8, 168], xofs::shake128);
    try_kernel("shake256", &[8, 136], xofs::shake256);
    try_kernel("chacha20", &[16, 64, 256, 512, 1024, 2048], ciphers::stream);
    try_kernel("poly1305", &[16, 64, 128, 192, 512, 1024], ciphers::mac);
    try_kernel("chacha20-poly1305", &[16, 64, 448, 1984, 8192], ciphers::aead);
    try_kernel("base16", &[16, 32, 64], codecs::base16);
    try_kernel("base64", &[12, 24, 32, 48, 64], codecs::base64);
    try_kernel("recursive-sha256", &[1, 4, 8, 16, 32], recursive::iterate);
    hashes!(hash);
    iterated_hashes!(hmac);
    iterated_hashes!(hkdf);
    iterated_hashes!(pbkdf2);
}

/// Checks that the compiler got the option of `.cargo/config.toml`, which `RUSTFLAGS` would hide.
#[test]
fn functions_start_cache_lines() {
    let functions = [
        base16::encode as *const (),
        base64::encode as *const (),
        sha256::Sha256::digest as *const (),
        sha512::Sha512::digest as *const (),
        poly1305::Poly1305::mac as *const (),
        poly1305::Poly1305::new as *const (),
        chacha20::xor as *const (),
        chacha20::xor_with as *const (),
    ];
    for function in functions {
        let is_aligned = function.addr().is_multiple_of(64);
        assert!(is_aligned, "a function is at {function:p}: unset RUSTFLAGS, or add the option");
    }
}

/// Runs a test on every backend that this CPU has; prints and counts the others.
fn on_every_backend<B: Backend>(test: &str, mut run: impl FnMut(B)) {
    on_each_of(test, B::NAMES, &mut |name| B::by_name(name).map(&mut run));
}

/// # Panics
/// Panics if there was no backend to run on.
fn on_each_of(test: &str, backends: &[&str], run: &mut dyn FnMut(&str) -> Result<(), Unavailable>) {
    let (mut ran, mut skipped) = (0, 0);
    for backend in backends {
        match run(backend) {
            Ok(()) => ran += 1,
            Err(reason) => {
                println!("{test}: skipped backend={backend} reason={reason}");
                skipped += 1;
            }
        }
    }
    println!("{test}: backends run={ran} skipped={skipped}");
    assert!(ran > 0, "{test}: every backend was skipped");
}

#[test]
#[should_panic(expected = "every backend was skipped")]
fn a_kernel_without_a_backend_to_run_on_fails() {
    on_each_of("nothing", &["none"], &mut |name| base16::Backend::by_name(name).map(drop));
}

/// Returns bytes that reveal swapped blocks, because their period divides no block size.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}
