//! Key pairs: multiples of points on the curves of RFC 7748, and signatures, whose keys,
//! messages and values libgcrypt takes as S-expressions.

mod agree;
mod ed448;
mod encrypt;
mod generate;
mod multiply;
mod rsa;
mod sexp;
mod sign;

use super::Recipe;
use super::functions::{Core, Failure, Functions, Handle, Status};
use crate::runtime::{Entry, Task, offer, symbols, turns};
use crate::{Inputs, Made, PrepareError};
use cpb_model::{Contract, Length, Lengths, Operation};
use cpb_provider::{Case, scheme};
use rsa::Padding;
use std::ffi::{c_char, c_int, c_uint};

symbols! {
    /// Since 1.9.
    Keys {
        multiply: "gcry_ecc_mul_point" => (c_int, *mut u8, *const u8, *const u8) -> Status;
        sign: "gcry_pk_sign" => (*mut Handle, Handle, Handle) -> Status;
        verify: "gcry_pk_verify" => (Handle, Handle, Handle) -> Status;
        encrypt: "gcry_pk_encrypt" => (*mut Handle, Handle, Handle) -> Status;
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
        scan: "gcry_mpi_scan" => (*mut Handle, c_int, *const u8, usize, *mut usize) -> Status;
        remainder: "gcry_mpi_mod" => (Handle, Handle, Handle);
        point: "gcry_mpi_ec_get_point" => (*const c_char, Handle, c_int) -> Handle;
        set_point: "gcry_mpi_ec_set_point" => (*const c_char, Handle, Handle) -> Status;
        new_point: "gcry_mpi_point_new" => (c_uint) -> Handle;
        release_point: "gcry_mpi_point_release" => (Handle);
        multiply_point: "gcry_mpi_ec_mul" => (Handle, Handle, Handle, Handle);
    }
}

/// By which algorithm, and on which curve.
#[derive(Debug, Clone, Copy)]
pub(super) enum Algorithm {
    /// RFC 7748: the number of the curve, and bytes of everything.
    Montgomery(c_int),
    /// ECDSA: the curve's name, and the number and length of its hash.
    Ecdsa(&'static str, c_int, usize),
    /// ECDH: the curve's name.
    Ecdh(&'static str),
    Ed25519,
    Ed448,
    Rsa(rsa::Padding),
}

/// An algorithm and what is done by it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Done {
    algorithm: Algorithm,
    operation: Operation,
}

/// `GCRY_MD_SHA256`, `GCRY_MD_SHA384` and `GCRY_MD_SHA512`.
const SHA256: c_int = 8;
const SHA384: c_int = 9;
const SHA512: c_int = 10;

#[rustfmt::skip]
const NAMED: &[(&str, &str, Algorithm)] = &[
    ("x25519", "X25519", Algorithm::Montgomery(1)),
    ("x448", "X448", Algorithm::Montgomery(2)),
    ("ed25519", "Ed25519", Algorithm::Ed25519),
    ("ed448", "Ed448", Algorithm::Ed448),
    ("ecdh-p256", "ECDH/NIST P-256", Algorithm::Ecdh("NIST P-256")),
    ("ecdh-p384", "ECDH/NIST P-384", Algorithm::Ecdh("NIST P-384")),
    ("ecdh-p521", "ECDH/NIST P-521", Algorithm::Ecdh("NIST P-521")),
    ("ecdh-secp256k1", "ECDH/secp256k1", Algorithm::Ecdh("secp256k1")),
    ("ecdh-brainpoolp256r1", "ECDH/brainpoolP256r1", Algorithm::Ecdh("brainpoolP256r1")),
    ("ecdh-brainpoolp384r1", "ECDH/brainpoolP384r1", Algorithm::Ecdh("brainpoolP384r1")),
    ("ecdh-brainpoolp512r1", "ECDH/brainpoolP512r1", Algorithm::Ecdh("brainpoolP512r1")),
    ("ecdsa-p256", "ECDSA/NIST P-256", Algorithm::Ecdsa("NIST P-256", SHA256, 32)),
    ("ecdsa-p384", "ECDSA/NIST P-384", Algorithm::Ecdsa("NIST P-384", SHA384, 48)),
    ("ecdsa-p521", "ECDSA/NIST P-521", Algorithm::Ecdsa("NIST P-521", SHA512, 64)),
    ("ecdsa-secp256k1", "ECDSA/secp256k1", Algorithm::Ecdsa("secp256k1", SHA256, 32)),
    ("ecdsa-brainpoolp256r1", "ECDSA/brainpoolP256r1", Algorithm::Ecdsa("brainpoolP256r1", SHA256, 32)),
    ("ecdsa-brainpoolp384r1", "ECDSA/brainpoolP384r1", Algorithm::Ecdsa("brainpoolP384r1", SHA384, 48)),
    ("ecdsa-brainpoolp512r1", "ECDSA/brainpoolP512r1", Algorithm::Ecdsa("brainpoolP512r1", SHA512, 64)),
    ("rsa-2048-pkcs1", "RSA-2048/PKCS1", Algorithm::Rsa(Padding::Pkcs1)),
    ("rsa-3072-pkcs1", "RSA-3072/PKCS1", Algorithm::Rsa(Padding::Pkcs1)),
    ("rsa-4096-pkcs1", "RSA-4096/PKCS1", Algorithm::Rsa(Padding::Pkcs1)),
    ("rsa-2048-pss", "RSA-2048/PSS", Algorithm::Rsa(Padding::Pss)),
    ("rsa-3072-pss", "RSA-3072/PSS", Algorithm::Rsa(Padding::Pss)),
    ("rsa-4096-pss", "RSA-4096/PSS", Algorithm::Rsa(Padding::Pss)),
    ("rsa-2048-oaep", "RSA-2048/OAEP", Algorithm::Rsa(Padding::Oaep)),
    ("rsa-3072-oaep", "RSA-3072/OAEP", Algorithm::Rsa(Padding::Oaep)),
    ("rsa-4096-oaep", "RSA-4096/OAEP", Algorithm::Rsa(Padding::Oaep)),
];

pub(super) fn entries() -> Vec<Entry<Recipe>> {
    let of_algorithm = |(primitive, spelling, algorithm): &(&str, &str, Algorithm)| {
        use Operation::{Agree, Keygen, PrivateDecrypt, PublicEncrypt, PublicKey, Sign, Verify};
        let operations: &[Operation] = match algorithm {
            Algorithm::Montgomery(_) => &[PublicKey, Agree],
            Algorithm::Ecdh(_) => &[Keygen, PublicKey, Agree],
            // What a key is for makes no difference to making one.
            Algorithm::Rsa(Padding::Oaep) => &[PublicEncrypt, PrivateDecrypt],
            Algorithm::Rsa(Padding::Pkcs1) => &[Keygen, Sign, Verify],
            Algorithm::Rsa(_) => &[Sign, Verify],
            _ => &[Keygen, PublicKey, Sign, Verify],
        };
        let catalogued = scheme::of(primitive);
        let entry = |operation: &Operation| {
            // It draws its own.
            let randomness = Length::NONE;
            let lengths = Lengths { randomness, ..catalogued?.lengths(*operation) };
            let (primitive, spelling) = ((*primitive).to_owned(), (*spelling).to_owned());
            let offer = offer(primitive, *operation, spelling, lengths);
            let recipe = Recipe::Key(Done { algorithm: *algorithm, operation: *operation });
            Some(Entry { offer, recipe })
        };
        operations.iter().filter_map(entry).collect::<Vec<_>>()
    };
    NAMED.iter().flat_map(of_algorithm).collect()
}

pub(super) fn prepare(
    functions: &Functions,
    keys: Option<Keys>,
    done: Done,
    contract: Contract,
    inputs: Inputs,
) -> Made {
    let refused = || PrepareError::Unavailable("this libgcrypt has no keys".to_owned());
    let keys = keys.ok_or_else(refused)?;
    let Done { algorithm, operation } = done;
    let asked = Asked { core: functions.core, keys, algorithm, contract, inputs };
    match (algorithm, operation) {
        (Algorithm::Montgomery(curve), _) => multiply::prepare(asked, curve),
        (Algorithm::Ed448, Operation::PublicKey) => ed448::prepare(asked, functions.digests),
        (_, Operation::Keygen) => generate::prepare(asked),
        (_, Operation::Agree) => agree::prepare(asked),
        (_, Operation::PublicKey) => multiply::prepare_base(asked),
        (_, Operation::Verify) => sign::prepare_verification(asked),
        (_, Operation::PublicEncrypt) => encrypt::prepare(asked),
        (_, Operation::PrivateDecrypt) => encrypt::prepare_decryption(asked),
        _ => sign::prepare(asked, functions.digests),
    }
}

/// A call that is to be made ready.
struct Asked {
    core: Core,
    keys: Keys,
    algorithm: Algorithm,
    contract: Contract,
    inputs: Inputs,
}

impl Asked {
    /// One that does `task`.
    fn turns(self, task: impl Task<Failure = Failure> + 'static) -> Made {
        turns(self.core, task, self.contract, self.inputs)
    }

    /// What `make` makes of each case.
    ///
    /// # Errors
    /// [`PrepareError::Unavailable`], where it makes nothing of one, whose key is none.
    fn expressions(
        &self,
        make: impl Fn(&Case) -> Option<Vec<u8>>,
    ) -> Result<Vec<Vec<u8>>, PrepareError> {
        let no_key = || PrepareError::Unavailable("a key is not in its encoding".to_owned());
        self.inputs.cases.iter().map(make).collect::<Option<_>>().ok_or_else(no_key)
    }
}
