//! That all of it runs, under every contract, and what is refused.

use crate::{described, library, output, parameters, workload};
use cpb_libraries::PrepareError;
use cpb_model::{Alignment, Contract, Offer, Operation, Parameters};

/// Message lengths, of whole blocks for every cipher.
const LENGTHS: [usize; 3] = [16, 1040, 4112];
/// Iterations of derivations.
const ITERATIONS: [u64; 2] = [2, 10];

fn pattern(bytes: usize) -> Vec<u8> {
    (0..bytes).map(|index| (index % 251) as u8).collect()
}

/// Parameters to try an offer with.
fn tries(offer: &Offer) -> Vec<Parameters> {
    match offer.operation {
        Operation::Derive => ITERATIONS.map(|n| parameters(0, 0, Some(n))).to_vec(),
        Operation::Seal | Operation::Open => {
            let pairs = LENGTHS.into_iter().flat_map(|bytes| [(bytes, 0), (bytes, 20)]);
            pairs.map(|(bytes, aad)| parameters(bytes, aad, None)).collect()
        }
        _ => LENGTHS.map(|bytes| parameters(bytes, 0, None)).to_vec(),
    }
}

#[test]
fn every_offer_runs_under_every_contract() {
    let Some(library) = library() else { return };
    let library = library.as_ref();
    let mut errors = Vec::new();
    let mut outputs = 0;
    for offer in library.offers() {
        for parameters in tries(&offer) {
            let bytes = parameters.message_bytes;
            let what = format!("{} of {bytes} bytes", described(&offer));
            let keyed = output(library, &offer, Contract::Keyed, parameters);
            let oneshot = output(library, &offer, Contract::Oneshot, parameters);
            let compat = output(library, &offer, Contract::Compat, parameters);
            outputs += 3;
            if keyed != oneshot {
                errors
                    .push(format!("{what}: keyed {keyed:02x?} and oneshot {oneshot:02x?} differ"));
            }
            let expected_bytes = match (offer.operation, offer.lengths.output) {
                (_, Some(output)) => output.usual(),
                (Operation::Seal, _) => bytes + offer.lengths.tag,
                (Operation::Auth, _) => offer.lengths.tag,
                _ => bytes,
            };
            match &keyed {
                Err(error) => errors.push(format!("{what}: {error}")),
                Ok(output) if output.len() != expected_bytes => {
                    errors.push(format!("{what}: {} bytes", output.len()));
                }
                Ok(output) if output.iter().all(|byte| *byte == 0) => {
                    errors.push(format!("{what}: only zeros"));
                }
                Ok(_) => {}
            }
            let opens = matches!(offer.operation, Operation::Decrypt | Operation::Open);
            if opens && keyed != Ok(pattern(bytes)) {
                errors.push(format!("{what}: not the plaintext"));
            }
            match (compat, &offer.row) {
                (Err(error), Some(_)) => errors.push(format!("{what}: compat: {error}")),
                (Ok(_), None) => errors.push(format!("{what}: compat without a row")),
                _ => {}
            }
        }
    }
    println!("{outputs} outputs");
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}

#[test]
fn messages_may_start_anywhere_and_have_any_length_the_offer_allows() {
    let Some(library) = library() else { return };
    let mut errors = Vec::new();
    for offer in library.offers() {
        let granularity = offer.lengths.granularity;
        let lengths: Vec<usize> = match granularity {
            1 => vec![0, 1, 7, 15, 17, 250],
            blocks => vec![blocks, 3 * blocks],
        };
        for bytes in lengths {
            let results = [Alignment::Page, Alignment::Unaligned].map(|alignment| {
                let aad_bytes = if offer.lengths.aad.is_free() { 5 } else { 0 };
                let parameters = Parameters { alignment, ..parameters(bytes, aad_bytes, None) };
                output(library.as_ref(), &offer, Contract::Keyed, parameters)
            });
            if results[0].is_err() || results[0] != results[1] {
                errors.push(format!("{} of {bytes} bytes: {results:02x?}", described(&offer)));
            }
        }
    }
    assert!(errors.is_empty(), "{} errors:\n{}", errors.len(), errors.join("\n"));
}

#[test]
fn what_nettle_would_abort_on_is_refused() {
    let Some(library) = library() else { return };
    let refused = |offer: &Offer, parameters: Parameters| {
        let workload = workload(offer, Contract::Keyed, parameters);
        match library.prepare(offer, &workload) {
            Err(PrepareError::Unavailable(_) | PrepareError::DoesNotFit(_)) => {}
            Err(error) => panic!("{}: {error}", described(offer)),
            Ok(_) => panic!("{} takes {parameters:?}", described(offer)),
        }
    };
    for offer in library.offers() {
        if offer.lengths.granularity > 1 {
            refused(&offer, parameters(17, 0, None));
        }
        match offer.spelling.as_str() {
            "xts_aes128" => refused(&offer, parameters(0, 0, None)),
            "ccm_aes128" => refused(&offer, parameters(1 << 24, 0, None)),
            "pbkdf2_hmac_sha256" => {
                refused(&offer, parameters(0, 0, Some(0)));
                refused(&offer, parameters(0, 0, Some(1 << 32)));
            }
            "hkdf_hmac_sha256" => refused(
                &offer,
                Parameters { output_bytes: Some(255 * 32 + 1), ..parameters(0, 0, None) },
            ),
            _ => {}
        }
    }
}

#[test]
fn compat_goes_on_where_the_last_call_ended() {
    let Some(library) = library() else { return };
    for offer in library.offers() {
        let Some(row) = &offer.row else { continue };
        let workload = workload(&offer, Contract::Compat, parameters(64, 0, None));
        let mut outputs = Vec::new();
        for calls in [1, 2] {
            let mut call = library.prepare(&offer, &workload).unwrap();
            call.run(calls);
            outputs.push(call.output().unwrap());
        }
        // Only what leaves the buffer alone does the same in every call.
        let repeats = row.group == "hash" || row.mode.ends_with("auth");
        assert_eq!(outputs[0] == outputs[1], repeats, "{row:?}");
        if row.group == "hash" {
            assert_eq!(outputs[0].len(), 1, "{row:?}");
        }
    }
}

#[test]
fn what_is_not_offered_is_said_so() {
    let Some(library) = library() else { return };
    let mut offer = library.offers().pop().unwrap();
    let compat = workload(&offer, Contract::Compat, parameters(16, 0, None));
    let error = library.prepare(&offer, &compat).err().unwrap();
    let what = format!("contract compat for {}", offer.spelling);
    assert_eq!(error, PrepareError::NotOffered { library: "nettle".to_owned(), what });
    offer.spelling = "rot13".to_owned();
    let error = library.prepare(&offer, &compat).err().unwrap();
    let what = "rot13".to_owned();
    assert_eq!(error, PrepareError::NotOffered { library: "nettle".to_owned(), what });
}
