//! ring as a provider. Its AEADs work in place: sealing seals its own output
//! again, and opening copies the ciphertext first, which is timed, too.

use provider::{Call, Implementation, Lengths, Operation, Workload, call, provider};
use ring::{aead, digest, hkdf, hmac, pbkdf2};
use std::num::NonZeroU32;

provider!(c"ring", c"0.17", IMPLEMENTATIONS);

type Prepared = Result<Box<dyn Call>, String>;

macro_rules! hash {
    ($name:literal, $algorithm:ident, $bytes:literal) => {
        Implementation {
            primitive: $name,
            operation: Operation::Hash,
            lengths: Lengths::hash($bytes),
            prepare: |w| {
                let message = w.message;
                Ok(call(w.destination, $bytes, move |out| {
                    let digest = digest::digest(&digest::$algorithm, message);
                    out[..$bytes].copy_from_slice(digest.as_ref());
                    true
                }))
            },
        }
    };
}

macro_rules! mac {
    ($name:literal, $algorithm:ident, $bytes:literal) => {
        Implementation {
            primitive: $name,
            operation: Operation::Mac,
            lengths: Lengths::mac($bytes),
            prepare: |w| {
                let (message, bytes) = (w.message, w.key);
                let key = hmac::Key::new(hmac::$algorithm, bytes);
                Ok(if w.cold {
                    call(w.destination, $bytes, move |out| {
                        let key = hmac::Key::new(hmac::$algorithm, bytes);
                        out[..$bytes].copy_from_slice(hmac::sign(&key, message).as_ref());
                        true
                    })
                } else {
                    call(w.destination, $bytes, move |out| {
                        out[..$bytes].copy_from_slice(hmac::sign(&key, message).as_ref());
                        true
                    })
                })
            },
        }
    };
}

macro_rules! derive {
    ($name:literal, $algorithm:ident) => {
        Implementation {
            primitive: $name,
            operation: Operation::Derive,
            lengths: Lengths::DERIVATION,
            prepare: |w| {
                let (password, salt, bytes) = (w.key, w.nonce, w.output_bytes);
                let iterations = NonZeroU32::new(w.iterations).ok_or("no iterations")?;
                Ok(call(w.destination, bytes, move |out| {
                    let out = &mut out[..bytes];
                    pbkdf2::derive(pbkdf2::$algorithm, iterations, salt, password, out);
                    true
                }))
            },
        }
    };
}

macro_rules! hkdf {
    ($name:literal, $algorithm:ident) => {
        Implementation {
            primitive: $name,
            operation: Operation::Derive,
            lengths: Lengths::DERIVATION,
            prepare: |w| {
                struct Length(usize);
                impl hkdf::KeyType for Length {
                    fn len(&self) -> usize {
                        self.0
                    }
                }
                let (key, salt, bytes) = (w.key, w.nonce, w.output_bytes);
                let info = w.aad;
                Ok(call(w.destination, bytes, move |out| {
                    let pseudorandom = hkdf::Salt::new(hkdf::$algorithm, salt).extract(key);
                    let info = [info];
                    let expanded = pseudorandom.expand(&info, Length(bytes));
                    expanded.and_then(|okm| okm.fill(&mut out[..bytes])).is_ok()
                }))
            },
        }
    };
}

macro_rules! aead {
    ($name:literal, $operation:ident, $prepare:ident, $algorithm:ident, $key:literal) => {
        Implementation {
            primitive: $name,
            operation: Operation::$operation,
            lengths: Lengths::aead($key),
            prepare: |w| $prepare(&aead::$algorithm, w),
        }
    };
}

static IMPLEMENTATIONS: &[Implementation] = &[
    hash!(c"sha1", SHA1_FOR_LEGACY_USE_ONLY, 20),
    hash!(c"sha256", SHA256, 32),
    hash!(c"sha384", SHA384, 48),
    hash!(c"sha512", SHA512, 64),
    hash!(c"sha512-256", SHA512_256, 32),
    mac!(c"hmac-sha1", HMAC_SHA1_FOR_LEGACY_USE_ONLY, 20),
    mac!(c"hmac-sha256", HMAC_SHA256, 32),
    mac!(c"hmac-sha384", HMAC_SHA384, 48),
    mac!(c"hmac-sha512", HMAC_SHA512, 64),
    derive!(c"pbkdf2-hmac-sha1", PBKDF2_HMAC_SHA1),
    derive!(c"pbkdf2-hmac-sha256", PBKDF2_HMAC_SHA256),
    derive!(c"pbkdf2-hmac-sha384", PBKDF2_HMAC_SHA384),
    derive!(c"pbkdf2-hmac-sha512", PBKDF2_HMAC_SHA512),
    hkdf!(c"hkdf-sha1", HKDF_SHA1_FOR_LEGACY_USE_ONLY),
    hkdf!(c"hkdf-sha256", HKDF_SHA256),
    hkdf!(c"hkdf-sha384", HKDF_SHA384),
    hkdf!(c"hkdf-sha512", HKDF_SHA512),
    aead!(c"chacha20-poly1305", Seal, seal, CHACHA20_POLY1305, 32),
    aead!(c"chacha20-poly1305", Open, open, CHACHA20_POLY1305, 32),
    aead!(c"aes-128-gcm", Seal, seal, AES_128_GCM, 16),
    aead!(c"aes-128-gcm", Open, open, AES_128_GCM, 16),
    aead!(c"aes-256-gcm", Seal, seal, AES_256_GCM, 32),
    aead!(c"aes-256-gcm", Open, open, AES_256_GCM, 32),
];

fn nonce(bytes: &[u8]) -> Result<aead::Nonce, String> {
    aead::Nonce::try_assume_unique_for_key(bytes).map_err(|_| "a nonce has 12 bytes".to_owned())
}

fn key(algorithm: &'static aead::Algorithm, bytes: &[u8]) -> Result<aead::LessSafeKey, String> {
    let key = aead::UnboundKey::new(algorithm, bytes).map_err(|_| "wrong key length".to_owned());
    key.map(aead::LessSafeKey::new)
}

fn seal_once(key: &aead::LessSafeKey, iv: &[u8], aad: &[u8], out: &mut [u8]) -> bool {
    let (text, tag_place) = out.split_at_mut(out.len() - 16);
    let Ok(nonce) = nonce(iv) else { return false };
    let tag = key.seal_in_place_separate_tag(nonce, aead::Aad::from(aad), text);
    tag.map(|tag| tag_place.copy_from_slice(tag.as_ref())).is_ok()
}

fn seal(algorithm: &'static aead::Algorithm, w: Workload) -> Prepared {
    let (bytes, iv, aad) = (w.key, w.nonce, w.aad);
    let length = w.message.len() + 16;
    w.destination[..w.message.len()].copy_from_slice(w.message);
    let keyed = key(algorithm, bytes)?;
    Ok(if w.cold {
        call(w.destination, length, move |out| {
            key(algorithm, bytes).is_ok_and(|key| seal_once(&key, iv, aad, &mut out[..length]))
        })
    } else {
        call(w.destination, length, move |out| seal_once(&keyed, iv, aad, &mut out[..length]))
    })
}

fn open(algorithm: &'static aead::Algorithm, w: Workload) -> Prepared {
    let (bytes, iv, aad) = (w.key, w.nonce, w.aad);
    let length = w.message.len();
    let keyed = key(algorithm, bytes)?;
    let mut sealed = w.message.to_vec();
    sealed.resize(length + 16, 0);
    if !seal_once(&keyed, iv, aad, &mut sealed) {
        return Err("ring refuses to seal".to_owned());
    }
    let open_once = move |key: &aead::LessSafeKey, out: &mut [u8]| {
        let out = &mut out[..length + 16];
        out.copy_from_slice(&sealed);
        nonce(iv).is_ok_and(|nonce| key.open_in_place(nonce, aead::Aad::from(aad), out).is_ok())
    };
    Ok(if w.cold {
        call(w.destination, length, move |out| {
            key(algorithm, bytes).is_ok_and(|key| open_once(&key, out))
        })
    } else {
        call(w.destination, length, move |out| open_once(&keyed, out))
    })
}
