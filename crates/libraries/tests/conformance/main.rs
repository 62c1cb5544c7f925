//! What every library must do, for every library of [`LIBRARIES`] that is installed and
//! the sample provider: a new one is tested for nothing.
//!
//! `CPB_TEST_LIBRARIES="openssl gcrypt"` tests these alone, also such that `make providers`
//! built: `CPB_TEST_LIBRARIES="openssl openssl-4 rustcrypto"`. With
//! `CPB_TEST_OPENSSL=/opt/openssl/lib/libcrypto.so.3` that build of one is tested.

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

use cpb_libraries::{Entry, LIBRARIES, Library, OpenError, folder, scheme};
use cpb_model::{CallSpec, Contract, Offer, Operation, Parameters};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, OnceLock};

/// A library under test.
struct Subject {
    name: String,
    library: Box<dyn Library>,
}

/// Every library that cpb knows by name.
fn libraries() -> &'static [Entry] {
    cpb_libraries::install_shims(cpb_shims::SHIMS);
    &LIBRARIES
}

/// Every library that is here. They are opened one after the other: a library may begin
/// with what all of its process share, and cpb calls it from one thread.
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

/// The build to test, where one is named.
fn given_path(name: &str) -> Option<PathBuf> {
    let variable = format!("CPB_TEST_{}", name.to_ascii_uppercase().replace('-', "_"));
    std::env::var_os(variable).map(PathBuf::from)
}

/// The sample provider, compiled once; `None` without a C compiler.
fn sample() -> Option<&'static Path> {
    static SAMPLE: OnceLock<Option<PathBuf>> = OnceLock::new();
    let compiled = SAMPLE.get_or_init(|| {
        let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../shims/sample_provider.c");
        let object = Path::new(env!("CARGO_TARGET_TMPDIR")).join("libconformance_sample.so");
        let compiler = Command::new("cc")
            .args(["-std=c11", "-O2", "-shared", "-fPIC", "-o"])
            .args([&object, &source])
            .status();
        match compiler {
            Err(error) => {
                skipped::skipped(format_args!("the sample provider: no C compiler ({error})"));
                None
            }
            Ok(status) => {
                assert!(status.success(), "the sample provider does not compile");
                Some(object)
            }
        }
    });
    compiled.as_deref()
}

impl Subject {
    /// Whether cpb calls it itself, or by a shim.
    fn is_known(&self) -> bool {
        libraries().iter().any(|entry| entry.name == self.name)
    }

    /// Offers that can run here.
    fn offers(&self) -> impl Iterator<Item = Offer> {
        self.all_offers().filter(|it| !scheme::is_slow(&it.primitive, it.operation))
    }

    /// What takes long and varies among them.
    fn all_offers(&self) -> impl Iterator<Item = Offer> {
        self.library.offers().iter().filter(|it| it.unavailable.is_none()).cloned()
    }

    /// What is put out by so many calls, or why nothing is.
    fn output(
        &self,
        offer: &Offer,
        contract: Contract,
        parameters: Parameters,
        calls: u64,
    ) -> Result<Vec<u8>, String> {
        let (primitive, operation) = (offer.primitive.clone(), offer.operation);
        let workload = CallSpec { primitive, operation, contract, parameters };
        let library = self.library.as_ref();
        let made = match operation.is_public_key() {
            true => cpb_provider::prepare_cases(library, offer, &workload, CASES),
            false => library.prepare(offer, &workload),
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

/// Libraries that have nothing but key pairs, which `keys.rs` tries.
const KEY_PAIRS_ALONE: &[&str] = &["libsecp256k1", "liboqs"];

/// What a library is known to do otherwise.
struct Exception {
    library: &'static str,
    /// What the spelling contains.
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

/// Why a library need not do the usual here; `None` where it must.
fn exception(subject: &Subject, offer: &Offer, parameters: &Parameters) -> Option<&'static str> {
    let is_meant = |exception: &&Exception| {
        exception.library == folder::build_of(&subject.name)
            && offer.spelling.contains(exception.spelling)
            && (exception.when)(parameters)
    };
    EXCEPTIONS.iter().find(is_meant).map(|exception| exception.reason)
}

/// A message of so many bytes, or of none where there is no message, and few iterations.
fn parameters(offer: &Offer, message_bytes: usize) -> Parameters {
    let derives = offer.operation == Operation::Derive;
    Parameters {
        message_bytes: if derives { 0 } else { message_bytes },
        iterations: derives.then_some(2),
        ..Parameters::default()
    }
}

/// What takes long, by design or for each of its many cases.
fn is_slow(offer: &Offer) -> bool {
    let slow = ["scrypt-", "argon2", "bcrypt-", "rsa-", "slh-dsa-"];
    // The larger curves, and those without code of their own.
    let curves = ["-p384", "-p521", "-brainpool"];
    curves.iter().any(|curve| offer.primitive.contains(curve))
        || slow.iter().any(|slow| offer.primitive.starts_with(slow))
}

/// Cases of what works with key pairs: more than one, so that calls take them in turn.
const CASES: usize = 2;

/// What every message holds.
fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index % 251) as u8).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

/// Says how many there were, and that it tested nothing where there were none.
fn counted(count: usize, what: &str) {
    println!("{count} {what}");
    if count == 0 {
        skipped::skipped(format_args!("{what}: no library here has any"));
    }
}

/// Fails with all problems, not only the first; a policy's are none.
fn none(problems: &[String]) {
    let is_policy = |problem: &&String| problem.contains("is in FIPS mode and refuses it");
    let (forbidden, problems): (Vec<&String>, Vec<&String>) = problems.iter().partition(is_policy);
    println!("forbidden here: {forbidden:#?}");
    assert!(problems.is_empty(), "{} problems: {problems:#?}", problems.len());
}
