//! Offers ECDH and ECDSA on P-256, P-384, P-521 and secp256k1, and Schnorr signatures on
//! the last. All signatures are deterministic: RFC 6979, and BIP 340 with zeros as
//! auxiliary randomness.

use crate::describe;
use cpb_model::{Contract, Operation, Role};
use cpb_provider::{Case, Implementation, Inputs, PrepareResult, call, call_with_key, key_line};
use ecdsa::EcdsaCurve;
use elliptic_curve::Generate;
use elliptic_curve::sec1::ToSec1Point;
use k256::schnorr;

pub(crate) use {
    nist_p256::LINES as P256, nist_p384::LINES as P384, nist_p521::LINES as P521,
    secp256k1::LINES as SECP256K1,
};

pub(crate) const SCHNORR: &[Implementation] = &[
    key_line("schnorr-secp256k1", Operation::Keygen, schnorr_keygen),
    key_line("schnorr-secp256k1", Operation::PublicKey, schnorr_public_key),
    key_line("schnorr-secp256k1", Operation::Sign, schnorr_sign),
    key_line("schnorr-secp256k1", Operation::Verify, schnorr_verify),
];

/// Defines the operations on a curve, for the crate of that curve. They are a macro,
/// because only traits are generic over curves, and their bounds would be longer than this.
macro_rules! curve {
    ($name:ident, $krate:ident::$Curve:ident, $ecdh:literal, $ecdsa:literal) => {
        mod $name {
            use super::*;
            use $krate::ecdsa::signature::{Signer, Verifier};
            use $krate::ecdsa::{Signature, SigningKey, VerifyingKey};
            use $krate::{PublicKey, SecretKey};

            pub(crate) const LINES: &[Implementation] = &[
                key_line($ecdh, Operation::Keygen, keygen),
                key_line($ecdh, Operation::PublicKey, public_key),
                key_line($ecdh, Operation::Agree, agree),
                key_line($ecdsa, Operation::Keygen, keygen),
                key_line($ecdsa, Operation::PublicKey, public_key),
                key_line($ecdsa, Operation::Sign, sign),
                key_line($ecdsa, Operation::Verify, verify),
            ];

            fn keygen(_: Contract, inputs: Inputs) -> PrepareResult {
                Ok(call(inputs, |_, out| {
                    let secret = SecretKey::try_generate().map_err(describe)?;
                    let point = secret.public_key().to_sec1_point(false);
                    let (public_key, secret_key) = out.split_at_mut(point.len());
                    public_key.copy_from_slice(point.as_bytes());
                    secret_key.copy_from_slice(&secret.to_bytes());
                    Ok(())
                }))
            }

            fn public_key(contract: Contract, inputs: Inputs) -> PrepareResult {
                let key = |case: &Case| {
                    SecretKey::from_slice(case.bytes(Role::SecretKey)).map_err(describe)
                };
                call_with_key(contract, inputs, key, |secret, _, out| {
                    out.copy_from_slice(secret.public_key().to_sec1_point(false).as_bytes());
                    Ok(())
                })
            }

            fn agree(contract: Contract, inputs: Inputs) -> PrepareResult {
                let keys = |case: &Case| {
                    let secret = SecretKey::from_slice(case.bytes(Role::SecretKey));
                    let peer = PublicKey::from_sec1_bytes(case.bytes(Role::PublicKey));
                    Ok((secret.map_err(describe)?, peer.map_err(describe)?))
                };
                call_with_key(contract, inputs, keys, |(secret, peer), _, out| {
                    out.copy_from_slice(secret.diffie_hellman(peer).raw_secret_bytes());
                    Ok(())
                })
            }

            fn sign(contract: Contract, inputs: Inputs) -> PrepareResult {
                let key = |case: &Case| {
                    SigningKey::from_slice(case.bytes(Role::SecretKey)).map_err(describe)
                };
                call_with_key(contract, inputs, key, |key, case, out| {
                    let signature: Signature = key.sign(case.message.bytes());
                    out.copy_from_slice(&signature.to_bytes());
                    Ok(())
                })
            }

            fn verify(contract: Contract, inputs: Inputs) -> PrepareResult {
                let key = |case: &Case| {
                    VerifyingKey::from_sec1_bytes(case.bytes(Role::PublicKey)).map_err(describe)
                };
                call_with_key(contract, inputs, key, |key, case, _| {
                    let bytes = case.bytes(Role::Signature);
                    let mut signature = Signature::from_slice(bytes).map_err(describe)?;
                    // On secp256k1 only the lower of the two values of s is accepted.
                    if $krate::$Curve::NORMALIZE_S {
                        signature = signature.normalize_s();
                    }
                    key.verify(case.message.bytes(), &signature).map_err(describe)
                })
            }
        }
    };
}

curve!(nist_p256, p256::NistP256, "ecdh-p256", "ecdsa-p256");
curve!(nist_p384, p384::NistP384, "ecdh-p384", "ecdsa-p384");
curve!(nist_p521, p521::NistP521, "ecdh-p521", "ecdsa-p521");
curve!(secp256k1, k256::Secp256k1, "ecdh-secp256k1", "ecdsa-secp256k1");

/// The auxiliary randomness: zeros, which BIP 340 allows for deterministic signatures.
const NO_CHANCE: [u8; 32] = [0; 32];

fn schnorr_keygen(_: Contract, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |_, out| {
        let pair = schnorr::SigningKey::try_generate().map_err(describe)?;
        let public = pair.verifying_key().to_bytes();
        let (public_key, secret_key) = out.split_at_mut(public.len());
        public_key.copy_from_slice(&public);
        secret_key.copy_from_slice(&pair.to_bytes());
        Ok(())
    }))
}

fn schnorr_public_key(_: Contract, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |case, out| {
        let pair =
            schnorr::SigningKey::from_slice(case.bytes(Role::SecretKey)).map_err(describe)?;
        out.copy_from_slice(&pair.verifying_key().to_bytes());
        Ok(())
    }))
}

/// Signs the message itself, because the crate's `Signer` would hash it first.
fn schnorr_sign(contract: Contract, inputs: Inputs) -> PrepareResult {
    let key = |case: &Case| {
        schnorr::SigningKey::from_slice(case.bytes(Role::SecretKey)).map_err(describe)
    };
    call_with_key(contract, inputs, key, |key, case, out| {
        let signature = key.sign_raw(case.message.bytes(), &NO_CHANCE).map_err(describe)?;
        out.copy_from_slice(&signature.to_bytes());
        Ok(())
    })
}

fn schnorr_verify(contract: Contract, inputs: Inputs) -> PrepareResult {
    let key = |case: &Case| {
        schnorr::VerifyingKey::from_slice(case.bytes(Role::PublicKey)).map_err(describe)
    };
    call_with_key(contract, inputs, key, |key, case, _| {
        let bytes = case.bytes(Role::Signature);
        let signature = schnorr::Signature::try_from(bytes).map_err(describe)?;
        key.verify_raw(case.message.bytes(), &signature).map_err(describe)
    })
}
