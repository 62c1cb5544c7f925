//! Lists milo's names, and further ones of its kind: the primitive, operation and backend of each,
//! and its parameters.

use cpb_model::{Offer, Operation};
use std::fmt;

cpb_model::named! {
    /// Primitives with the same parameters, by the pattern of their names.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
    pub enum Family {
        /// Base16, Base64.
        Codec = "codec-*",
        Hash = "hash-*",
        /// Message authentication codes.
        Mac = "mac-*",
        /// HKDF (RFC 5869).
        Hkdf = "kdf-hkdf-*",
        /// PBKDF2 (RFC 8018).
        Pbkdf2 = "kdf-pbkdf-2-*",
        /// Stream ciphers.
        Cipher = "cipher-*",
        /// Authenticated encryption.
        Aead = "aead-*",
    }
}

impl Family {
    /// Returns the parameters, all of which are required.
    pub fn parameters(self) -> &'static [Parameter] {
        use Parameter::{Aad, Bytes, Ikm, Info, Iterations, Key, Message, Salt};
        match self {
            Family::Codec | Family::Cipher => &[Bytes],
            Family::Hash => &[Message],
            Family::Mac => &[Key, Message],
            Family::Hkdf => &[Ikm, Salt, Info, Key],
            Family::Pbkdf2 => &[Ikm, Salt, Iterations, Key],
            Family::Aead => &[Aad, Bytes],
        }
    }
}

/// Shows it as the pattern of its names.
impl fmt::Display for Family {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

cpb_model::named! {
    /// A length, or the number of iterations, by its option without the dashes; in the order of the
    /// help.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Parameter {
        /// The input of a codec or cipher.
        Bytes = "bytes-size",
        /// The input of a hash or MAC.
        Message = "message-size",
        /// The key, or the derived key.
        Key = "key-size",
        /// The key material or password.
        Ikm = "ikm-size",
        Salt = "salt-size",
        /// The info of HKDF.
        Info = "info-size",
        /// The iterations of PBKDF2.
        Iterations = "iterations",
        /// The associated data.
        Aad = "aad-size",
    }
}

/// Shows it as the option.
impl fmt::Display for Parameter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "--{}", self.name())
    }
}

/// A primitive under a name, in which `{}` marks the place of a backend's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Member {
    pattern: &'static str,
    pub family: Family,
    /// The primitive's canonical name.
    pub primitive: &'static str,
    /// The operation on the primitive.
    pub operation: Operation,
    /// The backends with which milo has it; `None` if it does not have it.
    milo: Option<&'static [&'static str]>,
}

/// The names of backends in milo's names, and their own names.
const BACKENDS: &[(&str, &str)] = &[
    ("sw", "portable"),
    ("hw-x86-64-ni", "shani"),
    ("hw-x86-64-ssse-3", "ssse3"),
    ("hw-x86-64-bmi-2", "bmi2"),
    ("hw-x86-64-avx-2", "avx2"),
    ("hw-x86-64-avx-512", "avx512"),
    ("hw-x86-64-avx-512-ifma", "avx512ifma"),
    ("hw-arm-64-neon", "neon"),
    ("hw-arm-64-sha-2", "armv8-sha2"),
    ("hw-arm-64-sha-3", "armv8-sha3"),
    ("hw-arm-64-sha-512", "armv8-sha512"),
];

const PLAIN: Option<&[&str]> = Some(&[]);
const SW: Option<&[&str]> = Some(&["sw"]);
const SW_NI: Option<&[&str]> = Some(&["sw", "hw-x86-64-ni"]);
const SW_SIMD: Option<&[&str]> = Some(&["sw", "hw-x86-64-ssse-3", "hw-x86-64-avx-2"]);

macro_rules! members {
    ($($family:ident $operation:ident $milo:expr => $pattern:literal $primitive:literal,)+) => {
        &[$(Member {
            pattern: $pattern,
            family: Family::$family,
            primitive: $primitive,
            operation: Operation::$operation,
            milo: $milo,
        }),+]
    };
}

/// Every name, in milo's order: in each group first the plain names, then those of each backend.
const GROUPS: &[&[Member]] = &[
    members! {
        Codec Encode PLAIN => "codec-base-16{}-encode" "base16",
        Codec Decode PLAIN => "codec-base-16{}-decode" "base16",
        Codec Encode PLAIN => "codec-base-64{}-encode" "base64",
        Codec Decode PLAIN => "codec-base-64{}-decode" "base64",
    },
    members! {
        Hash Hash SW_NI => "hash-sha-1-160{}" "sha1",
        Hash Hash SW_NI => "hash-sha-2-224{}" "sha224",
        Hash Hash SW_NI => "hash-sha-2-256{}" "sha256",
        Hash Hash SW => "hash-sha-2-384{}" "sha384",
        Hash Hash SW => "hash-sha-2-512{}" "sha512",
        Hash Hash SW => "hash-sha-2-512-224{}" "sha512-224",
        Hash Hash SW => "hash-sha-2-512-256{}" "sha512-256",
    },
    members! {
        Hash Hash None => "hash-sha-3-224{}" "sha3-224",
        Hash Hash None => "hash-sha-3-256{}" "sha3-256",
        Hash Hash None => "hash-sha-3-384{}" "sha3-384",
        Hash Hash None => "hash-sha-3-512{}" "sha3-512",
    },
    members! {
        Mac Mac SW_NI => "mac-hmac-sha-1-160{}" "hmac-sha1",
        Mac Mac SW_NI => "mac-hmac-sha-2-224{}" "hmac-sha224",
        Mac Mac SW_NI => "mac-hmac-sha-2-256{}" "hmac-sha256",
        Mac Mac SW => "mac-hmac-sha-2-384{}" "hmac-sha384",
        Mac Mac SW => "mac-hmac-sha-2-512{}" "hmac-sha512",
        Mac Mac SW => "mac-hmac-sha-2-512-224{}" "hmac-sha512-224",
        Mac Mac SW => "mac-hmac-sha-2-512-256{}" "hmac-sha512-256",
        Mac Mac SW => "mac-poly-1305{}" "poly1305",
    },
    members! {
        Hkdf Derive SW_NI => "kdf-hkdf-hmac-sha-1-160{}" "hkdf-sha1",
        Hkdf Derive SW_NI => "kdf-hkdf-hmac-sha-2-224{}" "hkdf-sha224",
        Hkdf Derive SW_NI => "kdf-hkdf-hmac-sha-2-256{}" "hkdf-sha256",
        Hkdf Derive SW => "kdf-hkdf-hmac-sha-2-384{}" "hkdf-sha384",
        Hkdf Derive SW => "kdf-hkdf-hmac-sha-2-512{}" "hkdf-sha512",
        Hkdf Derive SW => "kdf-hkdf-hmac-sha-2-512-224{}" "hkdf-sha512-224",
        Hkdf Derive SW => "kdf-hkdf-hmac-sha-2-512-256{}" "hkdf-sha512-256",
    },
    members! {
        Pbkdf2 Derive SW_NI => "kdf-pbkdf-2-hmac-sha-1-160{}" "pbkdf2-hmac-sha1",
        Pbkdf2 Derive SW_NI => "kdf-pbkdf-2-hmac-sha-2-224{}" "pbkdf2-hmac-sha224",
        Pbkdf2 Derive SW_NI => "kdf-pbkdf-2-hmac-sha-2-256{}" "pbkdf2-hmac-sha256",
        Pbkdf2 Derive SW => "kdf-pbkdf-2-hmac-sha-2-384{}" "pbkdf2-hmac-sha384",
        Pbkdf2 Derive SW => "kdf-pbkdf-2-hmac-sha-2-512{}" "pbkdf2-hmac-sha512",
        Pbkdf2 Derive SW => "kdf-pbkdf-2-hmac-sha-2-512-224{}" "pbkdf2-hmac-sha512-224",
        Pbkdf2 Derive SW => "kdf-pbkdf-2-hmac-sha-2-512-256{}" "pbkdf2-hmac-sha512-256",
    },
    members! {
        Cipher Encrypt SW_SIMD => "cipher-chacha-20{}-encrypt" "chacha20",
        Cipher Decrypt SW_SIMD => "cipher-chacha-20{}-decrypt" "chacha20",
    },
    members! {
        Aead Seal SW => "aead-chacha-20{}-poly-1305{}-encrypt" "chacha20-poly1305",
        Aead Open SW => "aead-chacha-20{}-poly-1305{}-decrypt" "chacha20-poly1305",
    },
];

/// A name, with its meaning.
#[derive(Debug, Clone, PartialEq)]
pub struct Name {
    /// The name as written.
    pub name: String,
    /// The primitive that it means.
    pub member: Member,
    /// The backend in the name; without one, the library's default.
    pub backend: Option<String>,
    pub is_milos: bool,
    /// Its offer here, or why it cannot run.
    pub offer: Result<Offer, String>,
}

/// Returns every name for a library's offers; those with a backend only if `advanced`.
pub fn names(offers: &[Offer], advanced: bool) -> Vec<Name> {
    let mut names = Vec::new();
    for group in GROUPS {
        names.extend(group.iter().map(|member| Name {
            name: member.pattern.replace("{}", ""),
            member: *member,
            backend: None,
            is_milos: member.milo.is_some(),
            offer: find(offers, member, None),
        }));
        for (called, backend) in if advanced { backends(offers) } else { Vec::new() } {
            let of_backend = group.iter().filter_map(|member| {
                let is_milos = member.milo.is_some_and(|all| all.contains(&called.as_str()));
                let is_offered = of(offers, member).any(|offer| offer.backend == backend);
                (is_milos || is_offered).then(|| Name {
                    name: member.pattern.replace("{}", &format!("-{called}")),
                    member: *member,
                    backend: Some(backend.clone()),
                    is_milos,
                    offer: find(offers, member, Some(&backend)),
                })
            });
            names.extend(of_backend);
        }
    }
    names
}

/// Whether `pattern`, in which `*` matches anything, matches anywhere in `name`.
pub fn matches(pattern: &str, name: &str) -> bool {
    let Some((parts, last)) = pattern.rsplit_once('*') else { return name.ends_with(pattern) };
    let mut rest = name;
    for part in parts.split('*') {
        let Some(found) = rest.find(part) else { return false };
        rest = &rest[found + part.len()..];
    }
    rest.ends_with(last)
}

/// Returns the table of backends, with unknown ones under their own names.
fn backends(offers: &[Offer]) -> Vec<(String, String)> {
    let mut known: Vec<(String, String)> =
        BACKENDS.iter().map(|(called, name)| ((*called).to_owned(), (*name).to_owned())).collect();
    for offer in offers {
        if !known.iter().any(|(_, backend)| *backend == offer.backend) {
            known.push((format!("hw-{}", offer.backend), offer.backend.clone()));
        }
    }
    known
}

fn of<'a>(offers: &'a [Offer], member: &Member) -> impl Iterator<Item = &'a Offer> {
    let (primitive, operation) = (member.primitive, member.operation);
    offers.iter().filter(move |o| o.primitive == primitive && o.operation == operation)
}

fn find(offers: &[Offer], member: &Member, backend: Option<&str>) -> Result<Offer, String> {
    let found = of(offers, member).find(|offer| match backend {
        Some(backend) => offer.backend == backend,
        None => offer.default_backend,
    });
    match found {
        Some(Offer { unavailable: Some(reason), .. }) => Err(reason.clone()),
        Some(offer) => Ok(offer.clone()),
        None => Err(absent(offers, member, backend)),
    }
}

fn absent(offers: &[Offer], member: &Member, backend: Option<&str>) -> String {
    let here: Vec<&str> = of(offers, member).map(|offer| offer.backend.as_str()).collect();
    match backend {
        Some(backend) if !here.is_empty() => {
            format!(
                "cpb has no {backend} kernel for {}; it has {}",
                member.primitive,
                here.join(", ")
            )
        }
        _ => format!("cpb has no kernel for {} ({})", member.primitive, member.operation.name()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn patterns_end_where_the_name_does() {
        let name = "hash-sha-2-256";
        for pattern in ["hash-sha-2-256", "*", "hash-*", "sha-2-256", "*256", "h*2*6", "sha-*-256"]
        {
            assert!(matches(pattern, name), "{pattern}");
        }
        for pattern in ["hash", "hash-sha-2", "mac-*", "*-sw", "256*256", "hash-sha-2-2566"] {
            assert!(!matches(pattern, name), "{pattern}");
        }
    }

    #[test]
    fn every_name_is_there_once() {
        let all = names(&[], true);
        let mut distinct: Vec<&str> = all.iter().map(|name| name.name.as_str()).collect();
        distinct.sort_unstable();
        distinct.dedup();
        assert_eq!(distinct.len(), all.len());
        assert!(all.iter().all(|name| !name.name.contains(['{', '}'])));
        assert!(all.iter().all(|name| name.offer.is_err()), "there are no offers");
    }
}
