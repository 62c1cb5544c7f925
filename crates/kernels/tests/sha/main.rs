//! One suite for SHA-1 and SHA-2, and for HMAC, HKDF and PBKDF2 with them, on every
//! backend.

#![allow(
    clippy::panic,
    clippy::print_stdout,
    clippy::unwrap_used,
    reason = "all of it is test code, which clippy sees only in #[test] functions"
)]

mod cavp;
mod edges;
mod hkdf;
mod hmac;
mod oracle;
mod pbkdf2;
mod random;
mod records;

use oracle::Tested;

/// Runs a test of a hash on every backend this CPU has, naming and counting the
/// others.
///
/// # Panics
/// If there was none to run on.
fn on_every_backend<H: Tested>(test: &str, mut run: impl FnMut(H::Backend, &str)) {
    let test = format!("{} {test}", H::NAME);
    let (mut ran, mut skipped) = (0, 0);
    for name in H::BACKENDS {
        match H::backend(name) {
            Ok(backend) => {
                run(backend, name);
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

/// Calls a generic test with each of the seven hashes.
macro_rules! for_every_hash {
    ($test:ident) => {{
        use cpb_kernels::{sha1, sha256, sha512};
        $test::<sha1::Sha1>();
        $test::<sha256::Sha224>();
        $test::<sha256::Sha256>();
        $test::<sha512::Sha384>();
        $test::<sha512::Sha512>();
        $test::<sha512::Sha512_224>();
        $test::<sha512::Sha512_256>();
    }};
}
use for_every_hash;

/// Bytes in which swapped blocks show: the period divides no block size.
fn message(length: usize) -> Vec<u8> {
    (0..length).map(|i| (i % 251) as u8).collect()
}

/// What a set of known answers came to.
#[derive(Default)]
struct Count {
    run: usize,
    passed: usize,
}

impl Count {
    fn check(&mut self, right: bool, what: &str) {
        self.run += 1;
        if right {
            self.passed += 1;
        } else {
            println!("WRONG {what}");
        }
    }

    /// # Panics
    /// If an answer was wrong, or not all were found.
    fn finish(&self, test: &str, hash: &str, backend: &str, expected: usize) {
        let Self { run, passed } = self;
        println!("{test}: hash={hash} backend={backend} run={run} passed={passed}");
        assert_eq!(run, passed, "{test} of {hash} on {backend}");
        assert_eq!(*run, expected, "{test} of {hash} on {backend}: answers were lost");
    }
}
