//! Lengths that come from a file may be any: every offer of every installed library
//! runs with them or refuses them in words.
//!
//! A crash here is a crash of this program. What a library only reads or writes too far
//! shows under valgrind: `script/hostile-lengths` runs these tests so.

#![allow(clippy::panic, clippy::print_stdout, reason = "helpers of tests do what tests do")]

use cpb_libraries::{Library, OpenError, PrepareError, open};
use cpb_model::{Contract, Length, Offer, Operation, Parameters, Workload};

const LENGTHS: [usize; 7] = [0, 1, 15, 17, 64, 4096, 1 << 31];
/// Of whole blocks of every cipher.
const MESSAGE_BYTES: usize = 256;
/// Derivations that take long by design: under one contract only, and not at all where
/// `CPB_HOSTILE_WITHOUT_SLOW` is set, as it is under valgrind.
const SLOW: [&str; 3] = ["scrypt-", "argon2", "bcrypt-"];

/// What is asked for, beside which everything is as the offer has it.
#[derive(Debug, Clone, Copy)]
enum Part {
    Message,
    Key,
    Nonce,
    Tag,
    Aad,
    Output,
}

const PARTS: [Part; 6] =
    [Part::Message, Part::Key, Part::Nonce, Part::Tag, Part::Aad, Part::Output];

/// An offer and a workload with this part of this length.
fn hostile(offer: &Offer, part: Part, bytes: usize) -> (Offer, Parameters) {
    let mut offer = offer.clone();
    let mut parameters = Parameters { message_bytes: MESSAGE_BYTES, ..Parameters::default() };
    match part {
        Part::Message => parameters.message_bytes = bytes,
        Part::Key => parameters.key_bytes = Some(bytes),
        Part::Nonce => parameters.nonce_bytes = Some(bytes),
        // Nothing asks for a tag: it would be an offer that the library does not have.
        Part::Tag => offer.lengths.tag = bytes,
        Part::Aad => parameters.aad_bytes = bytes,
        Part::Output => parameters.output_bytes = Some(bytes),
    }
    (offer, parameters)
}

/// Whether the offer has this length, as far as it says.
fn is_offered(offer: &Offer, part: Part, bytes: usize) -> Option<bool> {
    match part {
        Part::Key => Some(offer.lengths.key.takes(bytes)),
        Part::Nonce => Some(offer.lengths.nonce.takes(bytes)),
        Part::Aad => Some(offer.lengths.aad.takes(bytes)),
        Part::Tag => Some(offer.lengths.tag == bytes),
        Part::Output => offer.lengths.output.map(|output| output.takes(bytes)),
        Part::Message => None,
    }
}

/// What three calls put out, or why there were none.
fn run(library: &dyn Library, offer: &Offer, workload: &Workload) -> Result<Vec<u8>, String> {
    let mut call = library.prepare(offer, workload).map_err(|error| error.to_string())?;
    call.run(3);
    call.output()
}

#[derive(Default)]
struct Counts {
    ran: usize,
    refused: usize,
    wrong: Vec<String>,
}

impl Counts {
    fn take(&mut self, library: &dyn Library, offer: &Offer, contract: Contract) {
        for part in PARTS {
            for bytes in LENGTHS {
                let (asked, parameters) = hostile(offer, part, bytes);
                let (primitive, operation) = (offer.primitive.clone(), offer.operation);
                let workload = Workload { primitive, operation, contract, parameters };
                let what = format!(
                    "{} {} {contract:?}: {part:?} of {bytes} bytes",
                    offer.spelling,
                    operation.name()
                );
                let result = run(library, &asked, &workload);
                let offered = is_offered(offer, part, bytes);
                match &result {
                    Ok(_) if bytes == 1 << 31 => self.wrong.push(format!("{what} ran")),
                    Ok(_) if offered == Some(false) => self.wrong.push(format!("{what} ran")),
                    Ok(_) => self.ran += 1,
                    Err(words) if words.is_empty() => self.wrong.push(format!("{what}: no words")),
                    Err(_) => self.refused += 1,
                }
            }
        }
    }
}

/// Every offer of the library, under each contract that it has.
fn all_offers(name: &str) {
    let library = match open(name, None) {
        Ok(library) => library,
        Err(error @ OpenError::Missing { .. }) => {
            println!("skipped: {error}");
            return;
        }
        Err(error) => panic!("{error}"),
    };
    let mut counts = Counts::default();
    let mut offers = 0;
    let is_slow = |offer: &Offer| SLOW.iter().any(|slow| offer.primitive.starts_with(slow));
    let leaves_out_slow = std::env::var_os("CPB_HOSTILE_WITHOUT_SLOW").is_some();
    for offer in library.offers().iter().filter(|offer| offer.unavailable.is_none()) {
        if is_slow(offer) && leaves_out_slow {
            continue;
        }
        offers += 1;
        let contracts = if is_slow(offer) { &Contract::ALL[..1] } else { &Contract::ALL };
        for &contract in contracts {
            if contract != Contract::Compat || offer.row.is_some() {
                counts.take(library.as_ref(), offer, contract);
            }
        }
    }
    let Counts { ran, refused, wrong } = counts;
    println!("{name}: {offers} offers, {ran} ran, {refused} refused");
    assert!(ran > 100 && refused > 100, "{name}: {ran} ran, {refused} refused");
    assert!(wrong.is_empty(), "{} of {name} are wrong:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn native_runs_or_refuses() {
    all_offers("native");
}

#[test]
fn openssl_runs_or_refuses() {
    all_offers("openssl");
}

#[test]
fn gcrypt_runs_or_refuses() {
    all_offers("gcrypt");
}

#[test]
fn nettle_runs_or_refuses() {
    all_offers("nettle");
}

#[test]
fn botan_runs_or_refuses() {
    all_offers("botan");
}

#[test]
fn cryptopp_runs_or_refuses() {
    all_offers("cryptopp");
}

/// Sizes of which no two add up, and iterations that nobody waits for.
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
        let workload = Workload {
            primitive: primitive.to_owned(),
            operation: offer.operation,
            contract: Contract::Keyed,
            parameters,
        };
        match library.prepare(offer, &workload).err() {
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
    assert_eq!((seal.operation, seal.lengths.nonce), (Operation::Seal, Length::fixed(12)));
}
