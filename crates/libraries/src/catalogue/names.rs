//! Contains the table of names, which maps every library's spelling to cpb's canonical one.
//!
//! A canonical name is in lower case with hyphens: a hash (`sha3-256`), a cipher with its
//! key bits if it has a choice (`aes-128`, `3des`), with its mode (`aes-128-gcm`), a MAC
//! with the primitive it is built from (`hmac-sha256`, `cmac-aes-128`), a derivation with
//! its function (`pbkdf2-hmac-sha256`, `hkdf-sha256`).

use super::modes::Mode;

/// A canonical name, and the spellings that [`normal_form`] does not already map to it.
pub type Aliases = (&'static str, &'static [&'static str]);

/// Hashes, XOFs and checksums.
pub const HASHES: &[Aliases] = &[
    ("sha1", &["sha-160", "sha1-160"]),
    ("sha224", &["sha2-224"]),
    ("sha256", &["sha2-256"]),
    ("sha384", &["sha2-384"]),
    ("sha512", &["sha2-512"]),
    ("sha512-224", &["sha2-512-224"]),
    ("sha512-256", &["sha2-512-256"]),
    ("sha3-224", &[]),
    ("sha3-256", &[]),
    ("sha3-384", &[]),
    ("sha3-512", &[]),
    ("shake128", &[]),
    ("shake256", &[]),
    ("keccak-512", &["keccak-1600", "keccak-1600-512"]),
    ("md2", &[]),
    ("md4", &[]),
    ("md5", &[]),
    ("mdc2", &[]),
    ("md5-sha1", &[]),
    ("ripemd128", &["rmd128"]),
    ("ripemd160", &["rmd160", "ripemd"]),
    ("ripemd256", &["rmd256"]),
    ("ripemd320", &["rmd320"]),
    ("whirlpool", &[]),
    ("tiger", &["tiger1", "tiger-24-3"]),
    ("tiger-gnupg", &["tiger192"]),
    ("tiger2", &[]),
    ("blake2b-512", &["blake2b"]),
    ("blake2b-384", &[]),
    ("blake2b-256", &[]),
    ("blake2b-160", &[]),
    ("blake2s-256", &["blake2s"]),
    ("blake2s-224", &[]),
    ("blake2s-160", &[]),
    ("blake2s-128", &[]),
    ("blake2bp-512", &["blake2bp"]),
    ("blake2sp-256", &["blake2sp"]),
    ("blake3", &["blake3-256"]),
    ("sm3", &[]),
    ("streebog-256", &["stribog256"]),
    ("streebog-512", &["stribog512"]),
    ("gosthash94", &["gostr3411-94"]),
    ("gosthash94-cp", &["gostr3411-cp", "gost-34.11"]),
    ("skein-512", &["skein-512-512"]),
    ("crc24", &["crc24rfc2440"]),
    ("crc32", &[]),
    ("crc32-rfc1510", &[]),
    ("crc32c", &[]),
    ("adler32", &[]),
];

/// Ciphers, without key bits.
pub const CIPHERS: &[Aliases] = &[
    ("aes", &["rijndael"]),
    ("aria", &[]),
    ("camellia", &[]),
    ("sm4", &[]),
    ("seed", &[]),
    ("serpent", &[]),
    ("twofish", &[]),
    ("blowfish", &["bf"]),
    ("cast5", &["cast128"]),
    ("cast6", &["cast256"]),
    ("idea", &[]),
    ("noekeon", &[]),
    ("noekeon-direct", &[]),
    ("kasumi", &[]),
    ("khazad", &[]),
    ("anubis", &[]),
    ("xtea", &[]),
    ("safer-plus", &[]),
    ("des", &[]),
    ("3des", &["des3", "desede3", "tripledes", "des-ede3"]),
    ("rc2", &["arctwo", "rfc2268"]),
    ("rc2-gutmann", &["arctwo-gutmann"]),
    ("rc4", &["arc4", "arcfour"]),
    ("rc5", &[]),
    ("rc6", &[]),
    ("gost28147", &["gost28147-89"]),
    ("gost28147-mesh", &[]),
    ("salsa20", &[]),
    ("salsa20-12", &["salsa20r12"]),
    ("xsalsa20", &[]),
    ("chacha20", &["chacha"]),
    ("xchacha20", &[]),
    ("chacha20-djb", &[]),
];

/// Public-key primitives, with the spellings of OpenSSL's `speed`, liboqs and SUPERCOP, and
/// the names that FIPS 203, 204 and 205 replaced.
pub const KEYS: &[Aliases] = &[
    ("x25519", &["curve25519", "ecdh-x25519"]),
    ("x448", &["curve448", "ecdh-x448"]),
    ("ecdh-p256", &["ecdh-nistp256", "ecdh-prime256v1", "ecdh-secp256r1"]),
    ("ecdh-p384", &["ecdh-nistp384", "ecdh-secp384r1"]),
    ("ecdh-p521", &["ecdh-nistp521", "ecdh-secp521r1"]),
    ("ecdh-secp256k1", &[]),
    ("ecdh-brainpoolp256r1", &["ecdh-brp256r1"]),
    ("ecdh-brainpoolp384r1", &["ecdh-brp384r1"]),
    ("ecdh-brainpoolp512r1", &["ecdh-brp512r1"]),
    ("ffdh-2048", &["ffdhe-2048", "dh-2048"]),
    ("ffdh-3072", &["ffdhe-3072", "dh-3072"]),
    ("ed25519", &["eddsa-ed25519"]),
    ("ed448", &["eddsa-ed448"]),
    ("ecdsa-p256", &["ecdsa-nistp256", "ecdsa-prime256v1", "ecdsa-secp256r1"]),
    ("ecdsa-p384", &["ecdsa-nistp384", "ecdsa-secp384r1"]),
    ("ecdsa-p521", &["ecdsa-nistp521", "ecdsa-secp521r1"]),
    ("ecdsa-secp256k1", &[]),
    ("ecdsa-brainpoolp256r1", &["ecdsa-brp256r1"]),
    ("ecdsa-brainpoolp384r1", &["ecdsa-brp384r1"]),
    ("ecdsa-brainpoolp512r1", &["ecdsa-brp512r1"]),
    ("schnorr-secp256k1", &["bip340"]),
    ("rsa-2048-pkcs1", &["rsa-2048", "rsa-pkcs1-2048"]),
    ("rsa-3072-pkcs1", &["rsa-3072", "rsa-pkcs1-3072"]),
    ("rsa-4096-pkcs1", &["rsa-4096", "rsa-pkcs1-4096"]),
    ("rsa-2048-pss", &["rsa-pss-2048"]),
    ("rsa-3072-pss", &["rsa-pss-3072"]),
    ("rsa-4096-pss", &["rsa-pss-4096"]),
    ("rsa-2048-oaep", &["rsa-oaep-2048"]),
    ("rsa-3072-oaep", &["rsa-oaep-3072"]),
    ("rsa-4096-oaep", &["rsa-oaep-4096"]),
    ("ml-kem-512", &["kyber512"]),
    ("ml-kem-768", &["kyber768"]),
    ("ml-kem-1024", &["kyber1024"]),
    ("x25519mlkem768", &[]),
    ("x448mlkem1024", &[]),
    ("secp256r1mlkem768", &["p256mlkem768"]),
    ("secp384r1mlkem1024", &["p384mlkem1024"]),
    ("ml-dsa-44", &["dilithium2"]),
    ("ml-dsa-65", &["dilithium3"]),
    ("ml-dsa-87", &["dilithium5"]),
    ("slh-dsa-sha2-128s", &["sphincs-sha2-128s-simple", "slh-dsa-pure-sha2-128s"]),
    ("slh-dsa-sha2-128f", &["sphincs-sha2-128f-simple", "slh-dsa-pure-sha2-128f"]),
    ("slh-dsa-sha2-192s", &["sphincs-sha2-192s-simple", "slh-dsa-pure-sha2-192s"]),
    ("slh-dsa-sha2-192f", &["sphincs-sha2-192f-simple", "slh-dsa-pure-sha2-192f"]),
    ("slh-dsa-sha2-256s", &["sphincs-sha2-256s-simple", "slh-dsa-pure-sha2-256s"]),
    ("slh-dsa-sha2-256f", &["sphincs-sha2-256f-simple", "slh-dsa-pure-sha2-256f"]),
    ("slh-dsa-shake-128s", &["sphincs-shake-128s-simple", "slh-dsa-pure-shake-128s"]),
    ("slh-dsa-shake-128f", &["sphincs-shake-128f-simple", "slh-dsa-pure-shake-128f"]),
    ("slh-dsa-shake-192s", &["sphincs-shake-192s-simple", "slh-dsa-pure-shake-192s"]),
    ("slh-dsa-shake-192f", &["sphincs-shake-192f-simple", "slh-dsa-pure-shake-192f"]),
    ("slh-dsa-shake-256s", &["sphincs-shake-256s-simple", "slh-dsa-pure-shake-256s"]),
    ("slh-dsa-shake-256f", &["sphincs-shake-256f-simple", "slh-dsa-pure-shake-256f"]),
];

/// Well-known algorithms, which are not misspellings of others even if no library has them.
/// Sizes and variants may follow: `rsa-2048`, `ml-kem-768`.
#[rustfmt::skip]
const WELL_KNOWN: &[&str] = &[
    "rsa", "dsa", "dh", "ffdh", "ffdhe", "ecdh", "ecdsa", "eddsa", "elgamal", "ed25519", "ed448",
    "x25519", "x448", "curve25519", "curve448", "p-256", "p-384", "p-521", "x25519mlkem",
    "x448mlkem", "secp256r1mlkem", "secp384r1mlkem", "p256mlkem", "p384mlkem",
    "schnorr", "bip", "secp256k1", "secp256r1", "sm2", "bls12-381", "ml-kem", "ml-dsa", "slh-dsa", "kyber",
    "dilithium", "sphincs", "falcon", "hqc", "frodokem", "mceliece", "ntru", "argon2", "scrypt",
    "bcrypt", "ascon",
];

/// Ciphers with a single key length, which their names leave out.
const ONE_KEY_LENGTH: &[&str] = &[
    "sm4",
    "seed",
    "idea",
    "noekeon",
    "noekeon-direct",
    "des",
    "3des",
    "gost28147",
    "gost28147-mesh",
];
/// Ciphers whose names leave out 256 bits, their usual key.
const USUALLY_256: &[&str] =
    &["salsa20", "salsa20-12", "xsalsa20", "chacha20", "xchacha20", "chacha20-djb"];

/// Returns the letters and digits of `name` in lower case, which most libraries' spellings
/// have in common.
pub fn normal_form(name: &str) -> String {
    normal_letters(name).map(char::from).collect()
}

/// Whether `normal` is the [`normal_form`] of `name`; most names differ in a letter or two, so this
/// is sooner known than the form.
pub fn has_normal_form(name: &str, normal: &str) -> bool {
    normal_letters(name).eq(normal.bytes())
}

fn normal_letters(name: &str) -> impl Iterator<Item = u8> {
    name.bytes().filter(u8::is_ascii_alphanumeric).map(|byte| byte.to_ascii_lowercase())
}

/// Whether `name` is a well-known algorithm, or a variant of one.
pub fn is_well_known(name: &str) -> bool {
    let plain = name.to_ascii_lowercase().replace('_', "-");
    let is_variant =
        |rest: &str| rest.starts_with('-') || rest.bytes().all(|byte| byte.is_ascii_digit());
    WELL_KNOWN.iter().any(|known| plain.strip_prefix(known).is_some_and(is_variant))
}

/// Returns the canonical name of a hash in any spelling, or the spelling in lower case if
/// the table does not know it.
pub fn hash(spelling: &str) -> String {
    look_up(HASHES, spelling)
}

/// Returns the canonical name of a cipher in any spelling without key bits:
/// `cipher("Camellia", 192)` is `camellia-192`.
pub fn cipher(spelling: &str, key_bits: usize) -> String {
    with_bits(look_up(CIPHERS, spelling), key_bits)
}

/// Does the same for a canonical name.
pub(super) fn with_bits(name: String, key_bits: usize) -> String {
    let bits_are_clear = ONE_KEY_LENGTH.contains(&name.as_str())
        || key_bits == 256 && USUALLY_256.contains(&name.as_str());
    if bits_are_clear { name } else { format!("{name}-{key_bits}") }
}

/// Returns the key bits that the canonical name of a cipher leaves out.
pub(super) fn usual_bits(cipher: &str) -> Option<usize> {
    let is_left_out = ONE_KEY_LENGTH.contains(&cipher) || USUALLY_256.contains(&cipher);
    is_left_out.then_some(256)
}

/// Returns a cipher's canonical name with a mode: `aes-128-gcm`, `chacha20-poly1305`. An
/// empty mode or `stream` leaves the cipher's name.
pub fn with_mode(cipher: &str, mode: &str) -> String {
    match mode.to_ascii_lowercase().as_str() {
        "" | "stream" => cipher.to_owned(),
        mode => format!("{cipher}-{mode}"),
    }
}

/// Returns a cipher's canonical name without its mode, and the mode as bench-slopes writes
/// it.
pub fn without_mode(name: &str) -> (&str, &'static str) {
    let (cipher, mode) = Mode::split(name).unwrap_or((name, Mode::Stream));
    (cipher, mode.name())
}

/// Returns a MAC's canonical name: `mac("hmac", "sha256")` is `hmac-sha256`.
pub fn mac(construction: &str, made_of: &str) -> String {
    let construction = construction.to_ascii_lowercase();
    if made_of.is_empty() { construction } else { format!("{construction}-{made_of}") }
}

/// Returns the canonical name of a hash, a cipher without key bits or a public-key
/// primitive in any spelling; `None` if no table knows it.
pub fn known(spelling: &str) -> Option<&'static str> {
    [HASHES, CIPHERS, KEYS].into_iter().find_map(|table| find(table, spelling))
}

fn look_up(table: &[Aliases], spelling: &str) -> String {
    find(table, spelling)
        .map_or_else(|| spelling.to_ascii_lowercase().replace('_', "-"), str::to_owned)
}

fn find(table: &[Aliases], spelling: &str) -> Option<&'static str> {
    let wanted = normal_form(spelling);
    let is_it = |name: &str| has_normal_form(name, &wanted);
    let found =
        table.iter().find(|(name, aliases)| is_it(name) || aliases.iter().any(|it| is_it(it)));
    found.map(|(name, _)| *name)
}

/// Returns every spelling in the table for the canonical `name`. If it begins or ends with
/// a hash or cipher, returns it with each spelling of that.
pub fn spellings(name: &str) -> Vec<String> {
    let mut found = vec![name.to_owned()];
    for (canonical, aliases) in HASHES.iter().chain(CIPHERS).chain(KEYS) {
        let (before, after) = if name == *canonical {
            ("", "")
        } else if let Some(rest) = name.strip_prefix(canonical).filter(|it| it.starts_with('-')) {
            ("", rest)
        } else if let Some(rest) = name.strip_suffix(canonical).filter(|it| it.ends_with('-')) {
            (rest, "")
        } else {
            continue;
        };
        found.extend(aliases.iter().map(|alias| format!("{before}{alias}{after}")));
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn every_librarys_spelling_becomes_the_canonical_name() {
        for spelling in ["SHA-3(256)", "SHA3-256", "sha3_256"] {
            assert_eq!(hash(spelling), "sha3-256");
        }
        for spelling in ["BLAKE2b512", "BLAKE2B_512", "BLAKE2b(512)", "BLAKE2b"] {
            assert_eq!(hash(spelling), "blake2b-512");
        }
        assert_eq!(hash("Never_Heard-Of"), "never-heard-of");
        for (spelling, bits, name) in [
            ("AES", 128, "aes-128"),
            ("CAST-128", 128, "cast5-128"),
            ("DES-EDE3", 192, "3des"),
            ("arctwo", 40, "rc2-40"),
            ("ChaCha", 256, "chacha20"),
            ("ChaCha", 128, "chacha20-128"),
            ("SEED", 128, "seed"),
        ] {
            assert_eq!(cipher(spelling, bits), name);
        }
        assert_eq!(with_mode("aes-128", "GCM-SIV"), "aes-128-gcm-siv");
        assert_eq!(with_mode("chacha20", "STREAM"), "chacha20");
        assert_eq!(mac("HMAC", &hash("SHA-1")), "hmac-sha1");
    }

    /// Tests the names of `openssl speed`, liboqs and SUPERCOP, and those from before FIPS
    /// 203 to 205.
    #[test]
    fn keys_are_known_by_the_names_of_other_tools() {
        for (spelling, name) in [
            ("ecdhp256", "ecdh-p256"),
            ("ecdhp384", "ecdh-p384"),
            ("ecdhp521", "ecdh-p521"),
            ("ecdhbrp256r1", "ecdh-brainpoolp256r1"),
            ("ecdhbrp512r1", "ecdh-brainpoolp512r1"),
            ("ecdhx25519", "x25519"),
            ("ecdhx448", "x448"),
            ("ecdsap256", "ecdsa-p256"),
            ("ecdsap521", "ecdsa-p521"),
            ("ecdsabrp384r1", "ecdsa-brainpoolp384r1"),
            ("ed25519", "ed25519"),
            ("ed448", "ed448"),
            ("rsa2048", "rsa-2048-pkcs1"),
            ("rsa3072", "rsa-3072-pkcs1"),
            ("rsa4096", "rsa-4096-pkcs1"),
            ("ffdh2048", "ffdh-2048"),
            ("ffdh3072", "ffdh-3072"),
            ("ffdhe2048", "ffdh-2048"),
            ("X25519MLKEM768", "x25519mlkem768"),
            ("SecP256r1MLKEM768", "secp256r1mlkem768"),
            ("p384_mlkem1024", "secp384r1mlkem1024"),
            ("ML-KEM-768", "ml-kem-768"),
            ("mlkem1024", "ml-kem-1024"),
            ("Kyber512", "ml-kem-512"),
            ("kyber768", "ml-kem-768"),
            ("ML-DSA-65", "ml-dsa-65"),
            ("mldsa44", "ml-dsa-44"),
            ("Dilithium2", "ml-dsa-44"),
            ("dilithium3", "ml-dsa-65"),
            ("dilithium5", "ml-dsa-87"),
            ("SPHINCS+-SHA2-128s-simple", "slh-dsa-sha2-128s"),
            ("SPHINCS+-SHAKE-256f-simple", "slh-dsa-shake-256f"),
            ("SLH_DSA_PURE_SHA2_192S", "slh-dsa-sha2-192s"),
            ("curve25519", "x25519"),
        ] {
            assert_eq!(known(spelling), Some(name), "{spelling}");
            assert!(spellings(name).iter().any(|it| normal_form(it) == normal_form(spelling)));
        }
    }

    #[test]
    fn no_spelling_is_ambiguous() {
        for table in [HASHES, CIPHERS, KEYS] {
            let mut seen = HashSet::new();
            for (name, aliases) in table {
                let mut forms: HashSet<String> = aliases.iter().map(|a| normal_form(a)).collect();
                forms.insert(normal_form(name));
                for form in forms {
                    assert!(seen.insert(form.clone()), "{form} stands for two");
                }
            }
        }
    }

    #[test]
    fn all_that_works_with_key_pairs_is_well_known() {
        for (name, aliases) in KEYS {
            assert!(is_well_known(name), "{name}");
            assert!(aliases.iter().all(|alias| is_well_known(alias)), "{aliases:?}");
        }
        assert!(is_well_known("RSA_1024") && is_well_known("argon2"));
        assert!(!is_well_known("rsap") && !is_well_known("sha256"));
    }

    #[test]
    fn spellings_lead_back() {
        assert!(spellings("ripemd160").contains(&"rmd160".to_owned()));
        assert!(spellings("3des-cbc").contains(&"des-ede3-cbc".to_owned()));
        assert!(spellings("ml-kem-768").contains(&"kyber768".to_owned()));
        assert!(spellings("hmac-sha256").contains(&"hmac-sha2-256".to_owned()));
    }
}
