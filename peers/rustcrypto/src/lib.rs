//! RustCrypto as a provider. Its AEADs work in place: sealing seals its own
//! output again, and opening copies the ciphertext first, which is timed, too.

use aes_gcm::{Aes128Gcm, Aes256Gcm};
use chacha20::ChaCha20;
use chacha20::cipher::{KeyIvInit, StreamCipher};
use chacha20poly1305::ChaCha20Poly1305;
use chacha20poly1305::aead::inout::InOutBuf;
use chacha20poly1305::aead::{AeadInOut, KeyInit};
use hkdf::Hkdf;
use hmac::{Hmac, Mac};
use poly1305::Poly1305;
use provider::{Call, Implementation, Lengths, Operation, Workload, call, provider};
use sha1::{Digest, Sha1};
use sha2::{Sha224, Sha256, Sha384, Sha512, Sha512_224, Sha512_256};
use sha3::{Sha3_224, Sha3_256, Sha3_384, Sha3_512};

provider!(c"rustcrypto", c"sha2 0.11, chacha20 0.10", IMPLEMENTATIONS);

macro_rules! hash {
    ($name:literal, $Hash:ty, $bytes:literal) => {
        Implementation {
            primitive: $name,
            operation: Operation::Hash,
            lengths: Lengths::hash($bytes),
            prepare: |w| {
                let message = w.message;
                Ok(call(w.destination, $bytes, move |out| {
                    out[..$bytes].copy_from_slice(&<$Hash>::digest(&*message));
                    true
                }))
            },
        }
    };
}

macro_rules! mac {
    ($name:literal, $Hash:ty, $bytes:literal) => {
        Implementation {
            primitive: $name,
            operation: Operation::Mac,
            lengths: Lengths::mac($bytes),
            prepare: |w| {
                let (message, key) = (w.message, w.key);
                let new = move || <Hmac<$Hash> as KeyInit>::new_from_slice(key);
                let keyed = new().map_err(|error| error.to_string())?;
                let once = move |mut mac: Hmac<$Hash>, out: &mut [u8]| {
                    mac.update(message);
                    out[..$bytes].copy_from_slice(&mac.finalize().into_bytes());
                    true
                };
                Ok(if w.cold {
                    call(w.destination, $bytes, move |out| new().is_ok_and(|mac| once(mac, out)))
                } else {
                    call(w.destination, $bytes, move |out| once(keyed.clone(), out))
                })
            },
        }
    };
}

macro_rules! pbkdf2 {
    ($name:literal, $Hash:ty) => {
        Implementation {
            primitive: $name,
            operation: Operation::Derive,
            lengths: Lengths::DERIVATION,
            prepare: |w| {
                let (password, salt, rounds, bytes) =
                    (w.key, w.nonce, w.iterations, w.output_bytes);
                Ok(call(w.destination, bytes, move |out| {
                    pbkdf2::pbkdf2_hmac::<$Hash>(password, salt, rounds, &mut out[..bytes]);
                    true
                }))
            },
        }
    };
}

macro_rules! hkdf {
    ($name:literal, $Hash:ty) => {
        Implementation {
            primitive: $name,
            operation: Operation::Derive,
            lengths: Lengths::DERIVATION,
            prepare: |w| {
                let (key, salt, info, bytes) = (w.key, w.nonce, w.aad, w.output_bytes);
                Ok(call(w.destination, bytes, move |out| {
                    Hkdf::<$Hash>::new(Some(salt), key).expand(info, &mut out[..bytes]).is_ok()
                }))
            },
        }
    };
}

macro_rules! aead {
    ($name:literal, $operation:ident, $prepare:ident, $Aead:ty, $key:literal) => {
        Implementation {
            primitive: $name,
            operation: Operation::$operation,
            lengths: Lengths::aead($key),
            prepare: $prepare::<$Aead>,
        }
    };
}

static IMPLEMENTATIONS: &[Implementation] = &[
    hash!(c"sha1", Sha1, 20),
    hash!(c"sha224", Sha224, 28),
    hash!(c"sha256", Sha256, 32),
    hash!(c"sha384", Sha384, 48),
    hash!(c"sha512", Sha512, 64),
    hash!(c"sha512-224", Sha512_224, 28),
    hash!(c"sha512-256", Sha512_256, 32),
    hash!(c"sha3-224", Sha3_224, 28),
    hash!(c"sha3-256", Sha3_256, 32),
    hash!(c"sha3-384", Sha3_384, 48),
    hash!(c"sha3-512", Sha3_512, 64),
    mac!(c"hmac-sha1", Sha1, 20),
    mac!(c"hmac-sha224", Sha224, 28),
    mac!(c"hmac-sha256", Sha256, 32),
    mac!(c"hmac-sha384", Sha384, 48),
    mac!(c"hmac-sha512", Sha512, 64),
    mac!(c"hmac-sha512-224", Sha512_224, 28),
    mac!(c"hmac-sha512-256", Sha512_256, 32),
    pbkdf2!(c"pbkdf2-hmac-sha1", Sha1),
    pbkdf2!(c"pbkdf2-hmac-sha224", Sha224),
    pbkdf2!(c"pbkdf2-hmac-sha256", Sha256),
    pbkdf2!(c"pbkdf2-hmac-sha384", Sha384),
    pbkdf2!(c"pbkdf2-hmac-sha512", Sha512),
    pbkdf2!(c"pbkdf2-hmac-sha512-224", Sha512_224),
    pbkdf2!(c"pbkdf2-hmac-sha512-256", Sha512_256),
    hkdf!(c"hkdf-sha1", Sha1),
    hkdf!(c"hkdf-sha224", Sha224),
    hkdf!(c"hkdf-sha256", Sha256),
    hkdf!(c"hkdf-sha384", Sha384),
    hkdf!(c"hkdf-sha512", Sha512),
    hkdf!(c"hkdf-sha512-224", Sha512_224),
    hkdf!(c"hkdf-sha512-256", Sha512_256),
    Implementation {
        primitive: c"poly1305",
        operation: Operation::Mac,
        lengths: Lengths::mac(16),
        prepare: |w| {
            let (message, key) = (w.message, w.key);
            // The key is used once by its nature: every call keys anew.
            Ok(call(w.destination, 16, move |out| {
                let Ok(mac) = Poly1305::new_from_slice(key) else { return false };
                out[..16].copy_from_slice(&mac.compute_unpadded(message));
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
                let Ok(mut cipher) = ChaCha20::new_from_slices(key, nonce) else { return false };
                cipher.apply_keystream_b2b(message, &mut out[..length]);
                true
            }))
        },
    },
    aead!(c"chacha20-poly1305", Seal, seal, ChaCha20Poly1305, 32),
    aead!(c"chacha20-poly1305", Open, open, ChaCha20Poly1305, 32),
    aead!(c"aes-128-gcm", Seal, seal, Aes128Gcm, 16),
    aead!(c"aes-128-gcm", Open, open, Aes128Gcm, 16),
    aead!(c"aes-256-gcm", Seal, seal, Aes256Gcm, 32),
    aead!(c"aes-256-gcm", Open, open, Aes256Gcm, 32),
];

fn seal_once<A: AeadInOut>(aead: &A, nonce: &[u8], aad: &[u8], out: &mut [u8]) -> bool {
    let (text, tag_place) = out.split_at_mut(out.len() - 16);
    let Ok(nonce) = nonce.try_into() else { return false };
    let tag = aead.encrypt_inout_detached(nonce, aad, InOutBuf::from(text));
    tag.map(|tag| tag_place.copy_from_slice(&tag)).is_ok()
}

fn seal<A: AeadInOut + KeyInit + 'static>(w: Workload) -> Result<Box<dyn Call>, String> {
    let (key, nonce, aad) = (w.key, w.nonce, w.aad);
    let length = w.message.len() + 16;
    w.destination[..w.message.len()].copy_from_slice(w.message);
    let keyed = A::new_from_slice(key).map_err(|error| error.to_string())?;
    Ok(if w.cold {
        call(w.destination, length, move |out| {
            A::new_from_slice(key)
                .is_ok_and(|aead| seal_once(&aead, nonce, aad, &mut out[..length]))
        })
    } else {
        call(w.destination, length, move |out| seal_once(&keyed, nonce, aad, &mut out[..length]))
    })
}

fn open<A: AeadInOut + KeyInit + 'static>(w: Workload) -> Result<Box<dyn Call>, String> {
    let (key, nonce, aad) = (w.key, w.nonce, w.aad);
    let length = w.message.len();
    let keyed = A::new_from_slice(key).map_err(|error| error.to_string())?;
    let mut sealed = w.message.to_vec();
    sealed.resize(length + 16, 0);
    if !seal_once(&keyed, nonce, aad, &mut sealed) {
        return Err("RustCrypto refuses to seal".to_owned());
    }
    let open_once = move |aead: &A, out: &mut [u8]| {
        let (text, tag) = sealed.split_at(length);
        let out = &mut out[..length];
        out.copy_from_slice(text);
        let (Ok(nonce), Ok(tag)) = (nonce.try_into(), tag.try_into()) else { return false };
        aead.decrypt_inout_detached(nonce, aad, InOutBuf::from(out), tag).is_ok()
    };
    Ok(if w.cold {
        call(w.destination, length, move |out| {
            A::new_from_slice(key).is_ok_and(|aead| open_once(&aead, out))
        })
    } else {
        call(w.destination, length, move |out| open_once(&keyed, out))
    })
}
