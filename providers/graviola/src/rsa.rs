//! Offers RSA signatures with SHA-256. The salt of PSS is random.

use crate::{describe, made};
use cpb_model::{Contract, Role};
use cpb_provider::{Case, Implementation, Inputs, PrepareResult, call_with_key, rsa_lines, worked};
use graviola::signing::rsa::{SigningKey, VerifyingKey};

pub(crate) const IMPLEMENTATIONS: &[Implementation] = &rsa_lines([
    |contract, inputs| made(sign_pkcs1, contract, inputs),
    |contract, inputs| made(verify_pkcs1, contract, inputs),
    |contract, inputs| made(sign_pss, contract, inputs),
    |contract, inputs| made(verify_pss, contract, inputs),
]);

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
