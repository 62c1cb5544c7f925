//! Tests operations with key pairs: each is proved under both contracts; if there is one
//! correct output, every library gives it; if there are many, every other library accepts them.

use crate::{Subject, counted, each_offer, exception, none, subjects};
use cpb_libraries::acceptance::{self, ProofError, Proved};
use cpb_libraries::{PrepareError, key_answers, scheme};
use cpb_model::{CallSpec, Contract, LengthRange, Offer, Operation, Parameters, Proof, Role};
use std::collections::{BTreeMap, HashMap};
use std::sync::Mutex;

const MESSAGE_BYTES: usize = 32;
/// The number of tested cases, out of those that are measured.
const CASES: usize = 5;

fn is_public_key(offer: &Offer) -> bool {
    offer.operation.is_public_key()
}

pub(crate) fn workload(offer: &Offer, contract: Contract) -> CallSpec {
    let message_bytes = if offer.operation.takes_message() { MESSAGE_BYTES } else { 0 };
    offer.call(contract, Parameters::of_message(message_bytes))
}

/// Returns the proof of a call, which is made once for all tests: many calls take long.
fn prove(subject: &Subject, offer: &Offer, contract: Contract) -> Result<Proved, String> {
    static PROVED: Mutex<BTreeMap<String, Result<Proved, String>>> = Mutex::new(BTreeMap::new());
    let what = format!("{} {}", subject.described(offer), contract.name());
    let mut proved = PROVED.lock().unwrap();
    let proof = proved.entry(what).or_insert_with_key(|what| {
        acceptance::prove(&*subject.library, offer, &workload(offer, contract), CASES)
            .map_err(|reason| format!("{what}: {reason}"))
    });
    proof.clone()
}

#[test]
fn key_pairs_work_under_every_contract() {
    let mut outputs: HashMap<(String, Operation), (String, Vec<u8>)> = HashMap::new();
    let mut proved = 0;
    each_offer(is_public_key, |subject, offer, problems| {
        let both =
            [Contract::Keyed, Contract::Oneshot].map(|contract| prove(subject, offer, contract));
        let [keyed, oneshot] = match both {
            [Ok(keyed), Ok(oneshot)] => [keyed, oneshot],
            both => {
                let found = both.into_iter().filter_map(Result::err);
                match exception(subject, offer, &Parameters::default()) {
                    Some(reason) => found.for_each(|it| println!("{it}; {reason}")),
                    None => problems.extend(found),
                }
                return;
            }
        };
        proved += 1;
        let what = subject.described(offer);
        let same = offer.operation.row().proof == Proof::SameOutput;
        if !same && !keyed.is_accepted {
            problems.push(format!("{what}: nobody accepts it"));
        }
        let is_same = keyed.output == oneshot.output;
        let is_derived = is_same && may_derive_chance(offer);
        if !scheme::has_one_output(offer) && !is_derived {
            if is_same {
                problems.push(format!("{what}: chance gives the same twice"));
            }
            return;
        }
        if is_given_chance(subject, offer) {
            return;
        }
        if !is_same {
            problems.push(format!("{what}: keyed and oneshot differ"));
        }
        let of = (offer.primitive.clone(), offer.operation);
        match outputs.get(&of) {
            Some((other, output)) if compared(offer, output) != compared(offer, &keyed.output) => {
                problems.push(format!("{other}\n{what}: different"));
            }
            Some(_) => {}
            None => drop(outputs.insert(of, (what, keyed.output))),
        }
    });
    counted(proved, "proofs of key pairs");
}

/// Whether a library may derive the random number of a signature from key and message (RFC
/// 6979); its signatures then equal those of every other library that does.
fn may_derive_chance(offer: &Offer) -> bool {
    offer.operation == Operation::Sign && offer.primitive.starts_with("ecdsa-")
}

/// Returns the part of the outputs that is equal in every library. An ECDSA signature has two
/// possible values of s, and some libraries return the lower one on secp256k1, so only r, which
/// precedes it, is compared.
fn compared(offer: &Offer, output: &[u8]) -> Vec<u8> {
    if !may_derive_chance(offer) || offer.primitive != "ecdsa-secp256k1" {
        return output.to_vec();
    }
    let signatures = output.chunks(output.len() / CASES);
    signatures.flat_map(|signature| &signature[..signature.len() / 2]).copied().collect()
}

/// Whether its inputs are random outputs of other operations, which differ each time.
fn is_given_chance(subject: &Subject, offer: &Offer) -> bool {
    let makes = [Operation::Keygen, Operation::Encapsulate];
    offer.operation == Operation::Decapsulate
        && subject.offers().any(|maker| {
            (&maker.primitive, &maker.spelling, &maker.backend)
                == (&offer.primitive, &offer.spelling, &offer.backend)
                && makes.contains(&maker.operation)
                && !scheme::has_one_output(&maker)
        })
}

/// All libraries have the catalogue's lengths: a fixed length is the same, and all lengths of
/// DER keys in the catalogue are accepted.
#[test]
fn lengths_are_those_of_the_catalogue() {
    let mut compared = 0;
    each_offer(is_public_key, |subject, offer, problems| {
        let Some(scheme) = scheme::of(&offer.primitive) else {
            // A provider may have primitives of its own.
            if subject.is_known() {
                problems.push(format!("{}: not in the catalogue", subject.described(offer)));
            }
            return;
        };
        let lengths = scheme.lengths(offer.operation);
        let row = offer.operation.row();
        let own = |role: &&Role| ![Role::Message, Role::Randomness].contains(role);
        for role in row.takes.iter().chain(row.gives).filter(own) {
            let [stated, known] =
                [&offer.lengths, &lengths].map(|it| it.of(*role).unwrap_or(LengthRange::NONE));
            compared += 1;
            let fits = match known.is_free() {
                true => stated.contains(known.default_length()),
                false => stated == known,
            };
            if !fits {
                let what = subject.described(offer);
                problems.push(format!("{what}: {}: {stated:?}, not {known:?}", role.name()));
            }
        }
        let randomness = offer.lengths.randomness;
        if !randomness.is_none() && randomness != lengths.randomness {
            problems.push(format!("{}: randomness {randomness:?}", subject.described(offer)));
        }
    });
    counted(compared, "lengths of key pairs");
}

/// If A signs, B verifies; if A encapsulates, B decapsulates; if A generates a pair, B derives
/// the public key.
#[test]
fn every_library_accepts_what_every_other_makes() {
    let (mut problems, mut accepted) = (Vec::new(), 0);
    let subjects = subjects();
    for maker in &subjects {
        for offer in maker.offers().filter(|it| !acceptance::accepting(it.operation).is_empty()) {
            let Ok(Proved { case, .. }) = prove(maker, &offer, Contract::Keyed) else { continue };
            for subject in &subjects {
                let is_meant = |other: &Offer| {
                    other.primitive == offer.primitive
                        && acceptance::accepting(offer.operation).contains(&other.operation)
                };
                for acceptor in subject.offers().filter(is_meant) {
                    let cases = std::slice::from_ref(&case);
                    let bytes = workload(&acceptor, Contract::Keyed).parameters.message_bytes;
                    match acceptance::accepts(&*subject.library, &acceptor, bytes, cases) {
                        Ok(()) => accepted += 1,
                        // Other lengths mean another encoding.
                        Err(ProofError::Prepare(PrepareError::DoesNotFit(_))) => {}
                        Err(reason) => problems.push(format!(
                            "{} of {}: {reason}",
                            subject.described(&acceptor),
                            maker.described(&offer)
                        )),
                    }
                }
            }
        }
    }
    counted(accepted, "key pairs, signatures and ciphertexts of others");
    none(&problems);
}

/// Searching for primes takes long, so only the smallest keys are tried, once under each
/// contract. The proof also checks that the modulus has all its bits, and that the exponent is
/// 65537.
#[test]
fn a_key_of_rsa_that_one_library_makes_signs_and_all_others_verify() {
    const PRIMITIVE: &str = "rsa-2048-pkcs1";
    let (mut problems, mut accepted) = (Vec::new(), 0);
    let subjects = subjects();
    for maker in &subjects {
        let is_meant =
            |it: &Offer| (it.primitive.as_str(), it.operation) == (PRIMITIVE, Operation::Keygen);
        let Some(offer) = maker.all_offers().find(is_meant) else { continue };
        let both = [Contract::Keyed, Contract::Oneshot].map(|it| prove(maker, &offer, it));
        let [keyed, oneshot] = match both {
            [Ok(keyed), Ok(oneshot)] => [keyed, oneshot],
            both => {
                problems.extend(both.into_iter().filter_map(Result::err));
                continue;
            }
        };
        if !(keyed.is_accepted && oneshot.is_accepted && keyed.output != oneshot.output) {
            problems.push(format!("{}: the same key twice, or no proof", maker.described(&offer)));
        }
        let verifies =
            |it: &Offer| (it.primitive.as_str(), it.operation) == (PRIMITIVE, Operation::Verify);
        for subject in &subjects {
            for acceptor in subject.offers().filter(verifies) {
                let case = std::slice::from_ref(&keyed.case);
                let what =
                    format!("{} of {}", subject.described(&acceptor), maker.described(&offer));
                // The message that the maker signed with its new key is empty.
                match acceptance::accepts(&*subject.library, &acceptor, 0, case) {
                    Ok(()) => accepted += 1,
                    Err(reason) => problems.push(format!("{what}: {reason}")),
                }
            }
        }
    }
    counted(accepted, "signatures by new keys of RSA");
    none(&problems);
}

/// Each library gives the known answers of its lengths.
#[test]
fn known_answers_come_out() {
    let mut given = 0;
    each_offer(is_public_key, |subject, offer, problems| {
        for answer in key_answers::of(&offer.primitive, offer.operation) {
            let workload = offer.call(Contract::Keyed, answer.parameters());
            match acceptance::single(&*subject.library, offer, &workload, answer.given) {
                Ok(output) if output == answer.output => given += 1,
                Err(ProofError::Prepare(PrepareError::DoesNotFit(_))) => {}
                other => problems.push(format!("{}: {other:02x?}", subject.described(offer))),
            }
        }
    });
    counted(given, "known answers of key pairs");
}
