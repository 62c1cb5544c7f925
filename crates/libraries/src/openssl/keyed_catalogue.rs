//! MACs and key derivations, made of the digests and ciphers that were found.

use super::candidates::{NOT_IN_HMAC, PLAIN_MACS, ROW_CIPHERS};
use super::catalogue::{FoundCipher, FoundDigest, NONCE_BYTES, blank_offer};
use super::functions::{Derivation, Functions, Mac};
use super::modes::Mode;
use super::{Entry, Recipe, derive, mac};
use crate::names;
use crate::sizes::{FREE_OUTPUT, HMAC_KEY, SECRET, info};
use cpb_model::{Length, Lengths, Offer, Operation};
use std::ffi::{CStr, CString};
use std::ptr;

pub(super) fn macs(
    functions: &Functions,
    digests: &[FoundDigest],
    ciphers: &[FoundCipher],
) -> Vec<Entry> {
    let mut entries = hmacs(functions, digests);
    entries.extend(cipher_macs(functions, ciphers, Mode::Cbc, "CMAC"));
    entries.extend(cipher_macs(functions, ciphers, Mode::Gcm, "GMAC"));
    for plain in PLAIN_MACS {
        let Some(fetched) = fetch_mac(functions, plain.name) else { continue };
        let recipe = mac::Recipe::Provided {
            mac: fetched,
            made_of: None,
            tag_bytes: (plain.name == "SIPHASH").then_some(plain.tag_bytes),
            starts_by_key: plain.starts_by_key,
        };
        let lengths = Lengths { key: Length::fixed(plain.key_bytes), ..tag(plain.tag_bytes) };
        let spelling = plain.spelling.to_owned();
        entries.push(mac_entry(plain.primitive.to_owned(), spelling, lengths, recipe));
    }
    entries
}

/// One for every digest that it can be made of.
fn hmacs(functions: &Functions, digests: &[FoundDigest]) -> Vec<Entry> {
    let provided = fetch_mac(functions, "HMAC");
    if provided.is_none() && functions.old_hmac.is_none() {
        return Vec::new();
    }
    hash_functions(digests)
        .map(|(found, output)| {
            let hash = &found.entry.offer;
            let recipe = match provided {
                Some(fetched) => mac::Recipe::Provided {
                    mac: fetched,
                    made_of: Some((c"digest", hash.spelling.clone())),
                    tag_bytes: None,
                    starts_by_key: false,
                },
                None => mac::Recipe::OldHmac(found.digest),
            };
            let lengths = Lengths { key: HMAC_KEY, block: hash.lengths.block, ..tag(output) };
            let primitive = names::mac("hmac", &hash.primitive);
            mac_entry(primitive, format!("HMAC-{}", hash.spelling), lengths, recipe)
        })
        .collect()
}

/// CMAC of every block cipher that has CBC, GMAC of every one that has GCM.
fn cipher_macs(
    functions: &Functions,
    ciphers: &[FoundCipher],
    mode: Mode,
    construction: &str,
) -> Vec<Entry> {
    let provided = fetch_mac(functions, construction);
    let is_cmac = mode == Mode::Cbc;
    if provided.is_none() && !(is_cmac && functions.old_cmac.is_some()) {
        return Vec::new();
    }
    ciphers
        .iter()
        .filter(|found| found.mode == mode && found.unavailable.is_none())
        .filter_map(|found| {
            let (name, _) = Mode::split(&found.spelling)?;
            ROW_CIPHERS.iter().find(|(_, known)| *known == name)?;
            let recipe = match provided {
                Some(fetched) => mac::Recipe::Provided {
                    mac: fetched,
                    made_of: Some((c"cipher", found.spelling.clone())),
                    tag_bytes: None,
                    starts_by_key: false,
                },
                None => mac::Recipe::OldCmac(found.cipher),
            };
            let lengths = if is_cmac {
                Lengths { key: Length::fixed(found.key_bytes), ..tag(found.block_bytes) }
            } else {
                let (key, nonce) = (Length::fixed(found.key_bytes), Length::fixed(NONCE_BYTES));
                Lengths { key, nonce, ..tag(16) }
            };
            let primitive = names::mac(construction, &found.primitive);
            Some(mac_entry(primitive, format!("{construction}-{name}"), lengths, recipe))
        })
        .collect()
}

pub(super) fn derivations(functions: &Functions, digests: &[FoundDigest]) -> Vec<Entry> {
    let has_old = functions.old_derivations.is_some();
    let mut entries = Vec::new();
    let pbkdf2 = fetch_derivation(functions, "PBKDF2");
    if pbkdf2.is_some() || has_old {
        entries.extend(hash_functions(digests).map(|(found, _)| {
            let hash = &found.entry.offer;
            let recipe = match pbkdf2 {
                Some(derivation) => {
                    derive::Recipe::Pbkdf2 { derivation, digest: hash.spelling.clone() }
                }
                None => derive::Recipe::OldPbkdf2(found.digest),
            };
            let primitive = format!("pbkdf2-{}", names::mac("hmac", &hash.primitive));
            derive_entry(primitive, format!("PBKDF2-HMAC-{}", hash.spelling), recipe)
        }));
    }
    if let Some(derivation) = fetch_derivation(functions, "HKDF") {
        entries.extend(hash_functions(digests).map(|(found, _)| {
            let hash = &found.entry.offer;
            let recipe = derive::Recipe::Hkdf { derivation, digest: hash.spelling.clone() };
            let primitive = format!("hkdf-{}", hash.primitive);
            derive_entry(primitive, format!("HKDF-{}", hash.spelling), recipe)
        }));
    }
    let (n, r, p) = derive::SCRYPT;
    let scrypt = match fetch_derivation(functions, "SCRYPT") {
        Some(derivation) => Some(derive::Recipe::Scrypt { derivation }),
        None => has_old.then_some(derive::Recipe::OldScrypt),
    };
    entries.extend(scrypt.map(|recipe| {
        derive_entry(format!("scrypt-{n}-{r}-{p}"), format!("SCRYPT-{n}-{r}-{p}"), recipe)
    }));
    entries
}

/// Hash functions that run here and HMAC can be made of, with their lengths.
fn hash_functions(digests: &[FoundDigest]) -> impl Iterator<Item = (&FoundDigest, usize)> {
    digests.iter().filter_map(|found| {
        let offer = &found.entry.offer;
        let fits = offer.unavailable.is_none() && !NOT_IN_HMAC.contains(&offer.spelling.as_str());
        // An XOF's output has no length of its own.
        let fixed = offer.lengths.output.filter(|output| fits && !output.is_free());
        Some((found, fixed?.usual()))
    })
}

fn mac_entry(primitive: String, spelling: String, lengths: Lengths, recipe: mac::Recipe) -> Entry {
    let operation = Operation::Mac;
    let offer = Offer { primitive, operation, spelling, lengths, ..blank_offer() };
    Entry { offer, recipe: Recipe::Mac(recipe) }
}

fn derive_entry(primitive: String, spelling: String, recipe: derive::Recipe) -> Entry {
    let lengths = Lengths {
        key: SECRET,
        nonce: SECRET,
        aad: info(&primitive),
        granularity: 1,
        output: Some(FREE_OUTPUT),
        ..Lengths::default()
    };
    let operation = Operation::Derive;
    let offer = Offer { primitive, operation, spelling, lengths, ..blank_offer() };
    Entry { offer, recipe: Recipe::Derive(recipe) }
}

/// The lengths of a MAC, but for its key.
fn tag(bytes: usize) -> Lengths {
    Lengths { tag: bytes, granularity: 1, output: Some(Length::fixed(bytes)), ..Lengths::default() }
}

fn fetch_mac(functions: &Functions, name: &str) -> Option<*mut Mac> {
    let fetch = functions.macs?.fetch;
    fetched(functions, name, |name| {
        // SAFETY: the name ends in a zero; nulls are the default context and no
        // properties.
        unsafe { fetch(ptr::null_mut(), name.as_ptr(), ptr::null()) }
    })
}

fn fetch_derivation(functions: &Functions, name: &str) -> Option<*mut Derivation> {
    let fetch = functions.derivations?.fetch;
    fetched(functions, name, |name| {
        // SAFETY: as for MACs.
        unsafe { fetch(ptr::null_mut(), name.as_ptr(), ptr::null()) }
    })
}

/// What was fetched, never to be freed.
fn fetched<T>(
    functions: &Functions,
    name: &str,
    fetch: impl Fn(&CStr) -> *mut T,
) -> Option<*mut T> {
    let found = fetch(&CString::new(name).ok()?);
    functions.clear_errors();
    (!found.is_null()).then_some(found)
}
