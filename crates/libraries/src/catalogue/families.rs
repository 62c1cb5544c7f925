//! Defines families: names for several primitives, which precede any alias.
//!
//! A family's name is never a primitive's. Its members are patterns of canonical names, in which
//! `*` matches anything. Names of old tools for their own rows do not include families.

use super::names::{has_normal_form, normal_form};

/// A family's name, and the patterns of its members' canonical names.
type Family = (&'static str, &'static [&'static str]);

const FAMILIES: &[Family] = &[
    ("sha", &["sha1", "sha224", "sha256", "sha384", "sha512", "sha512-*", "sha3-*"]),
    ("sha2", &["sha224", "sha256", "sha384", "sha512", "sha512-*"]),
    ("sha3", &["sha3-*"]),
    ("shake", &["shake128", "shake256"]),
    ("blake", &["blake2*", "blake3"]),
    ("blake2", &["blake2*"]),
    ("md", &["md2", "md4", "md5"]),
    ("ripemd", &["ripemd*"]),
    ("streebog", &["streebog-*"]),
    ("skein", &["skein-*"]),
    ("crc", &["crc*"]),
    (
        "aead",
        &[
            "*-gcm",
            "*-ccm",
            "*-eax",
            "*-ocb",
            "*-siv",
            "chacha20-poly1305",
            "xchacha20-poly1305",
            "ascon-aead*",
            "aegis*",
        ],
    ),
    ("aes", &["aes-*"]),
    ("aes-gcm", &["aes-*-gcm"]),
    ("aes-gcm-siv", &["aes-*-gcm-siv"]),
    ("aes-ccm", &["aes-*-ccm"]),
    ("aes-eax", &["aes-*-eax"]),
    ("aes-ocb", &["aes-*-ocb"]),
    ("aes-siv", &["aes-*-siv"]),
    ("aes-xts", &["aes-*-xts"]),
    ("aes-cbc", &["aes-*-cbc"]),
    ("aes-ctr", &["aes-*-ctr"]),
    ("aes-cfb", &["aes-*-cfb"]),
    ("aes-ofb", &["aes-*-ofb"]),
    ("aes-ecb", &["aes-*-ecb"]),
    ("chacha", &["chacha*", "xchacha*"]),
    ("salsa", &["salsa*", "xsalsa*"]),
    ("aria", &["aria-*"]),
    ("camellia", &["camellia-*"]),
    ("serpent", &["serpent-*"]),
    ("twofish", &["twofish-*"]),
    ("sm4", &["sm4-*"]),
    ("hmac", &["hmac-*"]),
    ("cmac", &["cmac-*"]),
    ("gmac", &["gmac-*"]),
    ("kmac", &["kmac128", "kmac256"]),
    ("siphash", &["siphash-*"]),
    ("hkdf", &["hkdf-*"]),
    ("pbkdf2", &["pbkdf2-*"]),
    ("argon2", &["argon2*"]),
    ("rsa", &["rsa-*"]),
    ("ecdsa", &["ecdsa-*"]),
    ("ecdh", &["ecdh-*"]),
    ("ffdh", &["ffdh-*"]),
    ("ml-kem", &["ml-kem-*"]),
    ("ml-dsa", &["ml-dsa-*"]),
    ("slh-dsa", &["slh-dsa-*"]),
    ("kyber", &["kyber*"]),
    ("dilithium", &["dilithium*"]),
    ("falcon", &["falcon*"]),
];

/// A family found by name.
#[derive(Debug, Clone, Copy)]
pub struct Members(&'static [&'static str]);

/// Returns the family of this name, in any spelling: `SHA-3`, `AES_GCM`.
pub fn find(name: &str) -> Option<Members> {
    // A pattern is not a family, even if it is one without its `*`.
    if name.contains('*') {
        return None;
    }
    let wanted = normal_form(name);
    let is_it = |family: &&Family| has_normal_form(family.0, &wanted);
    FAMILIES.iter().find(is_it).map(|(_, members)| Members(members))
}

/// Iterates over the names of all families.
pub fn names() -> impl Iterator<Item = &'static str> {
    FAMILIES.iter().map(|(name, _)| *name)
}

impl Members {
    /// Whether the primitive with this canonical name is a member.
    pub fn contain(self, primitive: &str) -> bool {
        let is_pattern_of = |pattern: &&str| match pattern.split_once('*') {
            None => *pattern == primitive,
            Some((first, last)) => {
                let rest = primitive.strip_prefix(first);
                rest.is_some_and(|rest| rest.len() > last.len() && rest.ends_with(last))
            }
        };
        self.0.iter().any(is_pattern_of)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn members<'a>(family: &str, of: &[&'a str]) -> Vec<&'a str> {
        let family = find(family).unwrap();
        of.iter().copied().filter(|it| family.contain(it)).collect()
    }

    #[test]
    fn a_family_is_its_members_and_nobody_else() {
        let all = ["sha1", "sha256", "sha3-256", "sha384", "sha512", "sha512-256", "shake128"];
        assert_eq!(members("sha3", &all), ["sha3-256"]);
        assert_eq!(members("SHA-2", &all), ["sha256", "sha384", "sha512", "sha512-256"]);
        assert_eq!(members("sha", &all), &all[..6]);
        let all = ["aes-128-gcm", "aes-256-gcm-siv", "aes-128", "aria-128-gcm", "aes-192-ctr"];
        assert_eq!(members("aes-gcm", &all), ["aes-128-gcm"]);
        assert_eq!(members("aes_gcm_siv", &all), ["aes-256-gcm-siv"]);
        assert_eq!(members("aes", &all), [all[0], all[1], all[2], all[4]]);
        assert!(find("sha256").is_none() && find("").is_none() && find("sha3*").is_none());
    }

    #[test]
    fn no_family_is_called_as_a_primitive_or_as_another() {
        let mut seen = std::collections::BTreeSet::new();
        for name in names() {
            let normal = super::normal_form(name);
            assert!(seen.insert(normal), "{name}");
            let known = super::super::names::HASHES.iter().chain(super::super::names::KEYS);
            assert!(known.clone().all(|(canonical, _)| *canonical != name), "{name}");
        }
    }
}
