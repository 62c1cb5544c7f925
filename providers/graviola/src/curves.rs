//! Offers X25519, Ed25519, and ECDH and ECDSA on P-256 and P-384. ECDSA signatures are
//! random.

use crate::{describe, line};
use cpb_model::{Contract, Lengths, Role};
use cpb_provider::{Case, Implementation, Inputs, PrepareResult, call, call_with_key, worked};
use graviola::hashing::{Hash, Sha256, Sha384};
use graviola::key_agreement::{p256, p384, x25519};
use graviola::signing::ecdsa::{Curve, P256, P384, SigningKey, VerifyingKey};
use graviola::signing::eddsa::{Ed25519SigningKey, Ed25519VerifyingKey};

/// The lengths of the catalogue.
const USUAL: Lengths = Implementation::NONE;

pub(crate) const IMPLEMENTATIONS: &[Implementation] = &[
    line!("x25519", Keygen, USUAL, |_, inputs| keygen::<32>(inputs, x25519_public)),
    line!("x25519", PublicKey, USUAL, |_, inputs| public_key(inputs, x25519_public)),
    line!("x25519", Agree, USUAL, x25519_agree),
    line!("ecdh-p256", Keygen, USUAL, |_, inputs| keygen::<32>(inputs, p256_public)),
    line!("ecdh-p256", PublicKey, USUAL, |_, inputs| public_key(inputs, p256_public)),
    line!("ecdh-p256", Agree, USUAL, p256_agree),
    line!("ecdh-p384", Keygen, USUAL, |_, inputs| keygen::<48>(inputs, p384_public)),
    line!("ecdh-p384", PublicKey, USUAL, |_, inputs| public_key(inputs, p384_public)),
    line!("ecdh-p384", Agree, USUAL, p384_agree),
    line!("ed25519", Keygen, USUAL, |_, inputs| keygen::<32>(inputs, ed25519_public)),
    line!("ed25519", PublicKey, USUAL, |_, inputs| public_key(inputs, ed25519_public)),
    line!("ed25519", Sign, USUAL, ed25519_sign),
    line!("ed25519", Verify, USUAL, ed25519_verify),
    line!("ecdsa-p256", Keygen, USUAL, |_, inputs| keygen::<32>(inputs, p256_public)),
    line!("ecdsa-p256", PublicKey, USUAL, |_, inputs| public_key(inputs, p256_public)),
    line!("ecdsa-p256", Sign, USUAL, sign::<P256, Sha256>),
    line!("ecdsa-p256", Verify, USUAL, verify::<P256, Sha256>),
    line!("ecdsa-p384", Keygen, USUAL, |_, inputs| keygen::<48>(inputs, p384_public)),
    line!("ecdsa-p384", PublicKey, USUAL, |_, inputs| public_key(inputs, p384_public)),
    line!("ecdsa-p384", Sign, USUAL, sign::<P384, Sha384>),
    line!("ecdsa-p384", Verify, USUAL, verify::<P384, Sha384>),
];

/// Computes the public key of a secret key.
type Public = fn(&[u8], &mut [u8]) -> Result<(), String>;

/// Makes key pairs from random bytes: for these primitives any bytes are a secret key, except
/// one in 2³² for the curves with a prime order.
fn keygen<const SECRET: usize>(inputs: Inputs, public: Public) -> PrepareResult {
    Ok(call(inputs, move |_, out| {
        let (public_key, secret_key) = out.split_at_mut(out.len() - SECRET);
        graviola::random::fill(secret_key).map_err(describe)?;
        public(secret_key, public_key)
    }))
}

fn public_key(inputs: Inputs, public: Public) -> PrepareResult {
    Ok(call(inputs, move |case, out| public(case.bytes(Role::SecretKey), out)))
}

fn x25519_public(secret: &[u8], out: &mut [u8]) -> Result<(), String> {
    let secret = x25519::StaticPrivateKey::try_from_slice(secret).map_err(describe)?;
    out.copy_from_slice(&secret.public_key().as_bytes());
    Ok(())
}

fn x25519_agree(contract: Contract, inputs: Inputs) -> PrepareResult {
    let keys = |case: &Case| {
        let secret = x25519::StaticPrivateKey::try_from_slice(case.bytes(Role::SecretKey));
        let peer = x25519::PublicKey::try_from_slice(case.bytes(Role::PublicKey));
        Ok((secret.map_err(describe)?, peer.map_err(describe)?))
    };
    call_with_key(contract, inputs, keys, |(secret, peer), _, out| {
        out.copy_from_slice(&secret.diffie_hellman(peer).map_err(describe)?.0);
        Ok(())
    })
}

macro_rules! nist {
    ($curve:ident, $public:ident, $agree:ident) => {
        fn $public(secret: &[u8], out: &mut [u8]) -> Result<(), String> {
            let secret = $curve::StaticPrivateKey::from_bytes(secret).map_err(describe)?;
            out.copy_from_slice(&secret.public_key_uncompressed());
            Ok(())
        }

        fn $agree(contract: Contract, inputs: Inputs) -> PrepareResult {
            let keys = |case: &Case| {
                let secret = $curve::StaticPrivateKey::from_bytes(case.bytes(Role::SecretKey));
                let peer = $curve::PublicKey::from_x962_uncompressed(case.bytes(Role::PublicKey));
                Ok((secret.map_err(describe)?, peer.map_err(describe)?))
            };
            call_with_key(contract, inputs, keys, |(secret, peer), _, out| {
                out.copy_from_slice(&secret.diffie_hellman(peer).map_err(describe)?.0);
                Ok(())
            })
        }
    };
}

nist!(p256, p256_public, p256_agree);
nist!(p384, p384_public, p384_agree);

fn ed25519_public(secret: &[u8], out: &mut [u8]) -> Result<(), String> {
    let pair = Ed25519SigningKey::from_bytes(secret).map_err(describe)?;
    out.copy_from_slice(&pair.public_key().as_bytes());
    Ok(())
}

fn ed25519_sign(contract: Contract, inputs: Inputs) -> PrepareResult {
    let key =
        |case: &Case| Ed25519SigningKey::from_bytes(case.bytes(Role::SecretKey)).map_err(describe);
    call_with_key(contract, inputs, key, |key, case, out| {
        out.copy_from_slice(&key.sign(case.message.bytes()));
        Ok(())
    })
}

fn ed25519_verify(contract: Contract, inputs: Inputs) -> PrepareResult {
    let key = |case: &Case| {
        Ed25519VerifyingKey::from_bytes(case.bytes(Role::PublicKey)).map_err(describe)
    };
    call_with_key(contract, inputs, key, |key, case, _| {
        worked(key.verify(case.bytes(Role::Signature), case.message.bytes()).is_ok())
    })
}

/// Reads RFC 5915's `ECPrivateKey` with only the number, because it accepts no shorter form.
fn signing_key<C: Curve>(case: &Case) -> Result<SigningKey<C>, String> {
    const VERSION: [u8; 3] = [0x02, 1, 1];
    let number = case.bytes(Role::SecretKey);
    let bytes = u8::try_from(number.len()).map_err(describe)?;
    let octets = [&[0x04, bytes], number].concat();
    let inside = [&VERSION[..], &octets].concat();
    let length = u8::try_from(inside.len()).map_err(describe)?;
    SigningKey::from_sec1_der(&[&[0x30, length], &inside[..]].concat()).map_err(describe)
}

fn sign<C: Curve + 'static, H: Hash + 'static>(
    contract: Contract,
    inputs: Inputs,
) -> PrepareResult {
    call_with_key(contract, inputs, signing_key::<C>, |key, case, out| {
        let message = [case.message.bytes()];
        let signature = key.sign::<H>(&message, out).map_err(describe)?.len();
        worked(signature == out.len())
    })
}

fn verify<C: Curve + 'static, H: Hash + 'static>(
    contract: Contract,
    inputs: Inputs,
) -> PrepareResult {
    let key = |case: &Case| {
        VerifyingKey::<C>::from_x962_uncompressed(case.bytes(Role::PublicKey)).map_err(describe)
    };
    call_with_key(contract, inputs, key, |key, case, _| {
        let message = [case.message.bytes()];
        worked(key.verify::<H>(&message, case.bytes(Role::Signature)).is_ok())
    })
}
