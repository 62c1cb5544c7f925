//! Lists SUPERCOP's operations as data: what an implementation defines, and which of our sources
//! are built with it.

use cpb_model::Operation as Measured;

/// A row of SUPERCOP's operations.
#[derive(Debug)]
pub(crate) struct Operation {
    /// Without `crypto_`.
    pub(crate) name: &'static str,
    /// Its functions: the suffix of the name, the result, and the parameters.
    pub(crate) functions: &'static [Function],
    /// The suffixes of lengths and traits that `api.h` defines.
    pub(crate) values: &'static [&'static str],
    /// Its first measured operation, which represents it if it does not build.
    pub(crate) measured: Measured,
    /// Our source that makes a provider of it, and the one that checks it.
    pub(crate) sources: [(&'static str, &'static str); 2],
}

/// Ending, result, parameters.
pub(crate) type Function = (&'static str, &'static str, &'static str);

macro_rules! sources {
    ($name:literal) => {
        [
            (concat!($name, ".c"), include_str!(concat!("../c/", $name, ".c"))),
            (concat!($name, "-check.c"), include_str!(concat!("../c/", $name, "-check.c"))),
        ]
    };
}

/// Output bytes, input bytes, and a number.
macro_rules! parameters {
    (@ out) => { "unsigned char *" };
    (@ given) => { "const unsigned char *" };
    (@ number) => { "unsigned long long" };
    (@ signed) => { "long long" };
    (@ told) => { "unsigned long long *" };
    (@ any) => { "void *" };
    (@ given_any) => { "const void *" };
    ($first:ident $($rest:ident)*) => {
        concat!(parameters!(@ $first) $(, ", ", parameters!(@ $rest))*)
    };
}

/// Lists operations: each with its first measured operation, the values that `api.h` defines, and
/// its functions by ending, result and parameters.
macro_rules! operations {
    ($($name:literal $measured:ident [$($value:literal)*]: $(
        $ending:literal $result:ident($($parameter:ident)*)
    ),+;)+) => {
        &[$(Operation {
            name: $name,
            functions: &[$(
                ($ending, stringify!($result), parameters!($($parameter)*)),
            )+],
            values: &[$($value),*],
            measured: Measured::$measured,
            sources: sources!($name),
        }),+]
    };
}

/// SUPERCOP's operations in its order, because implementations call those that precede theirs.
pub(crate) static OPERATIONS: &[Operation] = operations! {
    "verify" Compare ["BYTES"]: "" int(given given);
    "decode" DecodeItems ["STRBYTES" "ITEMBYTES" "ITEMS"]: "" void(any given);
    "encode" EncodeItems ["STRBYTES" "ITEMBYTES" "ITEMS"]: "" void(out given_any);
    "sort" Sort ["BYTES"]: "" void(any signed);
    "core" Core ["OUTPUTBYTES" "INPUTBYTES" "KEYBYTES" "CONSTBYTES"]: "" int(out given given given);
    "hashblocks" Hash ["STATEBYTES" "BLOCKBYTES"]: "" int(out given number);
    "xof" Xof ["NOOVERLAP"]: "" int(out signed given signed);
    "hash" Hash ["BYTES"]: "" int(out given number);
    "stream" Encrypt ["KEYBYTES" "NONCEBYTES" "BEFORENMBYTES"]:
        "" int(out number given given), "_xor" int(out given number given given),
        "_beforenm" int(out given), "_afternm" int(out number given given),
        "_xor_afternm" int(out given number given given);
    "onetimeauth" Mac ["BYTES" "KEYBYTES"]:
        "" int(out given number given), "_verify" int(given given number given);
    "auth" Mac ["BYTES" "KEYBYTES"]:
        "" int(out given number given), "_verify" int(given given number given);
    "secretbox" Seal ["KEYBYTES" "NONCEBYTES" "ZEROBYTES" "BOXZEROBYTES"]:
        "" int(out given number given given), "_open" int(out given number given given);
    "aead" Seal ["KEYBYTES" "NSECBYTES" "NPUBBYTES" "ABYTES" "NOOVERLAP"]:
        "_encrypt" int(out told given number given number given given given),
        "_decrypt" int(out told out given number given number given given);
    "rng" Rng ["KEYBYTES" "OUTPUTBYTES"]: "" int(out out given);
    "scalarmult" Agree ["BYTES" "SCALARBYTES"]: "" int(out given given), "_base" int(out given);
    "box" Seal ["PUBLICKEYBYTES" "SECRETKEYBYTES" "BEFORENMBYTES" "NONCEBYTES" "ZEROBYTES"
                "BOXZEROBYTES"]:
        "" int(out given number given given given), "_open" int(out given number given given given),
        "_keypair" int(out out), "_beforenm" int(out given given),
        "_afternm" int(out given number given given),
        "_open_afternm" int(out given number given given);
    "dh" Agree ["BYTES" "SECRETKEYBYTES" "PUBLICKEYBYTES"]:
        "" int(out given given), "_keypair" int(out out);
    "sign" Sign ["BYTES" "PUBLICKEYBYTES" "SECRETKEYBYTES" "DETERMINISTIC"]:
        "" int(out told given number given), "_open" int(out told given number given),
        "_keypair" int(out out);
    "kem" Encapsulate ["PUBLICKEYBYTES" "SECRETKEYBYTES" "BYTES" "CIPHERTEXTBYTES"]:
        "_keypair" int(out out), "_enc" int(out out given), "_dec" int(out given given);
    "encrypt" PublicEncrypt ["BYTES" "SECRETKEYBYTES" "PUBLICKEYBYTES"]:
        "" int(out told given number given), "_open" int(out told given number given),
        "_keypair" int(out out);
};

/// Returns the operation of a folder's name, such as `crypto_hash`.
pub(crate) fn of_folder(name: &str) -> Option<&'static Operation> {
    let name = name.strip_prefix("crypto_")?;
    OPERATIONS.iter().find(|operation| operation.name == name)
}

/// Returns the sort key of a primitive in that order.
pub(crate) fn place<'a>(operation: &Operation, primitive: &'a str) -> (usize, &'a str) {
    let place = OPERATIONS.iter().position(|other| other.name == operation.name);
    (place.unwrap_or(OPERATIONS.len()), primitive)
}

/// Returns a primitive's canonical name, if function, lengths and encodings are those of libraries.
pub(crate) fn canonical(operation: &Operation, primitive: &str) -> String {
    // Blocks without padding are not a hash.
    if operation.name == "hashblocks" {
        return format!("{}-blocks", cpb_libraries::canonical_name(primitive));
    }
    // A comparison's folder only states the length.
    if operation.name == "verify" {
        return format!("verify-{primitive}");
    }
    let known =
        OTHERWISE_CALLED.iter().find(|(of, name, _)| (*of, *name) == (operation.name, primitive));
    known.map_or_else(|| cpb_libraries::canonical_name(primitive), |(.., name)| (*name).to_owned())
}

/// Operation, primitive, and its canonical name, if that differs from what its own name suggests.
static OTHERWISE_CALLED: &[(&str, &str, &str)] = &[
    // With a 64-bit nonce.
    ("stream", "chacha20", "chacha20-djb"),
    // The first half of HMAC-SHA-512, not HMAC-SHA-512/256.
    ("auth", "hmacsha512256", "hmac-sha512-half"),
    ("auth", "siphash24", "siphash-2-4"),
    ("auth", "siphash48", "siphash-4-8"),
    ("aead", "aes128gcmv1", "aes-128-gcm"),
    ("aead", "aes256gcmv1", "aes-256-gcm"),
    // The predecessors of the standards ML-DSA and ML-KEM.
    ("sign", "dilithium2", "dilithium2"),
    ("sign", "dilithium3", "dilithium3"),
    ("sign", "dilithium5", "dilithium5"),
    ("kem", "kyber512", "kyber512"),
    ("kem", "kyber768", "kyber768"),
    ("kem", "kyber1024", "kyber1024"),
];

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn primitives_are_called_as_others_call_the_same() {
        for (folder, primitive, name) in [
            ("crypto_hash", "sha3256", "sha3-256"),
            ("crypto_hashblocks", "sha256", "sha256-blocks"),
            ("crypto_stream", "chacha20", "chacha20-djb"),
            ("crypto_auth", "hmacsha256", "hmac-sha256"),
            ("crypto_auth", "hmacsha512256", "hmac-sha512-half"),
            ("crypto_scalarmult", "curve25519", "x25519"),
            ("crypto_kem", "mlkem768", "ml-kem-768"),
            ("crypto_kem", "kyber768", "kyber768"),
            ("crypto_sort", "int32", "int32"),
            ("crypto_verify", "16", "verify-16"),
        ] {
            assert_eq!(canonical(of_folder(folder).unwrap(), primitive), name);
        }
        assert!(of_folder("crypto_nothing").is_none() && of_folder("hash").is_none());
        let of = |name| of_folder(name).unwrap();
        assert!(place(of("crypto_hashblocks"), "z") < place(of("crypto_hash"), "a"));
    }
}
