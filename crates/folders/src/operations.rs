//! SUPERCOP's operations as data: what an implementation defines, and what of ours is built
//! with it.

use cpb_model::Operation as Measured;

/// A row of SUPERCOP's operations.
#[derive(Debug)]
pub(crate) struct Operation {
    /// Without `crypto_`.
    pub(crate) name: &'static str,
    /// What follows the operation's name in that of a function, what it returns, and what
    /// it takes.
    pub(crate) functions: &'static [Function],
    /// What follows it in the names of lengths and traits, which `api.h` defines.
    pub(crate) values: &'static [&'static str],
    /// What is measured of it first, which stands for what does not build.
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

/// Bytes that are put out, bytes that are given, and a number.
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

/// In SUPERCOP's order: implementations call what comes before them.
pub(crate) static OPERATIONS: &[Operation] = &[
    Operation {
        name: "xof",
        functions: &[("", "int", parameters!(out signed given signed))],
        values: &["NOOVERLAP"],
        measured: Measured::Xof,
        sources: sources!("xof"),
    },
    Operation {
        name: "hash",
        functions: &[("", "int", parameters!(out given number))],
        values: &["BYTES"],
        measured: Measured::Hash,
        sources: sources!("hash"),
    },
];

/// The operation of a folder's name, such as `crypto_hash`.
pub(crate) fn of_folder(name: &str) -> Option<&'static Operation> {
    let name = name.strip_prefix("crypto_")?;
    OPERATIONS.iter().find(|operation| operation.name == name)
}

/// Where a primitive stands in that order.
pub(crate) fn place<'a>(operation: &Operation, primitive: &'a str) -> (usize, &'a str) {
    let place = OPERATIONS.iter().position(|other| other.name == operation.name);
    (place.unwrap_or(OPERATIONS.len()), primitive)
}

/// A primitive's canonical name, where it is the same as what libraries have: not only what
/// it does, but its lengths and encodings, too.
pub(crate) fn canonical(operation: &Operation, primitive: &str) -> String {
    let known = OTHERWISE_CALLED.iter().find(|(of, name, _)| (*of, *name) == (operation.name, primitive));
    known.map_or_else(|| cpb_libraries::canonical_name(primitive), |(.., name)| (*name).to_owned())
}

/// Operation, primitive, and its canonical name, where that is not what its own name says.
static OTHERWISE_CALLED: &[(&str, &str, &str)] = &[
    // With 64 bits of nonce.
    ("stream", "chacha20", "chacha20-djb"),
    // HMAC of SHA-512, cut to 256 bits, and not of SHA-512/256.
    ("auth", "hmacsha512256", "hmacsha512256"),
    ("aead", "aes128gcmv1", "aes-128-gcm"),
    ("aead", "aes256gcmv1", "aes-256-gcm"),
];
