//! Every kernel on every backend against implementations of other people, on random
//! inputs: lengths around the edges of blocks and vectors, any split, any alignment, in
//! place and out of place, in buffers that begin or end at unmapped pages.
//!
//! A new kernel is a line of `KERNELS`. More cases, or others:
//! `DIFFERENTIAL_CASES=100000 DIFFERENTIAL_SEED=7 cargo test -p cpb-kernels --test differential`

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "all of it is test code, which clippy sees only in #[test] functions"
)]

mod ciphers;
mod codecs;
mod guarded;
mod hashes;
#[path = "../sha/oracle.rs"]
mod oracle;
mod recursive;
mod sponges;
mod trial;

use cpb_kernels::{
    base16, base64, chacha20, chacha20_poly1305, keccak, poly1305, recursive_sha256, sha1, sha256,
    sha512,
};

use hashes::{hash, hkdf, hmac, pbkdf2};
use trial::{Kernel, try_every_backend};

/// A kernel: its name, its backends, the lengths in bytes at whose multiples something
/// begins or ends, and how one of its backends is tried once.
const fn kernel(
    name: &'static str,
    backends: &'static [&'static str],
    edges: &'static [usize],
    run: trial::Run,
) -> Kernel {
    Kernel { name, backends, edges, run }
}

#[rustfmt::skip]
const KERNELS: &[Kernel] = &[
    kernel("sha1", sha1::Backend::NAMES, &[64], hash::<sha1::Sha1>),
    kernel("sha224", sha256::Backend::NAMES, &[64], hash::<sha256::Sha224>),
    kernel("sha256", sha256::Backend::NAMES, &[64], hash::<sha256::Sha256>),
    kernel("sha384", sha512::Backend::NAMES, &[128], hash::<sha512::Sha384>),
    kernel("sha512", sha512::Backend::NAMES, &[128], hash::<sha512::Sha512>),
    kernel("sha512-224", sha512::Backend::NAMES, &[128], hash::<sha512::Sha512_224>),
    kernel("sha512-256", sha512::Backend::NAMES, &[128], hash::<sha512::Sha512_256>),
    kernel("hmac-sha1", sha1::Backend::NAMES, &[64], hmac::<sha1::Sha1>),
    kernel("hmac-sha224", sha256::Backend::NAMES, &[64], hmac::<sha256::Sha224>),
    kernel("hmac-sha256", sha256::Backend::NAMES, &[64], hmac::<sha256::Sha256>),
    kernel("hmac-sha384", sha512::Backend::NAMES, &[128], hmac::<sha512::Sha384>),
    kernel("hmac-sha512", sha512::Backend::NAMES, &[128], hmac::<sha512::Sha512>),
    kernel("hmac-sha512-224", sha512::Backend::NAMES, &[128], hmac::<sha512::Sha512_224>),
    kernel("hmac-sha512-256", sha512::Backend::NAMES, &[128], hmac::<sha512::Sha512_256>),
    kernel("hkdf-sha1", sha1::Backend::NAMES, &[20, 64], hkdf::<sha1::Sha1>),
    kernel("hkdf-sha224", sha256::Backend::NAMES, &[28, 64], hkdf::<sha256::Sha224>),
    kernel("hkdf-sha256", sha256::Backend::NAMES, &[32, 64], hkdf::<sha256::Sha256>),
    kernel("hkdf-sha384", sha512::Backend::NAMES, &[48, 128], hkdf::<sha512::Sha384>),
    kernel("hkdf-sha512", sha512::Backend::NAMES, &[64, 128], hkdf::<sha512::Sha512>),
    kernel("hkdf-sha512-224", sha512::Backend::NAMES, &[28, 128], hkdf::<sha512::Sha512_224>),
    kernel("hkdf-sha512-256", sha512::Backend::NAMES, &[32, 128], hkdf::<sha512::Sha512_256>),
    kernel("pbkdf2-sha1", sha1::Backend::NAMES, &[20, 64], pbkdf2::<sha1::Sha1>),
    kernel("pbkdf2-sha224", sha256::Backend::NAMES, &[28, 64], pbkdf2::<sha256::Sha224>),
    kernel("pbkdf2-sha256", sha256::Backend::NAMES, &[32, 64], pbkdf2::<sha256::Sha256>),
    kernel("pbkdf2-sha384", sha512::Backend::NAMES, &[48, 128], pbkdf2::<sha512::Sha384>),
    kernel("pbkdf2-sha512", sha512::Backend::NAMES, &[64, 128], pbkdf2::<sha512::Sha512>),
    kernel("pbkdf2-sha512-224", sha512::Backend::NAMES, &[28, 128], pbkdf2::<sha512::Sha512_224>),
    kernel("pbkdf2-sha512-256", sha512::Backend::NAMES, &[32, 128], pbkdf2::<sha512::Sha512_256>),
    kernel("sha3-224", keccak::Backend::NAMES, &[144], sponges::sha3_224),
    kernel("sha3-256", keccak::Backend::NAMES, &[136], sponges::sha3_256),
    kernel("sha3-384", keccak::Backend::NAMES, &[104], sponges::sha3_384),
    kernel("sha3-512", keccak::Backend::NAMES, &[72], sponges::sha3_512),
    kernel("shake128", keccak::Backend::NAMES, &[168], sponges::shake128),
    kernel("shake256", keccak::Backend::NAMES, &[136], sponges::shake256),
    kernel("chacha20", chacha20::Backend::NAMES, &[16, 64, 256, 512, 1024, 2048], ciphers::stream),
    kernel("poly1305", poly1305::Backend::NAMES, &[16, 64, 128, 192, 512], ciphers::mac),
    kernel("chacha20-poly1305", chacha20_poly1305::Backend::NAMES, &[16, 64, 448, 1984, 8192], ciphers::aead),
    kernel("base16", base16::Backend::NAMES, &[16, 32, 64], codecs::base16),
    kernel("base64", base64::Backend::NAMES, &[12, 24, 32, 48, 64], codecs::base64),
    kernel("recursive-sha256", recursive_sha256::Backend::NAMES, &[1, 4, 8, 16, 32], recursive::iterate),
];

#[test]
fn every_kernel_agrees_with_another_implementation() {
    try_every_backend(KERNELS);
}
