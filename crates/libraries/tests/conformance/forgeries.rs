//! Tests that a sealed message opens unchanged, and that any forgery is rejected.

use crate::{Subject, each_offer, none, parameters, subjects};
use cpb_libraries::Inputs;
use cpb_model::{Contract, Offer, Operation, Parameters, Role};
use cpb_provider::inputs_of_cases;

/// Describes a change before a ciphertext is opened, and makes it.
type Forgery = (&'static str, fn(&mut Inputs));

const FORGERIES: [Forgery; 4] = [
    ("the tag's first byte", |inputs| inputs.bytes_mut(Role::Tag)[0] ^= 1),
    ("the tag's last byte", |inputs| *inputs.bytes_mut(Role::Tag).last_mut().unwrap() ^= 0x80),
    ("the ciphertext", |inputs| inputs.message.bytes_mut()[39] ^= 1),
    ("the nonce", |inputs| inputs.bytes_mut(Role::Nonce)[0] ^= 1),
];

fn inputs(subject: &Subject, offer: &Offer) -> Inputs {
    let aad_bytes = if offer.lengths.aad.is_free() { 20 } else { 0 };
    let parameters = Parameters { aad_bytes, ..parameters(offer, 40) };
    let call = offer.call(Contract::Keyed, parameters);
    inputs_of_cases(&*subject.library, offer, &call, usize::MAX).unwrap()
}

/// Returns the output of a call, or that it is rejected.
fn opened(
    subject: &Subject,
    offer: &Offer,
    contract: Contract,
    inputs: Inputs,
) -> Result<Vec<u8>, String> {
    let mut call =
        subject.library.ready(offer, contract, inputs).map_err(|error| error.to_string())?;
    call.run(2);
    call.output()
}

#[test]
fn forgeries_are_rejected() {
    let mut problems = Vec::new();
    for subject in subjects() {
        let mut modes = 0;
        for offer in subject.offers().filter(|offer| offer.operation == Operation::Open) {
            let what = subject.described(&offer);
            modes += 1;
            for contract in [Contract::Keyed, Contract::Oneshot] {
                let whole = opened(&subject, &offer, contract, inputs(&subject, &offer));
                if whole != Ok((0..40).collect()) {
                    problems.push(format!("{what}: {whole:?}"));
                }
                let has_aad = offer.lengths.aad.is_free();
                let aad: Forgery =
                    ("the associated data", |inputs| inputs.bytes_mut(Role::Aad)[0] ^= 1);
                for (part, forge) in FORGERIES.into_iter().chain(has_aad.then_some(aad)) {
                    let mut inputs = inputs(&subject, &offer);
                    if inputs.bytes(Role::Nonce).is_empty() && part == "the nonce" {
                        continue;
                    }
                    forge(&mut inputs);
                    if let Ok(output) = opened(&subject, &offer, contract, inputs) {
                        problems.push(format!("{what}: {part} is not looked at: {output:02x?}"));
                    }
                }
            }
        }
        println!("{}: {modes} modes reject forgeries", subject.name);
    }
    none(&problems);
}

/// A failure persists whatever follows it.
#[test]
fn a_failure_is_not_forgotten() {
    let is_meant =
        |offer: &Offer| offer.operation == Operation::Open && offer.lengths.aad.is_free();
    each_offer(is_meant, |subject, offer, problems| {
        let mut inputs = inputs(subject, offer);
        let aad = inputs.bytes_mut(Role::Aad).as_mut_ptr();
        let mut call = subject.library.ready(offer, Contract::Keyed, inputs).unwrap();
        let outcomes = [0, 1, 1].map(|change| {
            // SAFETY: the first byte of the associated data, which the call keeps where it is, and
            // which nothing reads or writes between two runs.
            unsafe { *aad ^= change };
            call.run(1);
            call.output().is_ok()
        });
        // Providers in Rust copy their inputs and never see the change.
        let is_unseen = outcomes == [true; 3] && !subject.is_known();
        if outcomes != [true, false, false] && !is_unseen {
            problems.push(format!("{}: {outcomes:?}", subject.described(offer)));
        }
    });
}
