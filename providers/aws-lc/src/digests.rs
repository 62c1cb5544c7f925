//! Offers random bytes, hashes, MACs and derivations, which AWS-LC inherited from
//! BoringSSL; both libraries have the same functions.

use crate::c;
use cpb_model::{Contract, LengthRange, Lengths, Operation, Role};
use cpb_provider::{
    Case, Implementation, Inputs, PrepareError, PrepareResult, call, call_with_key, line, worked,
};
use std::ffi::c_uint;
use std::ptr;

type Digest = unsafe extern "C" fn() -> *const c::EVP_MD;
type Hash = unsafe extern "C" fn(*const u8, usize, *mut u8) -> *mut u8;

/// Poly1305 takes a key of one length.
const POLY1305: Lengths = Lengths { key: LengthRange::fixed(32), ..Implementation::hash(16) };

macro_rules! hash {
    ($name:literal, $function:ident, $bytes:literal) => {
        line($name, Operation::Hash, Implementation::hash($bytes), |_, inputs| {
            let function: Hash = c::$function;
            Ok(call(inputs, move |case, out| {
                let message = case.message.bytes();
                // SAFETY: out has room for the digest.
                let end = unsafe { function(message.as_ptr(), message.len(), out.as_mut_ptr()) };
                worked(!end.is_null())
            }))
        })
    };
}

macro_rules! with_digest {
    ($name:literal, $operation:ident, $lengths:expr, $ready:ident, $digest:ident) => {
        line($name, Operation::$operation, $lengths, |contract, inputs| {
            $ready(c::$digest, contract, inputs)
        })
    };
}

pub(crate) const IMPLEMENTATIONS: &[Implementation] = &[
    line("random", Operation::Random, Implementation::RANDOM, |_, inputs| {
        Ok(call(inputs, |_, out| {
            // SAFETY: out has its length.
            worked(unsafe { c::RAND_bytes(out.as_mut_ptr(), out.len()) } == 1)
        }))
    }),
    hash!("sha1", SHA1, 20),
    hash!("sha224", SHA224, 28),
    hash!("sha256", SHA256, 32),
    hash!("sha384", SHA384, 48),
    hash!("sha512", SHA512, 64),
    hash!("sha512-256", SHA512_256, 32),
    with_digest!("hmac-sha1", Mac, Implementation::hmac(20), mac, EVP_sha1),
    with_digest!("hmac-sha224", Mac, Implementation::hmac(28), mac, EVP_sha224),
    with_digest!("hmac-sha256", Mac, Implementation::hmac(32), mac, EVP_sha256),
    with_digest!("hmac-sha384", Mac, Implementation::hmac(48), mac, EVP_sha384),
    with_digest!("hmac-sha512", Mac, Implementation::hmac(64), mac, EVP_sha512),
    with_digest!("hmac-sha512-256", Mac, Implementation::hmac(32), mac, EVP_sha512_256),
    with_digest!("pbkdf2-hmac-sha1", Derive, Implementation::PASSWORD, pbkdf2, EVP_sha1),
    with_digest!("pbkdf2-hmac-sha224", Derive, Implementation::PASSWORD, pbkdf2, EVP_sha224),
    with_digest!("pbkdf2-hmac-sha256", Derive, Implementation::PASSWORD, pbkdf2, EVP_sha256),
    with_digest!("pbkdf2-hmac-sha384", Derive, Implementation::PASSWORD, pbkdf2, EVP_sha384),
    with_digest!("pbkdf2-hmac-sha512", Derive, Implementation::PASSWORD, pbkdf2, EVP_sha512),
    with_digest!("hkdf-sha1", Derive, Implementation::KEY_MATERIAL, hkdf, EVP_sha1),
    with_digest!("hkdf-sha224", Derive, Implementation::KEY_MATERIAL, hkdf, EVP_sha224),
    with_digest!("hkdf-sha256", Derive, Implementation::KEY_MATERIAL, hkdf, EVP_sha256),
    with_digest!("hkdf-sha384", Derive, Implementation::KEY_MATERIAL, hkdf, EVP_sha384),
    with_digest!("hkdf-sha512", Derive, Implementation::KEY_MATERIAL, hkdf, EVP_sha512),
    line("poly1305", Operation::Mac, POLY1305, |_, inputs| {
        Ok(call(inputs, |case, out| {
            let message = case.message.bytes();
            let mut state = std::mem::MaybeUninit::<c::poly1305_state>::uninit();
            // SAFETY: the state is initialised before it is used, the key
            // has 32 bytes, and out has room for the tag.
            unsafe {
                c::CRYPTO_poly1305_init(state.as_mut_ptr(), case.bytes(Role::Key).as_ptr());
                c::CRYPTO_poly1305_update(state.as_mut_ptr(), message.as_ptr(), message.len());
                c::CRYPTO_poly1305_finish(state.as_mut_ptr(), out.as_mut_ptr());
            }
            Ok(())
        }))
    }),
];

/// An HMAC context, keyed or not.
struct Context(*mut c::HMAC_CTX);

impl Context {
    fn new() -> Result<Self, String> {
        // SAFETY: the function takes nothing.
        let context = unsafe { c::HMAC_CTX_new() };
        if context.is_null() { Err("out of memory".to_owned()) } else { Ok(Self(context)) }
    }

    /// Starts with this key, or with the current one if the pointer is null.
    fn init(&self, key: *const u8, bytes: usize, digest: *const c::EVP_MD) -> bool {
        // SAFETY: the context is live, the key as long as it is said to be.
        1 == unsafe { c::HMAC_Init_ex(self.0, key.cast(), bytes, digest, ptr::null_mut()) }
    }

    fn finish(&self, message: &[u8], out: &mut [u8]) -> bool {
        let mut length: c_uint = 0;
        // SAFETY: the context is live and keyed; no HMAC is longer than a
        // destination.
        1 == unsafe { c::HMAC_Update(self.0, message.as_ptr(), message.len()) }
            && 1 == unsafe { c::HMAC_Final(self.0, out.as_mut_ptr(), &mut length) }
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: made by HMAC_CTX_new, and not freed before.
        unsafe { c::HMAC_CTX_free(self.0) };
    }
}

pub(crate) fn mac(digest: Digest, contract: Contract, inputs: Inputs) -> PrepareResult {
    // SAFETY: the function takes nothing.
    let digest = unsafe { digest() };
    let key = move |case: &Case| {
        let (context, key) = (Context::new()?, case.bytes(Role::Key));
        worked(context.init(key.as_ptr(), key.len(), digest)).map(|()| context)
    };
    let is_keyed = contract != Contract::Oneshot;
    call_with_key(contract, inputs, key, move |context, case, out| {
        // Without a key, it restarts with the current one.
        let is_ready = !is_keyed || context.init(ptr::null(), 0, ptr::null());
        worked(is_ready && context.finish(case.message.bytes(), out))
    })
}

fn pbkdf2(digest: Digest, _: Contract, inputs: Inputs) -> PrepareResult {
    let iterations = u32::try_from(inputs.iterations)
        .map_err(|_| PrepareError::Unavailable("that many iterations are refused".to_owned()))?;
    // SAFETY: the function takes nothing.
    let digest = unsafe { digest() };
    Ok(call(inputs, move |case, out| {
        let (password, salt) = (case.bytes(Role::Password), case.bytes(Role::Salt));
        // SAFETY: every pointer is passed with its length.
        let status = unsafe {
            c::PKCS5_PBKDF2_HMAC(
                password.as_ptr().cast(),
                password.len(),
                salt.as_ptr(),
                salt.len(),
                iterations,
                digest,
                out.len(),
                out.as_mut_ptr(),
            )
        };
        worked(status == 1)
    }))
}

fn hkdf(digest: Digest, _: Contract, inputs: Inputs) -> PrepareResult {
    // SAFETY: the function takes nothing.
    let digest = unsafe { digest() };
    Ok(call(inputs, move |case, out| {
        let [secret, salt, info] =
            [Role::Password, Role::Salt, Role::Info].map(|role| case.bytes(role));
        // SAFETY: every pointer is passed with its length.
        let status = unsafe {
            c::HKDF(
                out.as_mut_ptr(),
                out.len(),
                digest,
                secret.as_ptr(),
                secret.len(),
                salt.as_ptr(),
                salt.len(),
                info.as_ptr(),
                info.len(),
            )
        };
        worked(status == 1)
    }))
}
