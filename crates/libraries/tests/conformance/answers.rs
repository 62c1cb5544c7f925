//! Tests known answers: every library must give the answer that its name for the
//! primitive has.

use crate::{KEY_PAIRS_ALONE, Subject, each_offer, hexadecimal, lines, none};
use crate::{parameters, subjects};
use cpb_kernels::sha3::Sha3_256;
use cpb_libraries::{folder, known_answers};
use cpb_model::{Contract, Parameters};
use std::collections::HashMap;

const KNOWN_ANSWERS: &str = include_str!("known_answers.csv");
/// Marks an answer that is given as the SHA3-256 of the output.
const DIGEST: &str = "sha3-256:";

/// Holds an output, and the workload that gives it.
struct Answer {
    message_bytes: usize,
    aad_bytes: usize,
    iterations: Option<u64>,
    /// The output as written in the file.
    output: &'static str,
}

/// Returns the answers by primitive and operation.
fn known() -> HashMap<(&'static str, &'static str), Vec<Answer>> {
    let mut known: HashMap<_, Vec<Answer>> = HashMap::new();
    for [primitive, operation, message, aad, iterations, output, _] in lines(KNOWN_ANSWERS) {
        known.entry((primitive, operation)).or_default().push(Answer {
            message_bytes: message.parse().unwrap(),
            aad_bytes: aad.parse().unwrap(),
            iterations: Some(iterations.parse().unwrap()).filter(|number| *number != 0),
            output,
        });
    }
    known
}

#[test]
fn known_answers_come_out() {
    let known = known();
    let mut problems = Vec::new();
    for subject in subjects() {
        let mut right = 0;
        for offer in subject.offers() {
            let answers = known.get(&(&*offer.primitive, offer.operation.name()));
            for answer in answers.into_iter().flatten() {
                let parameters = Parameters {
                    aad_bytes: answer.aad_bytes,
                    iterations: answer.iterations,
                    ..parameters(&offer, answer.message_bytes)
                };
                match subject.output(&offer, Contract::Keyed, parameters, 2) {
                    Ok(output) if is_answer(&output, answer.output) => right += 1,
                    other => problems.push(format!(
                        "{}, {} bytes: {:?}, not {}",
                        subject.described(&offer),
                        answer.message_bytes,
                        other.map(|output| hexadecimal(&output)),
                        answer.output
                    )),
                }
            }
        }
        println!("{}: {right} known answers", subject.name);
        // The sample has a primitive of its own.
        let name = folder::build_of(&subject.name);
        let has_none = name == "sample" || KEY_PAIRS_ALONE.contains(&name);
        assert_eq!(right == 0, has_none, "{}: {right} known answers", subject.name);
    }
    none(&problems);
}

fn is_answer(output: &[u8], answer: &str) -> bool {
    match answer.strip_prefix(DIGEST) {
        Some(digest) => hexadecimal(&Sha3_256::digest(output)) == digest,
        None => !answer.is_empty() && hexadecimal(output).ends_with(answer),
    }
}

/// The engine verifies workloads with these answers before it times them.
#[test]
fn the_engines_known_answers_come_out() {
    each_offer(
        |_| true,
        |subject, offer, problems| {
            for answer in known_answers::of(&offer.primitive, offer.operation) {
                let parameters = answer.parameters();
                let output = subject.output(offer, Contract::Keyed, parameters, 1);
                if output.is_ok_and(|output| output != answer.output) {
                    let what = subject.described(offer);
                    problems.push(format!("{what}, {} bytes", answer.message_bytes));
                }
            }
        },
    );
}

/// Prints how many offers of each library have an answer.
#[test]
fn answers_are_of_every_kind_of_operation() {
    let known = known();
    for operation in ["hash", "xof", "mac", "encrypt", "seal", "auth", "derive"] {
        let of_it = known.keys().filter(|(_, kind)| *kind == operation).count();
        assert!(of_it >= 2, "{operation}: {of_it}");
    }
    let answered = |subject: &Subject| {
        let has_one = |offer: &cpb_model::Offer| {
            known.contains_key(&(&*offer.primitive, offer.operation.name()))
                || !known_answers::of(&offer.primitive, offer.operation).is_empty()
        };
        subject.offers().filter(has_one).count()
    };
    for subject in subjects() {
        println!("{}: {} of {}", subject.name, answered(&subject), subject.offers().count());
    }
}
