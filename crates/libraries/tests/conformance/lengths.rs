//! Tests lengths that may come from a file: every offer of every installed library must run with
//! them, or reject them with a reason.
//!
//! A crash here is a crash of this program. Reads or writes out of bounds show under valgrind:
//! `script/hostile-lengths` runs these tests there.

use crate::{Subject, is_slow, none, subjects};
use cpb_libraries::{PrepareError, open, prepare};
use cpb_model::{Contract, LengthRange, Offer, Operation, Parameters, Role, Workload};

const LENGTHS: [usize; 7] = [0, 1, 15, 17, 64, 4096, 1 << 31];
/// A multiple of the block length of every cipher.
const MESSAGE_BYTES: usize = 256;
/// The parts whose length is set, one at a time; all others are as offered.
const PARTS: [Role; 6] =
    [Role::Message, Role::Key, Role::Nonce, Role::Tag, Role::Aad, Role::Output];

/// Returns the offer and a workload with this length of one part.
fn hostile(offer: &Offer, part: Role, bytes: usize) -> (Offer, Parameters) {
    let mut offer = offer.clone();
    let mut parameters = Parameters::of_message(MESSAGE_BYTES);
    match part {
        Role::Message => parameters.message_bytes = bytes,
        Role::Key => parameters.key_bytes = Some(bytes),
        Role::Nonce => parameters.nonce_bytes = Some(bytes),
        // Requests never contain a tag's length, so this is an offer that the library does not
        // have.
        Role::Tag => offer.lengths.tag = bytes,
        Role::Aad => parameters.aad_bytes = bytes,
        _ => parameters.output_bytes = Some(bytes),
    }
    (offer, parameters)
}

/// Whether the offer states that it has this length; `None` if it does not say.
fn is_offered(offer: &Offer, part: Role, bytes: usize) -> Option<bool> {
    match part {
        Role::Tag => Some(offer.lengths.tag == bytes),
        other => offer.lengths.of(other).map(|lengths| lengths.contains(bytes)),
    }
}

#[derive(Default)]
struct Counts {
    ran: usize,
    refused: usize,
    wrong: Vec<String>,
}

impl Counts {
    fn take(&mut self, subject: &Subject, offer: &Offer, contract: Contract) {
        for (part, bytes) in PARTS.iter().flat_map(|part| LENGTHS.map(|bytes| (*part, bytes))) {
            // Preparing each of these makes many cases, so only a few lengths of messages are
            // tried, and one length of unused parts.
            let is_tried = match part {
                Role::Message => bytes == 0 || bytes == 17 || bytes > MESSAGE_BYTES,
                _ => bytes != 0,
            };
            if offer.operation.is_public_key() && !is_tried {
                continue;
            }
            let (asked, parameters) = hostile(offer, part, bytes);
            let calls = if is_slow(offer) { 1 } else { 3 };
            let result = subject.output(&asked, contract, parameters, calls);
            let is_wrong = match &result {
                Ok(_) => bytes == 1 << 31 || is_offered(offer, part, bytes) == Some(false),
                Err(words) => words.is_empty(),
            };
            if is_wrong {
                let what = subject.described(offer);
                self.wrong.push(format!("{what} {contract:?}: {part:?} of {bytes}: {result:?}"));
            }
            *if result.is_ok() { &mut self.ran } else { &mut self.refused } += 1;
        }
    }
}

/// Tries every offer under each of its contracts. Slow offers are tried under one contract only,
/// and not at all if `CPB_HOSTILE_WITHOUT_SLOW` is set, as it is under valgrind.
#[test]
fn any_length_runs_or_is_refused() {
    let leaves_out_slow = std::env::var_os("CPB_HOSTILE_WITHOUT_SLOW").is_some();
    let mut wrong = Vec::new();
    for subject in subjects() {
        let mut counts = Counts::default();
        for offer in subject.offers().filter(|offer| !(leaves_out_slow && is_slow(offer))) {
            let has_one = is_slow(&offer) || offer.operation.is_public_key();
            let contracts = if has_one { &Contract::ALL[..1] } else { &Contract::ALL };
            for &contract in contracts {
                if contract != Contract::Compat || offer.row.is_some() {
                    counts.take(&subject, &offer, contract);
                }
            }
        }
        let Counts { ran, refused, .. } = counts;
        println!("{}: {ran} ran, {refused} refused", subject.name);
        assert!(ran > 0 && refused > 0, "{}: {ran} ran, {refused} refused", subject.name);
        wrong.extend(counts.wrong);
    }
    none(&wrong);
}

/// The default lengths of every library here are standard, so their keys in stores name no length.
/// A new primitive needs a line in `crates/model/src/standard.txt`, which never changes again.
#[test]
fn usual_lengths_are_standard() {
    let mut wrong = Vec::new();
    // The sample has primitives of its own.
    for subject in subjects().iter().filter(|subject| subject.name != "sample") {
        for offer in subject.offers() {
            let usual = Workload::of(&offer, Contract::Keyed, &Parameters::default());
            let is_standard = [usual.key, usual.nonce, usual.output] == [None; 3];
            if !is_standard && usual.to_string() != WRITTEN_OUT {
                wrong.push(format!("{}: {usual}", subject.name));
            }
        }
    }
    none(&wrong);
}

/// The key of a primitive without a line among the standard lengths. Saved runs have it, so it
/// gets none.
const WRITTEN_OUT: &str = "keyed-blake3/mac+key=32";

/// Operations on whole blocks must reject other lengths.
#[test]
fn uneven_messages_are_refused() {
    for subject in subjects() {
        for offer in subject.offers().filter(|offer| offer.lengths.granularity > 1) {
            let granularity = offer.lengths.granularity;
            let parameters = Parameters::of_message(granularity + 1);
            let refused = subject.output(&offer, Contract::Keyed, parameters, 1).unwrap_err();
            let words = format!("takes multiples of {granularity} bytes");
            assert!(refused.contains(&words), "{}: {refused}", subject.described(&offer));
        }
    }
}

/// Requests sizes whose sum overflows, and more iterations than anybody waits for.
#[test]
fn what_is_beyond_all_bounds_is_named() {
    let library = open("native", None).unwrap();
    let offers = library.offers();
    let find = |primitive: &str| {
        let is_meant = |offer: &&Offer| offer.primitive == primitive && offer.default_backend;
        offers.iter().find(is_meant).unwrap()
    };
    let refused = |primitive: &str, parameters: Parameters| {
        let offer = find(primitive);
        match prepare(library.as_ref(), offer, &offer.call(Contract::Keyed, parameters)).err() {
            Some(PrepareError::DoesNotFit(reason)) => reason.to_string(),
            other => panic!("{primitive}: {other:?}"),
        }
    };
    for huge in [1 << 40, 1 << 63, usize::MAX] {
        let usual = Parameters::default;
        for (what, primitive, parameters) in [
            ("message", "sha256", Parameters { message_bytes: huge, ..usual() }),
            ("message", "base16", Parameters { message_bytes: huge, ..usual() }),
            ("info", "hkdf-sha256", Parameters { aad_bytes: huge, ..usual() }),
            ("salt", "hkdf-sha256", Parameters { nonce_bytes: Some(huge), ..usual() }),
            ("key", "hmac-sha256", Parameters { key_bytes: Some(huge), ..usual() }),
            ("output", "shake128", Parameters { output_bytes: Some(huge), ..usual() }),
        ] {
            let words = refused(primitive, parameters);
            let named = words.starts_with(what) && words.contains(&huge.to_string());
            assert!(named && words.contains("1 GiB"), "{words}");
        }
    }
    let many = Parameters { iterations: Some(1 << 40), ..Parameters::default() };
    let words = refused("pbkdf2-hmac-sha256", many);
    assert!(words.contains("iterations, not 1099511627776"), "{words}");
    let seal = find("chacha20-poly1305");
    assert_eq!((seal.operation, seal.lengths.nonce), (Operation::Seal, LengthRange::fixed(12)));
}
