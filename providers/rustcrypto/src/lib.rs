//! Offers RustCrypto as a provider. Its AEADs work in place: sealing seals its own
//! output again, and opening copies the ciphertext first, which is timed, too.

use aes_gcm::{Aes128Gcm, Aes256Gcm};
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use chacha20poly1305::ChaCha20Poly1305;
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use cpb_model::{Contract, LengthRange, Lengths, Operation, Role};
use cpb_provider::{
    Case, Implementation, Inputs, PrepareError, PrepareResult, Table, call, call_with_key, line,
    provider, worked,
};
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use poly1305::Poly1305;
use sha1::{Digest, Sha1};
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};

mod curves;
mod lattices;
mod weierstrass;

provider!(
    c"rustcrypto",
    c"sha2 0.11, aes-gcm 0.11, p256 and k256 0.14, ml-kem 0.3",
    Table::new(&[
        SYMMETRIC,
        curves::IMPLEMENTATIONS,
        weierstrass::P256,
        weierstrass::P384,
        weierstrass::P521,
        weierstrass::SECP256K1,
        weierstrass::SCHNORR,
        lattices::IMPLEMENTATIONS,
    ])
);

/// Poly1305 takes a key of one length.
const POLY1305: Lengths = Lengths { key: LengthRange::fixed(32), ..Implementation::hash(16) };

macro_rules! hash {
    ($name:literal, $Hash:ty, $bytes:literal) => {
        line($name, Operation::Hash, Implementation::hash($bytes), |_, inputs| {
            Ok(call(inputs, |case, out| {
                out.copy_from_slice(&<$Hash>::digest(case.message.bytes()));
                Ok(())
            }))
        })
    };
}

macro_rules! mac {
    ($name:literal, $Hash:ty, $bytes:literal) => {
        line($name, Operation::Mac, Implementation::hmac($bytes), |contract, inputs| {
            let key = |case: &Case| {
                <Hmac<$Hash> as KeyInit>::new_from_slice(case.bytes(Role::Key)).map_err(describe)
            };
            call_with_key(contract, inputs, key, |keyed, case, out| {
                let mut mac = keyed.clone();
                mac.update(case.message.bytes());
                out.copy_from_slice(&mac.finalize().into_bytes());
                Ok(())
            })
        })
    };
}

macro_rules! pbkdf2 {
    ($name:literal, $Hash:ty) => {
        line($name, Operation::Derive, Implementation::PASSWORD, |_, inputs| {
            let rounds = u32::try_from(inputs.iterations);
            let rounds = rounds.map_err(|error| PrepareError::Unavailable(describe(error)))?;
            Ok(call(inputs, move |case, out| {
                pbkdf2::pbkdf2_hmac::<$Hash>(
                    case.bytes(Role::Password),
                    case.bytes(Role::Salt),
                    rounds,
                    out,
                );
                Ok(())
            }))
        })
    };
}

macro_rules! hkdf {
    ($name:literal, $Hash:ty) => {
        line($name, Operation::Derive, Implementation::KEY_MATERIAL, |_, inputs| {
            Ok(call(inputs, |case, out| {
                let derivation =
                    Hkdf::<$Hash>::new(Some(case.bytes(Role::Salt)), case.bytes(Role::Password));
                worked(derivation.expand(case.bytes(Role::Info), out).is_ok())
            }))
        })
    };
}

macro_rules! aead {
    ($name:literal, $operation:ident, $ready:ident, $Aead:ty, $key:literal) => {
        line($name, Operation::$operation, Implementation::aead($key), $ready::<$Aead>)
    };
}

const SYMMETRIC: &[Implementation] = &[
    hash!("sha1", Sha1, 20),
    hash!("sha224", Sha224, 28),
    hash!("sha256", Sha256, 32),
    hash!("sha384", Sha384, 48),
    hash!("sha512", Sha512, 64),
    hash!("sha512-224", Sha512_224, 28),
    hash!("sha512-256", Sha512_256, 32),
    hash!("sha3-224", Sha3_224, 28),
    hash!("sha3-256", Sha3_256, 32),
    hash!("sha3-384", Sha3_384, 48),
    hash!("sha3-512", Sha3_512, 64),
    mac!("hmac-sha1", Sha1, 20),
    mac!("hmac-sha224", Sha224, 28),
    mac!("hmac-sha256", Sha256, 32),
    mac!("hmac-sha384", Sha384, 48),
    mac!("hmac-sha512", Sha512, 64),
    mac!("hmac-sha512-224", Sha512_224, 28),
    mac!("hmac-sha512-256", Sha512_256, 32),
    pbkdf2!("pbkdf2-hmac-sha1", Sha1),
    pbkdf2!("pbkdf2-hmac-sha224", Sha224),
    pbkdf2!("pbkdf2-hmac-sha256", Sha256),
    pbkdf2!("pbkdf2-hmac-sha384", Sha384),
    pbkdf2!("pbkdf2-hmac-sha512", Sha512),
    pbkdf2!("pbkdf2-hmac-sha512-224", Sha512_224),
    pbkdf2!("pbkdf2-hmac-sha512-256", Sha512_256),
    hkdf!("hkdf-sha1", Sha1),
    hkdf!("hkdf-sha224", Sha224),
    hkdf!("hkdf-sha256", Sha256),
    hkdf!("hkdf-sha384", Sha384),
    hkdf!("hkdf-sha512", Sha512),
    hkdf!("hkdf-sha512-224", Sha512_224),
    hkdf!("hkdf-sha512-256", Sha512_256),
    // A key serves one message, so every call sets it.
    line("poly1305", Operation::Mac, POLY1305, |_, inputs| {
        Ok(call(inputs, |case, out| {
            let mac = Poly1305::new_from_slice(case.bytes(Role::Key)).map_err(describe)?;
            out.copy_from_slice(&mac.compute_unpadded(case.message.bytes()));
            Ok(())
        }))
    }),
    line("chacha20", Operation::Encrypt, Implementation::stream(32, 12), |_, inputs| {
        Ok(call(inputs, |case, out| {
            let cipher = ChaCha20::new_from_slices(case.bytes(Role::Key), case.bytes(Role::Nonce));
            let mut cipher = cipher.map_err(describe)?;
            cipher.apply_keystream_b2b(case.message.bytes(), out);
            Ok(())
        }))
    }),
    aead!("chacha20-poly1305", Seal, seal, ChaCha20Poly1305, 32),
    aead!("chacha20-poly1305", Open, open, ChaCha20Poly1305, 32),
    aead!("aes-128-gcm", Seal, seal, Aes128Gcm, 16),
    aead!("aes-128-gcm", Open, open, Aes128Gcm, 16),
    aead!("aes-256-gcm", Seal, seal, Aes256Gcm, 32),
    aead!("aes-256-gcm", Open, open, Aes256Gcm, 32),
];

/// Formats the reason of an error.
fn describe(reason: impl std::fmt::Display) -> String {
    reason.to_string()
}

fn aead_key<A: KeyInit>(case: &Case) -> Result<A, String> {
    A::new_from_slice(case.bytes(Role::Key)).map_err(describe)
}

fn seal<A: AeadInOut + KeyInit + 'static>(contract: Contract, mut inputs: Inputs) -> PrepareResult {
    let Inputs { cases, destination, .. } = &mut inputs;
    let message = cases[0].message.bytes();
    destination.bytes_mut()[..message.len()].copy_from_slice(message);
    call_with_key(contract, inputs, aead_key::<A>, |aead, case, out| {
        let (text, tag_place) = out.split_at_mut(out.len() - 16);
        let nonce = case.bytes(Role::Nonce).try_into().map_err(describe)?;
        let tag = aead.encrypt_inout_detached(nonce, case.bytes(Role::Aad), InOutBuf::from(text));
        tag_place.copy_from_slice(&tag.map_err(describe)?);
        Ok(())
    })
}

fn open<A: AeadInOut + KeyInit + 'static>(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, aead_key::<A>, |aead, case, out| {
        let nonce = case.bytes(Role::Nonce).try_into().map_err(describe)?;
        let tag = case.bytes(Role::Tag).try_into().map_err(describe)?;
        out.copy_from_slice(case.message.bytes());
        let text = InOutBuf::from(out);
        aead.decrypt_inout_detached(nonce, case.bytes(Role::Aad), text, tag).map_err(describe)
    })
}
