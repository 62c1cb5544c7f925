//! Derivations: PBKDF2 and HKDF, over the HMACs that the library lists.

use super::call::{Implementation, Places, Routine, contexts, ready};
use super::symbols::{Digest, File, Hkdf, Named, RawMac, Update};
use crate::sizes::{FREE_OUTPUT, SECRET, info};
use crate::{Buffer, names};
use cpb_model::{Lengths, Offer, Operation};
use std::ffi::{c_uint, c_void};

/// Hashes with a PBKDF2 function of their own.
const PBKDF2: &[&str] = &["sha1", "sha256", "sha384", "sha512", "gosthash94cp"];
/// HKDF counts its blocks in one byte.
const HKDF_BLOCKS: usize = 255;
/// The longest digest of any hash.
const DIGEST_BYTES: usize = 64;

/// Password, iterations, salt, output.
type Pbkdf2 = unsafe extern "C" fn(usize, *const u8, c_uint, usize, *const u8, usize, *mut u8);
/// The same with a keyed MAC: context, functions and digest length first.
type Pbkdf2Generic = unsafe extern "C" fn(
    *mut c_void,
    Update,
    Digest,
    usize,
    c_uint,
    usize,
    *const u8,
    usize,
    *mut u8,
);

/// The offers of all derivations.
pub(super) fn implementations(file: &File) -> Vec<Implementation> {
    let macs = hmacs(file);
    let mut found: Vec<_> = PBKDF2.iter().filter_map(|hash| pbkdf2(file, hash)).collect();
    let others = macs.iter().filter(|mac| !PBKDF2.contains(&mac.hash.as_str()));
    found.extend(others.filter_map(|mac| pbkdf2_generic(file, mac)));
    if let Ok(functions) = Hkdf::load(file) {
        found.extend(macs.iter().map(|mac| hkdf(functions, mac)));
    }
    found
}

/// An HMAC that takes keys of any length.
#[derive(Clone)]
struct Mac {
    /// The library's name of its hash.
    hash: String,
    context_bytes: usize,
    digest_bytes: usize,
    /// Context, length, key: the type of an update.
    set_key: Update,
    update: Update,
    digest: Digest,
}

fn hmacs(file: &File) -> Vec<Mac> {
    // SAFETY: nettle-meta.h declares the function so.
    let listed: Vec<&RawMac> = unsafe { file.list("nettle_get_macs") }.unwrap_or_default();
    listed
        .into_iter()
        .filter_map(|mac| {
            let name = mac.name();
            // SAFETY: the type is that of hmac.h.
            let set_key = unsafe { file.symbol(&format!("nettle_{name}_set_key")) };
            Some(Mac {
                hash: name.strip_prefix("hmac_")?.to_owned(),
                context_bytes: mac.context_size as usize,
                digest_bytes: mac.digest_size as usize,
                set_key: set_key.ok()?,
                update: mac.update,
                digest: mac.digest,
            })
        })
        .collect()
}

fn offer(construction: &str, hash: &str) -> Offer {
    // By custom HKDF is named after the hash, PBKDF2 after the HMAC.
    let function = match construction {
        "hkdf" => names::hash(hash),
        _ => names::mac("hmac", &names::hash(hash)),
    };
    let primitive = names::mac(construction, &function);
    Offer {
        lengths: Lengths {
            key: SECRET,
            nonce: SECRET,
            aad: info(&primitive),
            granularity: 1,
            output: Some(FREE_OUTPUT),
            ..Lengths::default()
        },
        primitive,
        operation: Operation::Derive,
        spelling: format!("{construction}_hmac_{hash}"),
        backend: "default".to_owned(),
        default_backend: true,
        row: None,
        unavailable: None,
    }
}

/// Iterations as the library takes them. It aborts on 0.
fn iterations(places: &Places) -> Result<c_uint, String> {
    match c_uint::try_from(places.iterations) {
        Ok(iterations) if iterations != 0 => Ok(iterations),
        _ => Err(format!("nettle takes 1 to {} iterations", c_uint::MAX)),
    }
}

fn pbkdf2(file: &File, hash: &str) -> Option<Implementation> {
    // SAFETY: the type is that of pbkdf2.h.
    let function: Pbkdf2 = unsafe { file.symbol(&format!("nettle_pbkdf2_hmac_{hash}")) }.ok()?;
    let make = move |places: Places, contract| {
        let iterations = iterations(&places)?;
        Ok(ready(Pbkdf2Call { function, iterations, places }, contract))
    };
    Some(Implementation { offer: offer("pbkdf2", hash), make: Box::new(make) })
}

struct Pbkdf2Call {
    function: Pbkdf2,
    iterations: c_uint,
    places: Places,
}

impl Routine for Pbkdf2Call {
    fn key(&mut self) {}

    fn call(&mut self) {
        let Places { key, key_bytes, nonce, nonce_bytes, .. } = self.places;
        let Places { destination, output_bytes, .. } = self.places;
        // SAFETY: password and salt have these lengths; there is room for the
        // output.
        unsafe {
            (self.function)(
                key_bytes,
                key,
                self.iterations,
                nonce_bytes,
                nonce,
                output_bytes,
                destination,
            );
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        // SAFETY: as in `call`.
        Ok(unsafe { self.places.written(self.places.output_bytes) })
    }
}

fn pbkdf2_generic(file: &File, mac: &Mac) -> Option<Implementation> {
    // SAFETY: the type is that of pbkdf2.h.
    let function: Pbkdf2Generic = unsafe { file.symbol("nettle_pbkdf2") }.ok()?;
    let offer = offer("pbkdf2", &mac.hash);
    let mac = mac.clone();
    let make = move |places: Places, contract| {
        let iterations = iterations(&places)?;
        let ([context], memory) = contexts([mac.context_bytes]);
        let mac = mac.clone();
        Ok(ready(
            Pbkdf2GenericCall { function, iterations, mac, context, places, _memory: memory },
            contract,
        ))
    };
    Some(Implementation { offer, make: Box::new(make) })
}

struct Pbkdf2GenericCall {
    function: Pbkdf2Generic,
    iterations: c_uint,
    mac: Mac,
    context: *mut c_void,
    places: Places,
    _memory: Buffer,
}

impl Routine for Pbkdf2GenericCall {
    fn key(&mut self) {}

    fn call(&mut self) {
        let Places { key, key_bytes, nonce, nonce_bytes, .. } = self.places;
        let Places { destination, output_bytes, .. } = self.places;
        // SAFETY: as in `Pbkdf2Call`; the context has the MAC's size.
        unsafe {
            (self.mac.set_key)(self.context, key_bytes, key);
            (self.function)(
                self.context,
                self.mac.update,
                self.mac.digest,
                self.mac.digest_bytes,
                self.iterations,
                nonce_bytes,
                nonce,
                output_bytes,
                destination,
            );
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        // SAFETY: as in `call`.
        Ok(unsafe { self.places.written(self.places.output_bytes) })
    }
}

fn hkdf(functions: Hkdf, mac: &Mac) -> Implementation {
    let mut offer = offer("hkdf", &mac.hash);
    offer.lengths.output = Some(FREE_OUTPUT.up_to(HKDF_BLOCKS * mac.digest_bytes));
    let mac = mac.clone();
    let make = move |places: Places, contract| {
        if mac.digest_bytes > DIGEST_BYTES {
            return Err(format!("cpb has no room for digests of {} bytes", mac.digest_bytes));
        }
        let ([context], memory) = contexts([mac.context_bytes]);
        let (mac, extracted) = (mac.clone(), [0; DIGEST_BYTES]);
        Ok(ready(
            HkdfCall { functions, mac, extracted, context, places, _memory: memory },
            contract,
        ))
    };
    Implementation { offer, make: Box::new(make) }
}

/// Extract, then expand with the info.
struct HkdfCall {
    functions: Hkdf,
    mac: Mac,
    extracted: [u8; DIGEST_BYTES],
    context: *mut c_void,
    places: Places,
    _memory: Buffer,
}

impl Routine for HkdfCall {
    fn key(&mut self) {}

    fn call(&mut self) {
        let Mac { set_key, update, digest, digest_bytes, .. } = self.mac;
        let Places { key, key_bytes, nonce, nonce_bytes, .. } = self.places;
        let Places { destination, output_bytes, aad, aad_bytes, .. } = self.places;
        let extracted = self.extracted.as_mut_ptr();
        // SAFETY: key, salt and info have these lengths, the context has the MAC's
        // size; there is room for a digest and for the output.
        unsafe {
            set_key(self.context, nonce_bytes, nonce);
            (self.functions.extract)(
                self.context,
                update,
                digest,
                digest_bytes,
                key_bytes,
                key,
                extracted,
            );
            set_key(self.context, digest_bytes, extracted);
            (self.functions.expand)(
                self.context,
                update,
                digest,
                digest_bytes,
                aad_bytes,
                aad,
                output_bytes,
                destination,
            );
        }
    }

    fn output(&self) -> Result<Vec<u8>, String> {
        // SAFETY: as in `call`.
        Ok(unsafe { self.places.written(self.places.output_bytes) })
    }
}
