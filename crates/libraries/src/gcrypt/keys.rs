//! Key pairs: multiples of points on the curves of RFC 7748, and signatures, whose keys,
//! messages and values libgcrypt takes as S-expressions.

mod agree;
mod generate;
mod multiply;
mod sexp;
mod sign;

use super::Recipe;
use super::functions::{Functions, Handle, Status};
use crate::runtime::{Entry, offer, symbols};
use crate::{Inputs, Made, PrepareError};
use cpb_model::{Contract, Length, Lengths, Operation};
use cpb_provider::scheme;
use std::ffi::{c_char, c_int, c_uint};

symbols! {
    /// Since 1.9.
    Keys {
        multiply: "gcry_ecc_mul_point" => (c_int, *mut u8, *const u8, *const u8) -> Status;
        sign: "gcry_pk_sign" => (*mut Handle, Handle, Handle) -> Status;
        verify: "gcry_pk_verify" => (Handle, Handle, Handle) -> Status;
        decrypt: "gcry_pk_decrypt" => (*mut Handle, Handle, Handle) -> Status;
        generate: "gcry_pk_genkey" => (*mut Handle, Handle) -> Status;
        read: "gcry_sexp_new" => (*mut Handle, *const u8, usize, c_int) -> Status;
        build: "gcry_sexp_build" => (*mut Handle, *mut usize, *const c_char, ...) -> Status;
        release: "gcry_sexp_release" => (Handle);
        find: "gcry_sexp_find_token" => (Handle, *const c_char, usize) -> Handle;
        data: "gcry_sexp_nth_data" => (Handle, c_int, *mut usize) -> *const u8;
        hash: "gcry_md_hash_buffer" => (c_int, *mut u8, *const u8, usize);
        curve: "gcry_mpi_ec_new" => (*mut Handle, Handle, *const c_char) -> Status;
        release_curve: "gcry_ctx_release" => (Handle);
        number: "gcry_mpi_ec_get_mpi" => (*const c_char, Handle, c_int) -> Handle;
        opaque: "gcry_mpi_get_opaque" => (Handle, *mut c_uint) -> *const u8;
        print: "gcry_mpi_print" => (c_int, *mut u8, usize, *mut usize, Handle) -> Status;
        release_number: "gcry_mpi_release" => (Handle);
    }
}

/// What is done, and on which curve.
#[derive(Debug, Clone, Copy)]
pub(super) enum Curve {
    /// RFC 7748: the number of the curve, and bytes of everything.
    Montgomery(c_int),
    /// ECDSA: the curve's name, and the number and length of its hash.
    Ecdsa(&'static str, c_int, usize),
    /// ECDH: the curve's name.
    Ecdh(&'static str),
    Ed25519,
}

/// A curve and what is done on it.
#[derive(Debug, Clone, Copy)]
pub(super) struct OnCurve {
    curve: Curve,
    operation: Operation,
}

/// `GCRY_MD_SHA256`, `GCRY_MD_SHA384` and `GCRY_MD_SHA512`.
const SHA256: c_int = 8;
const SHA384: c_int = 9;
const SHA512: c_int = 10;

#[rustfmt::skip]
const CURVES: &[(&str, &str, Curve)] = &[
    ("x25519", "X25519", Curve::Montgomery(1)),
    ("x448", "X448", Curve::Montgomery(2)),
    ("ed25519", "Ed25519", Curve::Ed25519),
    ("ecdh-p256", "ECDH/NIST P-256", Curve::Ecdh("NIST P-256")),
    ("ecdh-p384", "ECDH/NIST P-384", Curve::Ecdh("NIST P-384")),
    ("ecdh-p521", "ECDH/NIST P-521", Curve::Ecdh("NIST P-521")),
    ("ecdh-secp256k1", "ECDH/secp256k1", Curve::Ecdh("secp256k1")),
    ("ecdh-brainpoolp256r1", "ECDH/brainpoolP256r1", Curve::Ecdh("brainpoolP256r1")),
    ("ecdh-brainpoolp384r1", "ECDH/brainpoolP384r1", Curve::Ecdh("brainpoolP384r1")),
    ("ecdh-brainpoolp512r1", "ECDH/brainpoolP512r1", Curve::Ecdh("brainpoolP512r1")),
    ("ecdsa-p256", "ECDSA/NIST P-256", Curve::Ecdsa("NIST P-256", SHA256, 32)),
    ("ecdsa-p384", "ECDSA/NIST P-384", Curve::Ecdsa("NIST P-384", SHA384, 48)),
    ("ecdsa-p521", "ECDSA/NIST P-521", Curve::Ecdsa("NIST P-521", SHA512, 64)),
    ("ecdsa-secp256k1", "ECDSA/secp256k1", Curve::Ecdsa("secp256k1", SHA256, 32)),
    ("ecdsa-brainpoolp256r1", "ECDSA/brainpoolP256r1", Curve::Ecdsa("brainpoolP256r1", SHA256, 32)),
    ("ecdsa-brainpoolp384r1", "ECDSA/brainpoolP384r1", Curve::Ecdsa("brainpoolP384r1", SHA384, 48)),
    ("ecdsa-brainpoolp512r1", "ECDSA/brainpoolP512r1", Curve::Ecdsa("brainpoolP512r1", SHA512, 64)),
];

pub(super) fn entries() -> Vec<Entry<Recipe>> {
    let of_curve = |(primitive, spelling, curve): &(&str, &str, Curve)| {
        use Operation::{Agree, Keygen, PublicKey, Sign, Verify};
        let operations: &[Operation] = match curve {
            Curve::Montgomery(_) => &[PublicKey, Agree],
            Curve::Ecdh(_) => &[Keygen, PublicKey, Agree],
            _ => &[Keygen, PublicKey, Sign, Verify],
        };
        let catalogued = scheme::of(primitive);
        let entry = |operation: &Operation| {
            // It draws its own.
            let randomness = Length::NONE;
            let lengths = Lengths { randomness, ..catalogued?.lengths(*operation) };
            let (primitive, spelling) = ((*primitive).to_owned(), (*spelling).to_owned());
            let offer = offer(primitive, *operation, spelling, lengths);
            let recipe = Recipe::Key(OnCurve { curve: *curve, operation: *operation });
            Some(Entry { offer, recipe })
        };
        operations.iter().filter_map(entry).collect::<Vec<_>>()
    };
    CURVES.iter().flat_map(of_curve).collect()
}

pub(super) fn prepare(
    functions: &Functions,
    keys: Option<Keys>,
    on: OnCurve,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let core = functions.core;
    let refused = || PrepareError::Unavailable("this libgcrypt has no keys".to_owned());
    let keys = keys.ok_or_else(refused)?;
    match (on.curve, on.operation) {
        (Curve::Montgomery(curve), _) => multiply::prepare(core, keys, curve, contract, inputs),
        (curve, Operation::Keygen) => generate::prepare(core, keys, curve, contract, inputs),
        (curve, Operation::Agree) => agree::prepare(core, keys, curve, contract, inputs),
        (_, Operation::PublicKey) => multiply::prepare_base(core, keys, on.curve, contract, inputs),
        (_, operation) => sign::prepare(core, keys, on.curve, operation, contract, inputs),
    }
}
