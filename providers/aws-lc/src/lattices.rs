//! Offers ML-KEM and ML-DSA through the functions that take their randomness: FIPS 203's d
//! and z, and m; FIPS 204's ξ. Signatures are deterministic with an empty context. AWS-LC's
//! keys are bytes, so `oneshot` is the same call as `keyed`.
//!
//! aws-lc-sys declares none of these functions. They are in the library that it builds,
//! under names with its version as a prefix, so `Cargo.toml` pins that version.

use cpb_model::{Operation, Role};
use cpb_provider::{Implementation, call, line, worked};
use std::ffi::c_int;

type Bytes = *const u8;
type Out = *mut u8;
type LengthOut = *mut usize;

/// The prefix of a signed message with an empty context (FIPS 204 section 5.2).
const PREFIX: [u8; 2] = [0, 0];
/// Replaces randomness where signing is deterministic.
const ZEROS: [u8; 32] = [0; 32];

/// The name of a function in the library that aws-lc-sys builds.
macro_rules! symbol {
    ($name:literal, $what:literal) => {
        concat!("aws_lc_0_47_0_", $name, $what)
    };
}

macro_rules! ml_kem {
    ($name:literal, $symbol:literal, $public:literal, $ciphertext:literal) => {{
        unsafe extern "C" {
            #[link_name = symbol!($symbol, "_keypair_deterministic")]
            fn keygen(public: Out, _: LengthOut, secret: Out, _: LengthOut, seed: Bytes) -> c_int;
            #[link_name = symbol!($symbol, "_encapsulate_deterministic")]
            fn encapsulate(
                text: Out,
                _: LengthOut,
                shared: Out,
                _: LengthOut,
                public: Bytes,
                seed: Bytes,
            ) -> c_int;
            #[link_name = symbol!($symbol, "_decapsulate")]
            fn decapsulate(shared: Out, _: LengthOut, ciphertext: Bytes, secret: Bytes) -> c_int;
        }
        [
            line($name, Operation::Keygen, Implementation::SEEDED, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let (public, secret) = out.split_at_mut($public);
                    let seed = case.bytes(Role::Randomness).as_ptr();
                    let [mut room, mut rest] = [public.len(), secret.len()];
                    // SAFETY: both have the room that is stated, the seed has 64 bytes.
                    let status = unsafe {
                        keygen(public.as_mut_ptr(), &mut room, secret.as_mut_ptr(), &mut rest, seed)
                    };
                    worked(status == 0)
                }))
            }),
            line($name, Operation::Encapsulate, Implementation::SEEDED, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let (text, shared) = out.split_at_mut($ciphertext);
                    let [key, seed] =
                        [Role::PublicKey, Role::Randomness].map(|it| case.bytes(it).as_ptr());
                    let [mut room, mut rest] = [text.len(), shared.len()];
                    // SAFETY: both have the room that is stated; key and seed are as long
                    // as those of the offer.
                    let status = unsafe {
                        encapsulate(
                            text.as_mut_ptr(),
                            &mut room,
                            shared.as_mut_ptr(),
                            &mut rest,
                            key,
                            seed,
                        )
                    };
                    worked(status == 0)
                }))
            }),
            line($name, Operation::Decapsulate, Implementation::NONE, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let [text, key] =
                        [Role::Ciphertext, Role::SecretKey].map(|it| case.bytes(it).as_ptr());
                    let mut room = out.len();
                    // SAFETY: out has the room that is stated; ciphertext and key are as
                    // long as those of the offer.
                    worked(0 == unsafe { decapsulate(out.as_mut_ptr(), &mut room, text, key) })
                }))
            }),
        ]
    }};
}

macro_rules! ml_dsa {
    ($name:literal, $symbol:literal, $public:literal) => {{
        unsafe extern "C" {
            #[link_name = symbol!($symbol, "_keypair_internal")]
            fn keygen(public: Out, secret: Out, seed: Bytes) -> c_int;
            #[link_name = symbol!($symbol, "_sign_internal")]
            fn sign(
                secret: Bytes,
                signature: Out,
                _: LengthOut,
                message: Bytes,
                _: usize,
                prefix: Bytes,
                _: usize,
                randomness: Bytes,
            ) -> c_int;
            #[link_name = symbol!($symbol, "_verify_internal")]
            fn verify(
                public: Bytes,
                signature: Bytes,
                _: usize,
                message: Bytes,
                _: usize,
                prefix: Bytes,
                _: usize,
            ) -> c_int;
        }
        [
            line($name, Operation::Keygen, Implementation::SEEDED, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let (public, secret) = out.split_at_mut($public);
                    let seed = case.bytes(Role::Randomness).as_ptr();
                    // SAFETY: both are as long as keys are, the seed has 32 bytes.
                    worked(1 == unsafe { keygen(public.as_mut_ptr(), secret.as_mut_ptr(), seed) })
                }))
            }),
            line($name, Operation::Sign, Implementation::NONE, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let (key, message) = (case.bytes(Role::SecretKey), case.message.bytes());
                    let mut length = out.len();
                    // SAFETY: the key is as long as that of the offer, out as a signature;
                    // the rest is passed with its length, or has 32 bytes.
                    let status = unsafe {
                        sign(
                            key.as_ptr(),
                            out.as_mut_ptr(),
                            &mut length,
                            message.as_ptr(),
                            message.len(),
                            PREFIX.as_ptr(),
                            PREFIX.len(),
                            ZEROS.as_ptr(),
                        )
                    };
                    worked(status == 1)
                }))
            }),
            line($name, Operation::Verify, Implementation::NONE, |_, inputs| {
                Ok(call(inputs, |case, _| {
                    let [key, signature] =
                        [Role::PublicKey, Role::Signature].map(|it| case.bytes(it));
                    let message = case.message.bytes();
                    // SAFETY: the key is as long as that of the offer, the rest goes with
                    // its length.
                    let status = unsafe {
                        verify(
                            key.as_ptr(),
                            signature.as_ptr(),
                            signature.len(),
                            message.as_ptr(),
                            message.len(),
                            PREFIX.as_ptr(),
                            PREFIX.len(),
                        )
                    };
                    worked(status == 1)
                }))
            }),
        ]
    }};
}

pub(crate) const IMPLEMENTATIONS: &[Implementation] = [
    ml_kem!("ml-kem-512", "ml_kem_512", 800, 768),
    ml_kem!("ml-kem-768", "ml_kem_768", 1184, 1088),
    ml_kem!("ml-kem-1024", "ml_kem_1024", 1568, 1568),
    ml_dsa!("ml-dsa-44", "ml_dsa_44", 1312),
    ml_dsa!("ml-dsa-65", "ml_dsa_65", 1952),
    ml_dsa!("ml-dsa-87", "ml_dsa_87", 2592),
]
.as_flattened();
