//! Crypto++ through its shim: what it offers, that all of it works, and that
//! its results are those of other implementations.

#![allow(
    clippy::panic,
    clippy::print_stderr,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "clippy.toml allows them in tests, and knows no functions that tests call"
)]

use cpb_libraries::{Library, OpenError, PrepareError, names};
use cpb_model::{Contract, Offer, Operation, Parameters, Workload};
use std::collections::HashSet;
use std::path::{Path, PathBuf};

const ROWS: &str = include_str!("rows/cryptopp.csv");
/// Made with other implementations, named in the last field, over cpb's inputs.
const KNOWN_ANSWERS: &str = include_str!("cryptopp/known_answers.csv");
/// Rows that cannot be there, with the reason.
const ROWS_NOT_OFFERED: &[(&str, &str, &str, &str)] = &[];
/// Offers that cannot work, with the reason.
const NOT_WORKING: &[(&str, &str)] = &[];

const MESSAGE_BYTES: &[usize] = &[16, 1040, 4112];
const ITERATIONS: &[u64] = &[2, 10];

/// Crypto++, or nothing where it is not installed.
fn crypto_plus_plus() -> Option<Box<dyn Library>> {
    match cpb_libraries::open("cryptopp", None) {
        Ok(library) => Some(library),
        Err(error @ OpenError::Missing { .. }) => {
            eprintln!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn workload(offer: &Offer, contract: Contract, size: usize) -> Workload {
    let derives = offer.operation == Operation::Derive;
    Workload {
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract,
        parameters: Parameters {
            message_bytes: if derives { 0 } else { size },
            iterations: derives.then_some(size as u64),
            ..Parameters::default()
        },
    }
}

fn run(library: &dyn Library, offer: &Offer, workload: &Workload) -> Result<Vec<u8>, String> {
    let mut call = library.prepare(offer, workload).map_err(|error| error.to_string())?;
    call.run(3);
    call.output()
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index % 251) as u8).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Message lengths, or iterations, that suit an offer.
fn sizes(offer: &Offer) -> Vec<usize> {
    if offer.operation == Operation::Derive {
        return ITERATIONS.iter().map(|&iterations| iterations as usize).collect();
    }
    MESSAGE_BYTES.iter().map(|bytes| bytes.next_multiple_of(offer.lengths.granularity)).collect()
}

#[test]
fn every_row_is_offered_in_order() {
    let Some(library) = crypto_plus_plus() else { return };
    let asked: Vec<(&str, &str, &str)> = ROWS
        .lines()
        .skip(1)
        .map(|line| {
            let mut fields = line.split(',');
            let mut next = || fields.next().unwrap();
            (next(), next(), next())
        })
        .filter(|row| !ROWS_NOT_OFFERED.iter().any(|not| (not.0, not.1, not.2) == *row))
        .collect();
    let offers = library.offers();
    let offered: Vec<(&str, &str, &str)> = offers
        .iter()
        .filter_map(|offer| offer.row.as_ref())
        .map(|row| (&*row.group, &*row.algorithm, &*row.mode))
        .collect();
    println!(
        "rows: {} asked, {} present, {} offers besides",
        asked.len(),
        offered.len(),
        offers.len() - offered.len()
    );
    assert_eq!(offered, asked);
}

#[test]
fn identity_is_that_of_the_library() {
    let Some(library) = crypto_plus_plus() else { return };
    let identity = library.identity();
    println!("{identity:?}");
    assert!(identity.path.unwrap().contains("libcrypto"));
    assert!(identity.version.starts_with("8."), "{}", identity.version);
    assert_eq!(identity.banner, format!("Crypto++ {}", identity.version));
    assert!(identity.code_path.unwrap().ends_with("C++: all others"));
}

#[test]
fn no_two_offers_have_the_same_name() {
    let Some(library) = crypto_plus_plus() else { return };
    let (mut spellings, mut primitives) = (HashSet::new(), HashSet::new());
    for offer in library.offers() {
        let of = |name: &str| (name.to_owned(), offer.operation, offer.backend.clone());
        assert!(spellings.insert(of(&offer.spelling)), "{} twice", offer.spelling);
        assert!(primitives.insert(of(&offer.primitive)), "{} twice", offer.primitive);
    }
}

/// Algorithms whose canonical name the table does not make of their spelling,
/// with the reason.
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
    let Some(library) = crypto_plus_plus() else { return };
    let mut otherwise = HashSet::new();
    for offer in library.offers() {
        let Some((algorithm, by_the_table)) = name_by_the_table(&offer) else { continue };
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

/// The algorithm without its mode, and the canonical name that the table makes
/// of the spelling; nothing for what is no hash, cipher, HMAC, CMAC or PBKDF2.
fn name_by_the_table(offer: &Offer) -> Option<(String, String)> {
    let spelling = offer.spelling.as_str();
    // Salsa20/12 is no mode of Salsa20, and Poly1305 one of any ChaCha20.
    let (algorithm, mode) =
        spelling.rsplit_once('/').filter(|(_, mode)| !mode.contains('(')).unwrap_or((spelling, ""));
    let keyed = |spelling: &str| match spelling.trim_end_matches(')').split_once('(') {
        Some((name, bits)) => names::cipher(name, bits.parse().unwrap()),
        None => names::cipher(spelling, offer.lengths.key.usual() * 8),
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
        Operation::Iterate | Operation::Encode | Operation::Decode => return None,
    };
    Some((algorithm.to_owned(), name))
}

#[test]
fn every_offer_works_under_every_contract() {
    let Some(library) = crypto_plus_plus() else { return };
    let mut errors = Vec::new();
    let (mut ran, mut excepted) = (0, 0);
    for offer in library.offers() {
        if NOT_WORKING.iter().any(|(spelling, _)| *spelling == offer.spelling) {
            excepted += 1;
            continue;
        }
        for size in sizes(&offer) {
            if let Err(error) = check(&*library, &offer, size) {
                errors.push(format!(
                    "{} {} at {size}: {error}",
                    offer.spelling,
                    offer.operation.name()
                ));
            }
            ran += 1;
        }
    }
    println!("{ran} workloads ran, {excepted} offers excepted");
    assert!(ran > 0);
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

fn check(library: &dyn Library, offer: &Offer, size: usize) -> Result<(), String> {
    let keyed = run(library, offer, &workload(offer, Contract::Keyed, size))?;
    let oneshot = run(library, offer, &workload(offer, Contract::Oneshot, size))?;
    if keyed != oneshot {
        return Err("keyed and oneshot differ".to_owned());
    }
    let lengths = &offer.lengths;
    let expected = match offer.operation {
        Operation::Seal => size + lengths.tag,
        Operation::Auth => lengths.tag,
        Operation::Encrypt | Operation::Decrypt | Operation::Open => size,
        _ => lengths.output.unwrap().usual(),
    };
    if keyed.len() != expected {
        return Err(format!("{} bytes of output, not {expected}", keyed.len()));
    }
    let message = pattern(size);
    match offer.operation {
        Operation::Decrypt | Operation::Open if keyed != message => {
            return Err("the plaintext is another".to_owned());
        }
        Operation::Encrypt | Operation::Seal if keyed[..size] == message => {
            return Err("the plaintext is not encrypted".to_owned());
        }
        _ => {}
    }
    let compat = workload(offer, Contract::Compat, size);
    match (offer.row.is_some(), library.prepare(offer, &compat)) {
        (true, Ok(mut call)) => {
            call.run(3);
            let output = call.output()?;
            if offer.operation == Operation::Hash && output != keyed {
                return Err("keyed and compat differ".to_owned());
            }
            Ok(())
        }
        (true, Err(error)) => Err(format!("compat: {error}")),
        (false, Ok(_)) => Err("compat without a row".to_owned()),
        (false, Err(PrepareError::NotOffered { what, .. })) if what.contains("contract compat") => {
            Ok(())
        }
        (false, Err(error)) => Err(error.to_string()),
    }
}

#[test]
fn results_are_those_of_other_implementations() {
    let Some(library) = crypto_plus_plus() else { return };
    let offers = library.offers();
    let mut errors = Vec::new();
    let mut checked = 0;
    for line in KNOWN_ANSWERS.lines().skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [primitive, operation, size, aad_bytes, expected, source] = fields[..] else {
            panic!("not six fields: {line}");
        };
        let found = offers.iter().find(|offer| {
            offer.primitive == primitive
                && format!("{:?}", offer.operation) == operation
                && offer.default_backend
        });
        let Some(offer) = found else {
            errors.push(format!("{primitive} {operation} is not offered"));
            continue;
        };
        let mut workload = workload(offer, Contract::Keyed, size.parse().unwrap());
        workload.parameters.aad_bytes = aad_bytes.parse().unwrap();
        match run(&*library, offer, &workload) {
            Ok(output) if hexadecimal(&output) == expected => {}
            Ok(output) => errors.push(format!(
                "{primitive} {operation} {size}: {} here, {expected} by {source}",
                hexadecimal(&output)
            )),
            Err(error) => errors.push(format!("{primitive} {operation} {size}: {error}")),
        }
        checked += 1;
    }
    println!("{checked} known answers");
    assert!(errors.is_empty(), "{}", errors.join("\n"));
}

#[test]
fn all_backends_of_a_primitive_agree() {
    let Some(library) = crypto_plus_plus() else { return };
    let offers = library.offers();
    let mut compared = 0;
    for other in offers.iter().filter(|offer| !offer.default_backend) {
        let default = offers.iter().find(|offer| {
            offer.default_backend
                && (&offer.primitive, offer.operation) == (&other.primitive, other.operation)
        });
        let workload = workload(other, Contract::Keyed, 1040);
        let result = |offer: &Offer| run(&*library, offer, &workload).unwrap();
        assert_eq!(result(other), result(default.unwrap()), "{}", other.spelling);
        compared += 1;
    }
    assert!(compared > 0);
}

#[test]
fn associated_data_counts() {
    let Some(library) = crypto_plus_plus() else { return };
    for offer in library.offers() {
        if !matches!(offer.operation, Operation::Seal | Operation::Open) {
            continue;
        }
        let without = workload(&offer, Contract::Keyed, 40);
        let mut with = without.clone();
        with.parameters.aad_bytes = 20;
        let outputs = [&without, &with].map(|workload| run(&*library, &offer, workload).unwrap());
        // The ciphertext may be the same; the tag behind it is not.
        assert_eq!(
            outputs[0] == outputs[1],
            offer.operation == Operation::Open,
            "{}",
            offer.spelling
        );
    }
}

#[test]
fn a_failing_call_is_reported_in_the_librarys_words() {
    let Some(library) = crypto_plus_plus() else { return };
    let offers = library.offers();
    let hkdf = offers.iter().find(|offer| offer.primitive == "hkdf-sha256").unwrap();
    let mut workload = workload(hkdf, Contract::Keyed, 1);
    workload.parameters.output_bytes = Some(255 * 32 + 1);
    let error = run(&*library, hkdf, &workload).unwrap_err();
    assert!(error.contains("HKDF"), "{error}");
}

#[test]
fn lengths_that_do_not_fit_are_refused() {
    let Some(library) = crypto_plus_plus() else { return };
    let offers = library.offers();
    let ecb = offers.iter().find(|offer| offer.primitive == "aes-128-ecb").unwrap();
    let error = library.prepare(ecb, &workload(ecb, Contract::Keyed, 17)).err().unwrap();
    assert!(error.to_string().contains("multiples of 16"), "{error}");
}

/// Why Crypto++ cannot be opened at `path`.
fn refusal(path: &Path) -> OpenError {
    cpb_libraries::open("cryptopp", Some(path)).err().expect("it should not open")
}

#[test]
fn a_path_without_a_file_cannot_be_loaded() {
    if crypto_plus_plus().is_none() {
        return;
    }
    let error = refusal(Path::new("/nowhere/libcrypto++.so.8"));
    assert!(matches!(error, OpenError::Load { .. }), "{error:?}");
    assert!(error.to_string().contains("/nowhere/libcrypto++.so.8"), "{error}");
}

#[test]
fn a_text_file_cannot_be_loaded() {
    if crypto_plus_plus().is_none() {
        return;
    }
    let error = refusal(&Path::new(env!("CARGO_MANIFEST_DIR")).join("Cargo.toml"));
    assert!(matches!(error, OpenError::Load { .. }), "{error:?}");
}

#[test]
fn another_library_is_told_apart() {
    if crypto_plus_plus().is_none() {
        return;
    }
    let folders = ["/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/usr/lib"];
    let other: Option<PathBuf> =
        folders.iter().map(|folder| Path::new(folder).join("libm.so.6")).find(|file| file.exists());
    let Some(other) = other else {
        eprintln!("skipped: no other library found");
        return;
    };
    match refusal(&other) {
        OpenError::WrongLibrary { library, symbol, .. } => {
            assert_eq!(library, "Crypto++");
            assert!(symbol.contains("CryptoPP"), "{symbol}");
        }
        error => panic!("{error:?}"),
    }
}
