//! Offers RSA signatures with SHA-256, which AWS-LC inherited from BoringSSL; both libraries
//! have the same functions. The salt of PSS is as long as the digest.

use crate::c;
use cpb_model::{Contract, Role};
use cpb_provider::{Case, Implementation, Inputs, PrepareResult, call_with_key, rsa_lines, worked};
use std::ffi::c_uint;
use std::ptr;

pub(crate) const IMPLEMENTATIONS: &[Implementation] =
    &rsa_lines([sign_pkcs1, verify_pkcs1, sign_pss, verify_pss]);

const DIGEST: usize = 32;

struct Key(*mut c::RSA);

impl Drop for Key {
    fn drop(&mut self) {
        // SAFETY: the library made it, and it was not freed before.
        unsafe { c::RSA_free(self.0) };
    }
}

fn secret_key(case: &Case) -> Result<Key, String> {
    let der = case.bytes(Role::SecretKey);
    // SAFETY: the bytes are passed with their length.
    let key = Key(unsafe { c::RSA_private_key_from_bytes(der.as_ptr(), der.len()) });
    worked(!key.0.is_null()).map(|()| key)
}

fn public_key(case: &Case) -> Result<Key, String> {
    let der = case.bytes(Role::PublicKey);
    // SAFETY: the bytes are passed with their length.
    let key = Key(unsafe { c::RSA_public_key_from_bytes(der.as_ptr(), der.len()) });
    worked(!key.0.is_null()).map(|()| key)
}

fn digest(case: &Case) -> [u8; DIGEST] {
    let (message, mut digest) = (case.message.bytes(), [0; DIGEST]);
    // SAFETY: the message has this length, and `digest` has room for a digest.
    unsafe { c::SHA256(message.as_ptr(), message.len(), digest.as_mut_ptr()) };
    digest
}

fn sign_pkcs1(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, secret_key, |key, case, out| {
        let (digest, mut length): (_, c_uint) = (digest(case), 0);
        let (from, to) = (digest.as_ptr(), out.as_mut_ptr());
        // SAFETY: the key is live, and out as long as its modulus.
        let status =
            unsafe { c::RSA_sign(c::NID_sha256, from, DIGEST as _, to, &mut length, key.0) };
        worked(status == 1 && usize::try_from(length) == Ok(out.len()))
    })
}

fn verify_pkcs1(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, public_key, |key, case, _| {
        let (digest, signature) = (digest(case), case.bytes(Role::Signature));
        let (from, length) = (signature.as_ptr(), signature.len() as _);
        // SAFETY: the key is live, and the signature is passed with its length.
        let status = unsafe {
            c::RSA_verify(c::NID_sha256, digest.as_ptr(), DIGEST as _, from, length, key.0)
        };
        worked(status == 1)
    })
}

fn sign_pss(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, secret_key, |key, case, out| {
        let (digest, mut length) = (digest(case), 0);
        // SAFETY: the key is live, out as long as its modulus; without a second hash, the mask
        // is made by the first.
        let status = unsafe {
            c::RSA_sign_pss_mgf1(
                key.0,
                &mut length,
                out.as_mut_ptr(),
                out.len(),
                digest.as_ptr(),
                DIGEST,
                c::EVP_sha256(),
                ptr::null(),
                c::RSA_PSS_SALTLEN_DIGEST,
            )
        };
        worked(status == 1 && length == out.len())
    })
}

fn verify_pss(contract: Contract, inputs: Inputs) -> PrepareResult {
    call_with_key(contract, inputs, public_key, |key, case, _| {
        let (digest, signature) = (digest(case), case.bytes(Role::Signature));
        // SAFETY: the key is live, and the signature is passed with its length.
        let status = unsafe {
            c::RSA_verify_pss_mgf1(
                key.0,
                digest.as_ptr(),
                DIGEST,
                c::EVP_sha256(),
                ptr::null(),
                c::RSA_PSS_SALTLEN_DIGEST,
                signature.as_ptr(),
                signature.len(),
            )
        };
        worked(status == 1)
    })
}
