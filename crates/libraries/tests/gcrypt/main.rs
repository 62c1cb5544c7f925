//! libgcrypt: what it offers, that all of it runs, and that it is right.

#![allow(
    clippy::unwrap_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "allowed in tests, and these are their helpers"
)]

mod answers;
mod contracts;
mod names;
mod opening;
mod rows;

use cpb_libraries::{Library, OpenError};
use cpb_model::{Contract, Offer, Parameters, Workload};

/// The installed library; `None`, and a word about it, where there is none.
fn installed() -> Option<Box<dyn Library>> {
    match cpb_libraries::open("gcrypt", None) {
        Ok(library) => Some(library),
        Err(OpenError::Missing { .. }) => {
            println!("skipped: libgcrypt is not installed");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn version(library: &dyn Library) -> (u32, u32) {
    let version = library.identity().version;
    let mut numbers = version.split('.').map(|number| number.parse().unwrap());
    (numbers.next().unwrap(), numbers.next().unwrap())
}

/// Whether the library can be used whole, as it cannot in FIPS mode, or in a
/// version older than 1.10.
fn is_whole(library: &dyn Library) -> bool {
    let is_restricted = library.offers().iter().any(|offer| offer.unavailable.is_some());
    version(library) >= (1, 10) && !is_restricted
}

fn parameters(message_bytes: usize) -> Parameters {
    Parameters { message_bytes, ..Parameters::default() }
}

fn output(
    library: &dyn Library,
    offer: &Offer,
    contract: Contract,
    parameters: Parameters,
) -> Result<Vec<u8>, String> {
    let workload = Workload {
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract,
        parameters,
    };
    let mut prepared = library.prepare(offer, &workload).map_err(|error| error.to_string())?;
    assert_eq!(prepared.output().unwrap(), [], "an output before the first call");
    prepared.run(3);
    prepared.output()
}

/// Problems that are none: a policy is to be obeyed.
fn without_what_fips_forbids(problems: Vec<String>) -> Vec<String> {
    let (forbidden, problems): (Vec<String>, Vec<String>) =
        problems.into_iter().partition(|problem| problem.contains("libgcrypt is in FIPS mode"));
    for problem in forbidden {
        println!("{problem}");
    }
    problems
}
