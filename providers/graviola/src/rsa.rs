//! Offers RSA signatures with SHA-256. The salt of PSS is random.

use crate::{describe, line};
use cpb_model::{Contract, Lengths, Role};
use cpb_provider::{Case, Implementation, Inputs, PrepareResult, call_with_key, worked};
use graviola::signing::rsa::{SigningKey, VerifyingKey};

/// The lengths of the catalogue.
const USUAL: Lengths = Implementation::NONE;

pub(crate) const IMPLEMENTATIONS: &[Implementation] = &[
    line!("rsa-2048-pkcs1", Sign, USUAL, sign_pkcs1),
    line!("rsa-2048-pkcs1", Verify, USUAL, verify_pkcs1),
    line!("rsa-3072-pkcs1", Sign, USUAL, sign_pkcs1),
    line!("rsa-3072-pkcs1", Verify, USUAL, verify_pkcs1),
    line!("rsa-4096-pkcs1", Sign, USUAL, sign_pkcs1),
    line!("rsa-4096-pkcs1", Verify, USUAL, verify_pkcs1),
    line!("rsa-2048-pss", Sign, USUAL, sign_pss),
    line!("rsa-2048-pss", Verify, USUAL, verify_pss),
    line!("rsa-3072-pss", Sign, USUAL, sign_pss),
    line!("rsa-3072-pss", Verify, USUAL, verify_pss),
    line!("rsa-4096-pss", Sign, USUAL, sign_pss),
    line!("rsa-4096-pss", Verify, USUAL, verify_pss),
];

fn secret(case: &Case) -> Result<SigningKey, String> {
    SigningKey::from_pkcs1_der(case.bytes(Role::SecretKey)).map_err(describe)
}

fn public(case: &Case) -> Result<VerifyingKey, String> {
    VerifyingKey::from_pkcs1_der(case.bytes(Role::PublicKey)).map_err(describe)
}

fn sign_pkcs1(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, secret, |key, case, out| {
        key.sign_pkcs1_sha256(out, case.message.bytes()).map(drop).map_err(describe)
    })
}

fn verify_pkcs1(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, public, |key, case, _| {
        worked(key.verify_pkcs1_sha256(case.bytes(Role::Signature), case.message.bytes()).is_ok())
    })
}

fn sign_pss(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, secret, |key, case, out| {
        key.sign_pss_sha256(out, case.message.bytes()).map(drop).map_err(describe)
    })
}

fn verify_pss(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, public, |key, case, _| {
        worked(key.verify_pss_sha256(case.bytes(Role::Signature), case.message.bytes()).is_ok())
    })
}
