//! Tests calls whose input is the output of the previous call: such a chain has the same end
//! in every library.

use crate::installed;
use cpb_libraries::dependence::{Dependence, NoDependence, one_by_one};
use cpb_libraries::{Library, prepare};
use cpb_model::{Contract, Offer, Operation, Parameters};

/// Libraries called in each way: our own, through the C interface, and through a Rust
/// function.
const LIBRARIES: [&str; 6] = ["native", "openssl", "gcrypt", "nettle", "botan", "libsodium"];

/// Returns the output of the last of a few calls.
fn end(
    library: &dyn Library,
    offer: &Offer,
    dependence: Dependence,
) -> Result<Vec<u8>, NoDependence> {
    let parameters = Parameters::of_message(64);
    let workload = offer.call(Contract::Keyed, parameters);
    let call = prepare(library, offer, &workload).unwrap();
    let mut call = one_by_one(call, &workload, dependence)?;
    call.run(1);
    call.run(4);
    Ok(call.output().unwrap())
}

#[test]
fn the_same_chain_has_the_same_end_in_every_library() {
    let opened: Vec<(&str, Box<dyn Library>)> =
        LIBRARIES.iter().filter_map(|name| Some((*name, installed(name, None)?))).collect();
    for (primitive, operation) in [
        ("sha256", Operation::Hash),
        ("shake128", Operation::Xof),
        ("hmac-sha256", Operation::Mac),
        ("aes-128-gcm", Operation::Seal),
        ("chacha20-poly1305", Operation::Seal),
        ("chacha20-poly1305", Operation::Auth),
        ("ed25519", Operation::Sign),
    ] {
        let mut ends = Vec::new();
        for (name, library) in &opened {
            let is_it = |offer: &&Offer| {
                offer.primitive == primitive
                    && offer.operation == operation
                    && offer.default_backend
                    && offer.unavailable.is_none()
            };
            let Some(offer) = library.offers().iter().find(is_it) else { continue };
            match end(library.as_ref(), offer, Dependence::Dependent) {
                Ok(output) => {
                    let beside = end(library.as_ref(), offer, Dependence::Independent).unwrap();
                    assert_ne!(output, beside, "{name} {primitive}");
                    ends.push((name, output));
                }
                // Some libraries take messages or return outputs in a form of their own.
                Err(reason) => {
                    println!("{name} {primitive} {}: {reason}", operation.name());
                    assert!(["gcrypt", "botan"].contains(name), "{name} {primitive}: {reason}");
                }
            }
        }
        println!("{primitive} {}: {}", operation.name(), ends.len());
        assert!(ends.iter().all(|(_, end)| *end == ends[0].1), "{primitive}: {ends:?}");
    }
}
