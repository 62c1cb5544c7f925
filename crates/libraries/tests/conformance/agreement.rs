//! Tests that implementations of one primitive agree with each other and with the
//! reference, our portable kernels, for any library and backend, at all lengths they
//! share.

use crate::{exception, hexadecimal, is_slow, none, parameters, subjects};
use cpb_model::{Contract, LengthRange, Offer, Operation, Parameters};
use std::collections::HashMap;

/// Identifies equal calls: primitive, operation, parameters and lengths.
type Question = (String, Operation, Parameters, [usize; 4]);

/// Returns the calls to compare: lengths of every kind, and unusual lengths of secrets.
fn questions(offer: &Offer) -> Vec<Question> {
    let lengths = &offer.lengths;
    let granularity = lengths.granularity.max(1);
    let messages: &[usize] = match (offer.operation, granularity) {
        (Operation::Derive, _) => &[0],
        (_, 1) => &[0, 1, 15, 17, 64, 250, 1024, 4097],
        _ => &[64, 1024],
    };
    let fits = |bytes: &&usize| bytes.is_multiple_of(granularity);
    let mut all: Vec<Parameters> =
        messages.iter().filter(fits).map(|bytes| parameters(offer, *bytes)).collect();
    let usual = parameters(offer, 64);
    if lengths.aad.is_free() {
        let aad = [1, 13, 80].into_iter().filter(|bytes| lengths.aad.contains(*bytes));
        all.extend(aad.map(|aad_bytes| Parameters { aad_bytes, ..usual }));
    }
    if offer.operation == Operation::Derive && !is_slow(offer) {
        for (key, salt, output) in [(22, 13, 42), (80, 80, 82), (16, 0, 20), (64, 64, 64)] {
            let [key_bytes, nonce_bytes, output_bytes] = [key, salt, output].map(Some);
            all.push(Parameters { key_bytes, nonce_bytes, output_bytes, ..usual });
        }
    }
    if offer.operation == Operation::Mac && lengths.key.is_free() {
        let keys = [1, 20, 64, 65, 128, 129, 200];
        let keys = keys.into_iter().filter(|bytes| lengths.key.contains(*bytes));
        all.extend(keys.map(|bytes| Parameters { key_bytes: Some(bytes), ..usual }));
    }
    if offer.operation == Operation::Xof {
        let outputs = [1, 16, 136, 168, 337];
        all.extend(outputs.map(|bytes| Parameters { output_bytes: Some(bytes), ..usual }));
    }
    let of = [
        lengths.key.default_length(),
        lengths.nonce.default_length(),
        lengths.tag.max(lengths.output.map_or(0, LengthRange::default_length)),
        granularity,
    ];
    all.into_iter()
        .map(|parameters| (offer.primitive.clone(), offer.operation, parameters, of))
        .collect()
}

#[test]
fn implementations_of_a_primitive_agree() {
    let subjects = subjects();
    let mut answers: HashMap<Question, (String, Vec<u8>)> = HashMap::new();
    let (mut agreed, mut problems) = (0, Vec::new());
    for subject in &subjects {
        let is_asked =
            |it: &Offer| !it.operation.is_public_key() && it.operation != Operation::Random;
        for offer in subject.offers().filter(is_asked) {
            for question in questions(&offer) {
                let parameters = question.2;
                if exception(subject, &offer, &parameters).is_some() {
                    continue;
                }
                let what = subject.described(&offer);
                let output = match subject.output(&offer, Contract::Keyed, parameters, 1) {
                    Ok(output) => output,
                    Err(reason) => {
                        problems.push(format!("{what}: {reason}\n  {parameters:?}"));
                        continue;
                    }
                };
                match answers.get(&question) {
                    Some((other, expected)) if *expected != output => problems.push(format!(
                        "{other} {}\n{what} {}\n  {parameters:?}",
                        end(expected),
                        end(&output)
                    )),
                    Some(_) => agreed += 1,
                    None => drop(answers.insert(question, (what, output))),
                }
            }
        }
    }
    println!("{} questions, {agreed} agreements", answers.len());
    assert!(agreed > 100, "{agreed}");
    none(&problems);
}

/// Returns the part of an output that is shown.
fn end(output: &[u8]) -> String {
    hexadecimal(&output[output.len().saturating_sub(32)..])
}
