//! What few libraries have: told to whoever asks for it where none of them is.

use super::{families, names};

/// How canonical names begin, and who has what is called so.
const RARE: &[(&str, &str)] = &[
    ("ml-kem-", LATTICES),
    ("ml-dsa-", LATTICES),
    ("x25519mlkem768", OPENSSL),
    ("x448mlkem1024", OPENSSL),
    ("secp256r1mlkem768", OPENSSL),
    ("secp384r1mlkem1024", OPENSSL),
    ("slh-dsa-", OPENSSL),
];
const OPENSSL: &str = "OpenSSL from 3.5 on has it";
const LATTICES: &str = "OpenSSL from 3.5 on has it; so have AWS-LC, RustCrypto and libcrux, \
                        which make providers builds";

/// Who has the primitive or the family called `name`, in any spelling; `None` where that is no
/// rare one.
#[must_use]
pub fn who_has(name: &str) -> Option<&'static str> {
    let is_member = |beginning: &str| {
        families::find(name).is_some_and(|it| it.contain(&format!("{beginning}1")))
    };
    let is_it = |beginning: &str| names::known(name).is_some_and(|it| it.starts_with(beginning));
    let found = RARE.iter().find(|(beginning, _)| is_it(beginning) || is_member(beginning));
    found.map(|(_, who)| *who)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_spelling_of_what_is_rare_tells_who_has_it() {
        for name in ["ml-kem-768", "ML_KEM_768", "kyber768", "mldsa44", "x25519mlkem768", "ml-kem"]
        {
            assert!(who_has(name).is_some_and(|who| who.contains("OpenSSL from 3.5")), "{name}");
        }
        for name in ["sha256", "sha3", "nosuch", ""] {
            assert_eq!(who_has(name), None, "{name}");
        }
    }
}
