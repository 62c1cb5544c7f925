//! One suite for every Keccak backend.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "all of it is test code, which clippy sees only in #[test] functions"
)]

mod cavp;
mod edges;
mod function;
mod naive;
mod random;

use cpb_kernels::keccak::Backend;

/// Runs a test on every backend this CPU has, naming and counting the others.
///
/// # Panics
/// If there was none to run on.
fn on_every_backend(test: &str, mut run: impl FnMut(Backend)) {
    let mut ran = 0;
    let mut skipped = 0;
    for name in Backend::NAMES {
        match Backend::by_name(name) {
            Ok(backend) => {
                run(backend);
                ran += 1;
            }
            Err(reason) => {
                println!("{test}: skipped backend={name} reason={reason}");
                skipped += 1;
            }
        }
    }
    println!("{test}: backends run={ran} skipped={skipped}");
    assert!(ran > 0, "{test}: every backend was skipped");
}

/// Bytes in which swapped blocks show: the period divides no block size.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}
