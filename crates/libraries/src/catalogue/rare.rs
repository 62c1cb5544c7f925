//! Lists what few libraries have, to tell users who request it without one of them.

use super::{families, names};

/// A library that has it, and how to get that library.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Holder {
    pub library: &'static str,
    /// The first version that has it; empty if all available ones do.
    pub since: &'static str,
    /// What to install, specify or build.
    pub remedy: &'static str,
}

/// The beginnings of canonical names, words for the operations, and the libraries that have them.
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

/// Describes a library built by `make providers`.
const fn built(library: &'static str) -> Holder {
    Holder { library, since: "", remedy: "in cpb's sources: make providers" }
}

/// Returns the libraries that have the primitive, family or word `name`, in any spelling; empty if
/// it is not a rare one.
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
