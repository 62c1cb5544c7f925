//! What is looked for by name. A library since 3.0 is asked for the rest.

use crate::catalogue::modes::Mode;

/// The hashes of bench-slopes in its order, by the names it prints.
pub(super) const ROW_DIGESTS: &[&str] = &[
    "MD2",
    "MD4",
    "MD5",
    "BLAKE2b512",
    "BLAKE2s256",
    "SHA1",
    "SHA224",
    "SHA256",
    "SHA384",
    "SHA512",
    "RIPEMD160",
    "whirlpool",
    "SHA3-224",
    "SHA3-256",
    "SHA3-384",
    "SHA3-512",
    "SHAKE128",
    "SHAKE256",
    "SM3",
];

pub(super) const MORE_DIGESTS: &[&str] =
    &["SHA512-224", "SHA512-256", "SHA256-192", "MD5-SHA1", "MDC2"];

/// Digests that are none: no output of their own, or an inner part of KMAC.
pub(super) const NO_DIGESTS: &[&str] = &["NULL", "KECCAK-KMAC-128", "KECCAK-KMAC-256"];

/// Digests that serve one protocol, which no HMAC is made of.
pub(super) const NOT_IN_HMAC: &[&str] = &["MD5-SHA1"];

/// The ciphers of bench-slopes in its order: by the name in its rows, and by
/// libcrypto's.
pub(super) const ROW_CIPHERS: &[(&str, &str)] = &[
    ("idea", "IDEA"),
    ("des-ede3", "DES-EDE3"),
    ("cast5", "CAST5"),
    ("bf", "BF"),
    ("aes-128", "AES-128"),
    ("aes-192", "AES-192"),
    ("aes-256", "AES-256"),
    ("rc4", "RC4"),
    ("des", "DES"),
    ("rc2", "RC2"),
    ("seed", "SEED"),
    ("camellia-128", "CAMELLIA-128"),
    ("camellia-192", "CAMELLIA-192"),
    ("camellia-256", "CAMELLIA-256"),
    ("aria-128", "ARIA-128"),
    ("aria-192", "ARIA-192"),
    ("aria-256", "ARIA-256"),
    ("chacha20", "ChaCha20"),
    ("sm4", "SM4"),
];

/// The modes of bench-slopes in its order. A stream cipher has the last two
/// alone.
pub(super) const ROW_MODES: &[Mode] = &[
    Mode::Ecb,
    Mode::Cbc,
    Mode::Cfb,
    Mode::Ofb,
    Mode::Ctr,
    Mode::Xts,
    Mode::Gcm,
    Mode::Ocb,
    Mode::Stream,
    Mode::Poly1305,
];

/// Modes that bench-slopes does not time.
pub(super) const MORE_MODES: &[Mode] = &[Mode::Cfb8, Mode::Ccm, Mode::Siv, Mode::GcmSiv];

pub(super) const MORE_CIPHERS: &[&str] = &[
    "RC2-40-CBC",
    "RC2-64-CBC",
    "RC4-40",
    "DESX-CBC",
    "DES-EDE-ECB",
    "DES-EDE-CBC",
    "DES-EDE-CFB",
    "DES-EDE-OFB",
];

/// Ciphers that are none, or fit no operation: RC4-HMAC-MD5 makes records of
/// TLS. What has a mode of another name (wrapping, ciphertext stealing, CFB of
/// single bits, CBC joined with HMAC) is no [`Mode`] and left out thereby.
pub(super) const NO_CIPHERS: &[&str] = &["NULL", "RC4-HMAC-MD5"];

/// A MAC that is not made of a digest or cipher with a name of its own.
pub(super) struct PlainMac {
    pub(super) name: &'static str,
    pub(super) primitive: &'static str,
    pub(super) spelling: &'static str,
    /// Whether every message needs its key anew.
    pub(super) starts_by_key: bool,
    /// Whether it is to be told the length of its tag.
    pub(super) has_tag_lengths: bool,
}

/// SipHash is SipHash-2-4. Poly1305's key serves one message; SipHash's is
/// forgotten with the message in 3.0.
#[rustfmt::skip]
pub(super) const PLAIN_MACS: &[PlainMac] = &[
    plain("POLY1305", "poly1305", "POLY1305", true, false),
    plain("KMAC-128", "kmac128", "KMAC-128", false, false),
    plain("KMAC-256", "kmac256", "KMAC-256", false, false),
    plain("BLAKE2BMAC", "keyed-blake2b-512", "BLAKE2BMAC", false, false),
    plain("BLAKE2SMAC", "keyed-blake2s-256", "BLAKE2SMAC", false, false),
    plain("SIPHASH", "siphash-2-4", "SIPHASH-64", true, true),
    plain("SIPHASH", "siphash-2-4-128", "SIPHASH-128", true, true),
];

const fn plain(
    name: &'static str,
    primitive: &'static str,
    spelling: &'static str,
    starts_by_key: bool,
    has_tag_lengths: bool,
) -> PlainMac {
    PlainMac { name, primitive, spelling, starts_by_key, has_tag_lengths }
}
