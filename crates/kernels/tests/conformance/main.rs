//! Tests every kernel on every backend: against other implementations (`trials`), against known
//! answers (`answers`), and with inputs that are refused or at the upper limits (`limits`).
//!
//! A trial goes through the lengths around the edges of blocks and vectors one by one, then takes
//! random ones; with any split, any alignment, in place and out of place, in buffers that begin or
//! end at unmapped pages. A new hash function is a line of `cpb_kernels::hashes!`, another kernel a
//! line of [`kernels`]. For more or other random cases:
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
    Unavailable, base16, base64, chacha20, chacha20_poly1305, hashes, iterated_hashes, keccak,
    poly1305, recursive_sha256, sha256, sha512,
};

use trial::{Kernel, try_every_backend};
use trials::hashes::{hash, hkdf, hmac, pbkdf2};
use trials::{ciphers, codecs, recursive, xofs};

/// Describes a kernel that is no hash function and is not generic over one: its name, its backends,
/// the lengths in bytes at whose multiples a block or vector begins or ends, and how one of its
/// backends is tried once.
fn kernel(
    name: &str,
    backends: &'static [&'static str],
    edges: &[usize],
    run: trial::Run,
) -> Kernel {
    Kernel { name: name.to_owned(), backends, edges: edges.to_vec(), run }
}

#[rustfmt::skip]
fn kernels() -> Vec<Kernel> {
    let mut kernels = vec![
        kernel("shake128", keccak::Backend::NAMES, &[8, 168], xofs::shake128),
        kernel("shake256", keccak::Backend::NAMES, &[8, 136], xofs::shake256),
        kernel("chacha20", chacha20::Backend::NAMES, &[16, 64, 256, 512, 1024, 2048], ciphers::stream),
        kernel("poly1305", poly1305::Backend::NAMES, &[16, 64, 128, 192, 512, 1024], ciphers::mac),
        kernel("chacha20-poly1305", chacha20_poly1305::Backend::NAMES, &[16, 64, 448, 1984, 8192], ciphers::aead),
        kernel("base16", base16::Backend::NAMES, &[16, 32, 64], codecs::base16),
        kernel("base64", base64::Backend::NAMES, &[12, 24, 32, 48, 64], codecs::base64),
        kernel("recursive-sha256", recursive_sha256::Backend::NAMES, &[1, 4, 8, 16, 32], recursive::iterate),
    ];
    kernels.extend(hashes!(hash));
    kernels.extend(iterated_hashes!(hmac));
    kernels.extend(iterated_hashes!(hkdf));
    kernels.extend(iterated_hashes!(pbkdf2));
    kernels
}

#[test]
fn every_kernel_agrees_with_another_implementation() {
    try_every_backend(&kernels());
}

/// Fails where the compiler does not get the option of `.cargo/config.toml`, because `RUSTFLAGS` is
/// set.
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
        assert!(function.addr().is_multiple_of(64), "a function is at {function:p}");
    }
}

/// Runs a test on every backend that this CPU has, passing its name; prints and counts the others.
///
/// # Panics
/// Panics if there was no backend to run on.
fn on_every_backend(
    test: &str,
    backends: &[&str],
    mut run: impl FnMut(&str) -> Result<(), Unavailable>,
) {
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
    let run = |name: &str| base16::Backend::by_name(name).map(|_| ());
    on_every_backend("nothing", &["none"], run);
}

/// Returns bytes that reveal swapped blocks, because their period divides no block size.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}
