//! Lengths by canonical name, in bytes.

use crate::sizes::{FREE_OUTPUT, HMAC_KEY, SECRET, info};
use cpb_model::{Length, Lengths, Offer, Operation};

/// Of every tag of authenticated encryption, unless its cipher's blocks are narrower.
pub(crate) const AEAD_TAG: usize = 16;
/// Of GMAC's nonce, and of its tag.
pub(crate) const GMAC: (usize, usize) = (12, 16);

/// What the compression function or permutation of a hash or XOF takes in. Checksums have
/// no such step.
pub(crate) fn hash_block(primitive: &str) -> Option<usize> {
    Some(match primitive {
        "md4" | "md5" | "sha1" | "sha224" | "sha256" | "ripemd160" | "tiger" | "tiger-gnupg"
        | "tiger2" | "whirlpool" | "sm3" | "streebog-256" | "streebog-512" | "blake2s-256"
        | "blake2s-224" | "blake2s-160" | "blake2s-128" | "ripemd128" | "ripemd256"
        | "ripemd320" | "md5-sha1" | "blake3" => 64,
        "sha384" | "sha512" | "sha512-224" | "sha512-256" | "blake2b-512" | "blake2b-384"
        | "blake2b-256" | "blake2b-160" => 128,
        // One block of each of their leaves.
        "blake2bp-512" | "blake2sp-256" => 512,
        "gosthash94" | "gosthash94-cp" => 32,
        "sha3-224" => 144,
        "sha3-256" | "shake256" | "cshake256" => 136,
        "sha3-384" => 104,
        "sha3-512" => 72,
        "shake128" | "cshake128" => 168,
        _ => return None,
    })
}

/// In what steps the cost of an implementation rises that does not say so itself.
pub(crate) fn block(offer: &Offer) -> Option<usize> {
    let primitive = offer.primitive.as_str();
    match offer.operation {
        Operation::Hash | Operation::Xof => hash_block(primitive),
        Operation::Mac => ["hmac-", "keyed-"]
            .iter()
            .find_map(|construction| hash_block(primitive.strip_prefix(construction)?)),
        _ => None,
    }
}

/// Of a stream cipher's nonce, by its name without key bits; ChaCha20's is RFC 8439's,
/// after which the counter begins at 0.
pub(crate) fn stream_nonce(cipher: &str) -> Option<usize> {
    match cipher {
        "salsa20" | "salsa20-12" => Some(8),
        "chacha20" => Some(12),
        _ => None,
    }
}

/// Of the key and the tag of a MAC that is not made of a hash or a cipher.
pub(crate) fn plain_mac(primitive: &str) -> Option<(usize, usize)> {
    Some(match primitive {
        "poly1305" => (32, 16),
        "kmac128" => (32, 32),
        "kmac256" | "keyed-blake2b-512" => (32, 64),
        "keyed-blake2s-256" => (32, 32),
        "siphash-2-4" => (16, 8),
        "siphash-2-4-128" => (16, 16),
        _ => return None,
    })
}

/// Of a hash, or of an XOF where the digest has no length.
pub(crate) fn hash(digest: Option<usize>, block: Option<usize>) -> Lengths {
    let output = Some(digest.map_or(FREE_OUTPUT, Length::fixed));
    Lengths { granularity: 1, block, output, ..Lengths::default() }
}

/// Of an HMAC whose hash has such lengths.
pub(crate) fn hmac(digest: usize, block: Option<usize>) -> Lengths {
    Lengths { key: HMAC_KEY, ..hash(Some(digest), block) }
}

/// Of a derivation, whose salt is its nonce and whose info its associated data.
pub(crate) fn derivation(primitive: &str) -> Lengths {
    let aad = info(primitive);
    Lengths { key: SECRET, nonce: SECRET, aad, ..hash(None, None) }
}
