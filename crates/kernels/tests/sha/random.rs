//! Random messages in random pieces, random keys, salts and lengths: every backend
//! against RustCrypto.

use std::num::NonZeroU64;

use cpb_kernels::hmac::Hmac;
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::subsequence;
use proptest::test_runner::{Config, TestRunner};

use crate::oracle::Tested;
use crate::{for_every_hash, on_every_backend};

/// Runs random cases of a strategy on one backend.
fn cases<S: Strategy>(
    count: u32,
    backend: &str,
    strategy: &S,
    test: impl Fn(S::Value) -> Result<(), TestCaseError>,
) {
    let config = Config { cases: count, failure_persistence: None, ..Config::default() };
    TestRunner::new(config)
        .run(strategy, test)
        .unwrap_or_else(|error| panic!("backend {backend}: {error}"));
}

#[test]
fn pieces_do_not_matter() {
    for_every_hash!(pieces_of);
}

fn pieces_of<H: Tested>() {
    let cuts = subsequence((0..1500).collect::<Vec<usize>>(), 0..=8);
    let strategy = (vec(any::<u8>(), 0..1500), vec(any::<u8>(), 0..300), cuts);
    on_every_backend::<H>("pieces", |backend, name| {
        cases(32, name, &strategy, |(message, key, cuts)| {
            let ends = cuts.iter().copied().chain([message.len()]);
            let starts = [0].into_iter().chain(cuts.iter().copied());
            let pieces: Vec<&[u8]> = starts
                .zip(ends)
                .map(|(from, to)| &message[from.min(message.len())..to.min(message.len())])
                .collect();
            let digest = H::hash_in_pieces(backend, &pieces);
            prop_assert_eq!(digest.as_ref(), H::other_hash(&message));

            let mut mac = Hmac::<H>::with_backend(backend, &key);
            pieces.iter().for_each(|piece| mac.update(piece));
            let tag = mac.finalize();
            prop_assert_eq!(tag.as_ref(), H::other_hmac(&key, &message));
            Ok(())
        });
    });
}

#[test]
fn derived_keys() {
    for_every_hash!(derived_keys_of);
}

fn derived_keys_of<H: Tested>() {
    let bytes = || vec(any::<u8>(), 0..200);
    let strategy = (bytes(), bytes(), bytes(), 1_u32..20, 0_usize..900);
    on_every_backend::<H>("derived keys", |backend, name| {
        cases(32, name, &strategy, |(secret, salt, info, iterations, length)| {
            let mut out = vec![0; length];
            cpb_kernels::hkdf::derive_with::<H>(backend, &salt, &secret, &info, &mut out).unwrap();
            prop_assert_eq!(&out, &H::other_hkdf(&salt, &secret, &info, length));

            let count = NonZeroU64::new(iterations.into()).unwrap();
            cpb_kernels::pbkdf2::derive_with::<H>(backend, &secret, &salt, count, &mut out)
                .unwrap();
            prop_assert_eq!(&out, &H::other_pbkdf2(&secret, &salt, iterations, length));
            Ok(())
        });
    });
}
