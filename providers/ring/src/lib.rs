//! Offers ring as a provider. Its AEADs work in place: sealing seals its own output
//! again, and opening copies the ciphertext first, which is timed, too.

use cpb_model::{Contract, Operation, Role};
use cpb_provider::{
    Case, Implementation, Inputs, PrepareError, PrepareResult, Table, call, call_with_key, line,
    provider, worked,
};
use ring::{aead, digest, hkdf, hmac, pbkdf2};
use std::num::NonZeroU32;

mod keys;

provider!(c"ring", c"0.17", Table::new(&[IMPLEMENTATIONS, keys::EDWARDS, keys::RSA]));

macro_rules! hash {
    ($name:literal, $algorithm:ident, $bytes:literal) => {
        line($name, Operation::Hash, Implementation::hash($bytes), |_, inputs| {
            Ok(call(inputs, |case, out| {
                let digest = digest::digest(&digest::$algorithm, case.message.bytes());
                out.copy_from_slice(digest.as_ref());
                Ok(())
            }))
        })
    };
}

macro_rules! mac {
    ($name:literal, $algorithm:ident, $bytes:literal) => {
        line($name, Operation::Mac, Implementation::hmac($bytes), |contract, inputs| {
            let key = |case: &Case| Ok(hmac::Key::new(hmac::$algorithm, case.bytes(Role::Key)));
            call_with_key(contract, inputs, key, |key, case, out| {
                out.copy_from_slice(hmac::sign(key, case.message.bytes()).as_ref());
                Ok(())
            })
        })
    };
}

macro_rules! derive {
    ($name:literal, $algorithm:ident) => {
        line($name, Operation::Derive, Implementation::PASSWORD, |_, inputs| {
            let iterations = u32::try_from(inputs.iterations).ok().and_then(NonZeroU32::new);
            let iterations = iterations.ok_or_else(|| refused("that many iterations"))?;
            Ok(call(inputs, move |case, out| {
                let (password, salt) = (case.bytes(Role::Password), case.bytes(Role::Salt));
                pbkdf2::derive(pbkdf2::$algorithm, iterations, salt, password, out);
                Ok(())
            }))
        })
    };
}

/// The length of an output key.
struct Bytes(usize);

impl hkdf::KeyType for Bytes {
    fn len(&self) -> usize {
        self.0
    }
}

macro_rules! hkdf {
    ($name:literal, $algorithm:ident) => {
        line($name, Operation::Derive, Implementation::KEY_MATERIAL, |_, inputs| {
            Ok(call(inputs, |case, out| {
                let salt = hkdf::Salt::new(hkdf::$algorithm, case.bytes(Role::Salt));
                let pseudorandom = salt.extract(case.bytes(Role::Password));
                let info = [case.bytes(Role::Info)];
                let expanded = pseudorandom.expand(&info, Bytes(out.len()));
                worked(expanded.and_then(|okm| okm.fill(out)).is_ok())
            }))
        })
    };
}

macro_rules! aead {
    ($name:literal, $operation:ident, $ready:ident, $algorithm:ident, $key:literal) => {
        line($name, Operation::$operation, Implementation::aead($key), |contract, inputs| {
            $ready(&aead::$algorithm, contract, inputs)
        })
    };
}

const IMPLEMENTATIONS: &[Implementation] = &[
    hash!("sha1", SHA1_FOR_LEGACY_USE_ONLY, 20),
    hash!("sha256", SHA256, 32),
    hash!("sha384", SHA384, 48),
    hash!("sha512", SHA512, 64),
    hash!("sha512-256", SHA512_256, 32),
    mac!("hmac-sha1", HMAC_SHA1_FOR_LEGACY_USE_ONLY, 20),
    mac!("hmac-sha256", HMAC_SHA256, 32),
    mac!("hmac-sha384", HMAC_SHA384, 48),
    mac!("hmac-sha512", HMAC_SHA512, 64),
    derive!("pbkdf2-hmac-sha1", PBKDF2_HMAC_SHA1),
    derive!("pbkdf2-hmac-sha256", PBKDF2_HMAC_SHA256),
    derive!("pbkdf2-hmac-sha384", PBKDF2_HMAC_SHA384),
    derive!("pbkdf2-hmac-sha512", PBKDF2_HMAC_SHA512),
    hkdf!("hkdf-sha1", HKDF_SHA1_FOR_LEGACY_USE_ONLY),
    hkdf!("hkdf-sha256", HKDF_SHA256),
    hkdf!("hkdf-sha384", HKDF_SHA384),
    hkdf!("hkdf-sha512", HKDF_SHA512),
    aead!("chacha20-poly1305", Seal, seal, CHACHA20_POLY1305, 32),
    aead!("chacha20-poly1305", Open, open, CHACHA20_POLY1305, 32),
    aead!("aes-128-gcm", Seal, seal, AES_128_GCM, 16),
    aead!("aes-128-gcm", Open, open, AES_128_GCM, 16),
    aead!("aes-256-gcm", Seal, seal, AES_256_GCM, 32),
    aead!("aes-256-gcm", Open, open, AES_256_GCM, 32),
];

fn refused(what: &str) -> PrepareError {
    PrepareError::Unavailable(format!("ring refuses {what}"))
}

type Algorithm = &'static aead::Algorithm;

fn key(algorithm: Algorithm) -> impl Fn(&Case) -> Result<aead::LessSafeKey, String> {
    move |case| {
        let key = aead::UnboundKey::new(algorithm, case.bytes(Role::Key));
        key.map(aead::LessSafeKey::new).map_err(|_| "ring refuses the key".to_owned())
    }
}

fn nonce(case: &Case) -> Result<aead::Nonce, ring::error::Unspecified> {
    aead::Nonce::try_assume_unique_for_key(case.bytes(Role::Nonce))
}

fn seal(algorithm: Algorithm, contract: Contract, mut inputs: Inputs) -> PrepareResult {
    let Inputs { cases, destination, .. } = &mut inputs;
    let message = cases[0].message.bytes();
    destination.bytes_mut()[..message.len()].copy_from_slice(message);
    call_with_key(contract, inputs, key(algorithm), |key, case, out| {
        let (text, tag_place) = out.split_at_mut(out.len() - 16);
        let aad = aead::Aad::from(case.bytes(Role::Aad));
        let tag = nonce(case).and_then(|nonce| key.seal_in_place_separate_tag(nonce, aad, text));
        worked(tag.map(|tag| tag_place.copy_from_slice(tag.as_ref())).is_ok())
    })
}

fn open(algorithm: Algorithm, contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, key(algorithm), |key, case, out| {
        let Ok(tag) = aead::Tag::try_from(case.bytes(Role::Tag)) else { return worked(false) };
        out.copy_from_slice(case.message.bytes());
        let aad = aead::Aad::from(case.bytes(Role::Aad));
        let text =
            nonce(case).and_then(|nonce| key.open_in_place_separate_tag(nonce, aad, tag, out, 0..));
        worked(text.is_ok())
    })
}
