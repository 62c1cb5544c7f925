//! Offers Ed25519, and RSA signatures with SHA-256. ring accepts no secret key for an
//! agreement, and none for ECDSA without its public key.

use cpb_model::{Contract, Operation, Role};
use cpb_provider::{
    Case, Implementation, Inputs, PrepareResult, call, call_with_key, key_line, rsa_lines, worked,
};
use ring::rand::{SecureRandom, SystemRandom};
use ring::rsa::KeyPair as RsaKeyPair;
use ring::signature::{
    ED25519, Ed25519KeyPair, KeyPair, RSA_PKCS1_2048_8192_SHA256, RSA_PKCS1_SHA256,
    RSA_PSS_2048_8192_SHA256, RSA_PSS_SHA256, RsaEncoding, UnparsedPublicKey,
    VerificationAlgorithm,
};

pub(crate) const RSA: &[Implementation] = &rsa_lines([
    |contract, inputs| rsa_sign(&RSA_PKCS1_SHA256, contract, inputs),
    |_, inputs| verify(&RSA_PKCS1_2048_8192_SHA256, inputs),
    |contract, inputs| rsa_sign(&RSA_PSS_SHA256, contract, inputs),
    |_, inputs| verify(&RSA_PSS_2048_8192_SHA256, inputs),
]);

pub(crate) const EDWARDS: &[Implementation] = &[
    key_line("ed25519", Operation::Keygen, |_, inputs| {
        let chance = SystemRandom::new();
        Ok(call(inputs, move |_, out| {
            let (public, seed) = out.split_at_mut(32);
            chance.fill(seed).map_err(describe)?;
            let pair = Ed25519KeyPair::from_seed_unchecked(seed).map_err(describe)?;
            public.copy_from_slice(pair.public_key().as_ref());
            Ok(())
        }))
    }),
    key_line("ed25519", Operation::PublicKey, |_, inputs| {
        Ok(call(inputs, |case, out| {
            out.copy_from_slice(ed25519_pair(case)?.public_key().as_ref());
            Ok(())
        }))
    }),
    key_line("ed25519", Operation::Sign, |contract, inputs| {
        call_with_key(contract, inputs, ed25519_pair, |pair, case, out| {
            out.copy_from_slice(pair.sign(case.message.bytes()).as_ref());
            Ok(())
        })
    }),
    key_line("ed25519", Operation::Verify, |_, inputs| verify(&ED25519, inputs)),
];

fn describe(error: impl ToString) -> String {
    error.to_string()
}

fn ed25519_pair(case: &Case) -> Result<Ed25519KeyPair, String> {
    Ed25519KeyPair::from_seed_unchecked(case.bytes(Role::SecretKey)).map_err(describe)
}

/// Every call reads the public key, because ring keeps none.
fn verify(algorithm: &'static dyn VerificationAlgorithm, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |case, _| {
        let key = UnparsedPublicKey::new(algorithm, case.bytes(Role::PublicKey));
        worked(key.verify(case.message.bytes(), case.bytes(Role::Signature)).is_ok())
    }))
}

fn rsa_sign(
    encoding: &'static dyn RsaEncoding,
    contract: Contract,
    inputs: Inputs,
) -> PrepareResult {
    let key = |case: &Case| RsaKeyPair::from_der(case.bytes(Role::SecretKey)).map_err(describe);
    let chance = SystemRandom::new();
    call_with_key(contract, inputs, key, move |key, case, out| {
        key.sign(encoding, &chance, case.message.bytes(), out).map_err(describe)
    })
}
