//! Tests what is specific to libgcrypt: canonical names that differ from its own.

use crate::installed;
use crate::skipped::skipped;

#[test]
fn its_names_become_those_of_the_catalogue() {
    let Some(library) = installed("gcrypt", None) else { return };
    let identity = library.identity();
    assert_eq!(identity.banner, format!("libgcrypt: {}", identity.version));
    if cfg!(target_arch = "x86_64") {
        assert!(identity.code_path.unwrap().contains("intel-"));
    }
    let offers = library.offers();
    // FIPS mode and versions before 1.10 leave some out.
    let is_restricted = offers.iter().any(|offer| offer.unavailable.is_some());
    if is_restricted || identity.version.starts_with("1.8.") || identity.version.starts_with("1.9.")
    {
        skipped("names of libgcrypt: not all of them are here");
        return;
    }
    let has = |name: &str| offers.iter().any(|offer| offer.primitive == name);
    let names = "sha3-256 tiger-gnupg crc32-rfc1510 hmac-ripemd160 cmac-3des cmac-rc2-128 \
                 cmac-aes-256 gmac-twofish-128 poly1305-serpent-128 3des-cbc cast5-128-cfb \
                 twofish-256-xts twofish-128-ccm serpent-192-ocb rc2-40-ecb seed-gcm \
                 camellia-192-ctr salsa20-12 chacha20-poly1305 pbkdf2-hmac-tiger2";
    for name in names.split(' ') {
        assert!(has(name), "{name}");
    }
}
