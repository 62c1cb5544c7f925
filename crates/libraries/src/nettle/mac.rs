//! MACs: HMAC and CMAC through the library's generic functions, with every
//! hash and cipher it has; UMAC and Poly1305-AES.

use super::call::{Implementation, Places, Routine, contexts, ready};
use super::cipher::Cipher;
use super::symbols::{Cmac64, Cmac128, Crypt, Digest, File, Hmac, Named, RawHash, SetKey, Update};
use crate::sizes::HMAC_KEY;
use crate::{Buffer, names};
use cpb_model::{Length, Lengths, Offer, Operation};
use std::ffi::{c_uint, c_void};

/// Room for the key or state of CMAC: `sizeof` is 32 and 40 at most.
const CMAC_BYTES: usize = 64;
/// Room for UMAC and Poly1305-AES: `struct umac128_ctx` has 2768 bytes.
const CONTEXT_BYTES: usize = 4096;

/// UMAC: bytes of the tag. Its block has 1024 bytes, its nonce at most 16; RFC
/// 4418 uses 8.
const UMAC_TAGS: &[usize] = &[4, 8, 12, 16];
const UMAC_BLOCK_BYTES: usize = 1024;
const UMAC_NONCE_BYTES: usize = 8;

/// The offers of all MACs.
pub(super) fn implementations(
    file: &File,
    hashes: &[&'static RawHash],
    ciphers: &[&Cipher],
) -> Vec<Implementation> {
    let mut found = Vec::new();
    if let Ok(functions) = Hmac::load(file) {
        found.extend(hashes.iter().map(|hash| hmac(functions, hash)));
    }
    found.extend(ciphers.iter().filter_map(|cipher| cmac(file, cipher)));
    found.extend(UMAC_TAGS.iter().filter_map(|&bytes| umac(file, bytes)));
    found.extend(poly1305_aes(file));
    found
}

fn offer(primitive: String, spelling: String, lengths: Lengths) -> Offer {
    Offer {
        primitive,
        operation: Operation::Mac,
        spelling,
        backend: "default".to_owned(),
        default_backend: true,
        row: None,
        lengths: Lengths { granularity: 1, ..lengths },
        unavailable: None,
    }
}

fn hmac(functions: Hmac, hash: &'static RawHash) -> Implementation {
    let name = hash.name();
    let lengths = Lengths {
        key: HMAC_KEY,
        block: Some(hash.block_size as usize),
        output: Some(Length::fixed(hash.digest_size as usize)),
        ..Lengths::default()
    };
    let offer = offer(names::mac("hmac", &names::hash(&name)), format!("hmac_{name}"), lengths);
    let make = move |places, contract| {
        let ([outer, inner, state], memory) = contexts([hash.context_size as usize; 3]);
        Ok(ready(
            HmacCall { functions, hash, outer, inner, state, places, _memory: memory },
            contract,
        ))
    };
    Implementation { offer, make: Box::new(make) }
}

/// The library's digest leaves the context ready for the next message.
struct HmacCall {
    functions: Hmac,
    hash: &'static RawHash,
    outer: *mut c_void,
    inner: *mut c_void,
    state: *mut c_void,
    places: Places,
    _memory: Buffer,
}

impl Routine for HmacCall {
    fn key(&mut self) {
        let Self { outer, inner, state, hash, .. } = *self;
        let Places { key, key_bytes, .. } = self.places;
        // SAFETY: the contexts have the hash's size.
        unsafe { (self.functions.set_key)(outer, inner, state, hash, key_bytes, key) };
    }

    fn call(&mut self) {
        let Self { outer, inner, state, hash, .. } = *self;
        let Places { source, length, destination, output_bytes, .. } = self.places;
        // SAFETY: the contexts are keyed; there is room for the digest.
        unsafe {
            (self.functions.update)(state, hash, length, source);
            (self.functions.digest)(outer, inner, state, hash, output_bytes, destination);
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        // SAFETY: as in `call`.
        Ok(unsafe { self.places.written(self.places.output_bytes) })
    }
}

/// The functions of CMAC for one block length: for 8 and 16 bytes they differ
/// in name only.
#[derive(Clone, Copy)]
struct Cmac {
    set_key: unsafe extern "C" fn(*mut c_void, *mut c_void, Crypt),
    init: unsafe extern "C" fn(*mut c_void),
    update: unsafe extern "C" fn(*mut c_void, *mut c_void, Crypt, usize, *const u8),
    digest: unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void, Crypt, c_uint, *mut u8),
}

fn cmac(file: &File, cipher: &Cipher) -> Option<Implementation> {
    let functions = match cipher.block_bytes {
        16 => {
            let Cmac128 { set_key, init, update, digest } = Cmac128::load(file).ok()?;
            Cmac { set_key, init, update, digest }
        }
        8 => {
            let Cmac64 { set_key, init, update, digest } = Cmac64::load(file).ok()?;
            Cmac { set_key, init, update, digest }
        }
        _ => return None,
    };
    let lengths = Lengths {
        key: Length::fixed(cipher.key_bytes),
        block: Some(cipher.block_bytes),
        output: Some(Length::fixed(cipher.block_bytes)),
        ..Lengths::default()
    };
    let primitive = names::mac("cmac", &cipher.canonical);
    let offer = offer(primitive, format!("cmac_{}", cipher.name), lengths);
    let cipher = cipher.clone();
    let make = move |places: Places, contract| {
        let ([cmac_key, state, context], memory) =
            contexts([CMAC_BYTES, CMAC_BYTES, cipher.context_bytes]);
        // SAFETY: the offer's key has the cipher's length.
        unsafe { cipher.check_key(context, places.key) }?;
        let (set_cipher_key, encrypt) = (cipher.set_encrypt_key, cipher.encrypt);
        Ok(ready(
            CmacCall {
                functions,
                set_cipher_key,
                encrypt,
                cmac_key,
                state,
                context,
                tag_bytes: cipher.block_bytes as c_uint,
                places,
                _memory: memory,
            },
            contract,
        ))
    };
    Some(Implementation { offer, make: Box::new(make) })
}

/// Here, too, the digest leaves the state ready for the next message.
struct CmacCall {
    functions: Cmac,
    set_cipher_key: SetKey,
    encrypt: Crypt,
    cmac_key: *mut c_void,
    state: *mut c_void,
    context: *mut c_void,
    tag_bytes: c_uint,
    places: Places,
    _memory: Buffer,
}

impl Routine for CmacCall {
    fn key(&mut self) {
        // SAFETY: the contexts have the sizes that the headers state, the key
        // has the cipher's length.
        unsafe {
            (self.set_cipher_key)(self.context, self.places.key);
            (self.functions.set_key)(self.cmac_key, self.context, self.encrypt);
            (self.functions.init)(self.state);
        }
    }

    fn call(&mut self) {
        let Self { cmac_key, state, context, encrypt, tag_bytes, .. } = *self;
        let Places { source, length, destination, .. } = self.places;
        // SAFETY: the contexts are keyed; there is room for the tag.
        unsafe {
            (self.functions.update)(state, context, encrypt, length, source);
            (self.functions.digest)(state, cmac_key, context, encrypt, tag_bytes, destination);
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        // SAFETY: as in `call`.
        Ok(unsafe { self.places.written(self.places.output_bytes) })
    }
}

fn umac(file: &File, tag_bytes: usize) -> Option<Implementation> {
    let name = format!("umac{}", tag_bytes * 8);
    // SAFETY: the types are those of umac.h.
    let functions = unsafe {
        NonceMac {
            set_key: file.symbol(&format!("nettle_{name}_set_key")).ok()?,
            set_nonce: SetNonce::AnyLength(file.symbol(&format!("nettle_{name}_set_nonce")).ok()?),
            update: file.symbol(&format!("nettle_{name}_update")).ok()?,
            digest: file.symbol(&format!("nettle_{name}_digest")).ok()?,
        }
    };
    let lengths = Lengths {
        key: Length::fixed(16),
        nonce: Length::fixed(UMAC_NONCE_BYTES),
        block: Some(UMAC_BLOCK_BYTES),
        output: Some(Length::fixed(tag_bytes)),
        ..Lengths::default()
    };
    let primitive = names::mac("umac", &(tag_bytes * 8).to_string());
    Some(with_nonce(functions, offer(primitive, name, lengths)))
}

fn poly1305_aes(file: &File) -> Option<Implementation> {
    // SAFETY: the types are those of poly1305.h.
    let functions = unsafe {
        NonceMac {
            set_key: file.symbol("nettle_poly1305_aes_set_key").ok()?,
            set_nonce: SetNonce::Fixed(file.symbol("nettle_poly1305_aes_set_nonce").ok()?),
            update: file.symbol("nettle_poly1305_aes_update").ok()?,
            digest: file.symbol("nettle_poly1305_aes_digest").ok()?,
        }
    };
    let lengths = Lengths {
        key: Length::fixed(32),
        nonce: Length::fixed(16),
        block: Some(16),
        output: Some(Length::fixed(16)),
        ..Lengths::default()
    };
    let primitive = names::mac("poly1305", &names::cipher("aes", 128));
    Some(with_nonce(functions, offer(primitive, "poly1305_aes".to_owned(), lengths)))
}

/// The functions of a MAC with a nonce.
#[derive(Clone, Copy)]
struct NonceMac {
    set_key: SetKey,
    set_nonce: SetNonce,
    update: Update,
    digest: Digest,
}

#[derive(Clone, Copy)]
enum SetNonce {
    Fixed(SetKey),
    /// It has the type of an update.
    AnyLength(Update),
}

fn with_nonce(functions: NonceMac, offer: Offer) -> Implementation {
    let make = move |places, contract| {
        let ([context], memory) = contexts([CONTEXT_BYTES]);
        Ok(ready(NonceMacCall { functions, context, places, _memory: memory }, contract))
    };
    Implementation { offer, make: Box::new(make) }
}

/// The library counts the nonce up in every digest, so each call sets it.
struct NonceMacCall {
    functions: NonceMac,
    context: *mut c_void,
    places: Places,
    _memory: Buffer,
}

impl Routine for NonceMacCall {
    fn key(&mut self) {
        // SAFETY: the context has room enough, the key the MAC's length.
        unsafe { (self.functions.set_key)(self.context, self.places.key) };
    }

    fn call(&mut self) {
        let Places { source, length, destination, nonce, nonce_bytes, output_bytes, .. } =
            self.places;
        // SAFETY: the context is keyed, the nonce has a length that the MAC
        // takes; there is room for the tag.
        unsafe {
            match self.functions.set_nonce {
                SetNonce::Fixed(set_nonce) => set_nonce(self.context, nonce),
                SetNonce::AnyLength(set_nonce) => set_nonce(self.context, nonce_bytes, nonce),
            }
            (self.functions.update)(self.context, length, source);
            (self.functions.digest)(self.context, output_bytes, destination);
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        // SAFETY: as in `call`.
        Ok(unsafe { self.places.written(self.places.output_bytes) })
    }
}
