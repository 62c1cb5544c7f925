//! Offers ML-KEM and ML-DSA, with given randomness: key pairs from FIPS 203's d and z
//! and FIPS 204's ξ, ciphertexts from m. Signatures are deterministic with an empty
//! context.
//!
//! Libraries exchange whole secret keys; these crates read and write them, but
//! recommend keeping seeds instead.
#![expect(deprecated)]

use crate::describe;
use cpb_model::{Contract, Operation, Role};
use cpb_provider::{Case, Implementation, Inputs, PrepareResult, call, call_with_key, line};
use ml_dsa::signature::Verifier;
use ml_dsa::{
    ExpandedSigningKey, MlDsa44, MlDsa65, MlDsa87, MlDsaParams, Signature, SigningKey, VerifyingKey,
};
use ml_kem::{Decapsulate, ExpandedKeyEncoding, KeyExport, MlKem512, MlKem768, MlKem1024};
use ml_kem::{DecapsulationKey, EncapsulationKey};

/// This is a macro instead of functions over all parameter sets, because the required
/// trait is private.
macro_rules! ml_kem {
    ($name:literal, $Kem:ty) => {
        [
            line($name, Operation::Keygen, Implementation::SEEDED, |_, inputs| {
                Ok(call(inputs, |case, out| {
                    let seed = case.bytes(Role::Randomness).try_into().map_err(describe)?;
                    let pair = DecapsulationKey::<$Kem>::from_seed(seed);
                    let public_key = pair.encapsulation_key().to_bytes();
                    put(out, &public_key, &pair.to_expanded_bytes());
                    Ok(())
                }))
            }),
            line($name, Operation::Encapsulate, Implementation::SEEDED, |contract, inputs| {
                let key = |case: &Case| {
                    let bytes = case.bytes(Role::PublicKey).try_into().map_err(describe)?;
                    EncapsulationKey::<$Kem>::new(bytes).map_err(describe)
                };
                call_with_key(contract, inputs, key, |key, case, out| {
                    let randomness = case.bytes(Role::Randomness).try_into().map_err(describe)?;
                    let (ciphertext, secret) = key.encapsulate_deterministic(randomness);
                    put(out, &ciphertext, &secret);
                    Ok(())
                })
            }),
            line($name, Operation::Decapsulate, Implementation::NONE, |contract, inputs| {
                let key = |case: &Case| {
                    let bytes = case.bytes(Role::SecretKey).try_into().map_err(describe)?;
                    DecapsulationKey::<$Kem>::from_expanded_bytes(bytes).map_err(describe)
                };
                call_with_key(contract, inputs, key, |key, case, out| {
                    let ciphertext = case.bytes(Role::Ciphertext).try_into().map_err(describe)?;
                    out.copy_from_slice(&key.decapsulate(ciphertext));
                    Ok(())
                })
            }),
        ]
    };
}

macro_rules! ml_dsa {
    ($name:literal, $Parameters:ty) => {
        [
            line($name, Operation::Keygen, Implementation::SEEDED, keygen::<$Parameters>),
            line($name, Operation::Sign, Implementation::NONE, sign::<$Parameters>),
            line($name, Operation::Verify, Implementation::NONE, verify::<$Parameters>),
        ]
    };
}

pub(crate) const IMPLEMENTATIONS: &[Implementation] = [
    ml_kem!("ml-kem-512", MlKem512),
    ml_kem!("ml-kem-768", MlKem768),
    ml_kem!("ml-kem-1024", MlKem1024),
    ml_dsa!("ml-dsa-44", MlDsa44),
    ml_dsa!("ml-dsa-65", MlDsa65),
    ml_dsa!("ml-dsa-87", MlDsa87),
]
.as_flattened();

fn put(out: &mut [u8], first: &[u8], second: &[u8]) {
    out[..first.len()].copy_from_slice(first);
    out[first.len()..].copy_from_slice(second);
}

fn keygen<P: MlDsaParams>(_: Contract, inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |case, out| {
        let seed = case.bytes(Role::Randomness).try_into().map_err(describe)?;
        let pair = SigningKey::<P>::from_seed(seed);
        put(out, &pair.as_ref().encode(), &pair.expanded_key().to_expanded());
        Ok(())
    }))
}

fn sign<P: MlDsaParams + 'static>(contract: Contract, inputs: Inputs) -> PrepareResult {
    let key = |case: &Case| {
        let bytes = case.bytes(Role::SecretKey).try_into().map_err(describe)?;
        Ok(ExpandedSigningKey::<P>::from_expanded(bytes))
    };
    call_with_key(contract, inputs, key, |key, case, out| {
        let signature = key.sign_deterministic(case.message.bytes(), &[]).map_err(describe)?;
        out.copy_from_slice(&signature.encode());
        Ok(())
    })
}

fn verify<P: MlDsaParams + 'static>(contract: Contract, inputs: Inputs) -> PrepareResult {
    let key = |case: &Case| {
        let bytes = case.bytes(Role::PublicKey).try_into().map_err(describe)?;
        Ok(VerifyingKey::<P>::decode(bytes))
    };
    call_with_key(contract, inputs, key, |key, case, _| {
        let signature = Signature::<P>::try_from(case.bytes(Role::Signature)).map_err(describe)?;
        key.verify(case.message.bytes(), &signature).map_err(describe)
    })
}
