//! Contains the catalogue of public-key primitives: the lengths of keys, signatures and
//! ciphertexts, the encodings in which libraries exchange them, and the sources of secret keys.
//! Adapters read it instead of stating their own.
//!
//! | primitives | encodings |
//! |---|---|
//! | X25519, X448 | RFC 7748: secret key, public key and shared secret as they are |
//! | FFDH | RFC 7919, and 8446 section 7.4.1: numbers as long as the modulus, big-endian |
//! | Ed25519, Ed448 | RFC 8032: the secret key is the seed; without a context |
//! | ECDH, ECDSA | SEC 1: the secret key as a number of fixed length, big-endian; the public key as an uncompressed point; the shared secret as its x; a signature as r and s, each of fixed length, one behind the other |
//! | Schnorr signatures on secp256k1 | BIP 340: the public key as its x, auxiliary chance of zeros |
//! | RSA | RFC 8017: `RSAPrivateKey` and `RSAPublicKey` in DER, signatures and ciphertexts as they are |
//! | ML-KEM | FIPS 203: the secret key is the whole decapsulation key; randomness is d and z for a key pair, m for a ciphertext |
//! | ML-DSA, SLH-DSA | FIPS 204, 205: the secret key is the whole private key, the context empty, signatures deterministic; randomness is ξ, and SK.seed, SK.prf and PK.seed, for a key pair |
//! | X25519MLKEM768, X448MLKEM1024 | draft-ietf-tls-ecdhe-mlkem: ML-KEM's part in front |
//! | SecP256r1MLKEM768, SecP384r1MLKEM1024 | the same: the curve's part in front |

mod rsa;

use cpb_model::{LengthRange, Lengths, Offer, Operation, Proof, Role};

/// A public-key primitive.
#[derive(Debug)]
pub struct Scheme {
    /// Its canonical name.
    pub primitive: &'static str,
    /// The source of its secret keys.
    pub(crate) secrets: Secrets,
    /// Whether a key has exactly one signature per message.
    has_one_signature: bool,
    /// The number of cases: fewer than [`CASES`] if making their inputs takes long.
    pub(crate) cases: usize,
    public_key: usize,
    secret_key: usize,
    signature: usize,
    ciphertext: usize,
    shared_secret: usize,
    /// Bytes of randomness for a key pair, and for a ciphertext.
    randomness: [usize; 2],
}

/// Names the source of secret keys.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Secrets {
    /// The seeds: any string of this length is a key.
    Bytes(usize),
    /// The seeds: a number from 1 to below this one, in hexadecimal with leading zeros up to the
    /// length of a secret key.
    Below(&'static str),
    /// A list of key pairs.
    Pairs(&'static [(&'static [u8], &'static [u8])]),
    /// The library's own key generation.
    Generated,
}

/// The number of cases that calls rotate through, so that no branch predictor learns a key by
/// heart, and the result does not depend on a single key.
pub const CASES: usize = 64;

/// Returns the public-key primitive of this name.
pub fn of(primitive: &str) -> Option<&'static Scheme> {
    SCHEMES.iter().find(|scheme| scheme.primitive == primitive)
}

impl Scheme {
    /// Returns the length of a secret key from the seeds.
    pub(crate) fn secret_key_bytes(&self) -> usize {
        self.secret_key
    }

    /// Whether `operation` searches for primes, as RSA key generation does.
    fn searches_primes(&self, operation: Operation) -> bool {
        operation == Operation::Keygen && matches!(self.secrets, Secrets::Pairs(_))
    }

    /// Returns the lengths of the inputs and outputs of `operation`.
    pub fn lengths(&self, operation: Operation) -> Lengths {
        let row = operation.row();
        let has = |role: Role| row.takes.contains(&role) || row.gives.contains(&role);
        let of =
            |role, bytes| if has(role) { LengthRange::fixed(bytes) } else { LengthRange::NONE };
        let [for_pair, for_ciphertext] = self.randomness;
        let randomness = match *row.gives {
            [Role::PublicKey, Role::SecretKey] => for_pair,
            [Role::Ciphertext, Role::SharedSecret] => for_ciphertext,
            _ => 0,
        };
        let mut lengths = Lengths {
            granularity: 1,
            public_key: of(Role::PublicKey, self.public_key),
            secret_key: of(Role::SecretKey, self.secret_key),
            signature: of(Role::Signature, self.signature),
            ciphertext: of(Role::Ciphertext, self.ciphertext),
            shared_secret: of(Role::SharedSecret, self.shared_secret),
            randomness: LengthRange::fixed(randomness),
            ..Lengths::default()
        };
        if let Secrets::Pairs(pairs) = self.secrets {
            let of = |role, bytes: fn(&(&[u8], &[u8])) -> usize| {
                let (least, most) = (pairs.iter().map(bytes).min(), pairs.iter().map(bytes).max());
                // DER omits leading zeros.
                let (least, most) = (least.unwrap_or(0) - 8, most.unwrap_or(0));
                let length = LengthRange::fixed(most).at_least(least).up_to(most + 8);
                if has(role) { length } else { LengthRange::NONE }
            };
            lengths.secret_key = of(Role::SecretKey, |pair| pair.0.len());
            lengths.public_key = of(Role::PublicKey, |pair| pair.1.len());
            if self.searches_primes(operation) {
                // With the requested exponent, and a modulus of full length.
                lengths.public_key = LengthRange::fixed(lengths.public_key.default_length());
            }
        }
        lengths
    }
}

/// Whether a call is slow, for a random time, because it searches for primes. Such calls are
/// measured only on request.
pub fn is_slow(primitive: &str, operation: Operation) -> bool {
    of(primitive).is_some_and(|scheme| scheme.searches_primes(operation))
}

/// Returns why a public key made by `operation` is invalid, as far as its bytes show; `None` if
/// nothing is wrong.
pub(crate) fn fault_of_public_key(
    primitive: &str,
    operation: Operation,
    key: &[u8],
) -> Option<String> {
    let bytes = of(primitive)?.lengths(operation).public_key.default_length();
    let is_right = !is_slow(primitive, operation) || rsa::is_public_key(key, bytes);
    let fault = || format!("its public key is none of {primitive} with the exponent 65537");
    (!is_right).then(fault)
}

/// Whether all implementations of `offer` have the same output: it is given all its randomness, or
/// needs none.
pub fn has_one_output(offer: &Offer) -> bool {
    match offer.operation.row().proof {
        Proof::AcceptedBy(_) if offer.lengths.randomness.is_none() => {
            offer.operation.row().gives == [Role::Signature]
                && of(&offer.primitive).is_some_and(|scheme| scheme.has_one_signature)
        }
        _ => true,
    }
}

const NONE: Scheme = Scheme {
    primitive: "",
    secrets: Secrets::Generated,
    has_one_signature: false,
    cases: CASES,
    public_key: 0,
    secret_key: 0,
    signature: 0,
    ciphertext: 0,
    shared_secret: 0,
    randomness: [0, 0],
};

/// RFC 7748: everything has the same length.
const fn montgomery(primitive: &'static str, bytes: usize) -> Scheme {
    Scheme {
        primitive,
        secrets: Secrets::Bytes(bytes),
        public_key: bytes,
        secret_key: bytes,
        shared_secret: bytes,
        ..NONE
    }
}

/// RFC 7919: everything is as long as the modulus; secret numbers are below `below`.
const fn ffdh(primitive: &'static str, bytes: usize, below: &'static str) -> Scheme {
    Scheme { secrets: Secrets::Below(below), ..montgomery(primitive, bytes) }
}

/// RFC 8032.
const fn edwards(primitive: &'static str, bytes: usize) -> Scheme {
    Scheme {
        primitive,
        secrets: Secrets::Bytes(bytes),
        has_one_signature: true,
        public_key: bytes,
        secret_key: bytes,
        signature: 2 * bytes,
        ..NONE
    }
}

/// Returns the scheme of ECDH on a curve whose group has this order.
const fn ecdh(primitive: &'static str, order: &'static str) -> Scheme {
    let bytes = order.len() / 2;
    Scheme {
        primitive,
        secrets: Secrets::Below(order),
        public_key: 1 + 2 * bytes,
        secret_key: bytes,
        shared_secret: bytes,
        ..NONE
    }
}

/// Works like [`ecdh`], for ECDSA.
const fn ecdsa(primitive: &'static str, order: &'static str) -> Scheme {
    let bytes = order.len() / 2;
    Scheme { shared_secret: 0, signature: 2 * bytes, ..ecdh(primitive, order) }
}

/// BIP 340: a public key is the x coordinate of its point.
const fn schnorr(primitive: &'static str, order: &'static str) -> Scheme {
    let scheme = ecdsa(primitive, order);
    Scheme { public_key: scheme.secret_key, has_one_signature: true, ..scheme }
}

/// Signatures are as long as the modulus.
const fn rsa(
    primitive: &'static str,
    pairs: &'static [(&'static [u8], &'static [u8])],
    signature: usize,
    has_one_signature: bool,
) -> Scheme {
    Scheme { primitive, secrets: Secrets::Pairs(pairs), has_one_signature, signature, ..NONE }
}

/// RFC 8017 section 7.1 with SHA-256 and no label, for a secret as long as a key.
const fn oaep(
    primitive: &'static str,
    pairs: &'static [(&'static [u8], &'static [u8])],
    ciphertext: usize,
) -> Scheme {
    let secrets = Secrets::Pairs(pairs);
    Scheme { primitive, secrets, ciphertext, shared_secret: 32, ..NONE }
}

const fn kem(
    primitive: &'static str,
    [public_key, secret_key, ciphertext, shared_secret]: [usize; 4],
    randomness: [usize; 2],
) -> Scheme {
    Scheme { primitive, public_key, secret_key, ciphertext, shared_secret, randomness, ..NONE }
}

const fn lattice(
    primitive: &'static str,
    [public_key, secret_key, signature]: [usize; 3],
) -> Scheme {
    let randomness = [32, 0];
    let has_one_signature = true;
    Scheme { primitive, public_key, secret_key, signature, randomness, has_one_signature, ..NONE }
}

/// FIPS 205; making a signature takes long.
const fn hashes(primitive: &'static str, bytes: usize, signature: usize, cases: usize) -> Scheme {
    let lengths = [2 * bytes, 4 * bytes, signature];
    Scheme { cases, randomness: [3 * bytes, 0], ..lattice(primitive, lengths) }
}

const P256: &str = "ffffffff00000000ffffffffffffffffbce6faada7179e84f3b9cac2fc632551";
const P384: &str = "ffffffffffffffffffffffffffffffffffffffffffffffff\
                    c7634d81f4372ddf581a0db248b0a77aecec196accc52973";
const P521: &str = "01ffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff\
                    fa51868783bf2f966b7fcc0148f709a5d03bb5c9b8899c47aebb6fb71e91386409";
const SECP256K1: &str = "fffffffffffffffffffffffffffffffebaaedce6af48a03bbfd25e8cd0364141";
const BRAINPOOL_P256: &str = "a9fb57dba1eea9bc3e660a909d838d718c397aa3b561a6f7901e0e82974856a7";
const BRAINPOOL_P384: &str = "8cb91e82a3386d280f5d6f7e50e641df152f7109ed5456b3\
                              1f166e6cac0425a7cf3ab6af6b7fc3103b883202e9046565";
const BRAINPOOL_P512: &str = "aadd9db8dbe9c48b3fd4e6ae33c9fc07cb308db3b3c9d20ed6639cca70330870\
                              553e5c414ca92619418661197fac10471db1d381085ddaddb58796829ca90069";

/// 2^225 and 2^275: with exponents this short, RFC 7919 (appendix A) rates groups of 2048 and 3072
/// bits at their full strength.
const POWER_225: &str = "0200000000000000000000000000000000000000000000000000000000";
const POWER_275: &str = "08000000000000000000000000000000000000000000000000000000000000000000";

#[rustfmt::skip]
static SCHEMES: &[Scheme] = &[
    montgomery("x25519", 32),
    montgomery("x448", 56),
    ecdh("ecdh-p256", P256),
    ecdh("ecdh-p384", P384),
    ecdh("ecdh-p521", P521),
    ecdh("ecdh-secp256k1", SECP256K1),
    ecdh("ecdh-brainpoolp256r1", BRAINPOOL_P256),
    ecdh("ecdh-brainpoolp384r1", BRAINPOOL_P384),
    ecdh("ecdh-brainpoolp512r1", BRAINPOOL_P512),
    ffdh("ffdh-2048", 256, POWER_225),
    ffdh("ffdh-3072", 384, POWER_275),
    edwards("ed25519", 32),
    edwards("ed448", 57),
    ecdsa("ecdsa-p256", P256),
    ecdsa("ecdsa-p384", P384),
    ecdsa("ecdsa-p521", P521),
    ecdsa("ecdsa-secp256k1", SECP256K1),
    ecdsa("ecdsa-brainpoolp256r1", BRAINPOOL_P256),
    ecdsa("ecdsa-brainpoolp384r1", BRAINPOOL_P384),
    ecdsa("ecdsa-brainpoolp512r1", BRAINPOOL_P512),
    schnorr("schnorr-secp256k1", SECP256K1),
    rsa("rsa-2048-pkcs1", rsa::PAIRS_2048, 256, true),
    rsa("rsa-3072-pkcs1", rsa::PAIRS_3072, 384, true),
    rsa("rsa-4096-pkcs1", rsa::PAIRS_4096, 512, true),
    rsa("rsa-2048-pss", rsa::PAIRS_2048, 256, false),
    rsa("rsa-3072-pss", rsa::PAIRS_3072, 384, false),
    rsa("rsa-4096-pss", rsa::PAIRS_4096, 512, false),
    oaep("rsa-2048-oaep", rsa::PAIRS_2048, 256),
    oaep("rsa-3072-oaep", rsa::PAIRS_3072, 384),
    oaep("rsa-4096-oaep", rsa::PAIRS_4096, 512),
    kem("ml-kem-512", [800, 1632, 768, 32], [64, 32]),
    kem("ml-kem-768", [1184, 2400, 1088, 32], [64, 32]),
    kem("ml-kem-1024", [1568, 3168, 1568, 32], [64, 32]),
    kem("x25519mlkem768", [1216, 2432, 1120, 64], [0, 0]),
    kem("x448mlkem1024", [1624, 3224, 1624, 88], [0, 0]),
    kem("secp256r1mlkem768", [1249, 2432, 1153, 64], [0, 0]),
    kem("secp384r1mlkem1024", [1665, 3216, 1665, 80], [0, 0]),
    lattice("ml-dsa-44", [1312, 2560, 2420]),
    lattice("ml-dsa-65", [1952, 4032, 3309]),
    lattice("ml-dsa-87", [2592, 4896, 4627]),
    hashes("slh-dsa-sha2-128s", 16, 7856, 2),
    hashes("slh-dsa-sha2-128f", 16, 17_088, 8),
    hashes("slh-dsa-sha2-192s", 24, 16_224, 2),
    hashes("slh-dsa-sha2-192f", 24, 35_664, 8),
    hashes("slh-dsa-sha2-256s", 32, 29_792, 2),
    hashes("slh-dsa-sha2-256f", 32, 49_856, 8),
    hashes("slh-dsa-shake-128s", 16, 7856, 2),
    hashes("slh-dsa-shake-128f", 16, 17_088, 8),
    hashes("slh-dsa-shake-192s", 24, 16_224, 2),
    hashes("slh-dsa-shake-192f", 24, 35_664, 8),
    hashes("slh-dsa-shake-256s", 32, 29_792, 2),
    hashes("slh-dsa-shake-256f", 32, 49_856, 8),
];

#[cfg(test)]
mod tests;
