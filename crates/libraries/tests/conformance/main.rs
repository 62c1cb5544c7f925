//! Tests what every library must do, with every installed library of [`LIBRARIES`] and the
//! sample provider. A new library is tested without further work.
//!
//! `CPB_TEST_LIBRARIES="openssl gcrypt"` tests only these, including libraries that `make
//! providers` built: `CPB_TEST_LIBRARIES="openssl openssl-4 rustcrypto"`.
//! `CPB_TEST_OPENSSL=/opt/openssl/lib/libcrypto.so.3` tests that build.

#![allow(unsafe_code, reason = "what the tests spoil")]
#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "helpers of tests do what tests do"
)]

mod agreement;
mod answers;
mod contracts;
mod forgeries;
mod keys;
mod lengths;
mod offers;
mod opening;
#[path = "../skipped/mod.rs"]
mod skipped;
mod wrong_keys;
mod wycheproof_vectors;

use cpb_libraries::{Entry, LIBRARIES, Library, OpenError, folder, prepare, scheme};
use cpb_model::{Contract, Offer, Operation, Parameters};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, OnceLock};

/// A library under test.
struct Subject {
    name: String,
    library: Box<dyn Library>,
}

/// Returns every library that cpb knows by name.
fn libraries() -> &'static [Entry] {
    cpb_libraries::install_shims(cpb_shims::SHIMS);
    &LIBRARIES
}

/// Opens every library that is installed. They are opened one after the other, because a
/// library may initialize global state, and cpb calls it from one thread.
fn subjects() -> Vec<Subject> {
    static OPENING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = OPENING.lock();
    let wanted = std::env::var("CPB_TEST_LIBRARIES").ok();
    let is_wanted = |name: &str| {
        wanted.as_ref().is_none_or(|names| names.split_whitespace().any(|wanted| wanted == name))
    };
    let known = libraries().iter().map(|entry| (entry.name.to_owned(), given_path(entry.name)));
    let sample = sample().map(|path| ("sample".to_owned(), Some(path.to_owned())));
    let built = folder::names().into_iter().filter(|_| wanted.is_some()).map(|name| (name, None));
    let subjects: Vec<Subject> = known
        .chain(sample)
        .chain(built)
        .filter(|(name, _)| is_wanted(name))
        .filter_map(|(name, path)| match cpb_libraries::open(&name, path.as_deref()) {
            Ok(library) => Some(Subject { name, library }),
            Err(error @ OpenError::Missing { .. }) => {
                skipped::skipped(error);
                None
            }
            Err(error) => panic!("{error}"),
        })
        .collect();
    assert!(!subjects.is_empty(), "no library is here");
    subjects
}

/// Returns the path of the build to test, if one is given.
fn given_path(name: &str) -> Option<PathBuf> {
    let variable = format!("CPB_TEST_{}", name.to_ascii_uppercase().replace('-', "_"));
    std::env::var_os(variable).map(PathBuf::from)
}

/// Returns the sample provider, compiled once; `None` without a C compiler.
fn sample() -> Option<&'static Path> {
    static SAMPLE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compiled = SAMPLE.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shims/sample_provider.c");
        let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libconformance_sample.so");
        let options = ["-std=c11", "-O2", "-shared", "-fPIC"];
        skipped::compiled("the sample provider", "cc", &options, [&source, &object])?;
        Some(object)
    });
    compiled.as_deref()
}

impl Subject {
    /// Whether cpb calls it itself or through a shim.
    fn is_known(&self) -> bool {
        libraries().iter().any(|entry| entry.name == self.name)
    }

    /// Iterates over the offers that can run here, without those that are slow and of
    /// random duration.
    fn offers(&self) -> impl Iterator<Item = Offer> {
        self.all_offers().filter(|it| !scheme::is_slow(&it.primitive, it.operation))
    }

    /// Iterates over all offers that can run here.
    fn all_offers(&self) -> impl Iterator<Item = Offer> {
        self.library.offers().iter().filter(|it| it.unavailable.is_none()).cloned()
    }

    /// Returns the output after this number of calls, or why there is none.
    fn output(
        &self,
        offer: &Offer,
        contract: Contract,
        parameters: Parameters,
        calls: u64,
    ) -> Result<Vec<u8>, String> {
        let workload = offer.call(contract, parameters);
        let library = self.library.as_ref();
        let made = match offer.operation.is_public_key() {
            true => cpb_provider::prepare_cases(library, offer, &workload, CASES),
            false => prepare(library, offer, &workload),
        };
        let mut call = made.map_err(|error| error.to_string())?;
        if !call.output()?.is_empty() {
            return Err("it puts something out before the first call".to_owned());
        }
        call.run(calls);
        call.output()
    }

    /// Whether it was loaded from a file.
    fn is_a_file(&self) -> bool {
        let entry = libraries().iter().find(|entry| entry.name == self.name);
        entry.is_none_or(Entry::is_a_file)
    }

    fn described(&self, offer: &Offer) -> String {
        let (name, operation) = (&self.name, offer.operation.name());
        format!("{name}: {} {operation} ({})", offer.spelling, offer.backend)
    }
}

/// Libraries with key pairs only, which `keys.rs` tests.
const KEY_PAIRS_ALONE: &[&str] = &["libsecp256k1", "liboqs"];

/// A known deviation of a library.
struct Exception {
    library: &'static str,
    /// A part of the spelling.
    spelling: &'static str,
    when: fn(&Parameters) -> bool,
    reason: &'static str,
}

const EXCEPTIONS: &[Exception] = &[
    Exception {
        library: "openssl",
        spelling: "-SIV",
        when: |parameters| parameters.message_bytes == 0,
        reason: "libcrypto makes no tag of SIV where there is no message",
    },
    Exception {
        library: "gcrypt",
        spelling: "GOST28147_IMIT",
        when: |parameters| !parameters.message_bytes.is_multiple_of(8),
        reason: "libgcrypt's reset keeps what was left of a last block",
    },
    Exception {
        library: "gcrypt",
        spelling: "PBKDF2-",
        when: |parameters| parameters.nonce_bytes == Some(0),
        reason: "libgcrypt takes no empty salt",
    },
    Exception {
        library: "gcrypt",
        spelling: "/SIV",
        when: |parameters| parameters.message_bytes == 0,
        reason: "associated data that is empty is none (RFC 5297 tells them apart)",
    },
    Exception {
        library: "libsodium",
        spelling: "pwhash_argon2i ",
        when: |parameters| parameters.iterations.is_some_and(|iterations| iterations < 3),
        reason: "libsodium takes no fewer than three iterations of Argon2i",
    },
    Exception {
        library: "ipsec-mb",
        spelling: "",
        when: |parameters| parameters.message_bytes == 0,
        reason: "a job of its has a message",
    },
    Exception {
        library: "libtomcrypt",
        spelling: "chacha20poly1305",
        when: |parameters| parameters.message_bytes == 0 && parameters.aad_bytes != 0,
        reason: "it pads associated data where a message begins",
    },
    Exception {
        library: "nettle",
        spelling: "ed448_shake256",
        when: |_| true,
        reason: "hogweed does not look at the last byte of a signature of Ed448",
    },
    Exception {
        library: "botan",
        spelling: "DESX",
        when: |_| true,
        reason: "its three keys stand in another order than libcrypto's",
    },
];

/// Returns why a library may deviate here; `None` if it must not.
fn exception(subject: &Subject, offer: &Offer, parameters: &Parameters) -> Option<&'static str> {
    let is_meant = |exception: &&Exception| {
        exception.library == folder::build_of(&subject.name)
            && offer.spelling.contains(exception.spelling)
            && (exception.when)(parameters)
    };
    EXCEPTIONS.iter().find(is_meant).map(|exception| exception.reason)
}

/// Returns parameters with a message of this length, if the offer has a message, and with
/// few iterations.
fn parameters(offer: &Offer, message_bytes: usize) -> Parameters {
    let derives = offer.operation == Operation::Derive;
    Parameters {
        message_bytes: if derives { 0 } else { message_bytes },
        iterations: derives.then_some(2),
        ..Parameters::default()
    }
}

/// Whether it takes long, by design or for each of its many cases.
fn is_slow(offer: &Offer) -> bool {
    let slow = ["scrypt-", "argon2", "bcrypt-", "rsa-", "slh-dsa-"];
    // These are larger curves, and those without optimized code.
    let curves = ["-p384", "-p521", "-brainpool"];
    curves.iter().any(|curve| offer.primitive.contains(curve))
        || slow.iter().any(|slow| offer.primitive.starts_with(slow))
}

/// The number of cases of operations with key pairs: more than one, so that calls use them
/// in turn.
const CASES: usize = 2;

/// Returns the content of every message.
fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index % 251) as u8).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Returns the fields of each line of a CSV file, without comments and the heading.
fn lines<const FIELDS: usize>(text: &str) -> impl Iterator<Item = [&str; FIELDS]> {
    let lines = text.lines().filter(|line| !line.starts_with('#')).skip(1);
    lines.map(|line| line.split(',').collect::<Vec<_>>().try_into().expect(line))
}

/// Tries the offers that are meant, of every library, and fails with all problems.
fn each_offer(
    is_meant: impl Fn(&Offer) -> bool,
    mut attempt: impl FnMut(&Subject, &Offer, &mut Vec<String>),
) {
    let mut problems = Vec::new();
    for subject in subjects() {
        for offer in subject.offers().filter(&is_meant) {
            attempt(&subject, &offer, &mut problems);
        }
    }
    none(&problems);
}

/// Prints the number of tests, or that nothing was tested.
fn counted(count: usize, what: &str) {
    println!("{count} {what}");
    if count == 0 {
        skipped::skipped(format_args!("{what}: no library here has any"));
    }
}

/// Fails with all problems, not only the first. Refusals by a security policy are not
/// problems.
fn none(problems: &[String]) {
    let is_policy = |problem: &&String| problem.contains("is in FIPS mode and refuses it");
    let (forbidden, problems): (Vec<&String>, Vec<&String>) = problems.iter().partition(is_policy);
    println!("forbidden here: {forbidden:#?}");
    assert!(problems.is_empty(), "{} problems: {problems:#?}", problems.len());
}
