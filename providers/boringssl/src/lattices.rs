//! Offers ML-KEM and ML-DSA through the functions that take their randomness: FIPS 203's d and
//! z, and m; FIPS 204's ξ. Signatures are deterministic with an empty context.
//!
//! These are internal C++ functions in the library that boring-sys builds, under names that
//! encode their arguments, so `Cargo.toml` pins the version.

use crate::c;
use cpb_model::{Operation, Role};
use cpb_provider::{Case, Implementation, call, call_with_key, line, worked};
use std::ffi::c_int;
use std::mem::MaybeUninit;
use std::ptr;

/// The return value of a function that failed.
const FAILURE: c_int = 2;
/// The prefix of a signed message with an empty context (FIPS 204 section 5.2).
const PREFIX: [u8; 2] = [0, 0];
/// Replaces randomness where signing is deterministic.
const ZEROS: [u8; 32] = [0; 32];

type Bytes = *const u8;
type Out = *mut u8;

fn done(status: c_int) -> Result<(), String> {
    worked(status != FAILURE)
}

/// Returns a key as read by `parse`.
fn parsed<K>(
    bytes: &[u8],
    parse: unsafe extern "C" fn(*mut K, *mut c::CBS) -> c_int,
) -> Result<Box<MaybeUninit<K>>, String> {
    let mut key = Box::new(MaybeUninit::uninit());
    let mut from = c::CBS { data: bytes.as_ptr(), len: bytes.len() };
    // SAFETY: there is room for a key, and the bytes are passed with their length.
    done(unsafe { parse(key.as_mut_ptr(), &mut from) }).map(|()| key)
}

/// Writes a secret key, which must have the length of `out`.
fn write<K>(
    key: *const K,
    out: &mut [u8],
    marshal: unsafe extern "C" fn(*mut c::CBB, *const K) -> c_int,
) -> Result<(), String> {
    let mut to = MaybeUninit::<c::CBB>::zeroed();
    // SAFETY: the key was made, and out is passed with its length.
    unsafe {
        worked(1 == c::CBB_init_fixed(to.as_mut_ptr(), out.as_mut_ptr(), out.len()))?;
        done(marshal(to.as_mut_ptr(), key))
    }
}

/// Each name is preceded by its length: those of the functions, and of the two types.
macro_rules! ml_kem {
    (
        $name:literal, $bits:literal, [$generate:literal, $encapsulate:literal,
        $decapsulate:literal, $public:literal, $secret:literal, $write:literal],
        [$public_type:literal, $secret_type:literal], $Public:ident, $Secret:ident,
        $public_bytes:literal, $ciphertext_bytes:literal
    ) => {{
        macro_rules! bcm {
            ($length:literal, $what:literal, $before:literal, public, $behind:literal) => {
                bcm!($length, $what, concat!($before, $public_type), "_public_key", $behind)
            };
            ($length:literal, $what:literal, $before:literal, secret, $behind:literal) => {
                bcm!($length, $what, concat!($before, $secret_type), "_private_key", $behind)
            };
            ($length:literal, $what:literal, $of:expr, $key:literal, $behind:literal) => {
                concat! {
                    "_ZN4bssl", $length, "BCM_mlkem", $bits, $what, $of, "MLKEM", $bits, $key, $behind
                }
            };
        }
        unsafe extern "C" {
            #[link_name = bcm!($generate, "_generate_key_external_seed", "EPhP", secret, "PKh")]
            fn generate(public: Out, secret: *mut c::$Secret, seed: Bytes) -> c_int;
            #[link_name = bcm!($encapsulate, "_encap_external_entropy", "EPhS0_PK", public, "PKh")]
            fn encapsulate(text: Out, shared: Out, key: *const c::$Public, seed: Bytes) -> c_int;
            #[link_name = bcm!($decapsulate, "_decap", "EPhPKhmPK", secret, "")]
            fn decapsulate(shared: Out, text: Bytes, _: usize, key: *const c::$Secret) -> c_int;
            #[link_name = bcm!($public, "_parse_public_key", "EP", public, "P6cbs_st")]
            fn read_public(key: *mut c::$Public, from: *mut c::CBS) -> c_int;
            #[link_name = bcm!($secret, "_parse_private_key", "EP", secret, "P6cbs_st")]
            fn read_secret(key: *mut c::$Secret, from: *mut c::CBS) -> c_int;
            #[link_name = bcm!($write, "_marshal_private_key", "EP6cbb_stPK", secret, "")]
            fn write_secret(to: *mut c::CBB, key: *const c::$Secret) -> c_int;
        }
        [
            line($name, Operation::Keygen, Implementation::SEEDED, |_, inputs| {
                let mut key = Box::new(MaybeUninit::uninit());
                Ok(call(inputs, move |case, out| {
                    let (public, secret) = out.split_at_mut($public_bytes);
                    let seed = case.bytes(Role::Randomness).as_ptr();
                    // SAFETY: both have room for a key, the seed has 64 bytes.
                    unsafe { generate(public.as_mut_ptr(), key.as_mut_ptr(), seed) };
                    write(key.as_ptr(), secret, write_secret)
                }))
            }),
            line($name, Operation::Encapsulate, Implementation::SEEDED, |contract, inputs| {
                let key = |case: &Case| parsed(case.bytes(Role::PublicKey), read_public);
                call_with_key(contract, inputs, key, |key, case, out| {
                    let (text, shared) = out.split_at_mut($ciphertext_bytes);
                    let [text, shared] = [text, shared].map(<[u8]>::as_mut_ptr);
                    let seed = case.bytes(Role::Randomness).as_ptr();
                    // SAFETY: both have the room of what is written, the seed has 32 bytes.
                    unsafe { encapsulate(text, shared, key.as_ptr(), seed) };
                    Ok(())
                })
            }),
            line($name, Operation::Decapsulate, Implementation::NONE, |contract, inputs| {
                let key = |case: &Case| parsed(case.bytes(Role::SecretKey), read_secret);
                call_with_key(contract, inputs, key, |key, case, out| {
                    let text = case.bytes(Role::Ciphertext);
                    let (from, to) = (text.as_ptr(), out.as_mut_ptr());
                    // SAFETY: out has room for a secret, the ciphertext is passed with its length.
                    done(unsafe { decapsulate(to, from, text.len(), key.as_ptr()) })
                })
            }),
        ]
    }};
}

macro_rules! ml_dsa {
    ($name:literal, $bits:literal, $Public:ident, $Secret:ident, $public_bytes:literal) => {{
        unsafe extern "C" {
            #[link_name = concat!(
                "_ZN4bssl41BCM_mldsa", $bits, "_generate_key_external_entropyEPhP19MLDSA", $bits,
                "_private_keyPKh"
            )]
            fn generate(public: Out, secret: *mut c::$Secret, seed: Bytes) -> c_int;
            #[link_name = concat!(
                "_ZN4bssl25BCM_mldsa", $bits, "_sign_internalEPhPK19MLDSA", $bits,
                "_private_keyPKhmS5_mS5_mS5_"
            )]
            fn sign(
                signature: Out,
                key: *const c::$Secret,
                message: Bytes,
                _: usize,
                prefix: Bytes,
                _: usize,
                context: Bytes,
                _: usize,
                randomness: Bytes,
            ) -> c_int;
            #[link_name = concat!(
                "_ZN4bssl27BCM_mldsa", $bits, "_verify_internalEPK18MLDSA", $bits,
                "_public_keyPKhS4_mS4_mS4_m"
            )]
            fn verify(
                key: *const c::$Public,
                signature: Bytes,
                message: Bytes,
                _: usize,
                prefix: Bytes,
                _: usize,
                context: Bytes,
                _: usize,
            ) -> c_int;
            #[link_name = concat!(
                "_ZN4bssl28BCM_mldsa", $bits, "_parse_public_keyEP18MLDSA", $bits,
                "_public_keyP6cbs_st"
            )]
            fn read_public(key: *mut c::$Public, from: *mut c::CBS) -> c_int;
            #[link_name = concat!(
                "_ZN4bssl29BCM_mldsa", $bits, "_parse_private_keyEP19MLDSA", $bits,
                "_private_keyP6cbs_st"
            )]
            fn read_secret(key: *mut c::$Secret, from: *mut c::CBS) -> c_int;
            #[link_name = concat!(
                "_ZN4bssl31BCM_mldsa", $bits, "_marshal_private_keyEP6cbb_stPK19MLDSA", $bits,
                "_private_key"
            )]
            fn write_secret(to: *mut c::CBB, key: *const c::$Secret) -> c_int;
        }
        [
            line($name, Operation::Keygen, Implementation::SEEDED, |_, inputs| {
                let mut key = Box::new(MaybeUninit::uninit());
                Ok(call(inputs, move |case, out| {
                    let (public, secret) = out.split_at_mut($public_bytes);
                    let seed = case.bytes(Role::Randomness).as_ptr();
                    // SAFETY: both have room for a key, the seed has 32 bytes.
                    done(unsafe { generate(public.as_mut_ptr(), key.as_mut_ptr(), seed) })?;
                    write(key.as_ptr(), secret, write_secret)
                }))
            }),
            line($name, Operation::Sign, Implementation::NONE, |contract, inputs| {
                let key = |case: &Case| parsed(case.bytes(Role::SecretKey), read_secret);
                call_with_key(contract, inputs, key, |key, case, out| {
                    let message = case.message.bytes();
                    // SAFETY: out has the room of a signature, the rest is passed with its length,
                    // or has 32 bytes.
                    done(unsafe {
                        sign(
                            out.as_mut_ptr(),
                            key.as_ptr(),
                            message.as_ptr(),
                            message.len(),
                            PREFIX.as_ptr(),
                            PREFIX.len(),
                            ptr::null(),
                            0,
                            ZEROS.as_ptr(),
                        )
                    })
                })
            }),
            line($name, Operation::Verify, Implementation::NONE, |contract, inputs| {
                let key = |case: &Case| parsed(case.bytes(Role::PublicKey), read_public);
                call_with_key(contract, inputs, key, |key, case, _| {
                    let (message, signature) = (case.message.bytes(), case.bytes(Role::Signature));
                    // SAFETY: the signature is as long as that of the offer, the rest goes with
                    // its length.
                    done(unsafe {
                        verify(
                            key.as_ptr(),
                            signature.as_ptr(),
                            message.as_ptr(),
                            message.len(),
                            PREFIX.as_ptr(),
                            PREFIX.len(),
                            ptr::null(),
                            0,
                        )
                    })
                })
            }),
        ]
    }};
}

#[rustfmt::skip]
pub(crate) const IMPLEMENTATIONS: &[Implementation] = [
    ml_kem!(
        "ml-kem-768", 768, [39, 35, 18, 29, 30, 32], [19, 20], MLKEM768_public_key,
        MLKEM768_private_key, 1184, 1088
    ),
    ml_kem!(
        "ml-kem-1024", 1024, [40, 36, 19, 30, 31, 33], [20, 21], MLKEM1024_public_key,
        MLKEM1024_private_key, 1568, 1568
    ),
    ml_dsa!("ml-dsa-44", 44, MLDSA44_public_key, MLDSA44_private_key, 1312),
    ml_dsa!("ml-dsa-65", 65, MLDSA65_public_key, MLDSA65_private_key, 1952),
    ml_dsa!("ml-dsa-87", 87, MLDSA87_public_key, MLDSA87_private_key, 2592),
]
.as_flattened();
