//! What few libraries have: told to whoever asks for it where none of them is.

use super::{families, names};

/// A library that has it, and how one comes by that.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    /// Its name here.
    pub library: &'static str,
    /// The version it appeared in; empty where all that can be had have it.
    pub since: &'static str,
    /// What to install, give or build.
    pub remedy: &'static str,
}

/// How canonical names begin, words for what is done with them, and who has what is called so.
type Rare = (&'static str, &'static [&'static str], &'static [Holder]);

const RARE: &[Rare] = &[
    ("ml-kem-", &["kem", "encapsulate", "decapsulate"], LATTICES),
    ("ml-dsa-", &[], LATTICES),
    ("x25519mlkem768", &[], &[OPENSSL]),
    ("x448mlkem1024", &[], &[OPENSSL]),
    ("secp256r1mlkem768", &[], &[OPENSSL]),
    ("secp384r1mlkem1024", &[], &[OPENSSL]),
    ("slh-dsa-", &[], &[OPENSSL]),
    ("blake3", &[], &[LIBBLAKE3, built("blake3")]),
    ("falcon", &[], &[built("liboqs")]),
];
const LATTICES: &[Holder] = &[OPENSSL, built("aws-lc"), built("libcrux"), built("rustcrypto")];
const OPENSSL: Holder = Holder {
    library: "openssl",
    since: "3.5",
    remedy: "Debian 13: apt install libssl3t64 · Fedora 43: dnf install openssl-libs · a build: \
             --library openssl=/path/to/libcrypto.so.3",
};
const LIBBLAKE3: Holder = Holder {
    library: "libblake3",
    since: "",
    remedy: "Debian 13: apt install libblake3-dev, then build cpb",
};

/// What `make providers` builds.
const fn built(library: &'static str) -> Holder {
    Holder { library, since: "", remedy: "in cpb's sources: make providers" }
}

/// Who has the primitive, the family or the word `name`, in any spelling; nobody where that is no
/// rare one.
#[must_use]
pub fn who_has(name: &str) -> &'static [Holder] {
    let is_member = |beginning: &str| {
        families::find(name).is_some_and(|it| it.contain(&format!("{beginning}1")))
    };
    let is_it = |beginning: &str| names::known(name).is_some_and(|it| it.starts_with(beginning));
    let found = RARE.iter().find(|(beginning, words, _)| {
        is_it(beginning) || is_member(beginning) || words.contains(&name)
    });
    found.map_or(&[], |(_, _, who)| who)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_spelling_of_what_is_rare_tells_who_has_it() {
        for name in
            ["ml-kem-768", "ML_KEM_768", "kyber768", "mldsa44", "x25519mlkem768", "ml-kem", "kem"]
        {
            assert_eq!(who_has(name)[0], OPENSSL, "{name}");
        }
        assert_eq!(who_has("BLAKE3")[0].library, "libblake3");
        assert_eq!(who_has("falcon")[0].library, "liboqs");
        for name in ["sha256", "sha3", "nosuch", "hash", ""] {
            assert_eq!(who_has(name), [], "{name}");
        }
    }
}
