//! Tests what is specific to one library, calls that depend on each other, and users' own
//! providers.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "clippy.toml allows them in tests, and knows no functions that tests call"
)]

mod botan;
mod cryptopp;
mod dependence;
mod gcrypt;
mod nettle;
mod openssl;
mod provider;
#[path = "../skipped/mod.rs"]
mod skipped;

use cpb_libraries::{Library, OpenError, prepare};
use cpb_model::{Contract, Offer, Parameters};
use std::path::Path;
use std::sync::Mutex;

/// Opens a library as a program with the shims does. Libraries are opened one after the
/// other, because one may initialize global state.
fn open(name: &str, path: Option<&Path>) -> Result<Box<dyn Library>, OpenError> {
    static OPENING: Mutex<()> = Mutex::new(());
    let _one_at_a_time = OPENING.lock();
    cpb_libraries::install_shims(cpb_shims::SHIMS);
    cpb_libraries::open(name, path)
}

/// Opens the library, or the build of it at `path`; prints a line and returns `None` if it
/// is missing.
fn installed(name: &str, path: Option<&Path>) -> Option<Box<dyn Library>> {
    match open(name, path) {
        Ok(library) => Some(library),
        Err(error @ OpenError::Missing { .. }) if path.is_none() => {
            skipped::skipped(error);
            None
        }
        Err(error) => panic!("{error}"),
    }
}

/// Returns the output after this many calls, or why there is none.
fn output(
    library: &dyn Library,
    offer: &Offer,
    contract: Contract,
    parameters: Parameters,
    calls: u64,
) -> Result<Vec<u8>, String> {
    let call = prepare(library, offer, &offer.call(contract, parameters));
    let mut call = call.map_err(|error| error.to_string())?;
    call.run(calls);
    call.output()
}

/// Opens the library, or the build of it at the path in `CPB_TEST_…`.
fn given(name: &str) -> Option<Box<dyn Library>> {
    let variable = format!("CPB_TEST_{}", name.to_ascii_uppercase());
    installed(name, std::env::var_os(variable).as_deref().map(Path::new))
}

#[test]
fn a_version_behind_a_known_name_is_a_build_of_it() {
    cpb_libraries::install_shims(cpb_shims::SHIMS);
    for (name, library) in [
        ("openssl-4", "openssl"),
        ("ipsec-mb-1.5", "ipsec-mb"),
        ("openssl", "openssl"),
        ("openssl-", "openssl-"),
        ("openssl-quic", "openssl-quic"),
        ("openssl4", "openssl4"),
        ("aws-lc", "aws-lc"),
    ] {
        assert_eq!(cpb_libraries::folder::build_of(name), library, "{name}");
    }
}
