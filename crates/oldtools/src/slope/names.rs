//! Lists names of algorithms in bench-slopes' libraries that cpb's own tables do not have: aliases,
//! and registered object identifiers.

/// Names in one library that mean something else in others, or nothing.
const ALIASES: &[(&str, &str, &str)] = &[
    ("gcrypt", "rijndael", "AES"),
    ("gcrypt", "serpent", "SERPENT128"),
    ("gcrypt", "twofish", "TWOFISH"),
    ("botan", "des-ede", "3DES"),
];

/// Object identifiers of hashes, alone and in signatures, and of ciphers in any mode. Source: the
/// arcs of NIST, RSADSI, TeleTrusT, OIW, NTT, KISA, GOST, GnuPG and BLAKE2.
#[rustfmt::skip]
const IDENTIFIERS: &[(&str, &[&str])] = &[
    ("md4", &["1.2.840.113549.2.4"]),
    ("md5", &["1.2.840.113549.2.5", "1.2.840.113549.1.1.4"]),
    ("sha1", &["1.3.14.3.2.26", "1.3.14.3.2.29", "1.2.840.113549.1.1.5", "1.2.840.10040.4.3", "1.2.840.10045.4.1"]),
    ("ripemd160", &["1.3.36.3.2.1", "1.3.36.3.3.1.2"]),
    ("sha256", &["2.16.840.1.101.3.4.2.1", "1.2.840.113549.1.1.11", "1.2.840.10045.4.3.2"]),
    ("sha384", &["2.16.840.1.101.3.4.2.2", "1.2.840.113549.1.1.12", "1.2.840.10045.4.3.3"]),
    ("sha512", &["2.16.840.1.101.3.4.2.3", "1.2.840.113549.1.1.13", "1.2.840.10045.4.3.4"]),
    ("sha224", &["2.16.840.1.101.3.4.2.4", "1.2.840.113549.1.1.14", "1.2.840.10045.4.3.1"]),
    ("sha512-224", &["2.16.840.1.101.3.4.2.5"]),
    ("sha512-256", &["2.16.840.1.101.3.4.2.6"]),
    ("sha3-224", &["2.16.840.1.101.3.4.2.7"]),
    ("sha3-256", &["2.16.840.1.101.3.4.2.8"]),
    ("sha3-384", &["2.16.840.1.101.3.4.2.9"]),
    ("sha3-512", &["2.16.840.1.101.3.4.2.10"]),
    ("shake128", &["2.16.840.1.101.3.4.2.11"]),
    ("shake256", &["2.16.840.1.101.3.4.2.12"]),
    ("tiger", &["1.3.6.1.4.1.11591.12.2"]),
    ("whirlpool", &["1.0.10118.3.0.55"]),
    ("gosthash94-cp", &["1.2.643.2.2.9", "1.2.643.2.2.3"]),
    ("streebog-256", &["1.2.643.7.1.1.2.2", "1.2.643.7.1.1.3.2"]),
    ("streebog-512", &["1.2.643.7.1.1.2.3", "1.2.643.7.1.1.3.3"]),
    ("sm3", &["1.2.156.10197.1.401", "1.2.156.10197.401"]),
    ("blake2b-160", &["1.3.6.1.4.1.1722.12.2.1.5"]),
    ("blake2b-256", &["1.3.6.1.4.1.1722.12.2.1.8"]),
    ("blake2b-384", &["1.3.6.1.4.1.1722.12.2.1.12"]),
    ("blake2b-512", &["1.3.6.1.4.1.1722.12.2.1.16"]),
    ("blake2s-128", &["1.3.6.1.4.1.1722.12.2.2.4"]),
    ("blake2s-160", &["1.3.6.1.4.1.1722.12.2.2.5"]),
    ("blake2s-224", &["1.3.6.1.4.1.1722.12.2.2.7"]),
    ("blake2s-256", &["1.3.6.1.4.1.1722.12.2.2.8"]),
    ("3des", &["1.2.840.113549.3.7"]),
    ("seed", &["1.2.410.200004.1.3", "1.2.410.200004.1.4", "1.2.410.200004.1.5", "1.2.410.200004.1.6"]),
    ("camellia-128", &["1.2.392.200011.61.1.1.1.2"]),
    ("camellia-192", &["1.2.392.200011.61.1.1.1.3"]),
    ("camellia-256", &["1.2.392.200011.61.1.1.1.4"]),
];
/// AES: the modes under this arc, numbered from 1 for each key length.
const AES: (&str, [(&str, std::ops::RangeInclusive<u32>); 3]) =
    ("2.16.840.1.101.3.4.1.", [("aes-128", 1..=8), ("aes-192", 21..=28), ("aes-256", 41..=48)]);

/// Returns the meaning of `word` for the tool for `library`: a name that cpb knows, and the output
/// length in bytes that it requests.
pub fn as_library(library: &str, word: &str) -> (String, Option<usize>) {
    let lower = word.to_ascii_lowercase();
    let identifier = lower.strip_prefix("oid.").unwrap_or(&lower);
    if let Some(name) = identified(identifier) {
        return (name.to_owned(), None);
    }
    let is_it = |(of, alias, _): &&(&str, &str, &str)| *of == library && *alias == lower;
    if let Some((.., name)) = ALIASES.iter().find(is_it) {
        return ((*name).to_owned(), None);
    }
    match library {
        "openssl" => {
            let name = ["rsa-", "ssl3-", "id-"].iter().find_map(|it| lower.strip_prefix(it));
            let name = name.or_else(|| lower.strip_suffix("withrsaencryption"));
            (name.unwrap_or(word).to_owned(), None)
        }
        "botan" => shake(word).unwrap_or_else(|| (word.to_owned(), None)),
        _ => (word.to_owned(), None),
    }
}

/// Whether the tool for `library` prints an algorithm of `group` as spelled on the command line,
/// instead of by the library's own name.
pub fn keeps_spelling(library: &str, group: &str) -> bool {
    library == "botan" || library == "openssl" && group == "cipher"
}

/// Whether the tool for `library` measures ciphers in `mode`.
pub fn has_mode(library: &str, mode: &str) -> bool {
    match library {
        "botan" => !matches!(mode, "ECB" | "CFB8" | "CCM" | "SIV" | "GCM-SIV"),
        "openssl" => !matches!(mode, "CFB8" | "CCM" | "SIV" | "GCM-SIV"),
        _ => true,
    }
}

fn identified(identifier: &str) -> Option<&'static str> {
    let known = IDENTIFIERS.iter().find(|(_, all)| all.contains(&identifier));
    let (arc, modes) = AES;
    let of_aes = || {
        let mode: u32 = identifier.strip_prefix(arc)?.parse().ok()?;
        modes.into_iter().find_map(|(name, range)| range.contains(&mode).then_some(name))
    };
    known.map(|(name, _)| *name).or_else(of_aes)
}

/// Parses `SHAKE-128(256)`, with the output length in bits.
fn shake(word: &str) -> Option<(String, Option<usize>)> {
    let (name, bits) = word.strip_suffix(')')?.split_once('(')?;
    let bits: usize = bits.parse().ok().filter(|bits| bits % 8 == 0 && *bits != 0)?;
    name.starts_with("SHAKE-").then(|| (name.to_owned(), Some(bits / 8)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_read_as_the_library_does() {
        for (library, word, name, output_bytes) in [
            ("openssl", "RSA-SHA256", "sha256", None),
            ("openssl", "ssl3-sha1", "sha1", None),
            ("openssl", "sha1WithRSAEncryption", "sha1", None),
            ("openssl", "id-aes128-GCM", "aes128-gcm", None),
            ("openssl", "AES-128", "AES-128", None),
            ("openssl", "des-ede", "des-ede", None),
            ("botan", "DES-EDE", "3DES", None),
            ("botan", "SHAKE-128(256)", "SHAKE-128", Some(32)),
            ("botan", "SHAKE-128(7)", "SHAKE-128(7)", None),
            ("botan", "SHA-3(256)", "SHA-3(256)", None),
            ("gcrypt", "Rijndael", "AES", None),
            ("gcrypt", "oid.2.16.840.1.101.3.4.1.2", "aes-128", None),
            ("gcrypt", "2.16.840.1.101.3.4.1.42", "aes-256", None),
            ("gcrypt", "2.16.840.1.101.3.4.1.99", "2.16.840.1.101.3.4.1.99", None),
            ("gcrypt", "2.16.840.1.101.3.4.2.1", "sha256", None),
            ("nettle", "rijndael", "rijndael", None),
        ] {
            let expected = (name.to_owned(), output_bytes);
            assert_eq!(as_library(library, word), expected, "{library} {word}");
        }
    }
}
