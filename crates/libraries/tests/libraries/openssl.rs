//! Tests what is specific to OpenSSL: that compat does what bench-slopes does, and that
//! failed calls are noticed.

use crate::skipped::compiled;
use crate::{given, open, output};
use cpb_libraries::OpenError;
use cpb_model::{Contract, Offer, Operation, Parameters};
use std::path::Path;
use std::process::Command;

fn message(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index % 251) as u8).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

#[test]
fn the_code_path_is_what_it_sees_of_the_cpu() {
    let Some(library) = given("openssl") else { return };
    let identity = library.identity();
    assert!(identity.banner.starts_with(&format!("OpenSSL {} ", identity.version)));
    // Before 3.0 the library did not report it.
    if !identity.version.starts_with("1.") && cfg!(target_arch = "x86_64") {
        assert!(identity.code_path.unwrap().starts_with("OPENSSL_ia32cap="));
    }
}

/// bench-slopes works in place, with a nonce of zeros in every call, without a tag, with
/// padding on, and with an XOF's own length.
#[test]
fn compat_does_what_bench_slopes_does() {
    let Some(library) = given("openssl") else { return };
    let offers = library.offers();
    let compat = |row: [&str; 2], message_bytes, calls| {
        let offer = offers.iter().find(|offer| {
            offer.row.as_ref().is_some_and(|found| [&*found.algorithm, &*found.mode] == row)
        });
        let offer = offer.unwrap_or_else(|| panic!("no row {row:?}"));
        output(&*library, offer, Contract::Compat, Parameters::of_message(message_bytes), calls)
    };
    let text = |row, calls| compat(row, 48, calls).map(|bytes| hexadecimal(&bytes));
    let zero_nonce_ctr = "ca5869d1d04d7184bb6c6de194e28637f610afd55e8b7c7b39bb383f8cdf44d4\
                          e455000a9af26b8f52a9c241b983881d";
    assert_eq!(text(["aes-128", "CTR enc"], 1).as_deref(), Ok(zero_nonce_ctr));
    assert_eq!(compat(["aes-128", "CTR enc"], 48, 2), Ok(message(48)));
    let zero_nonce_cbc = "8c836cd33ecd36db0871d748d7ea560fcac2e720171b73e381a44ef8f4ffabe1\
                          354b0877613391d97ddec5c187d15d00";
    assert_eq!(text(["aes-128", "CBC enc"], 1).as_deref(), Ok(zero_nonce_cbc));
    // The last block is held back because it may be padding, and is none; before 3.0 it
    // had been written already.
    let decrypted = "c17306a860e1e1b618c3b0b34dff324bb603e2b4e4dbbd77d65bf6c4897e36ba";
    let got = text(["aes-128", "CBC dec"], 1).unwrap();
    let is_old = library.identity().version.starts_with("1.");
    assert_eq!(got[..64], *decrypted);
    assert!(is_old || got[64..] == *"202122232425262728292a2b2c2d2e2f", "{got}");
    let zero_nonce_gcm = "c475202abad24baf7289e26199a3a83daf22cd200bce822ef117b44805928a4f\
                          ef83448cb394a2193af8958c2661f85f";
    assert_eq!(text(["aes-128", "GCM enc"], 1).as_deref(), Ok(zero_nonce_gcm));
    assert_eq!(compat(["aes-128", "GCM dec"], 48, 2), Ok(message(48)));
    // The message, as associated data, is unchanged; the output has room for a tag.
    assert_eq!(compat(["aes-128", "GCM auth"], 48, 2), Ok(message(16)));

    for (row, known) in [
        ("SHAKE128", "0c4234ca1e31801ae606f8b8d8e0665c"),
        ("SHAKE256", "4ee1ca03272b05d3bfb1e1c79a967f823b9fc5e4bb3987b1ba9e9cb5afb07a5e"),
    ] {
        let got = compat([row, ""], 200, 2).unwrap();
        // Since 3.4 an XOF has no length of its own, and finishing fails.
        let has_none = got.is_empty() && library.identity().version.as_str() >= "3.4";
        assert!(has_none || hexadecimal(&got) == known, "{row}");
    }
    assert_eq!(
        compat(["SHA256", ""], 200, 2).map(|digest| hexadecimal(&digest)).as_deref(),
        Ok("1901da1c9f699b48f6b2636e65cbf73abf99d0441ef67f5c540a42f7051dec6f")
    );
}

/// These libraries have every required function, but other types in some.
#[test]
fn another_library_of_the_same_names_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let boringssl = "int BORINGSSL_self_test(void) { return 1; }";
    let aws_lc = format!("{boringssl} const char *awslc_version_string(void) {{ return 0; }}");
    for (name, source) in [("BoringSSL", boringssl), ("AWS-LC", &aws_lc)] {
        let file = folder.path().join(name);
        let code = file.with_extension("c");
        std::fs::write(&code, source).unwrap();
        let options = ["-shared", "-fPIC"];
        let made = compiled("BoringSSL as OpenSSL", "cc", &options, [&code, &file]);
        let Some(()) = made else { return };
        match open("openssl", Some(&file)).err() {
            Some(OpenError::Load { reason, .. }) => {
                assert!(reason.starts_with(&format!("it is {name}, ")), "{reason}");
                assert!(reason.contains("`make providers`"), "{reason}");
            }
            other => panic!("{other:?}"),
        }
    }
}

#[test]
fn a_failing_call_does_not_go_unnoticed() {
    let Some(library) = given("openssl") else { return };
    let offers = library.offers();
    // XTS is not defined for less than a block (IEEE 1619).
    let xts = offers
        .iter()
        .find(|offer| offer.primitive == "aes-128-xts" && offer.operation == Operation::Encrypt)
        .unwrap();
    for contract in [Contract::Keyed, Contract::Oneshot] {
        assert!(output(&*library, xts, contract, Parameters::of_message(16), 1).is_ok());
        let nothing = output(&*library, xts, contract, Parameters::of_message(0), 1);
        // Before 3.0, encrypting nothing gave nothing.
        let is_old = library.identity().version.starts_with("1.");
        assert!(nothing.is_err() != is_old, "{nothing:?}");
    }
    // HKDF returns at most 255 digests (RFC 5869, section 2.3).
    let Some(hkdf) = offers.iter().find(|offer| offer.primitive == "hkdf-sha256") else {
        return;
    };
    let too_much = Parameters { output_bytes: Some(255 * 32 + 1), ..Parameters::of_message(0) };
    for contract in [Contract::Keyed, Contract::Oneshot] {
        let reason = output(&*library, hkdf, contract, too_much, 1).unwrap_err();
        assert!(reason.contains("error:") || reason.contains("no reason"), "{reason}");
    }
}

#[test]
fn a_key_that_threads_share_is_the_key_that_each_would_have() {
    let Some(mut library) = given("openssl") else { return };
    let offers = library.offers().to_vec();
    let is_deterministic = |it: &&Offer| it.primitive == "ed25519" || it.primitive == "x25519";
    let offers: Vec<&Offer> = offers.iter().filter(is_deterministic).collect();
    for offer in offers {
        if offer.operation == Operation::Keygen {
            assert!(!library.share_keys(offer, Contract::Keyed), "{offer:?}");
            continue;
        }
        let own = output(&*library, offer, Contract::Keyed, Parameters::of_message(32), 3);
        assert!(library.share_keys(offer, Contract::Keyed), "{offer:?}");
        for _ in 0..2 {
            let shared = output(&*library, offer, Contract::Keyed, Parameters::of_message(32), 3);
            assert_eq!(shared, own, "{offer:?}");
        }
        assert!(!library.share_keys(offer, Contract::Oneshot), "{offer:?}");
    }
}

/// libcrypto encodes ECDSA signatures this way.
#[test]
fn pairs_of_numbers_in_der_come_back() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let folder = tempfile::tempdir().unwrap();
    let program = folder.path().join("der");
    let include = format!("-I{}", here.join("../../shims").display());
    let options = ["-std=c11", "-Wall", "-Wextra", "-Werror", &include];
    let source = here.join("tests/libraries/der.c");
    let Some(()) = compiled("DER", "cc", &options, [&source, &program]) else { return };
    let output = Command::new(&program).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
}

/// When a first use is timed, the library offers only one thing, in the same form as
/// among all offers.
#[test]
fn an_offer_that_alone_is_wanted_is_there() {
    let Some(library) = given("openssl") else { return };
    let path = library.identity().path;
    let path = path.as_deref().map(Path::new);
    for offer in library.offers().iter().filter(|offer| offer.unavailable.is_none()) {
        let opened = cpb_libraries::open_for("openssl", path, Some(offer)).unwrap();
        let is_it =
            |other: &&Offer| other.is_of_the_same_as(offer) && other.operation == offer.operation;
        let found = opened.offers().iter().find(is_it);
        let found = found.unwrap_or_else(|| panic!("{} {}", offer.spelling, offer.backend));
        assert_eq!((&found.primitive, &found.lengths), (&offer.primitive, &offer.lengths));
        assert!(opened.offers().len() < 8, "{}", offer.spelling);
    }
}
