//! AWS-LC as a provider, through its C functions.

use aws_lc_sys as c;
use provider::{Call, Implementation, Lengths, Operation, Workload, call, provider};
use std::ffi::c_uint;

provider!(c"aws-lc", c"aws-lc-sys 0.43", IMPLEMENTATIONS);

type Prepared = Result<Box<dyn Call>, String>;
type Digest = unsafe extern "C" fn() -> *const c::EVP_MD;
type Hash = unsafe extern "C" fn(*const u8, usize, *mut u8) -> *mut u8;
type Aead = unsafe extern "C" fn() -> *const c::EVP_AEAD;

const TAG: usize = 16;

macro_rules! hash {
    ($name:literal, $function:ident, $bytes:literal) => {
        Implementation {
            primitive: $name,
            operation: Operation::Hash,
            lengths: Lengths::hash($bytes),
            prepare: |w| {
                let (message, function): (_, Hash) = (w.message, c::$function);
                Ok(call(w.destination, $bytes, move |out| {
                    let out = &mut out[..$bytes];
                    // SAFETY: out has room for the digest.
                    !unsafe { function(message.as_ptr(), message.len(), out.as_mut_ptr()) }
                        .is_null()
                }))
            },
        }
    };
}

/// Hashes without a function of their own.
macro_rules! digest {
    ($name:literal, $digest:ident, $bytes:literal) => {
        Implementation {
            primitive: $name,
            operation: Operation::Hash,
            lengths: Lengths::hash($bytes),
            prepare: |w| {
                let message = w.message;
                // SAFETY: the function takes nothing.
                let digest = unsafe { c::$digest() };
                Ok(call(w.destination, $bytes, move |out| {
                    let out = &mut out[..$bytes];
                    // SAFETY: out has room for the digest.
                    1 == unsafe {
                        c::EVP_Digest(
                            message.as_ptr().cast(),
                            message.len(),
                            out.as_mut_ptr(),
                            std::ptr::null_mut(),
                            digest,
                            std::ptr::null_mut(),
                        )
                    }
                }))
            },
        }
    };
}

macro_rules! with_digest {
    ($name:literal, $operation:ident, $lengths:expr, $prepare:ident, $digest:ident) => {
        Implementation {
            primitive: $name,
            operation: Operation::$operation,
            lengths: $lengths,
            prepare: |w| $prepare(c::$digest, w),
        }
    };
}

macro_rules! aead {
    ($name:literal, $aead:ident, $key:literal, $operation:ident, $prepare:ident) => {
        Implementation {
            primitive: $name,
            operation: Operation::$operation,
            lengths: Lengths::aead($key),
            prepare: |w| $prepare(c::$aead, w),
        }
    };
}

static IMPLEMENTATIONS: &[Implementation] = &[
    hash!(c"sha1", SHA1, 20),
    hash!(c"sha224", SHA224, 28),
    hash!(c"sha256", SHA256, 32),
    hash!(c"sha384", SHA384, 48),
    hash!(c"sha512", SHA512, 64),
    hash!(c"sha512-224", SHA512_224, 28),
    hash!(c"sha512-256", SHA512_256, 32),
    digest!(c"sha3-224", EVP_sha3_224, 28),
    digest!(c"sha3-256", EVP_sha3_256, 32),
    digest!(c"sha3-384", EVP_sha3_384, 48),
    digest!(c"sha3-512", EVP_sha3_512, 64),
    with_digest!(c"hmac-sha1", Mac, Lengths::mac(20), mac, EVP_sha1),
    with_digest!(c"hmac-sha224", Mac, Lengths::mac(28), mac, EVP_sha224),
    with_digest!(c"hmac-sha256", Mac, Lengths::mac(32), mac, EVP_sha256),
    with_digest!(c"hmac-sha384", Mac, Lengths::mac(48), mac, EVP_sha384),
    with_digest!(c"hmac-sha512", Mac, Lengths::mac(64), mac, EVP_sha512),
    with_digest!(c"hmac-sha512-224", Mac, Lengths::mac(28), mac, EVP_sha512_224),
    with_digest!(c"hmac-sha512-256", Mac, Lengths::mac(32), mac, EVP_sha512_256),
    with_digest!(c"pbkdf2-hmac-sha1", Derive, Lengths::DERIVATION, pbkdf2, EVP_sha1),
    with_digest!(c"pbkdf2-hmac-sha224", Derive, Lengths::DERIVATION, pbkdf2, EVP_sha224),
    with_digest!(c"pbkdf2-hmac-sha256", Derive, Lengths::DERIVATION, pbkdf2, EVP_sha256),
    with_digest!(c"pbkdf2-hmac-sha384", Derive, Lengths::DERIVATION, pbkdf2, EVP_sha384),
    with_digest!(c"pbkdf2-hmac-sha512", Derive, Lengths::DERIVATION, pbkdf2, EVP_sha512),
    with_digest!(c"hkdf-sha1", Derive, Lengths::DERIVATION, hkdf, EVP_sha1),
    with_digest!(c"hkdf-sha224", Derive, Lengths::DERIVATION, hkdf, EVP_sha224),
    with_digest!(c"hkdf-sha256", Derive, Lengths::DERIVATION, hkdf, EVP_sha256),
    with_digest!(c"hkdf-sha384", Derive, Lengths::DERIVATION, hkdf, EVP_sha384),
    with_digest!(c"hkdf-sha512", Derive, Lengths::DERIVATION, hkdf, EVP_sha512),
    Implementation {
        primitive: c"poly1305",
        operation: Operation::Mac,
        lengths: Lengths::mac(16),
        prepare: |w| {
            let (message, key) = (w.message, w.key);
            Ok(call(w.destination, 16, move |out| {
                let out = &mut out[..16];
                let mut state = std::mem::MaybeUninit::<c::poly1305_state>::uninit();
                // SAFETY: the state is initialised before it is used, the key
                // has 32 bytes, and out has room for the tag.
                unsafe {
                    c::CRYPTO_poly1305_init(state.as_mut_ptr(), key.as_ptr());
                    c::CRYPTO_poly1305_update(state.as_mut_ptr(), message.as_ptr(), message.len());
                    c::CRYPTO_poly1305_finish(state.as_mut_ptr(), out.as_mut_ptr());
                }
                true
            }))
        },
    },
    Implementation {
        primitive: c"chacha20",
        operation: Operation::Encrypt,
        lengths: Lengths::stream(32, 12),
        prepare: |w| {
            let (message, key, nonce) = (w.message, w.key, w.nonce);
            let length = message.len();
            Ok(call(w.destination, length, move |out| {
                let out = &mut out[..length];
                // SAFETY: key and nonce have the lengths named above, out that
                // of the message.
                unsafe {
                    c::CRYPTO_chacha_20(
                        out.as_mut_ptr(),
                        message.as_ptr(),
                        length,
                        key.as_ptr(),
                        nonce.as_ptr(),
                        0,
                    );
                }
                true
            }))
        },
    },
    aead!(c"chacha20-poly1305", EVP_aead_chacha20_poly1305, 32, Seal, seal),
    aead!(c"chacha20-poly1305", EVP_aead_chacha20_poly1305, 32, Open, open),
    aead!(c"aes-128-gcm", EVP_aead_aes_128_gcm, 16, Seal, seal),
    aead!(c"aes-128-gcm", EVP_aead_aes_128_gcm, 16, Open, open),
    aead!(c"aes-256-gcm", EVP_aead_aes_256_gcm, 32, Seal, seal),
    aead!(c"aes-256-gcm", EVP_aead_aes_256_gcm, 32, Open, open),
];

/// An HMAC context, keyed or not.
struct Context(*mut c::HMAC_CTX);

impl Context {
    fn new() -> Result<Self, String> {
        // SAFETY: the function takes nothing.
        let context = unsafe { c::HMAC_CTX_new() };
        if context.is_null() { Err("out of memory".to_owned()) } else { Ok(Self(context)) }
    }

    /// With the key, or, with a null pointer, with the one it has.
    fn init(&self, key: *const u8, bytes: usize, digest: *const c::EVP_MD) -> bool {
        // SAFETY: the context is live, the key as long as it is said to be.
        1 == unsafe { c::HMAC_Init_ex(self.0, key.cast(), bytes, digest, std::ptr::null_mut()) }
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

fn mac(digest: Digest, w: Workload) -> Prepared {
    let (message, key) = (w.message, w.key);
    // SAFETY: the functions take nothing, or a digest.
    let (digest, length) = unsafe { (digest(), c::EVP_MD_size(digest())) };
    let context = Context::new()?;
    if !context.init(key.as_ptr(), key.len(), digest) {
        return Err("AWS-LC refuses the key".to_owned());
    }
    Ok(if w.cold {
        call(w.destination, length, move |out| {
            Context::new().is_ok_and(|context| {
                context.init(key.as_ptr(), key.len(), digest) && context.finish(message, out)
            })
        })
    } else {
        call(w.destination, length, move |out| {
            context.init(std::ptr::null(), 0, std::ptr::null()) && context.finish(message, out)
        })
    })
}

fn pbkdf2(digest: Digest, w: Workload) -> Prepared {
    let (password, salt, iterations, bytes) = (w.key, w.nonce, w.iterations, w.output_bytes);
    // SAFETY: the function takes nothing.
    let digest = unsafe { digest() };
    Ok(call(w.destination, bytes, move |out| {
        let out = &mut out[..bytes];
        // SAFETY: every pointer goes with its length.
        1 == unsafe {
            c::PKCS5_PBKDF2_HMAC(
                password.as_ptr().cast(),
                password.len(),
                salt.as_ptr(),
                salt.len(),
                iterations,
                digest,
                bytes,
                out.as_mut_ptr(),
            )
        }
    }))
}

fn hkdf(digest: Digest, w: Workload) -> Prepared {
    let (secret, salt, bytes) = (w.key, w.nonce, w.output_bytes);
    // SAFETY: the function takes nothing.
    let digest = unsafe { digest() };
    Ok(call(w.destination, bytes, move |out| {
        let out = &mut out[..bytes];
        // SAFETY: every pointer goes with its length.
        1 == unsafe {
            c::HKDF(
                out.as_mut_ptr(),
                bytes,
                digest,
                secret.as_ptr(),
                secret.len(),
                salt.as_ptr(),
                salt.len(),
                std::ptr::null(),
                0,
            )
        }
    }))
}

/// A keyed AEAD context.
struct Keyed(*mut c::EVP_AEAD_CTX);

impl Keyed {
    fn new(aead: *const c::EVP_AEAD, key: &[u8]) -> Result<Self, String> {
        // SAFETY: the key is as long as it is said to be.
        let context = unsafe { c::EVP_AEAD_CTX_new(aead, key.as_ptr(), key.len(), TAG) };
        if context.is_null() { Err("AWS-LC refuses the key".to_owned()) } else { Ok(Self(context)) }
    }

    fn seal(&self, nonce: &[u8], aad: &[u8], text: &[u8], out: &mut [u8]) -> bool {
        let mut length = 0;
        // SAFETY: the context is live, and every pointer goes with its length.
        1 == unsafe {
            c::EVP_AEAD_CTX_seal(
                self.0,
                out.as_mut_ptr(),
                &mut length,
                out.len(),
                nonce.as_ptr(),
                nonce.len(),
                text.as_ptr(),
                text.len(),
                aad.as_ptr(),
                aad.len(),
            )
        }
    }

    fn open(&self, nonce: &[u8], aad: &[u8], sealed: &[u8], out: &mut [u8]) -> bool {
        let mut length = 0;
        // SAFETY: as in seal().
        1 == unsafe {
            c::EVP_AEAD_CTX_open(
                self.0,
                out.as_mut_ptr(),
                &mut length,
                out.len(),
                nonce.as_ptr(),
                nonce.len(),
                sealed.as_ptr(),
                sealed.len(),
                aad.as_ptr(),
                aad.len(),
            )
        }
    }
}

impl Drop for Keyed {
    fn drop(&mut self) {
        // SAFETY: made by EVP_AEAD_CTX_new, and not freed before.
        unsafe { c::EVP_AEAD_CTX_free(self.0) };
    }
}

fn seal(aead: Aead, w: Workload) -> Prepared {
    let (message, key, nonce, aad) = (w.message, w.key, w.nonce, w.aad);
    // SAFETY: the function takes nothing.
    let aead = unsafe { aead() };
    let keyed = Keyed::new(aead, key)?;
    let length = message.len() + TAG;
    Ok(if w.cold {
        call(w.destination, length, move |out| {
            Keyed::new(aead, key).is_ok_and(|keyed| keyed.seal(nonce, aad, message, out))
        })
    } else {
        call(w.destination, length, move |out| keyed.seal(nonce, aad, message, out))
    })
}

fn open(aead: Aead, w: Workload) -> Prepared {
    let (message, key, nonce, aad) = (w.message, w.key, w.nonce, w.aad);
    // SAFETY: the function takes nothing.
    let aead = unsafe { aead() };
    let keyed = Keyed::new(aead, key)?;
    let length = message.len();
    let mut sealed = vec![0; length + TAG];
    if !keyed.seal(nonce, aad, message, &mut sealed) {
        return Err("AWS-LC refuses to seal".to_owned());
    }
    Ok(if w.cold {
        call(w.destination, length, move |out| {
            Keyed::new(aead, key).is_ok_and(|keyed| keyed.open(nonce, aad, &sealed, out))
        })
    } else {
        call(w.destination, length, move |out| keyed.open(nonce, aad, &sealed, out))
    })
}
