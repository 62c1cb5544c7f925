//! Botan: its rows, every offer of it, known answers, and how it is opened.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "what helpers of tests may do as tests"
)]

use cpb_kernels::sha3::Sha3_256;
use cpb_libraries::{Library, OpenError, PrepareError, names};
use cpb_model::{Contract, Length, Offer, Operation, Parameters, RowName, Workload};
use std::collections::{BTreeMap, HashMap, HashSet};
use std::path::{Path, PathBuf};
use std::process::Command;

/// What Botan 3 no longer has, of the rows that bench-slopes has with Botan 2.
const GONE_IN_3: &[&str] = &["GOST-34.11", "CAST-256", "GOST-28147-89"];

/// Botan, or why this machine cannot test it.
fn botan() -> Option<Box<dyn Library>> {
    match cpb_libraries::open("botan", None) {
        Ok(library) => Some(library),
        Err(OpenError::Missing { reason, .. }) => {
            println!("skipped: Botan is not installed ({reason})");
            None
        }
        Err(other) => panic!("{other}"),
    }
}

fn workload(offer: &Offer, contract: Contract, message_bytes: usize, aad_bytes: usize) -> Workload {
    let derives = offer.operation == Operation::Derive;
    Workload {
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract,
        parameters: Parameters {
            message_bytes,
            aad_bytes,
            iterations: derives.then_some(10),
            ..Parameters::default()
        },
    }
}

fn output(library: &dyn Library, offer: &Offer, workload: &Workload) -> Result<Vec<u8>, String> {
    let mut call = library.prepare(offer, workload).map_err(|error| error.to_string())?;
    if call.output()?.is_empty() {
        call.run(3);
        call.output()
    } else {
        Err("it has an output before the first call".to_owned())
    }
}

fn pattern(length: usize) -> Vec<u8> {
    (0..length).map(|index| (index % 251) as u8).collect()
}

#[test]
fn rows_are_those_of_bench_slopes_in_its_order() {
    let Some(library) = botan() else { return };
    let asked: Vec<RowName> = include_str!("rows/botan.csv")
        .lines()
        .skip(1)
        .map(|line| {
            let fields: Vec<&str> = line.split(',').collect();
            let [group, algorithm, mode] = fields[..] else { panic!("{line}") };
            RowName { group: group.into(), algorithm: algorithm.into(), mode: mode.into() }
        })
        .collect();
    let offers = library.offers();
    let offered: Vec<RowName> = offers.iter().filter_map(|offer| offer.row.clone()).collect();
    println!(
        "rows asked: {}, present: {}, offers without a row: {}",
        asked.len(),
        offered.len(),
        offers.len() - offered.len()
    );
    let of_3 = library.identity().version.starts_with('3');
    let expected: Vec<RowName> = asked
        .into_iter()
        .filter(|row| !(of_3 && GONE_IN_3.contains(&row.algorithm.as_str())))
        .collect();
    assert_eq!(offered, expected);
    assert!(offers[..offered.len()].iter().all(|offer| offer.row.is_some()), "rows come first");
}

#[test]
fn every_offer_is_unique_and_named_by_the_tables() {
    let Some(library) = botan() else { return };
    let offers = library.offers();
    let mut seen = HashSet::new();
    let mut lengths: HashMap<(String, Operation), (usize, usize, usize)> = HashMap::new();
    for offer in &offers {
        let key = (offer.spelling.clone(), offer.operation, offer.backend.clone());
        assert!(seen.insert(key), "{} {:?} is there twice", offer.spelling, offer.operation);
        let (key_bytes, nonce) = (offer.lengths.key.usual(), offer.lengths.nonce.usual());
        let lengths_of = (key_bytes, nonce, offer.lengths.tag);
        let key = (offer.primitive.clone(), offer.operation);
        assert_eq!(lengths.insert(key, lengths_of), None, "{} has two spellings", offer.primitive);
    }
    let primitive = |spelling: &str| {
        let offer = offers.iter().find(|offer| offer.spelling == spelling);
        offer.map_or_else(String::new, |offer| offer.primitive.clone())
    };
    for spelling in ["SHA-3", "SHAKE-128", "RIPEMD-160", "Whirlpool", "CRC24", "BLAKE2b(384)"] {
        let canonical = if spelling == "SHA-3" { "SHA-3(512)" } else { spelling };
        assert_eq!(primitive(spelling), names::hash(canonical));
    }
    for (spelling, cipher, bits, mode) in [
        ("AES-192/GCM", "AES", 192, "GCM"),
        ("CTR(Camellia-128)", "Camellia", 128, "CTR"),
        ("CAST-128/CBC", "CAST-128", 128, "CBC"),
        ("3DES/CFB", "3DES", 192, "CFB"),
        ("Serpent/XTS, 256-bit key", "Serpent", 256, "XTS"),
        ("Twofish/ECB", "Twofish", 128, "ECB"),
        ("SM4/SIV", "SM4", 128, "SIV"),
        ("IDEA/EAX", "IDEA", 128, "EAX"),
        ("KASUMI/CBC", "KASUMI", 128, "CBC"),
        ("Threefish-512/OCB", "Threefish", 512, "OCB"),
        ("ChaCha", "ChaCha", 256, "STREAM"),
        ("Salsa20, 128-bit key", "Salsa20", 128, "STREAM"),
        ("RC4", "RC4", 128, "STREAM"),
    ] {
        let offered = primitive(spelling);
        let of_3 = library.identity().version.starts_with('3');
        assert!(
            offered == names::with_mode(&names::cipher(cipher, bits), mode)
                || of_3 && offered.is_empty(),
            "{spelling}: {offered}"
        );
    }
    assert_eq!(primitive("HMAC(SHA-256)"), names::mac("HMAC", &names::hash("SHA-256")));
    assert_eq!(primitive("CMAC(AES-256)"), names::mac("CMAC", &names::cipher("AES", 256)));
}

#[test]
fn every_offer_runs_under_every_contract() {
    let Some(library) = botan() else { return };
    let library = library.as_ref();
    let mut errors = Vec::new();
    let mut runs: BTreeMap<&str, usize> = BTreeMap::new();
    for offer in library.offers() {
        let granularity = offer.lengths.granularity;
        let lengths: &[usize] = match (offer.operation, granularity) {
            (Operation::Derive, _) => &[0],
            (_, 1) => &[1, 16, 1040, 1041, 4112],
            _ => &[16, 1040, 4112],
        };
        for length in lengths.iter().map(|length| length.next_multiple_of(granularity)) {
            for aad_bytes in [0, 20] {
                let keyed =
                    output(library, &offer, &workload(&offer, Contract::Keyed, length, aad_bytes));
                let oneshot = output(
                    library,
                    &offer,
                    &workload(&offer, Contract::Oneshot, length, aad_bytes),
                );
                if let Err(problem) = judge(&offer, length, &keyed, &oneshot) {
                    let (spelling, operation) = (&offer.spelling, offer.operation.name());
                    errors.push(format!("{spelling} {operation} {length}: {problem}"));
                }
                *runs.entry("keyed and oneshot").or_default() += 1;
                let data = matches!(offer.operation, Operation::Seal | Operation::Open);
                if !data {
                    break;
                }
            }
            if offer.row.is_some() {
                let compat = workload(&offer, Contract::Compat, length, 0);
                if let Err(problem) = output(library, &offer, &compat) {
                    errors.push(format!("{} compat {length}: {problem}", offer.spelling));
                }
                *runs.entry("compat").or_default() += 1;
            }
        }
    }
    println!("{runs:?}");
    for error in &errors {
        println!("{error}");
    }
    assert!(errors.is_empty(), "{} of {runs:?} failed", errors.len());
}

/// What the outputs under keyed and oneshot must be, whatever the algorithm.
fn judge(
    offer: &Offer,
    length: usize,
    keyed: &Result<Vec<u8>, String>,
    oneshot: &Result<Vec<u8>, String>,
) -> Result<(), String> {
    let keyed = keyed.as_ref().map_err(|error| format!("keyed: {error}"))?;
    let oneshot = oneshot.as_ref().map_err(|error| format!("oneshot: {error}"))?;
    if keyed != oneshot {
        return Err("keyed and oneshot differ".to_owned());
    }
    let message = pattern(length);
    let (expected, reads_message) = match offer.operation {
        Operation::Hash | Operation::Mac => (offer.lengths.output.map_or(0, Length::usual), false),
        Operation::Xof | Operation::Derive => (cpb_libraries::DEFAULT_OUTPUT_BYTES, false),
        Operation::Encrypt => (length, false),
        Operation::Decrypt | Operation::Open => (length, true),
        Operation::Seal => (length + offer.lengths.tag, false),
        Operation::Auth => (offer.lengths.tag, false),
        Operation::Iterate | Operation::Encode | Operation::Decode => {
            return Err("Botan offers none of these".to_owned());
        }
    };
    if keyed.len() != expected || expected == 0 {
        return Err(format!("{} bytes came out, not {expected}", keyed.len()));
    }
    if reads_message && *keyed != message {
        return Err("decrypting did not give the message back".to_owned());
    }
    // One byte of ciphertext may be that of the plaintext by chance.
    if !reads_message && length > 1 && keyed.starts_with(&message[..length.min(keyed.len())]) {
        let checksum = offer.lengths.output.is_some_and(|bytes| bytes.usual() <= 4);
        if !checksum {
            return Err("the message came out as it was".to_owned());
        }
    }
    Ok(())
}

#[test]
fn known_answers() {
    let Some(library) = botan() else { return };
    let offers = library.offers();
    let of_3 = library.identity().version.starts_with('3');
    let lines = include_str!("botan/answers.csv").lines().filter(|line| !line.starts_with('#'));
    let mut checked = 0;
    for line in lines.skip(1) {
        let fields: Vec<&str> = line.split(',').collect();
        let [primitive, operation, length, answer] = fields[..] else { panic!("{line}") };
        let offer = offers
            .iter()
            .find(|offer| offer.primitive == primitive && offer.operation.name() == operation);
        let Some(offer) = offer else {
            assert!(of_3, "Botan 2 has no {primitive} {operation}");
            continue;
        };
        let derives = offer.operation == Operation::Derive;
        let message_bytes = if derives { 0 } else { 1040 };
        let aad_bytes = if offer.operation == Operation::Seal { 20 } else { 0 };
        let workload = workload(offer, Contract::Keyed, message_bytes, aad_bytes);
        let found = output(library.as_ref(), offer, &workload).unwrap();
        assert_eq!(found.len().to_string(), length, "{primitive} {operation}");
        let shown = if found.len() > 64 { Sha3_256::digest(&found).to_vec() } else { found };
        let shown: String = shown.iter().map(|byte| format!("{byte:02x}")).collect();
        assert_eq!(shown, answer, "{primitive} {operation}");
        checked += 1;
    }
    println!("{checked} known answers");
    assert!(checked > 70, "only {checked} were checked");
}

#[test]
fn what_botan_refuses_is_said_in_its_words() {
    let Some(library) = botan() else { return };
    let offers = library.offers();
    let find = |spelling: &str, operation: Operation| {
        offers.iter().find(|o| o.spelling == spelling && o.operation == operation).unwrap()
    };
    // CCM's associated data is at most 65280 bytes long in Botan.
    let ccm = find("AES-128/CCM", Operation::Auth);
    let error = output(library.as_ref(), ccm, &workload(ccm, Contract::Keyed, 70_000, 0));
    assert!(error.as_ref().is_err_and(|reason| reason.contains("CCM")), "{error:?}");
    let compat = library.prepare(ccm, &workload(ccm, Contract::Compat, 16, 0)).err();
    let Some(PrepareError::NotOffered { library: name, what }) = compat else {
        panic!("{compat:?}")
    };
    assert_eq!((name.as_str(), what.as_str()), ("botan", "contract compat for AES-128/CCM"));
    // No passes at all.
    let argon2 = find("Argon2id", Operation::Derive);
    let mut none = workload(argon2, Contract::Keyed, 0, 0);
    none.parameters.iterations = Some(0);
    let refused = library.prepare(argon2, &none).err();
    let reason = refused.unwrap().to_string();
    assert!(reason.contains("Argon2"), "{reason}");
    let stranger = Offer { spelling: "AES-512/GCM".to_owned(), ..ccm.clone() };
    let error = library.prepare(&stranger, &workload(&stranger, Contract::Keyed, 16, 0)).err();
    assert!(matches!(error, Some(PrepareError::NotOffered { .. })), "{error:?}");
}

#[test]
fn says_what_it_is() {
    let Some(library) = botan() else { return };
    let identity = library.identity();
    println!("{identity:?}");
    assert!(identity.version.starts_with("2.") || identity.version.starts_with("3."));
    assert!(identity.banner.starts_with(&format!("Botan {}", identity.version)));
    let path = identity.path.unwrap();
    assert!(path.contains("/libbotan-") && Path::new(&path).is_file(), "{path}");
    assert!(!Path::new(&path).is_symlink(), "{path}");
    assert!(identity.code_path.is_some_and(|code_path| !code_path.is_empty()));
}

fn folder(test: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("cpb-botan-{test}-{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

#[test]
fn files_that_are_not_botan() {
    if botan().is_none() {
        return;
    }
    let folder = folder("files");
    let text = folder.join("text.so");
    std::fs::write(&text, "no library").unwrap();
    for (path, words) in [(&folder.join("absent.so"), "No such file"), (&text, "header")] {
        match cpb_libraries::open("botan", Some(path)).err() {
            Some(OpenError::Load { path: shown, reason }) => {
                assert_eq!(shown, path.display().to_string());
                assert!(reason.contains(words) || reason.contains("too short"), "{reason}");
            }
            other => panic!("{}: {other:?}", path.display()),
        }
    }
    std::fs::remove_dir_all(folder).unwrap();

    let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
    let other = maps.split_whitespace().find(|word| word.contains("/libgcc_s.so")).unwrap();
    match cpb_libraries::open("botan", Some(Path::new(other))).err() {
        Some(OpenError::WrongLibrary { path, library, symbol }) => {
            assert_eq!((path.as_str(), library.as_str()), (other, "Botan"));
            assert!(symbol.contains("version_cstr"), "{symbol}");
        }
        other => panic!("{other:?}"),
    }
}

/// A library that calls itself otherwise, though it has Botan's symbol.
#[test]
fn another_soname_is_said() {
    if botan().is_none() {
        return;
    }
    let folder = folder("soname");
    let (source, object) = (folder.join("other.c"), folder.join("other.so"));
    std::fs::write(&source, "const char *_ZN5Botan12version_cstrEv(void) { return \"9\"; }")
        .unwrap();
    let compiled = Command::new("cc")
        .args(["-shared", "-fPIC", "-Wl,-soname,libbotan-9.so.1", "-o"])
        .args([&object, &source])
        .status();
    if !compiled.is_ok_and(|status| status.success()) {
        println!("skipped: no C compiler");
        return;
    }
    match cpb_libraries::open("botan", Some(&object)).err() {
        Some(OpenError::Load { reason, .. }) => {
            assert!(reason.contains("libbotan-9.so.1") && reason.contains("built for libbotan-"));
        }
        other => panic!("{other:?}"),
    }
    std::fs::remove_dir_all(folder).unwrap();
}

/// In a process of its own, as workers are, since the first build that a
/// process loads is the one it keeps.
#[test]
fn another_build_is_the_one_that_is_used() {
    const COPY: &str = "CPB_TEST_COPY_OF_BOTAN";
    if let Some(copy) = std::env::var_os(COPY) {
        let library = cpb_libraries::open("botan", Some(Path::new(&copy))).unwrap();
        assert_eq!(library.identity().path, Some(copy.to_string_lossy().into_owned()));
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let mapped: HashSet<&str> =
            maps.split_whitespace().filter(|word| word.contains("libbotan")).collect();
        assert_eq!(mapped, HashSet::from([copy.to_str().unwrap()]));
        return;
    }
    let Some(library) = botan() else { return };
    let installed = library.identity().path.unwrap();
    let folder = folder("copy").canonicalize().unwrap();
    let copy = folder.join("libbotan-mine.so");
    std::fs::copy(&installed, &copy).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "another_build_is_the_one_that_is_used", "--nocapture"])
        .env(COPY, &copy)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
    // Here, where the installed one is in use, the copy would only pretend.
    match cpb_libraries::open("botan", Some(&copy)).err() {
        Some(OpenError::Load { reason, .. }) => assert!(reason.contains(&installed), "{reason}"),
        other => panic!("{other:?}"),
    }
    std::fs::remove_dir_all(folder).unwrap();
}
