//! What things are called.

use crate::{installed, is_whole};
use std::collections::HashSet;

#[test]
fn a_name_stands_for_one_thing() {
    let Some(library) = installed() else { return };
    let offers = library.offers();
    let mut primitives = HashSet::new();
    let mut spellings = HashSet::new();
    for offer in &offers {
        assert!(primitives.insert((&offer.primitive, offer.operation)), "{offer:?}");
        assert!(spellings.insert((&offer.spelling, offer.operation)), "{offer:?}");
        let is_plain = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
        assert!(offer.primitive.chars().all(is_plain), "{}", offer.primitive);
    }
    if !is_whole(library.as_ref()) {
        return;
    }
    let has = |name: &str| offers.iter().any(|offer| offer.primitive == name);
    for name in [
        "sha3-256",
        "tiger-gnupg",
        "crc32-rfc1510",
        "hmac-ripemd160",
        "cmac-3des",
        "cmac-rc2-128",
        "cmac-aes-256",
        "gmac-twofish-128",
        "poly1305-serpent-128",
        "3des-cbc",
        "cast5-128-cfb",
        "twofish-256-xts",
        "twofish-128-ccm",
        "serpent-192-ocb",
        "rc2-40-ecb",
        "seed-gcm",
        "camellia-192-ctr",
        "salsa20-12",
        "chacha20-poly1305",
        "pbkdf2-hmac-tiger2",
    ] {
        assert!(has(name), "{name}");
    }
}
