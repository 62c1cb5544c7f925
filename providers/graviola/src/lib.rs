//! Offers graviola as a provider. Its AEADs work in place: sealing seals its own output
//! again, and opening copies the ciphertext first, which is timed, too.

use cpb_model::{Contract, LengthRange, Lengths, Role};
use cpb_provider::{
    Case, Implementation, Inputs, PrepareError, PrepareResult, Table, call, call_with_key,
    provider, worked,
};
use graviola::aead::{AesGcm, ChaCha20Poly1305, XChaCha20Poly1305};
use graviola::hashing::hmac::Hmac;
use graviola::hashing::sha3::{Sha3_256Context, Sha3_512Context, Shake128, Shake256};
use graviola::hashing::{Hash, Sha256, Sha384, Sha512};

mod curves;
mod ml_kem;
mod rsa;

provider!(
    c"graviola",
    c"0.4",
    Table::new(&[
        SYMMETRIC,
        curves::IMPLEMENTATIONS,
        ml_kem::IMPLEMENTATIONS,
        rsa::IMPLEMENTATIONS
    ])
);

/// Prepares a call by `ready` if the processor has the instructions that graviola requires.
fn made(
    ready: fn(Contract, Inputs) -> PrepareResult,
    contract: Contract,
    inputs: Inputs,
) -> PrepareResult {
    if graviola::util::is_cpu_supported() {
        return ready(contract, inputs);
    }
    let reason = "graviola needs a processor with AES, AVX2, BMI1, BMI2, ADX and CLMUL, or on \
                  aarch64 AES, PMULL and SHA-2";
    Err(PrepareError::Unavailable(reason.to_owned()))
}

/// Makes a line with the lengths of the catalogue.
macro_rules! line {
    ($name:literal, $operation:ident, $lengths:expr, $ready:expr) => {
        cpb_provider::line($name, cpb_model::Operation::$operation, $lengths, |contract, inputs| {
            crate::made($ready, contract, inputs)
        })
    };
}
pub(crate) use line;

const EXTENDED_NONCE: Lengths =
    Lengths { nonce: LengthRange::fixed(24), ..Implementation::aead(32) };

const SYMMETRIC: &[Implementation] = &[
    line!("sha256", Hash, Implementation::hash(32), |_, inputs| hash::<Sha256>(inputs)),
    line!("sha384", Hash, Implementation::hash(48), |_, inputs| hash::<Sha384>(inputs)),
    line!("sha512", Hash, Implementation::hash(64), |_, inputs| hash::<Sha512>(inputs)),
    line!("sha3-256", Hash, Implementation::hash(32), |_, inputs| {
        Ok(call(inputs, |case, out| {
            let mut hash = Sha3_256Context::new();
            hash.update(case.message.bytes());
            out.copy_from_slice(&hash.finish());
            Ok(())
        }))
    }),
    line!("sha3-512", Hash, Implementation::hash(64), |_, inputs| {
        Ok(call(inputs, |case, out| {
            let mut hash = Sha3_512Context::new();
            hash.update(case.message.bytes());
            out.copy_from_slice(&hash.finish());
            Ok(())
        }))
    }),
    line!("shake128", Xof, Implementation::hash(32), |_, inputs| {
        Ok(call(inputs, |case, out| {
            Shake128::new(&[case.message.bytes()]).read(out);
            Ok(())
        }))
    }),
    line!("shake256", Xof, Implementation::hash(32), |_, inputs| {
        Ok(call(inputs, |case, out| {
            Shake256::new(&[case.message.bytes()]).read(out);
            Ok(())
        }))
    }),
    line!("hmac-sha256", Mac, Implementation::hmac(32), mac::<Sha256>),
    line!("hmac-sha384", Mac, Implementation::hmac(48), mac::<Sha384>),
    line!("hmac-sha512", Mac, Implementation::hmac(64), mac::<Sha512>),
    line!("aes-128-gcm", Seal, Implementation::aead(16), seal::<AesGcm, 12>),
    line!("aes-128-gcm", Open, Implementation::aead(16), open::<AesGcm, 12>),
    line!("aes-256-gcm", Seal, Implementation::aead(32), seal::<AesGcm, 12>),
    line!("aes-256-gcm", Open, Implementation::aead(32), open::<AesGcm, 12>),
    line!("chacha20-poly1305", Seal, Implementation::aead(32), seal::<ChaCha20Poly1305, 12>),
    line!("chacha20-poly1305", Open, Implementation::aead(32), open::<ChaCha20Poly1305, 12>),
    line!("xchacha20-poly1305", Seal, EXTENDED_NONCE, seal::<XChaCha20Poly1305, 24>),
    line!("xchacha20-poly1305", Open, EXTENDED_NONCE, open::<XChaCha20Poly1305, 24>),
];

/// Formats the reason of an error.
fn describe(reason: impl std::fmt::Debug) -> String {
    format!("graviola refuses it: {reason:?}")
}

fn array<const BYTES: usize>(case: &Case, role: Role) -> Result<[u8; BYTES], String> {
    case.bytes(role).try_into().map_err(describe)
}

fn hash<H: Hash>(inputs: Inputs) -> PrepareResult {
    Ok(call(inputs, |case, out| {
        out.copy_from_slice(H::hash(case.message.bytes()).as_ref());
        Ok(())
    }))
}

fn mac<H: Hash + 'static>(contract: Contract, inputs: Inputs) -> PrepareResult
where
    Hmac<H>: Clone,
{
    let key = |case: &Case| Ok(Hmac::<H>::new(case.bytes(Role::Key)));
    call_with_key(contract, inputs, key, |keyed, case, out| {
        let mut mac = keyed.clone();
        mac.update(case.message.bytes());
        out.copy_from_slice(mac.finish().as_ref());
        Ok(())
    })
}

/// An AEAD with a nonce of `NONCE` bytes.
trait Aead<const NONCE: usize>: Sized + 'static {
    fn keyed(key: &[u8]) -> Result<Self, String>;
    fn seal(&self, nonce: &[u8; NONCE], aad: &[u8], text: &mut [u8], tag: &mut [u8; 16]);
    fn opens(&self, nonce: &[u8; NONCE], aad: &[u8], text: &mut [u8], tag: &[u8]) -> bool;
}

macro_rules! aead {
    ($Aead:ty, $nonce:literal, $keyed:expr) => {
        impl Aead<$nonce> for $Aead {
            fn keyed(key: &[u8]) -> Result<Self, String> {
                $keyed(key)
            }

            fn seal(&self, nonce: &[u8; $nonce], aad: &[u8], text: &mut [u8], tag: &mut [u8; 16]) {
                self.encrypt(nonce, aad, text, tag);
            }

            fn opens(&self, nonce: &[u8; $nonce], aad: &[u8], text: &mut [u8], tag: &[u8]) -> bool {
                self.decrypt(nonce, aad, text, tag).is_ok()
            }
        }
    };
}

aead!(AesGcm, 12, |key| Ok(Self::new(key)));
aead!(ChaCha20Poly1305, 12, |key: &[u8]| Ok(Self::new(key.try_into().map_err(describe)?)));
aead!(XChaCha20Poly1305, 24, |key: &[u8]| Ok(Self::new(key.try_into().map_err(describe)?)));

fn seal<A: Aead<NONCE>, const NONCE: usize>(
    contract: Contract,
    mut inputs: Inputs,
) -> PrepareResult {
    let Inputs { cases, destination, .. } = &mut inputs;
    let message = cases[0].message.bytes();
    destination.bytes_mut()[..message.len()].copy_from_slice(message);
    call_with_key(contract, inputs, keyed::<A, NONCE>, |aead, case, out| {
        let (text, tag) = out.split_last_chunk_mut().ok_or("a tag has 16 bytes")?;
        aead.seal(&array(case, Role::Nonce)?, case.bytes(Role::Aad), text, tag);
        Ok(())
    })
}

fn open<A: Aead<NONCE>, const NONCE: usize>(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, keyed::<A, NONCE>, |aead, case, out| {
        out.copy_from_slice(case.message.bytes());
        let (nonce, tag) = (array(case, Role::Nonce)?, case.bytes(Role::Tag));
        worked(aead.opens(&nonce, case.bytes(Role::Aad), out, tag))
    })
}

fn keyed<A: Aead<NONCE>, const NONCE: usize>(case: &Case) -> Result<A, String> {
    A::keyed(case.bytes(Role::Key))
}
