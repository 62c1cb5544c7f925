//! Offers libcrux as a provider: its verified ML-KEM and ML-DSA, with given randomness. Key
//! pairs come from FIPS 203's d and z and FIPS 204's ξ, ciphertexts from m; signatures are
//! deterministic, with an empty context.
//!
//! Its functions take keys as bytes, so keyed calls keep nothing.

use cpb_model::{Operation, Role};
use cpb_provider::{Case, Implementation, Table, call, line, provider};
use libcrux_ml_dsa::{ml_dsa_44, ml_dsa_65, ml_dsa_87};
use libcrux_ml_kem::{mlkem512, mlkem768, mlkem1024};

provider!(c"libcrux", c"0.0.11", Table::new(&[IMPLEMENTATIONS]));

macro_rules! ml_kem {
    ($name:literal, $kem:ident) => {
        [
            line($name, Operation::Keygen, Implementation::SEEDED, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let pair = $kem::generate_key_pair(array(case, Role::Randomness)?);
                    put(out, pair.pk(), pair.sk())
                }))
            }),
            line($name, Operation::Encapsulate, Implementation::SEEDED, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let key = case.bytes(Role::PublicKey).try_into().map_err(describe)?;
                    // FIPS 203, section 7.2, requires checking the key before encapsulation.
                    if !$kem::validate_public_key(&key) {
                        return Err("libcrux refuses the public key".to_owned());
                    }
                    let (ciphertext, secret) =
                        $kem::encapsulate(&key, array(case, Role::Randomness)?);
                    put(out, ciphertext.as_ref(), &secret)
                }))
            }),
            line($name, Operation::Decapsulate, Implementation::NONE, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let key = case.bytes(Role::SecretKey).try_into().map_err(describe)?;
                    let ciphertext = case.bytes(Role::Ciphertext).try_into().map_err(describe)?;
                    out.copy_from_slice(&$kem::decapsulate(&key, &ciphertext));
                    Ok(())
                }))
            }),
        ]
    };
}

macro_rules! ml_dsa {
    ($name:literal, $dsa:ident, $Sign:ident, $Verify:ident, $Signature:ident) => {
        [
            line($name, Operation::Keygen, Implementation::SEEDED, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let pair = $dsa::generate_key_pair(array(case, Role::Randomness)?);
                    put(out, pair.verification_key.as_ref(), pair.signing_key.as_ref())
                }))
            }),
            line($name, Operation::Sign, Implementation::NONE, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let key = $dsa::$Sign::new(array(case, Role::SecretKey)?);
                    let signature = $dsa::sign(&key, case.message.bytes(), &[], [0; 32]);
                    out.copy_from_slice(signature.map_err(describe)?.as_ref());
                    Ok(())
                }))
            }),
            line($name, Operation::Verify, Implementation::NONE, |_, inputs| {
                Ok(call(inputs, |case, _| {
                    let key = $dsa::$Verify::new(array(case, Role::PublicKey)?);
                    let signature = $dsa::$Signature::new(array(case, Role::Signature)?);
                    $dsa::verify(&key, case.message.bytes(), &[], &signature).map_err(describe)
                }))
            }),
        ]
    };
}

const IMPLEMENTATIONS: &[Implementation] = [
    ml_kem!("ml-kem-512", mlkem512),
    ml_kem!("ml-kem-768", mlkem768),
    ml_kem!("ml-kem-1024", mlkem1024),
    ml_dsa!("ml-dsa-44", ml_dsa_44, MLDSA44SigningKey, MLDSA44VerificationKey, MLDSA44Signature),
    ml_dsa!("ml-dsa-65", ml_dsa_65, MLDSA65SigningKey, MLDSA65VerificationKey, MLDSA65Signature),
    ml_dsa!("ml-dsa-87", ml_dsa_87, MLDSA87SigningKey, MLDSA87VerificationKey, MLDSA87Signature),
]
.as_flattened();

/// Formats the reason of an error.
fn describe(reason: impl std::fmt::Debug) -> String {
    format!("libcrux refuses it: {reason:?}")
}

fn array<const BYTES: usize>(case: &Case, role: Role) -> Result<[u8; BYTES], String> {
    case.bytes(role).try_into().map_err(describe)
}

fn put(out: &mut [u8], first: &[u8], second: &[u8]) -> Result<(), String> {
    let (first_place, second_place) = out.split_at_mut_checked(first.len()).ok_or("no room")?;
    first_place.copy_from_slice(first);
    second_place.copy_from_slice(second);
    Ok(())
}
