//! Tests what is specific to Crypto++: its names, its backends, and its messages.

use crate::{installed, output};
use cpb_libraries::names;
use cpb_model::{Contract, Offer, Operation, Parameters};
use std::collections::HashSet;

#[test]
fn identity_is_that_of_the_library() {
    let Some(library) = installed("cryptopp", None) else { return };
    let identity = library.identity();
    assert!(identity.path.unwrap().contains("libcrypto"));
    assert!(identity.version.starts_with("8."), "{}", identity.version);
    assert_eq!(identity.banner, format!("Crypto++ {}", identity.version));
    assert!(identity.code_path.unwrap().ends_with("C++: all others"));
}

/// Algorithms whose canonical name does not follow from their spelling by the
/// table, with the reason.
const NAMED_OTHERWISE: &[(&str, &str)] = &[
    ("ChaCha(128)", "the original, not the one of RFC 8439"),
    ("ChaCha20(256)", "the original"),
    ("ChaCha12(256)", "the original"),
    ("ChaCha8(256)", "the original"),
    ("ChaChaTLS", "the one of RFC 8439"),
    ("HC-128", "the number is its key's"),
    ("HC-256", "the number is its key's"),
    ("Salsa20/8(256)", "the table does not know that 256 bits are usual"),
    ("Rabbit without IV", "no name"),
    ("MARC4(128)", "RC4 with a beginning left out"),
    ("RC2(128)", "all bits of the key are effective"),
    ("RC5-12(128)", "the usual rounds"),
    ("GOST", "the cipher of GOST 28147-89"),
    ("SHACAL-2(256)", "written without a hyphen elsewhere"),
    ("SHACAL-2(512)", "written without a hyphen elsewhere"),
    ("SHARK-E(128)", "E is for encryption"),
    ("DES-EDE2(128)", "a short triple DES"),
    ("DES-XEX3(192)", "DESX with its keys in another order"),
    ("SEAL-3.0-LE(160)", "without its version"),
    ("SEAL-3.0-BE(160)", "without its version"),
    ("LSH-224", "LSH-256-224 in KS X 3262"),
    ("LSH-256", "LSH-256-256 in KS X 3262"),
    ("LSH-384", "LSH-512-384 in KS X 3262"),
    ("LSH-512", "LSH-512-512 in KS X 3262"),
];

#[test]
fn names_are_those_of_the_table() {
    let Some(library) = installed("cryptopp", None) else { return };
    let mut otherwise = HashSet::new();
    for offer in library.offers() {
        let Some((algorithm, by_the_table)) = name_by_the_table(offer) else { continue };
        if NAMED_OTHERWISE.iter().any(|(known, _)| *known == algorithm) {
            assert_ne!(offer.primitive, by_the_table, "{algorithm} needs no exception");
            otherwise.insert(algorithm);
        } else {
            assert_eq!(offer.primitive, by_the_table, "{}", offer.spelling);
        }
    }
    for (known, _) in NAMED_OTHERWISE {
        assert!(otherwise.contains(*known), "{known} is not offered");
    }
}

/// Returns the algorithm without its mode, and the canonical name that the table
/// gives for the spelling; `None` unless it is a hash, cipher, HMAC, CMAC or
/// PBKDF2.
fn name_by_the_table(offer: &Offer) -> Option<(String, String)> {
    let spelling = offer.spelling.as_str();
    // Salsa20/12 is not a mode of Salsa20, and Poly1305 is a mode of any ChaCha20.
    let (algorithm, mode) =
        spelling.rsplit_once('/').filter(|(_, mode)| !mode.contains('(')).unwrap_or((spelling, ""));
    let keyed = |spelling: &str| match spelling.trim_end_matches(')').split_once('(') {
        Some((name, bits)) => names::cipher(name, bits.parse().unwrap()),
        None => names::cipher(spelling, offer.lengths.key.default_length() * 8),
    };
    let name = match offer.operation {
        Operation::Hash | Operation::Xof => names::hash(spelling),
        Operation::Encrypt
        | Operation::Decrypt
        | Operation::Seal
        | Operation::Open
        | Operation::Auth => names::with_mode(&keyed(algorithm), mode),
        Operation::Mac if mode == "GCM as GMAC" => names::mac("gmac", &keyed(algorithm)),
        Operation::Mac => match spelling.strip_suffix(')')?.split_once('(')? {
            ("HMAC", hash) => names::mac("hmac", &names::hash(hash)),
            ("CMAC", cipher) => names::mac("cmac", &keyed(cipher)),
            _ => return None,
        },
        Operation::Derive => {
            let hash = spelling.strip_prefix("PBKDF2(HMAC(")?.strip_suffix("))")?;
            names::mac("pbkdf2", &names::mac("hmac", &names::hash(hash)))
        }
        _ => return None,
    };
    Some((algorithm.to_owned(), name))
}

#[test]
fn a_failing_call_is_reported_in_the_librarys_words() {
    let Some(library) = installed("cryptopp", None) else { return };
    let offers = library.offers();
    let hkdf = offers.iter().find(|offer| offer.primitive == "hkdf-sha256").unwrap();
    let parameters = Parameters { output_bytes: Some(255 * 32 + 1), ..Parameters::default() };
    let error = output(&*library, hkdf, Contract::Keyed, parameters, 1).unwrap_err();
    assert!(error.contains("HKDF"), "{error}");
}
