//! Tests every offer under every contract: the output must be the same, with the right
//! length, however often and from wherever it is called.

use crate::{KEY_PAIRS_ALONE, Subject, counted, each_offer, exception, is_slow};
use crate::{none, parameters, pattern, subjects};
use cpb_libraries::{DEFAULT_OUTPUT_BYTES, codec, folder};
use cpb_model::{Alignment, Contract, LengthRange, Offer, Operation, Parameters};
use std::collections::HashSet;

/// Returns the parameters that an offer is tried with.
fn tried(offer: &Offer) -> Vec<Parameters> {
    let granularity = offer.lengths.granularity;
    let lengths: &[usize] = match (offer.operation, granularity) {
        (Operation::Derive, _) => &[0],
        (_, 1) => &[0, 1, 77, 4112],
        _ => &[16, 4112],
    };
    let of = |length: &usize| parameters(offer, length.next_multiple_of(granularity));
    let mut all: Vec<Parameters> = lengths.iter().map(of).collect();
    if offer.lengths.aad.is_free() {
        all.push(Parameters { aad_bytes: 20, ..parameters(offer, 1040) });
    }
    all
}

#[test]
fn every_contract_gives_the_same_output() {
    let mut problems = Vec::new();
    for subject in subjects() {
        let mut ran = 0;
        let is_tried =
            |it: &Offer| !it.operation.is_public_key() && it.operation != Operation::Random;
        for offer in subject.offers().filter(is_tried) {
            for parameters in tried(&offer) {
                ran += 1;
                let Err(problem) = check(&subject, &offer, parameters) else { continue };
                let (what, bytes) = (subject.described(&offer), parameters.message_bytes);
                match exception(&subject, &offer, &parameters) {
                    Some(reason) => println!("{what}, {bytes} bytes: {problem}; {reason}"),
                    None => problems.push(format!("{what}, {bytes} bytes: {problem}")),
                }
            }
        }
        println!("{}: {ran} workloads", subject.name);
        let is_tried_elsewhere = KEY_PAIRS_ALONE.contains(&folder::build_of(&subject.name));
        assert_eq!(ran == 0, is_tried_elsewhere, "{}: {ran} workloads", subject.name);
    }
    none(&problems);
}

#[test]
fn random_bytes_are_new_in_every_call_and_as_many_as_are_wanted() {
    let mut tried = 0;
    for subject in subjects() {
        for offer in subject.offers().filter(|offer| offer.operation == Operation::Random) {
            let mut outputs = HashSet::new();
            for contract in [Contract::Keyed, Contract::Oneshot] {
                for (bytes, calls) in [(16, 1), (16, 2), (32, 1), (1000, 3)] {
                    let output_bytes = Some(bytes);
                    let parameters = Parameters { output_bytes, ..parameters(&offer, 0) };
                    let output = subject.output(&offer, contract, parameters, calls).unwrap();
                    assert_eq!(output.len(), bytes, "{}", subject.described(&offer));
                    assert!(outputs.insert(output[..16].to_vec()), "{}", subject.described(&offer));
                }
            }
            tried += 1;
        }
    }
    counted(tried, "generators of random bytes");
}

fn check(subject: &Subject, offer: &Offer, parameters: Parameters) -> Result<(), String> {
    let output = |contract: Contract, parameters, calls| {
        let named = |reason: String| format!("{}: {reason}", contract.name());
        subject.output(offer, contract, parameters, calls).map_err(named)
    };
    let first = output(Contract::Keyed, parameters, 1)?;
    shape(offer, &parameters, &first)?;
    let again = if is_slow(offer) { 1 } else { 3 };
    if output(Contract::Keyed, parameters, again)? != first {
        return Err("a second preparation, or a later call, puts out something else".to_owned());
    }
    if output(Contract::Oneshot, parameters, again)? != first {
        return Err("keyed and cold differ".to_owned());
    }
    let unaligned = Parameters { alignment: Alignment::Unaligned, ..parameters };
    if !is_slow(offer) && output(Contract::Keyed, unaligned, 2)? != first {
        return Err("its place in memory changes the output".to_owned());
    }
    match (&offer.row, output(Contract::Compat, parameters, again)) {
        // bench-slopes never passes empty messages.
        (Some(_), _) if parameters.message_bytes == 0 && offer.operation != Operation::Derive => {}
        (Some(_), outcome) => drop(outcome?),
        (None, Err(reason)) if reason.contains("contract compat for") => {}
        (None, outcome) => return Err(format!("compat without a row: {outcome:?}")),
    }
    Ok(())
}

/// Checks the length of an output, and that it is plausible for any primitive.
fn shape(offer: &Offer, parameters: &Parameters, output: &[u8]) -> Result<(), String> {
    let (message, lengths) = (parameters.message_bytes, &offer.lengths);
    let expected = match offer.operation {
        Operation::Hash => lengths.output.unwrap().default_length(),
        Operation::Mac => lengths.output.map_or(lengths.tag, LengthRange::default_length),
        Operation::Xof | Operation::Derive => {
            lengths.output.map_or(DEFAULT_OUTPUT_BYTES, LengthRange::default_length)
        }
        Operation::Encrypt | Operation::Decrypt | Operation::Open => message,
        Operation::Seal => message + lengths.tag,
        Operation::Auth => lengths.tag,
        Operation::Encode => codec::encoded_len(&offer.primitive, message),
        Operation::Decode => message / 4 * if offer.primitive == "base16" { 2 } else { 3 },
        _ => 0,
    };
    if output.len() != expected {
        return Err(format!("{} bytes where {expected} are right", output.len()));
    }
    let gives_back =
        matches!(offer.operation, Operation::Decrypt | Operation::Open | Operation::Decode);
    if gives_back {
        let is_message = output == pattern(output.len());
        return is_message.then_some(()).ok_or_else(|| "it gives another message back".to_owned());
    }
    // A few zero bytes may be chance, and CBC-MAC of no blocks is zero.
    if output.len() >= 8 && message != 0 && output.iter().all(|byte| *byte == 0) {
        return Err("nothing was written".to_owned());
    }
    if output.len() >= 8 && message >= 8 && output[..8] == pattern(8) {
        return Err("the message came out as it was".to_owned());
    }
    Ok(())
}

#[test]
fn associated_data_and_info_count() {
    let has_some = |offer: &Offer| offer.lengths.aad.is_free();
    each_offer(has_some, |subject, offer, problems| {
        let outputs = [0, 20].map(|aad_bytes| {
            let parameters = Parameters { aad_bytes, ..parameters(offer, 48) };
            subject.output(offer, Contract::Keyed, parameters, 2)
        });
        // Opening returns the message, whatever else is in the output.
        let is_open = offer.operation == Operation::Open;
        if outputs[0].is_err() || (outputs[0] == outputs[1]) != is_open {
            problems.push(format!("{}: {outputs:02x?}", subject.described(offer)));
        }
    });
}

#[test]
fn what_cannot_run_here_says_why() {
    for subject in subjects() {
        for offer in subject.library.offers() {
            let Some(reason) = &offer.unavailable else { continue };
            let what = subject.described(offer);
            assert!(!reason.is_empty(), "{what}");
            let message = 16_usize.next_multiple_of(offer.lengths.granularity);
            let refused = subject.output(offer, Contract::Keyed, parameters(offer, message), 1);
            assert_eq!(refused.as_ref(), Err(reason), "{what}");
        }
    }
}

#[test]
fn what_is_not_offered_is_said_so() {
    for subject in subjects() {
        // A build with its own shim is a provider, and is called like one of the user's.
        let names = [folder::build_of(&subject.name), &subject.name];
        let is_said = |refused: Result<Vec<u8>, String>, what: &str| {
            let said = names.map(|name| Err(format!("{name} has no {what}")));
            assert!(said.contains(&refused), "{refused:?}, not {said:?}");
        };
        let offer = subject.library.offers()[0].clone();
        let message = 16_usize.next_multiple_of(offer.lengths.granularity);
        let parameters = parameters(&offer, message);
        let stranger = Offer { spelling: "ROT13".to_owned(), ..offer.clone() };
        let refused = subject.output(&stranger, Contract::Keyed, parameters, 1);
        is_said(refused, "ROT13");
        // An offer must match entirely, not only by name.
        let mut longer = offer.clone();
        longer.lengths.tag += 1;
        let refused = subject.output(&longer, Contract::Keyed, parameters, 1);
        is_said(refused, &offer.spelling);
    }
}
