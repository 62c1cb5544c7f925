//! Offers ML-KEM-768 with given randomness: key pairs from FIPS 203's d and z, ciphertexts
//! from m. Decapsulation is not offered, because it accepts a secret key only as its seed.

use crate::{array, describe, line};
use cpb_model::{Contract, Role};
use cpb_provider::{Case, Implementation, Inputs, PrepareResult, call, call_with_key};
use graviola::key_agreement::mlkem768::{DecapKey, EncapKey, Message};

pub(crate) const IMPLEMENTATIONS: &[Implementation] = &[
    line!("ml-kem-768", Keygen, Implementation::SEEDED, |_, inputs| {
        Ok(call(inputs, |case, out| {
            let pair = DecapKey::keygen_internal(&array(case, Role::Randomness)?);
            let public_key = pair.encapsulation_key().as_bytes();
            put(out, &public_key, &pair.as_bytes())
        }))
    }),
    line!("ml-kem-768", Encapsulate, Implementation::SEEDED, encapsulate),
];

/// A key serves one ciphertext, so every call reads it.
fn encapsulate(contract: Contract, inputs: Inputs) -> PrepareResult {
    let key = |case: &Case| array(case, Role::PublicKey);
    call_with_key(contract, inputs, key, |key, case, out| {
        let key = EncapKey::from_bytes(key).map_err(describe)?;
        let (secret, ciphertext) = key.encaps_internal(Message(array(case, Role::Randomness)?));
        put(out, ciphertext.as_ref(), secret.as_ref())
    })
}

fn put(out: &mut [u8], first: &[u8], second: &[u8]) -> Result<(), String> {
    let (first_place, second_place) = out.split_at_mut_checked(first.len()).ok_or("no room")?;
    first_place.copy_from_slice(first);
    second_place.copy_from_slice(second);
    Ok(())
}
