//! Names operations with key pairs as libgcrypt's own bench-slope does since 2026.

use cpb_model::Operation;

pub const GROUPS: [&str; 3] = [PUBLIC_KEY, CURVES, POST_QUANTUM];

/// The length of what is signed.
pub const MESSAGE_BYTES: usize = 32;

pub(super) const PUBLIC_KEY: &str = "pk";
pub(super) const CURVES: &str = "ecc";
pub(super) const POST_QUANTUM: &str = "pq";

/// Returns group and algorithm of a primitive; `None` for one without key pairs.
pub(super) fn name(primitive: &str) -> Option<(&'static str, &'static str)> {
    let found = NAMES.iter().find(|(known, ..)| *known == primitive)?;
    Some((found.1, found.2))
}

/// Returns the sort key of a row in its library: by algorithm, and then by operation.
pub fn place(primitive: &str, operation: Operation) -> impl Ord + use<> {
    let algorithm = name(primitive);
    let row = NAMES.iter().position(|(_, group, it)| algorithm == Some((*group, *it)));
    (row.unwrap_or(NAMES.len()), operation != Operation::PublicKey, operation)
}

#[rustfmt::skip]
const NAMES: &[(&str, &str, &str)] = &[
    ("rsa-2048-pkcs1", PUBLIC_KEY, "RSA-2048"),
    ("rsa-3072-pkcs1", PUBLIC_KEY, "RSA-3072"),
    ("rsa-4096-pkcs1", PUBLIC_KEY, "RSA-4096"),
    ("rsa-2048-pss", PUBLIC_KEY, "RSA-2048-PSS"),
    ("rsa-3072-pss", PUBLIC_KEY, "RSA-3072-PSS"),
    ("rsa-4096-pss", PUBLIC_KEY, "RSA-4096-PSS"),
    ("rsa-2048-oaep", PUBLIC_KEY, "RSA-2048-OAEP"),
    ("rsa-3072-oaep", PUBLIC_KEY, "RSA-3072-OAEP"),
    ("rsa-4096-oaep", PUBLIC_KEY, "RSA-4096-OAEP"),
    ("ffdh-2048", PUBLIC_KEY, "FFDH-2048"),
    ("ffdh-3072", PUBLIC_KEY, "FFDH-3072"),
    ("ed25519", CURVES, "Ed25519"),
    ("ed448", CURVES, "Ed448"),
    ("x25519", CURVES, "X25519"),
    ("x448", CURVES, "X448"),
    ("ecdsa-p256", CURVES, "NIST-P256"),
    ("ecdh-p256", CURVES, "NIST-P256"),
    ("ecdsa-p384", CURVES, "NIST-P384"),
    ("ecdh-p384", CURVES, "NIST-P384"),
    ("ecdsa-p521", CURVES, "NIST-P521"),
    ("ecdh-p521", CURVES, "NIST-P521"),
    ("ecdsa-secp256k1", CURVES, "secp256k1"),
    ("ecdh-secp256k1", CURVES, "secp256k1"),
    ("ecdsa-brainpoolp256r1", CURVES, "brainpoolP256r1"),
    ("ecdh-brainpoolp256r1", CURVES, "brainpoolP256r1"),
    ("ecdsa-brainpoolp384r1", CURVES, "brainpoolP384r1"),
    ("ecdh-brainpoolp384r1", CURVES, "brainpoolP384r1"),
    ("ecdsa-brainpoolp512r1", CURVES, "brainpoolP512r1"),
    ("ecdh-brainpoolp512r1", CURVES, "brainpoolP512r1"),
    ("ml-kem-512", POST_QUANTUM, "ML-KEM-512"),
    ("ml-kem-768", POST_QUANTUM, "ML-KEM-768"),
    ("ml-kem-1024", POST_QUANTUM, "ML-KEM-1024"),
    ("x25519mlkem768", POST_QUANTUM, "X25519MLKEM768"),
    ("x448mlkem1024", POST_QUANTUM, "X448MLKEM1024"),
    ("secp256r1mlkem768", POST_QUANTUM, "SecP256r1MLKEM768"),
    ("secp384r1mlkem1024", POST_QUANTUM, "SecP384r1MLKEM1024"),
    ("ml-dsa-44", POST_QUANTUM, "ML-DSA-44"),
    ("ml-dsa-65", POST_QUANTUM, "ML-DSA-65"),
    ("ml-dsa-87", POST_QUANTUM, "ML-DSA-87"),
    ("slh-dsa-sha2-128s", POST_QUANTUM, "SLH-DSA-SHA2-128s"),
    ("slh-dsa-sha2-128f", POST_QUANTUM, "SLH-DSA-SHA2-128f"),
    ("slh-dsa-sha2-192s", POST_QUANTUM, "SLH-DSA-SHA2-192s"),
    ("slh-dsa-sha2-192f", POST_QUANTUM, "SLH-DSA-SHA2-192f"),
    ("slh-dsa-sha2-256s", POST_QUANTUM, "SLH-DSA-SHA2-256s"),
    ("slh-dsa-sha2-256f", POST_QUANTUM, "SLH-DSA-SHA2-256f"),
    ("slh-dsa-shake-128s", POST_QUANTUM, "SLH-DSA-SHAKE-128s"),
    ("slh-dsa-shake-128f", POST_QUANTUM, "SLH-DSA-SHAKE-128f"),
    ("slh-dsa-shake-192s", POST_QUANTUM, "SLH-DSA-SHAKE-192s"),
    ("slh-dsa-shake-192f", POST_QUANTUM, "SLH-DSA-SHAKE-192f"),
    ("slh-dsa-shake-256s", POST_QUANTUM, "SLH-DSA-SHAKE-256s"),
    ("slh-dsa-shake-256f", POST_QUANTUM, "SLH-DSA-SHAKE-256f"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_of_one_curve_stand_together_multiplication_first() {
        let mut rows = [
            ("ecdh-p256", Operation::Agree),
            ("ed25519", Operation::Sign),
            ("ecdsa-p256", Operation::Keygen),
            ("mine", Operation::Sign),
            ("ecdh-p256", Operation::PublicKey),
        ];
        rows.sort_by_key(|(primitive, operation)| place(primitive, *operation));
        let names = rows.map(|(primitive, operation)| format!("{primitive} {}", operation.name()));
        assert_eq!(
            names,
            [
                "ed25519 sign",
                "ecdh-p256 public-key",
                "ecdsa-p256 keygen",
                "ecdh-p256 agree",
                "mine sign"
            ]
        );
        assert_eq!(name("ecdh-p521"), Some(("ecc", "NIST-P521")));
        assert_eq!(name("sha256"), None);
    }
}
