//! Tests the interface for the user's own implementations, with the sample provider as it
//! is and with faults.

use crate::output;
use crate::skipped::compiled;
use cpb_libraries::{Library, OpenError, PrepareError, prepare};
use cpb_model::{Contract, LengthRange, Offer, Operation, Parameters};
use std::path::{Path, PathBuf};
use tempfile::TempDir;

/// A file in a folder of its own.
type Built = (TempDir, PathBuf);

/// Compiles the sample with these options; returns `None` without a C compiler.
fn sample(options: &[&str]) -> Option<Built> {
    built_here("../../shims/sample_provider.c", options)
}

/// Compiles the sample with a fault.
fn faulty(options: &[&str]) -> Option<Built> {
    built_here("tests/libraries/faulty_provider.c", options)
}

fn built_here(source: &str, options: &[&str]) -> Option<Built> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join(source);
    built("cc", &source, &[&["-std=c11", "-Wno-unused"], options].concat())
}

/// Compiles `source`; returns `None` without that compiler.
fn built(compiler: &str, source: &Path, options: &[&str]) -> Option<Built> {
    let folder = TempDir::new().unwrap();
    let object = folder.path().join("libmine.so");
    let options = [&["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"], options].concat();
    compiled("providers", compiler, &options, [source, &object])?;
    Some((folder, object))
}

fn open(path: &Path) -> Result<Box<dyn Library>, OpenError> {
    crate::open("mine", Some(path))
}

/// Opens what was built; its file is not needed any more then.
fn opened(built: Option<Built>) -> Option<Box<dyn Library>> {
    built.map(|(_folder, path)| open(&path).unwrap())
}

fn error(path: &Path) -> OpenError {
    match open(path) {
        Err(error) => error,
        Ok(_) => panic!("{} was opened", path.display()),
    }
}

/// Returns why a keyed call of the library's first offer is refused.
fn refusal(library: &dyn Library) -> Option<PrepareError> {
    let offer = &library.offers()[0];
    prepare(library, offer, &offer.call(Contract::Keyed, Parameters::of_message(16))).err()
}

fn pattern(length: usize, factor: usize, start: usize) -> Vec<u8> {
    (0..length).map(|index| ((factor * index + start) % 251) as u8).collect()
}

/// Implements the sample's stream cipher again, from the description in its comments.
fn sample_stream(message: &[u8]) -> Vec<u8> {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap());
    let (key, nonce) = (pattern(16, 17, 5), pattern(8, 13, 3));
    let mut state = word(&key[..8]) ^ word(&key[8..]) ^ word(&nonce);
    let step = |byte: &u8| {
        state =
            state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        byte ^ (state >> 56) as u8
    };
    message.iter().map(step).collect()
}

#[test]
fn the_sample_says_what_it_offers() {
    let Some((_folder, path)) = sample(&[]) else { return };
    let library = open(&path).unwrap();
    let identity = library.identity();
    assert_eq!((identity.version.as_str(), identity.banner.as_str()), ("1.0", "sample 1.0"));
    assert_eq!(identity.path, Some(path.canonicalize().unwrap().display().to_string()));
    assert_eq!(identity.code_path, None);
    let offers = library.offers();
    let found: Vec<(&str, Operation)> =
        offers.iter().map(|offer| (offer.primitive.as_str(), offer.operation)).collect();
    let expected = [
        ("fnv1a-64", Operation::Hash),
        ("sample-stream", Operation::Encrypt),
        ("sample-stream", Operation::Decrypt),
    ];
    assert_eq!(found, expected);
    let lengths = offers.iter().map(|offer| offer.lengths).collect::<Vec<_>>();
    assert_eq!(
        (lengths[0].output, lengths[0].key),
        (Some(LengthRange::fixed(8)), LengthRange::NONE)
    );
    assert_eq!((lengths[1].key, lengths[1].nonce), (LengthRange::fixed(16), LengthRange::fixed(8)));
    assert!(offers.iter().all(|offer| offer.default_backend && offer.row.is_none()));
}

#[test]
fn the_sample_runs_under_keyed_and_oneshot() {
    let Some(library) = opened(sample(&[])) else { return };
    let offers = library.offers();
    for contract in [Contract::Keyed, Contract::Oneshot] {
        for length in [0, 1, 16, 1040] {
            let message = pattern(length, 1, 0);
            let hash = message.iter().fold(0xcbf2_9ce4_8422_2325_u64, |hash, &byte| {
                (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
            });
            let expected = [hash.to_be_bytes().to_vec(), sample_stream(&message), message];
            for (offer, expected) in offers.iter().zip(expected) {
                let call = offer.call(contract, Parameters::of_message(length));
                let mut call = prepare(library.as_ref(), offer, &call).unwrap();
                assert_eq!(call.output(), Ok(Vec::new()), "before the first call");
                call.run(3);
                assert_eq!(call.output(), Ok(expected), "{} {contract:?} {length}", offer.spelling);
            }
        }
    }
}

/// Uses the header's one-line macro, in a file that is C and C++. The primitive's name is
/// in no table.
const ONE_LINE: &str = r#"
#include "cpb_provider.h"
static void sum(const uint8_t *message, uint64_t bytes, uint8_t *digest)
{
    for (int i = 0; i < 32; ++i) digest[i] = (uint8_t)bytes;
    for (uint64_t i = 0; i < bytes; ++i) digest[i % 32] = (uint8_t)(digest[i % 32] + message[i]);
}
CPB_PROVIDE_HASH("mine", "2.0", "SHA2-256", 32, sum)
"#;

#[test]
fn a_hash_is_one_line_in_c_and_in_cpp() {
    let shims = concat!("-I", env!("CARGO_MANIFEST_DIR"), "/../../shims");
    for (compiler, file, standard) in
        [("cc", "mine.c", "-std=c99"), ("c++", "mine.cpp", "-std=c++11")]
    {
        let folder = TempDir::new().unwrap();
        let source = folder.path().join(file);
        std::fs::write(&source, ONE_LINE).unwrap();
        let options = [standard, "-Wpedantic", "-fvisibility=hidden", shims];
        let Some(library) = opened(built(compiler, &source, &options)) else { continue };
        assert_eq!(library.identity().version, "2.0");
        let offer = library.offers()[0].clone();
        assert_eq!((offer.primitive.as_str(), offer.spelling.as_str()), ("sha256", "SHA2-256"));
        for length in [0, 1, 100] {
            let mut expected = vec![length as u8; 32];
            let message = pattern(length, 1, 0);
            message.iter().enumerate().for_each(|(index, byte)| {
                expected[index % 32] = expected[index % 32].wrapping_add(*byte);
            });
            let output =
                output(&*library, &offer, Contract::Oneshot, Parameters::of_message(length), 2);
            assert_eq!(output, Ok(expected), "{file} {length}");
        }
    }
}

#[test]
fn what_is_not_offered_is_not_prepared() {
    let Some(library) = opened(sample(&[])) else { return };
    let offer = library.offers()[0].clone();
    let refused = |offer: &Offer, contract| {
        let call = offer.call(contract, Parameters::of_message(16));
        match prepare(library.as_ref(), offer, &call).err() {
            Some(PrepareError::NotOffered { library, what }) => (library, what),
            other => panic!("{other:?}"),
        }
    };
    let expected = ("mine".to_owned(), "contract compat for FNV-1a".to_owned());
    assert_eq!(refused(&offer, Contract::Compat), expected);
    let stranger = Offer { spelling: "FNV-2".to_owned(), ..offer };
    assert_eq!(refused(&stranger, Contract::Keyed), ("mine".to_owned(), "FNV-2".to_owned()));
}

#[test]
fn a_provider_of_another_version_is_refused() {
    let Some((_folder, path)) = faulty(&["-DFAULT_ABI=1"]) else { return };
    let expected = OpenError::OtherAbi { path: path.display().to_string(), found: 1, expected: 2 };
    assert_eq!(error(&path), expected);
}

#[test]
fn a_library_without_the_entry_point_is_no_provider() {
    let Some((_folder, path)) = sample(&["-Dcpb_provider_v2=my_provider"]) else { return };
    let OpenError::WrongLibrary { path: shown, symbol, .. } = error(&path) else {
        panic!("{:?}", error(&path))
    };
    assert_eq!((shown, symbol.as_str()), (path.display().to_string(), "cpb_provider_v2"));
}

#[test]
fn a_provider_that_is_not_there_or_not_whole_is_refused() {
    for (option, words) in [
        ("-DFAULT_PROVIDER=NULL", "cpb_provider_v2 returned no provider"),
        ("-DFAULT_RUN=NULL", "its function run is a null pointer"),
    ] {
        let Some((_folder, path)) = faulty(&[option]) else { return };
        let expected = OpenError::Refused { library: "mine".to_owned(), reason: words.to_owned() };
        assert_eq!(error(&path), expected, "{option}");
    }
}

#[test]
fn reasons_of_the_provider_are_passed_on() {
    let option = "-DFAULT_REFUSAL=\"no such CPU\"";
    let Some(library) = opened(faulty(&[option])) else { return };
    let refused = Some(PrepareError::Unavailable("no such CPU".to_owned()));
    assert_eq!(refusal(&*library), refused);

    let Some(library) = opened(faulty(&["-DFAULT_FAILURE=\"it burns\""])) else { return };
    let failed =
        output(&*library, &library.offers()[0], Contract::Keyed, Parameters::of_message(16), 1);
    assert_eq!(failed, Err("it burns".to_owned()));
}

/// Nothing can verify a primitive that no other library has, but its output must have the
/// offered length.
#[test]
fn an_output_is_held_to_the_offer() {
    let lengths = ["4096", "18446744073709551615", "7", "0"].map(|length| {
        let words = format!("{length} bytes of its digest where its offer means 8");
        (format!("-DFAULT_LENGTH={length}u"), words, "means 16")
    });
    let null = "8 bytes of its digest and a null pointer".to_owned();
    let null = ("-DFAULT_OUTPUT=NULL".to_owned(), null, "a null pointer");
    for (option, hash, text) in lengths.into_iter().chain([null]) {
        let Some(library) = opened(faulty(&[&option])) else { return };
        for (offer, words) in library.offers().iter().zip([&*hash, text, text]) {
            for contract in [Contract::Keyed, Contract::Oneshot] {
                // The input of a decryption is the output of an earlier call.
                let reason =
                    output(&*library, offer, contract, Parameters::of_message(16), 1).unwrap_err();
                assert!(reason.contains(words), "{option} {}: {reason}", offer.spelling);
            }
        }
    }
}

#[test]
fn lengths_that_nobody_can_give_are_why_an_offer_is_unavailable() {
    for (option, index, words) in [
        ("-DFAULT_DIGEST_BYTES=0", 0, "states no length of its digest"),
        ("-DFAULT_DIGEST_BYTES=0xffffffff", 0, "4294967295 as the length of its digest"),
        ("-DFAULT_KEY_BYTES=0x40000001", 1, "1073741825 as the length of its key"),
    ] {
        let Some(library) = opened(faulty(&[option])) else { return };
        let offer = &library.offers()[index];
        let reason = offer.unavailable.as_deref().unwrap_or_default();
        assert!(reason.contains(words), "{option}: {reason}");
        let call = offer.call(Contract::Keyed, Parameters::of_message(16));
        assert!(prepare(library.as_ref(), offer, &call).is_err());
    }
}

/// If a provider states only one length of a key, it gets no other.
#[test]
fn a_provider_is_given_no_lengths_but_its_own() {
    let Some(library) = opened(sample(&[])) else { return };
    let stream = library.offers()[1].clone();
    let usual = Parameters::of_message(16);
    for (parameters, words) in [
        (Parameters { key_bytes: Some(15), ..usual }, "its key has 16 bytes, not 15"),
        (Parameters { nonce_bytes: Some(0), ..usual }, "its nonce has 8 bytes, not 0"),
        (Parameters { aad_bytes: 1, ..usual }, "takes no associated data"),
        (Parameters { output_bytes: Some(17), ..usual }, "its output has 16 bytes, not 17"),
    ] {
        let refused =
            prepare(library.as_ref(), &stream, &stream.call(Contract::Keyed, parameters)).err();
        let reason = refused.unwrap().to_string();
        assert_eq!(reason.split_once(' ').map(|(name, _)| name), Some("sample"), "{reason}");
        assert!(reason.contains(words), "{reason}");
    }
}

/// The reason is longer than its room of 512 bytes.
#[test]
fn a_long_reason_is_cut() {
    let option = format!("-DFAULT_REFUSAL=\"{}\"", "x".repeat(600));
    let built = faulty(&[&option, "-Wno-format-truncation"]);
    let Some(library) = opened(built) else { return };
    assert_eq!(refusal(&*library), Some(PrepareError::Unavailable("x".repeat(511))));
}

#[test]
fn files_that_cannot_be_loaded_are_named_in_the_loaders_words() {
    let folder = TempDir::new().unwrap();
    let [absent, text] = ["absent.so", "text.so"].map(|name| folder.path().join(name));
    std::fs::write(&text, "This is a text, and long enough to hold the header of an ELF file.")
        .unwrap();
    for (path, words) in [(absent, "No such file or directory"), (text, "ELF")] {
        match error(&path) {
            OpenError::Load { path: shown, reason } => {
                assert_eq!(shown, path.display().to_string());
                assert!(reason.contains(words), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
    // A bare name means a file in this folder, not an installed library.
    assert!(matches!(error(Path::new("libc.so.6")), OpenError::Load { .. }));
}

#[test]
fn a_name_that_nobody_knows_needs_a_path() {
    match crate::open("mine", None).err() {
        Some(OpenError::Missing { library, remedy, .. }) => {
            assert_eq!(library, "mine");
            assert!(remedy.contains("mine=./libmine.so"), "{remedy}");
        }
        other => panic!("{other:?}"),
    }
}
