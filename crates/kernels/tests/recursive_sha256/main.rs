//! One suite for every form of recursive SHA-256.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "all of it is test code, which clippy sees only in #[test] functions"
)]

mod known;
mod lanes;
mod random;

use cpb_kernels::recursive_sha256::{Backend, Form};

/// Runs a test on every form of every backend this CPU has, naming and counting the
/// other backends.
///
/// # Panics
/// If there was none to run on.
fn on_every_form(test: &str, mut run: impl FnMut(Form)) {
    let mut ran = 0;
    let mut skipped = 0;
    for name in Backend::NAMES {
        match Backend::by_name(name) {
            Ok(backend) => {
                for width in backend.widths() {
                    run(Form::new(backend, *width).unwrap());
                    ran += 1;
                }
            }
            Err(reason) => {
                println!("{test}: skipped backend={name} reason={reason}");
                skipped += 1;
            }
        }
    }
    println!("{test}: forms run={ran} backends skipped={skipped}");
    assert!(ran > 0, "{test}: every backend was skipped");
}

fn portable() -> Form {
    Form::new(Backend::by_name("portable").unwrap(), 1).unwrap()
}

/// Lanes that differ in every byte.
fn distinct_lanes(count: usize) -> Vec<[u8; 32]> {
    (0..count).map(|lane| std::array::from_fn(|i| (lane * 37 + i * 101 + 11) as u8)).collect()
}
