//! Features of aarch64.

use super::set::Set;

pub(super) const SETS: [Set; 8] = [
    set(&["SHA-1"], "sha1", &["sha1"]),
    set(&["SHA-256"], "sha2", &["sha224", "sha256"]),
    set(&["SHA-512"], "sha512", &["sha384", "sha512"]),
    set(&["SHA-3"], "sha3", &["sha3", "shake128", "shake256", "keccak"]),
    set(&["AES"], "aes", &["aes"]),
    set(&["PMULL"], "pmull", &["gcm", "gmac", "ghash"]),
    set(&["SM3"], "sm3", &["sm3"]),
    set(&["SM4"], "sm4", &["sm4"]),
];

/// Returns a set for all operations without key pairs, and messages of any length.
const fn set(
    classes: &'static [&'static str],
    flag: &'static str,
    parts: &'static [&'static str],
) -> Set {
    Set { classes, flag, parts, operations: &[], least: 0 }
}

#[cfg(test)]
mod tests {
    use super::super::set::serving;
    use super::SETS;
    use cpb_model::Operation;

    #[test]
    fn sets_serve_what_they_were_made_for() {
        assert_eq!(serving(&SETS, "sha256", Operation::Hash), ["SHA-256"]);
        assert_eq!(serving(&SETS, "hmac-sha1", Operation::Mac), ["SHA-1"]);
        assert_eq!(serving(&SETS, "sha512-256", Operation::Hash), ["SHA-512"]);
        assert_eq!(serving(&SETS, "sha3-256", Operation::Hash), ["SHA-3"]);
        assert_eq!(serving(&SETS, "aes-128-gcm", Operation::Seal), ["AES", "PMULL"]);
        assert_eq!(serving(&SETS, "aes-128-cbc", Operation::Decrypt), ["AES"]);
        assert_eq!(serving(&SETS, "slh-dsa-shake-128s", Operation::Sign), [""; 0]);
    }
}
