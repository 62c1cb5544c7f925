//! Offers X25519 and Ed25519.

use crate::describe;
use cpb_model::{Contract, Operation, Role};
use cpb_provider::{
    Case, Implementation, Inputs, PrepareResult, call, call_with_key, key_line, worked,
};
use ed25519_dalek::{Signature, Signer, Verifier};
use x25519_dalek::StaticSecret;

/// The bytes of a secret key of each.
const SECRET: usize = 32;

pub(crate) const IMPLEMENTATIONS: &[Implementation] = &[
    key_line("x25519", Operation::Keygen, |_, inputs| keygen(inputs, x25519_public)),
    key_line("x25519", Operation::PublicKey, |_, inputs| public_key(inputs, x25519_public)),
    key_line("x25519", Operation::Agree, x25519_agree),
    key_line("ed25519", Operation::Keygen, |_, inputs| keygen(inputs, ed25519_public)),
    key_line("ed25519", Operation::PublicKey, |_, inputs| public_key(inputs, ed25519_public)),
    key_line("ed25519", Operation::Sign, ed25519_sign),
    key_line("ed25519", Operation::Verify, ed25519_verify),
];

/// Computes the public key of a secret key.
type Public = fn(&[u8], &mut [u8]) -> Result<(), String>;

/// Makes key pairs from random bytes, all of which are valid secret keys.
fn keygen(inputs: Inputs, public: Public) -> PrepareResult {
    Ok(call(inputs, move |_, out| {
        let (public_key, secret_key) = out.split_at_mut(out.len() - SECRET);
        getrandom::fill(secret_key).map_err(describe)?;
        public(secret_key, public_key)
    }))
}

fn public_key(inputs: Inputs, public: Public) -> PrepareResult {
    Ok(call(inputs, move |case, out| public(case.bytes(Role::SecretKey), out)))
}

fn array<const BYTES: usize>(case: &Case, role: Role) -> Result<[u8; BYTES], String> {
    case.bytes(role).try_into().map_err(describe)
}

fn x25519_public(secret: &[u8], out: &mut [u8]) -> Result<(), String> {
    let secret: [u8; SECRET] = secret.try_into().map_err(describe)?;
    let public = x25519_dalek::PublicKey::from(&StaticSecret::from(secret));
    out.copy_from_slice(public.as_bytes());
    Ok(())
}

fn x25519_agree(contract: Contract, inputs: Inputs) -> PrepareResult {
    let keys = |case: &Case| {
        let secret = StaticSecret::from(array::<SECRET>(case, Role::SecretKey)?);
        Ok((secret, x25519_dalek::PublicKey::from(array::<32>(case, Role::PublicKey)?)))
    };
    call_with_key(contract, inputs, keys, |(secret, peer), _, out| {
        let shared = secret.diffie_hellman(peer);
        out.copy_from_slice(shared.as_bytes());
        // A point of low order gives zero, which RFC 7748 section 6.1 allows to be
        // rejected.
        worked(shared.was_contributory())
    })
}

fn ed25519_public(secret: &[u8], out: &mut [u8]) -> Result<(), String> {
    let secret: [u8; SECRET] = secret.try_into().map_err(describe)?;
    let pair = ed25519_dalek::SigningKey::from_bytes(&secret);
    out.copy_from_slice(pair.verifying_key().as_bytes());
    Ok(())
}

fn ed25519_sign(contract: Contract, inputs: Inputs) -> PrepareResult {
    let key = |case: &Case| {
        Ok(ed25519_dalek::SigningKey::from_bytes(&array::<SECRET>(case, Role::SecretKey)?))
    };
    call_with_key(contract, inputs, key, |key, case, out| {
        out.copy_from_slice(&key.sign(case.message.bytes()).to_bytes());
        Ok(())
    })
}

fn ed25519_verify(contract: Contract, inputs: Inputs) -> PrepareResult {
    let key = |case: &Case| {
        let bytes = array::<32>(case, Role::PublicKey)?;
        ed25519_dalek::VerifyingKey::from_bytes(&bytes).map_err(describe)
    };
    call_with_key(contract, inputs, key, |key, case, _| {
        let signature = Signature::from_bytes(&array::<64>(case, Role::Signature)?);
        key.verify(case.message.bytes(), &signature).map_err(describe)
    })
}
