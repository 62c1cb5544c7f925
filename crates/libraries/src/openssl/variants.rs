//! Other ways to what is offered already, in which a program pays in every call for finding
//! the algorithm: since 3.0, which fetches it from a provider.

use super::aead::Restart;
use super::functions::Functions;
use super::{Recipe, aead, digest, whole};
use crate::runtime::Entry;
use std::ffi::CString;

/// `EVP_sha256()` and its like, each time that a context begins a message.
const IMPLICIT: &str = "implicit-fetch";

/// Hashes, and HMAC by their names in front of a hyphen.
const DIGESTS: [(&str, &str); 3] =
    [("sha256", "SHA256"), ("sha512", "SHA512"), ("sha3-256", "SHA3-256")];
const CIPHERS: [&str; 3] = ["aes-128-gcm", "aes-256-gcm", "chacha20-poly1305"];

/// The variants of what is `offered`.
pub(super) fn entries(functions: &Functions, offered: &[Entry<Recipe>]) -> Vec<Entry<Recipe>> {
    if functions.whole_messages.is_none() {
        return Vec::new();
    }
    offered.iter().flat_map(|entry| of(functions, entry)).collect()
}

fn of(functions: &Functions, entry: &Entry<Recipe>) -> Vec<Entry<Recipe>> {
    let offer = &entry.offer;
    let hash = offer.primitive.strip_prefix("hmac-").unwrap_or(&offer.primitive);
    let name = DIGESTS.iter().find(|(primitive, _)| *primitive == hash);
    let name = name.and_then(|(_, name)| CString::new(*name).ok());
    match (&entry.recipe, name) {
        (Recipe::Digest(recipe), Some(name)) => {
            // SAFETY: the name ends in a zero; what is returned is static, or null.
            let digest = unsafe { (functions.digests.by_name)(name.as_ptr()) };
            if digest.is_null() {
                return Vec::new();
            }
            let implicit = digest::Recipe { digest, is_named_anew: true, ..*recipe };
            vec![
                variant(entry, IMPLICIT, Recipe::Digest(implicit)),
                variant(entry, "EVP_Digest", Recipe::Whole(whole::Recipe::Digest(digest))),
                variant(entry, "EVP_Q_digest", Recipe::Whole(whole::Recipe::QuickDigest(name))),
            ]
        }
        (Recipe::Mac(_), Some(name)) => {
            vec![variant(entry, "EVP_Q_mac", Recipe::Whole(whole::Recipe::QuickHmac(name)))]
        }
        (Recipe::Aead(recipe), _) if CIPHERS.contains(&offer.primitive.as_str()) => {
            let Ok(name) = CString::new(offer.spelling.as_str()) else { return Vec::new() };
            // SAFETY: the same.
            let cipher = unsafe { (functions.ciphers.by_name)(name.as_ptr()) };
            if cipher.is_null() {
                return Vec::new();
            }
            let implicit = aead::Recipe { cipher, restart: Restart::Cipher, ..*recipe };
            vec![variant(entry, IMPLICIT, Recipe::Aead(implicit))]
        }
        _ => Vec::new(),
    }
}

fn variant(of: &Entry<Recipe>, backend: &str, recipe: Recipe) -> Entry<Recipe> {
    let mut offer = of.offer.clone();
    offer.backend = backend.to_owned();
    (offer.default_backend, offer.is_variant, offer.row) = (false, true, None);
    Entry { offer, recipe }
}
