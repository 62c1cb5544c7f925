//! MACs and key derivations, made of the digests and ciphers that were found.

use super::candidates::{NOT_IN_HMAC, PLAIN_MACS, ROW_CIPHERS};
use super::found::{FoundCipher, FoundDigest};
use super::functions::{Derivation, Functions, Mac};
use super::wanted::Wanted;
use super::{Recipe, derive, mac};
use crate::catalogue::lengths::{self, GMAC};
use crate::catalogue::modes::Mode;
use crate::catalogue::names;
use crate::runtime::{Entry, offer};
use cpb_model::{Length, Lengths, Operation};
use std::ffi::{CStr, CString, c_char, c_void};
use std::ptr;

pub(super) fn macs(
    functions: &Functions,
    digests: &[FoundDigest],
    ciphers: &[FoundCipher],
    wanted: Wanted<'_>,
) -> Vec<Entry<Recipe>> {
    let mut entries = Vec::new();
    if wanted.begins("HMAC") {
        entries.extend(hmacs(functions, digests));
    }
    for (mode, construction) in [(Mode::Cbc, "CMAC"), (Mode::Gcm, "GMAC")] {
        if wanted.begins(construction) {
            entries.extend(cipher_macs(functions, ciphers, mode, construction));
        }
    }
    for plain in PLAIN_MACS.iter().filter(|plain| wanted.begins(plain.spelling)) {
        let lengths = lengths::plain_mac(plain.primitive);
        let Some((mac, (key, tag))) = fetch_mac(functions, plain.name).zip(lengths) else {
            continue;
        };
        let recipe = mac::Recipe::Provided {
            mac,
            made_of: None,
            tag_bytes: plain.has_tag_lengths.then_some(tag),
            starts_by_key: plain.starts_by_key,
        };
        let lengths = mac_lengths(key, 0, tag);
        let spelling = plain.spelling.to_owned();
        entries.push(mac_entry(plain.primitive.to_owned(), spelling, lengths, recipe));
    }
    entries
}

/// One for every digest that it can be made of.
fn hmacs(functions: &Functions, digests: &[FoundDigest]) -> Vec<Entry<Recipe>> {
    let provided = fetch_mac(functions, "HMAC");
    if provided.is_none() && functions.old_hmac.is_none() {
        return Vec::new();
    }
    hash_functions(digests)
        .map(|(found, output)| {
            let hash = &found.entry.offer;
            let recipe = match provided {
                Some(mac) => made_of(mac, c"digest", &hash.spelling),
                None => mac::Recipe::OldHmac(found.digest),
            };
            let hmac = lengths::hmac(output, hash.lengths.block);
            let lengths = Lengths { tag: output, ..hmac };
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
) -> Vec<Entry<Recipe>> {
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
                Some(mac) => made_of(mac, c"cipher", &found.spelling),
                None => mac::Recipe::OldCmac(found.cipher),
            };
            let (nonce, tag) = if is_cmac { (0, found.block_bytes) } else { GMAC };
            let lengths = mac_lengths(found.key_bytes, nonce, tag);
            let primitive = names::mac(construction, &found.primitive);
            Some(mac_entry(primitive, format!("{construction}-{name}"), lengths, recipe))
        })
        .collect()
}

fn made_of(mac: *mut Mac, parameter: &'static CStr, name: &str) -> mac::Recipe {
    let made_of = Some((parameter, name.to_owned()));
    mac::Recipe::Provided { mac, made_of, tag_bytes: None, starts_by_key: false }
}

pub(super) fn derivations(
    functions: &Functions,
    digests: &[FoundDigest],
    wanted: Wanted<'_>,
) -> Vec<Entry<Recipe>> {
    let has_old = functions.old_derivations.is_some();
    let mut entries = Vec::new();
    let fetch = |name| {
        let is_wanted = wanted.begins(name);
        is_wanted.then(|| fetch_derivation(functions, name)).flatten()
    };
    let pbkdf2 = fetch("PBKDF2");
    if wanted.begins("PBKDF2") && (pbkdf2.is_some() || has_old) {
        entries.extend(hash_functions(digests).map(|(found, _)| {
            let hash = &found.entry.offer;
            let digest = hash.spelling.clone();
            let recipe = match pbkdf2 {
                Some(derivation) => derive::Recipe::Pbkdf2 { derivation, digest },
                None => derive::Recipe::OldPbkdf2(found.digest),
            };
            let primitive = names::mac("pbkdf2", &names::mac("hmac", &hash.primitive));
            derive_entry(primitive, format!("PBKDF2-HMAC-{}", hash.spelling), recipe)
        }));
    }
    if let Some(derivation) = fetch("HKDF") {
        entries.extend(hash_functions(digests).map(|(found, _)| {
            let hash = &found.entry.offer;
            let recipe = derive::Recipe::Hkdf { derivation, digest: hash.spelling.clone() };
            let primitive = names::mac("hkdf", &hash.primitive);
            derive_entry(primitive, format!("HKDF-{}", hash.spelling), recipe)
        }));
    }
    let (n, r, p) = derive::SCRYPT;
    let scrypt = match fetch("SCRYPT") {
        Some(derivation) => Some(derive::Recipe::Scrypt { derivation }),
        None => (has_old && wanted.begins("SCRYPT")).then_some(derive::Recipe::OldScrypt),
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

fn mac_entry(
    primitive: String,
    spelling: String,
    lengths: Lengths,
    recipe: mac::Recipe,
) -> Entry<Recipe> {
    let offer = offer(primitive, Operation::Mac, spelling, lengths);
    Entry { offer, recipe: Recipe::Mac(recipe) }
}

fn derive_entry(primitive: String, spelling: String, recipe: derive::Recipe) -> Entry<Recipe> {
    let lengths = lengths::derivation(&primitive);
    let offer = offer(primitive, Operation::Derive, spelling, lengths);
    Entry { offer, recipe: Recipe::Derive(recipe) }
}

fn mac_lengths(key: usize, nonce: usize, tag: usize) -> Lengths {
    let (key, nonce) = (Length::fixed(key), Length::fixed(nonce));
    Lengths { key, nonce, tag, ..lengths::hash(Some(tag), None) }
}

fn fetch_mac(functions: &Functions, name: &str) -> Option<*mut Mac> {
    fetched(functions, name, functions.macs?.fetch)
}

fn fetch_derivation(functions: &Functions, name: &str) -> Option<*mut Derivation> {
    fetched(functions, name, functions.derivations?.fetch)
}

type Fetch<T> = unsafe extern "C" fn(*mut c_void, *const c_char, *const c_char) -> *mut T;

/// What was fetched, never to be freed.
fn fetched<T>(functions: &Functions, name: &str, fetch: Fetch<T>) -> Option<*mut T> {
    let name = CString::new(name).ok()?;
    // SAFETY: the name ends in a zero; nulls are the default context and no properties.
    let found = unsafe { fetch(ptr::null_mut(), name.as_ptr(), ptr::null()) };
    functions.core.clear_errors();
    (!found.is_null()).then_some(found)
}
