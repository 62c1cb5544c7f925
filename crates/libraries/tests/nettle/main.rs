//! The Nettle adapter against the library that is installed, or against the
//! one whose path `CPB_TEST_NETTLE` gives. Without either, nothing is tested.

#![allow(clippy::panic, clippy::print_stdout, reason = "helpers of tests do what tests do")]

mod answers;
mod contracts;
mod offers;
mod opening;

use cpb_libraries::{Library, OpenError, open};
use cpb_model::{Contract, Offer, Parameters, Workload};
use std::path::PathBuf;

fn library() -> Option<Box<dyn Library>> {
    let path = std::env::var_os("CPB_TEST_NETTLE").map(PathBuf::from);
    match open("nettle", path.as_deref()) {
        Ok(library) => Some(library),
        Err(error @ OpenError::Missing { .. }) if path.is_none() => {
            println!("skipped: nettle not installed ({error})");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn workload(offer: &Offer, contract: Contract, parameters: Parameters) -> Workload {
    Workload {
        primitive: offer.primitive.clone(),
        operation: offer.operation,
        contract,
        parameters,
    }
}

fn parameters(message_bytes: usize, aad_bytes: usize, iterations: Option<u64>) -> Parameters {
    Parameters { message_bytes, aad_bytes, iterations, ..Parameters::default() }
}

/// What three calls put out, or why not.
fn output(
    library: &dyn Library,
    offer: &Offer,
    contract: Contract,
    parameters: Parameters,
) -> Result<Vec<u8>, String> {
    let workload = workload(offer, contract, parameters);
    let mut call = library.prepare(offer, &workload).map_err(|error| error.to_string())?;
    assert_eq!(call.output(), Ok(Vec::new()), "nothing has been called yet");
    call.run(3);
    call.output()
}

fn described(offer: &Offer) -> String {
    format!("{} {} ({})", offer.spelling, offer.operation.name(), offer.primitive)
}
