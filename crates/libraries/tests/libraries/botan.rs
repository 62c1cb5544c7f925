//! Tests what is specific to Botan: its names, its messages, and which build is
//! used.

use crate::skipped::compiled;
use crate::{installed, open, output};
use cpb_libraries::{OpenError, names, prepare};
use cpb_model::{Contract, Operation, Parameters};
use std::collections::HashSet;
use std::path::Path;
use std::process::Command;
use tempfile::TempDir;

#[test]
fn spellings_are_named_by_the_catalogue() {
    let Some(library) = installed("botan", None) else { return };
    let offers = library.offers();
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
fn what_botan_refuses_is_said_in_its_words() {
    let Some(library) = installed("botan", None) else { return };
    let offers = library.offers();
    let find = |spelling: &str, operation: Operation| {
        offers.iter().find(|o| o.spelling == spelling && o.operation == operation).unwrap()
    };
    // CCM's associated data has at most 65280 bytes in Botan.
    let ccm = find("AES-128/CCM", Operation::Auth);
    let parameters = Parameters::of_message(70_000);
    let error = output(library.as_ref(), ccm, Contract::Keyed, parameters, 3);
    assert!(error.as_ref().is_err_and(|reason| reason.contains("CCM")), "{error:?}");
    // Zero passes are requested.
    let argon2 = find("Argon2id", Operation::Derive);
    let none = Parameters { iterations: Some(0), ..Parameters::default() };
    let refused = prepare(library.as_ref(), argon2, &argon2.call(Contract::Keyed, none)).err();
    let reason = refused.unwrap().to_string();
    assert!(reason.contains("Argon2"), "{reason}");
}

#[test]
fn says_what_it_is() {
    let Some(library) = installed("botan", None) else { return };
    let identity = library.identity();
    assert!(identity.version.starts_with("2.") || identity.version.starts_with("3."));
    assert!(identity.banner.starts_with(&format!("Botan {}", identity.version)));
    assert!(identity.code_path.is_some_and(|code_path| !code_path.is_empty()));
}

/// Tests a library with another name that has Botan's symbol.
#[test]
fn another_soname_is_said() {
    if installed("botan", None).is_none() {
        return;
    }
    let folder = TempDir::new().unwrap();
    let [source, object] = ["other.c", "other.so"].map(|name| folder.path().join(name));
    std::fs::write(&source, "const char *_ZN5Botan12version_cstrEv(void) { return \"9\"; }")
        .unwrap();
    let options = ["-shared", "-fPIC", "-Wl,-soname,libbotan-9.so.1"];
    let made = compiled("another soname", "cc", &options, [&source, &object]);
    let Some(()) = made else { return };
    match open("botan", Some(&object)).err() {
        Some(OpenError::Load { reason, .. }) => {
            assert!(reason.contains("libbotan-9.so.1") && reason.contains("built for libbotan-"));
        }
        other => panic!("{other:?}"),
    }
}

/// Runs in a process of its own, as workers do, because a process keeps the first
/// build that it loads.
#[test]
fn another_build_is_the_one_that_is_used() {
    const COPY: &str = "CPB_TEST_COPY_OF_BOTAN";
    if let Some(copy) = std::env::var_os(COPY) {
        let library = open("botan", Some(Path::new(&copy))).unwrap();
        assert_eq!(library.identity().path, Some(copy.to_string_lossy().into_owned()));
        let maps = std::fs::read_to_string("/proc/self/maps").unwrap();
        let mapped: HashSet<&str> =
            maps.split_whitespace().filter(|word| word.contains("libbotan")).collect();
        assert_eq!(mapped, HashSet::from([copy.to_str().unwrap()]));
        return;
    }
    let Some(library) = installed("botan", None) else { return };
    let installed = library.identity().path.unwrap();
    let folder = TempDir::new().unwrap();
    let copy = folder.path().canonicalize().unwrap().join("libbotan-mine.so");
    std::fs::copy(&installed, &copy).unwrap();
    let child = Command::new(std::env::current_exe().unwrap())
        .args(["--exact", "botan::another_build_is_the_one_that_is_used", "--nocapture"])
        .env(COPY, &copy)
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&child.stdout);
    assert!(child.status.success() && said.contains("1 passed"), "{said}");
    // Here the installed library is in use, so the copy would not really be loaded.
    match open("botan", Some(&copy)).err() {
        Some(OpenError::Load { reason, .. }) => assert!(reason.contains(&installed), "{reason}"),
        other => panic!("{other:?}"),
    }
}
