//! That all of it runs, under every contract.

use crate::{installed, is_whole, output, parameters, without_what_fips_forbids};
use cpb_libraries::PrepareError;
use cpb_model::Operation::{Auth, Decrypt, Derive, Hash, Mac, Open, Seal, Xof};
use cpb_model::{Alignment, Contract, Offer, Parameters, Workload};

const MESSAGE_LENGTHS: [usize; 3] = [16, 1040, 4112];
const ITERATIONS: [u64; 2] = [2, 10];

/// What an offer is tried with.
fn all_parameters(offer: &Offer) -> Vec<Parameters> {
    if offer.operation == Derive {
        return ITERATIONS
            .map(|iterations| Parameters { iterations: Some(iterations), ..parameters(0) })
            .to_vec();
    }
    let mut all = MESSAGE_LENGTHS.map(parameters).to_vec();
    all.push(Parameters { alignment: Alignment::Unaligned, ..parameters(1040) });
    if matches!(offer.operation, Seal | Open) {
        all.push(Parameters { aad_bytes: 20, ..parameters(1040) });
    }
    if offer.lengths.granularity == 1 {
        all.push(parameters(0));
        all.push(parameters(37));
    }
    all
}

#[test]
fn everything_runs_under_every_contract() {
    let Some(library) = installed() else { return };
    let library = library.as_ref();
    let mut problems = Vec::new();
    let mut tried = 0;
    for offer in library.offers() {
        if let Some(reason) = &offer.unavailable {
            println!("unavailable: {} ({reason})", offer.spelling);
            continue;
        }
        for parameters in all_parameters(&offer) {
            tried += 1;
            let what = format!("{} {:?} {parameters:?}", offer.spelling, offer.operation);
            let keyed = output(library, &offer, Contract::Keyed, parameters);
            let oneshot = output(library, &offer, Contract::Oneshot, parameters);
            match (&keyed, &oneshot) {
                (Err(error), _) => problems.push(format!("{what} keyed: {error}")),
                (_, Err(error)) => problems.push(format!("{what} oneshot: {error}")),
                (Ok(keyed), Ok(oneshot)) => {
                    if keyed != oneshot {
                        problems.push(format!("{what}: keyed and oneshot differ"));
                    }
                    if let Some(problem) = wrong_shape(&offer, &parameters, keyed) {
                        problems.push(format!("{what}: {problem}"));
                    }
                }
            }
            // What is empty bench-slopes never passes.
            let is_timed = parameters.message_bytes != 0 || offer.operation == Derive;
            if offer.row.is_some()
                && is_timed
                && let Err(error) = output(library, &offer, Contract::Compat, parameters)
            {
                problems.push(format!("{what} compat: {error}"));
            }
        }
    }
    println!("{tried} workloads");
    assert!(tried > if is_whole(library) { 3000 } else { 500 }, "{tried}");
    let problems = without_what_fips_forbids(problems);
    assert!(problems.is_empty(), "{} problems: {problems:#?}", problems.len());
}

/// What is wrong with an output's length, or with recovered plaintext.
fn wrong_shape(offer: &Offer, parameters: &Parameters, output: &[u8]) -> Option<String> {
    let message = parameters.message_bytes;
    let expected = match offer.operation {
        Hash | Mac => offer.lengths.output.unwrap().usual(),
        Xof | Derive => cpb_libraries::DEFAULT_OUTPUT_BYTES,
        Seal => message + offer.lengths.tag,
        Auth => offer.lengths.tag,
        _ => message,
    };
    if output.len() != expected {
        return Some(format!("{} bytes where {expected} are right", output.len()));
    }
    if expected == 0 {
        return None;
    }
    let is_pattern =
        output.iter().enumerate().all(|(index, &byte)| usize::from(byte) == index % 251);
    let should_be = matches!(offer.operation, Decrypt | Open);
    (is_pattern != should_be).then(|| format!("pattern: {is_pattern}"))
}

#[test]
fn what_has_no_row_has_no_contract_compat() {
    let Some(library) = installed() else { return };
    let offers = library.offers();
    let offer = offers.iter().find(|offer| offer.row.is_none()).unwrap();
    let workload = Workload {
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract: Contract::Compat,
        parameters: parameters(1040),
    };
    let error = library.prepare(offer, &workload).err().unwrap();
    assert_eq!(
        error,
        PrepareError::NotOffered {
            library: "gcrypt".to_owned(),
            what: format!("contract compat for {}", offer.spelling),
        }
    );
    let other = Offer { spelling: "AES/ROT13".to_owned(), ..offer.clone() };
    let error = library.prepare(&other, &workload).err().unwrap();
    assert_eq!(error.to_string(), "gcrypt has no AES/ROT13");
}
