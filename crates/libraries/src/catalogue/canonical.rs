//! Finds the canonical names of primitives that others named, such as a user's provider.

use super::modes::Mode;
use super::names::{self, Aliases, CIPHERS, HASHES, KEYS, normal_form};
use std::collections::HashMap;
use std::sync::LazyLock;

/// Constructions with a hash or a cipher in their name. A name that begins with another comes
/// first.
const OF_HASHES: [(&str, &str); 4] =
    [("pbkdf2hmac", "pbkdf2-hmac"), ("hkdfhmac", "hkdf"), ("hkdf", "hkdf"), ("hmac", "hmac")];
const OF_CIPHERS: [&str; 3] = ["cmac", "gmac", "poly1305"];

/// Returns the canonical name of a primitive in any spelling known to [`names`]: `SHA2-256`,
/// `AES_256_GCM`, `HMAC-SHA-1`. Unknown names stay as they are.
pub fn canonical(spelling: &str) -> String {
    let name = normal_form(spelling);
    let known = SPELLINGS.hashes.get(&name).or_else(|| SPELLINGS.keys.get(&name));
    known
        .map(|name| (*name).to_owned())
        .or_else(|| of_a_hash(&name))
        .or_else(|| of_a_cipher(&name))
        .or_else(|| enciphered(&name))
        .unwrap_or_else(|| spelling.to_owned())
}

/// Canonical names by the normal form of every spelling, because a library may have a thousand
/// names.
type Spellings = HashMap<String, &'static str>;

struct Tables {
    hashes: Spellings,
    ciphers: Spellings,
    keys: Spellings,
}

static SPELLINGS: LazyLock<Tables> = LazyLock::new(|| Tables {
    hashes: spellings(HASHES),
    ciphers: spellings(CIPHERS),
    keys: spellings(KEYS),
});

fn spellings(table: &[Aliases]) -> Spellings {
    let mut spellings = Spellings::new();
    for (canonical, aliases) in table {
        for spelling in [*canonical].iter().chain(*aliases) {
            // An ambiguous spelling means the first.
            spellings.entry(normal_form(spelling)).or_insert(*canonical);
        }
    }
    spellings
}

fn of_a_hash(name: &str) -> Option<String> {
    let made_of = |(beginning, construction): (&str, &str)| {
        let hash = SPELLINGS.hashes.get(name.strip_prefix(beginning)?)?;
        Some(names::mac(construction, hash))
    };
    OF_HASHES.into_iter().find_map(made_of)
}

fn of_a_cipher(name: &str) -> Option<String> {
    let made_of = |construction: &str| {
        Some(names::mac(construction, &cipher(name.strip_prefix(construction)?)?))
    };
    OF_CIPHERS.into_iter().find_map(made_of)
}

/// Returns the canonical name of a cipher, with its mode if it has one.
fn enciphered(name: &str) -> Option<String> {
    let with_mode = |mode: Mode| {
        let cipher = cipher(name.strip_suffix(&normal_form(mode.name()))?)?;
        Some(names::with_mode(&cipher, mode.name()))
    };
    cipher(name).or_else(|| Mode::NAMED.iter().copied().find_map(with_mode))
}

/// Returns the canonical name of a cipher, with or without key bits at its end.
fn cipher(name: &str) -> Option<String> {
    let (without, bits) = name.split_at(name.trim_end_matches(|c: char| c.is_ascii_digit()).len());
    // The digits may be part of the name: 3DES begins with one, ChaCha20 ends with some.
    let ends = (0..=bits.len()).map(|own| (format!("{without}{}", &bits[..own]), &bits[own..]));
    ends.into_iter().find_map(|(name, bits)| {
        let canonical = *SPELLINGS.ciphers.get(&name)?;
        let bits =
            if bits.is_empty() { names::usual_bits(canonical)? } else { bits.parse().ok()? };
        (40..=512).contains(&bits).then(|| names::with_bits(canonical.to_owned(), bits))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_spelling_of_what_is_known_becomes_its_canonical_name() {
        for (spelling, name) in [
            ("SHA-256", "sha256"),
            ("SHA2-512/256", "sha512-256"),
            ("SHA3(256)", "sha3-256"),
            ("BLAKE2b", "blake2b-512"),
            ("Keccak_512", "keccak-512"),
            ("AES128-GCM", "aes-128-gcm"),
            ("aes_256_gcm_siv", "aes-256-gcm-siv"),
            ("Rijndael-192-CBC", "aes-192-cbc"),
            ("ChaCha20Poly1305", "chacha20-poly1305"),
            ("CHACHA20", "chacha20"),
            ("XChaCha20-Poly1305", "xchacha20-poly1305"),
            ("DES-EDE3-CBC", "3des-cbc"),
            ("DES3", "3des"),
            ("Camellia-256-CTR", "camellia-256-ctr"),
            ("HMAC-SHA1", "hmac-sha1"),
            ("HMAC_SHA2_256", "hmac-sha256"),
            ("PBKDF2-HMAC-SHA-512", "pbkdf2-hmac-sha512"),
            ("HKDF-SHA-256", "hkdf-sha256"),
            ("CMAC-AES128", "cmac-aes-128"),
            ("GMAC_CAMELLIA_128", "gmac-camellia-128"),
            ("Curve25519", "x25519"),
            ("ECDSA-prime256v1", "ecdsa-p256"),
            ("Kyber768", "ml-kem-768"),
        ] {
            assert_eq!(canonical(spelling), name, "{spelling}");
            assert_eq!(canonical(name), name);
        }
    }

    #[test]
    fn what_nobody_knows_keeps_its_name() {
        for name in ["fnv1a-64", "FNV-1a", "sample-stream", "aes", "aes-gcm", "poly1305", "des-7"] {
            assert_eq!(canonical(name), name);
        }
    }

    #[test]
    fn names_of_the_tables_stay_as_they_are() {
        for (name, _) in HASHES.iter().chain(KEYS) {
            assert_eq!(canonical(name), *name);
        }
    }
}
