//! What is Nettle's alone: what it would abort on, and that compat goes on.

#![allow(clippy::panic, clippy::print_stdout, clippy::unwrap_used, reason = "these are tests")]

use cpb_libraries::{Library, OpenError, PrepareError, open};
use cpb_model::{Contract, Offer, Parameters, Workload};
use std::path::PathBuf;

/// The installed library, or the one whose path `CPB_TEST_NETTLE` gives.
fn library() -> Option<Box<dyn Library>> {
    let path = std::env::var_os("CPB_TEST_NETTLE").map(PathBuf::from);
    match open("nettle", path.as_deref()) {
        Ok(library) => Some(library),
        Err(error @ OpenError::Missing { .. }) if path.is_none() => {
            println!("skipped: {error}");
            None
        }
        Err(error) => panic!("{error}"),
    }
}

fn workload(offer: &Offer, contract: Contract, parameters: Parameters) -> Workload {
    let (primitive, operation) = (offer.primitive.clone(), offer.operation);
    Workload { primitive, operation, contract, parameters }
}

#[test]
fn what_nettle_would_abort_on_is_refused() {
    let Some(library) = library() else { return };
    let usual = Parameters::default();
    let iterations = |iterations| Parameters { iterations: Some(iterations), ..usual };
    let message = |message_bytes| Parameters { message_bytes, ..usual };
    for (spelling, parameters) in [
        ("xts_aes128", message(0)),
        ("ccm_aes128", message(1 << 24)),
        ("pbkdf2_hmac_sha256", iterations(0)),
        ("pbkdf2_hmac_sha256", iterations(1 << 32)),
        ("hkdf_hmac_sha256", Parameters { output_bytes: Some(255 * 32 + 1), ..usual }),
    ] {
        let mut asked = 0;
        for offer in library.offers().iter().filter(|offer| offer.spelling == spelling) {
            match library.prepare(offer, &workload(offer, Contract::Keyed, parameters)) {
                Err(PrepareError::Unavailable(_) | PrepareError::DoesNotFit(_)) => asked += 1,
                Err(error) => panic!("{spelling}: {error}"),
                Ok(_) => panic!("{spelling} takes {parameters:?}"),
            }
        }
        assert!(asked > 0, "{spelling} is not offered");
    }
}

#[test]
fn compat_goes_on_where_the_last_call_ended() {
    let Some(library) = library() else { return };
    for offer in library.offers() {
        let Some(row) = &offer.row else { continue };
        let parameters = Parameters { message_bytes: 64, ..Parameters::default() };
        let outputs = [1, 2].map(|calls| {
            let workload = workload(&offer, Contract::Compat, parameters);
            let mut call = library.prepare(&offer, &workload).unwrap();
            call.run(calls);
            call.output().unwrap()
        });
        // Only what leaves the buffer alone does the same in every call.
        let repeats = row.group == "hash" || row.mode.ends_with("auth");
        assert_eq!(outputs[0] == outputs[1], repeats, "{row:?}");
        if row.group == "hash" {
            assert_eq!(outputs[0].len(), 1, "{row:?}");
        }
    }
}
