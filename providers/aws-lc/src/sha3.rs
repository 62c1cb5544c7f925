//! Offers what BoringSSL lacks: SHA-3, and SHA-512 truncated to 224 bits.

use crate::c;
use crate::digests::mac;
use cpb_model::Operation;
use cpb_provider::{Implementation, call, line, worked};
use std::ptr;

macro_rules! digest {
    ($name:literal, $digest:ident, $bytes:literal) => {
        line($name, Operation::Hash, Implementation::hash($bytes), |_, inputs| {
            // SAFETY: the function takes nothing.
            let digest = unsafe { c::$digest() };
            Ok(call(inputs, move |case, out| {
                let message = case.message.bytes();
                // SAFETY: out has room for the digest.
                let status = unsafe {
                    c::EVP_Digest(
                        message.as_ptr().cast(),
                        message.len(),
                        out.as_mut_ptr(),
                        ptr::null_mut(),
                        digest,
                        ptr::null_mut(),
                    )
                };
                worked(status == 1)
            }))
        })
    };
}

pub(crate) const IMPLEMENTATIONS: &[Implementation] = &[
    digest!("sha512-224", EVP_sha512_224, 28),
    digest!("sha3-224", EVP_sha3_224, 28),
    digest!("sha3-256", EVP_sha3_256, 32),
    digest!("sha3-384", EVP_sha3_384, 48),
    digest!("sha3-512", EVP_sha3_512, 64),
    line("hmac-sha512-224", Operation::Mac, Implementation::hmac(28), |contract, inputs| {
        mac(c::EVP_sha512_224, contract, inputs)
    }),
];
