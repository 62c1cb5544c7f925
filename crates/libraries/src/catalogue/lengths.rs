//! Lists block lengths by canonical name, in bytes.

use cpb_model::{Offer, Operation};

/// Returns the input length of the compression function or permutation of a hash or XOF. Checksums
/// have no such step.
pub(crate) fn hash_block(primitive: &str) -> Option<usize> {
    Some(match primitive {
        "md4" | "md5" | "sha1" | "sha224" | "sha256" | "ripemd160" | "tiger" | "tiger-gnupg"
        | "tiger2" | "whirlpool" | "sm3" | "streebog-256" | "streebog-512" | "blake2s-256"
        | "blake2s-224" | "blake2s-160" | "blake2s-128" | "ripemd128" | "ripemd256"
        | "ripemd320" | "md5-sha1" | "blake3" => 64,
        "sha384" | "sha512" | "sha512-224" | "sha512-256" | "blake2b-512" | "blake2b-384"
        | "blake2b-256" | "blake2b-160" => 128,
        // One block for each of their leaves.
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

/// Returns the step in which an implementation's cost rises, if it does not state it itself.
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
