//! Features of x86-64.

use super::set::Set;
use cpb_model::Operation;

pub(super) const SETS: [Set; 8] = [
    Set {
        classes: &["SHA-NI"],
        flag: "sha_ni",
        parts: &["sha1", "sha224", "sha256"],
        operations: &[],
        least: 0,
    },
    Set {
        classes: &["SHA-512"],
        flag: "sha512",
        parts: &["sha384", "sha512"],
        operations: &[],
        least: 0,
    },
    Set { classes: &["AES-NI", "VAES"], flag: "aes", parts: &["aes"], operations: &[], least: 0 },
    Set {
        classes: &["PCLMULQDQ", "VPCLMULQDQ"],
        flag: "pclmulqdq",
        parts: &["gcm", "gmac", "ghash"],
        operations: &[],
        least: 0,
    },
    // Modes whose blocks do not depend on each other.
    Set {
        classes: &["VAES"],
        flag: "vaes",
        parts: &["aes+ctr", "aes+gcm", "aes+ecb", "aes+xts"],
        operations: &[Operation::Encrypt, Operation::Decrypt, Operation::Seal, Operation::Open],
        least: 1024,
    },
    Set {
        classes: &["AVX-512IFMA", "AVX-IFMA"],
        flag: "avx512ifma",
        parts: &["rsa"],
        operations: &[Operation::Sign, Operation::PrivateDecrypt],
        least: 0,
    },
    Set { classes: &["SM3"], flag: "sm3", parts: &["sm3"], operations: &[], least: 0 },
    Set { classes: &["SM4"], flag: "sm4", parts: &["sm4"], operations: &[], least: 0 },
];

#[cfg(test)]
mod tests {
    use super::super::set::serving;
    use super::SETS;
    use cpb_model::Operation;

    #[test]
    fn sets_serve_what_they_were_made_for() {
        assert_eq!(serving(&SETS, "sha256", Operation::Hash), ["SHA-NI"]);
        assert_eq!(serving(&SETS, "hmac-sha1", Operation::Mac), ["SHA-NI"]);
        assert_eq!(serving(&SETS, "sha512-256", Operation::Hash), ["SHA-512"]);
        assert_eq!(serving(&SETS, "sha3-256", Operation::Hash), [""; 0]);
        assert_eq!(serving(&SETS, "aes-128-gcm", Operation::Seal), ["AES-NI", "PCLMULQDQ", "VAES"]);
        assert_eq!(serving(&SETS, "aes-128-cbc", Operation::Decrypt), ["AES-NI"]);
        assert_eq!(serving(&SETS, "rsa-2048-pss", Operation::Sign), ["AVX-512IFMA"]);
        assert_eq!(serving(&SETS, "rsa-2048-pss", Operation::Verify), [""; 0]);
    }
}
