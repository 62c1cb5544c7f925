//! Tests known answers in the folders of implementations.

use super::{Tree, reason, toy};
use cpb_model::Verification;
use std::fmt::Write;

/// Computes the sum of `toys/toy.h`.
fn sum(message: &[u8], key: &[u8]) -> [u8; 8] {
    let step = |hash: u64, byte: &u8| (hash ^ u64::from(*byte)).wrapping_mul(0x100_0000_01b3);
    key.iter().chain(message).fold(0xcbf2_9ce4_8422_2325, step).to_le_bytes()
}

/// Computes the output of `toys/aead.c` for sealing.
fn sealed(message: &[u8], aad: &[u8], nonce: &[u8], key: &[u8]) -> Vec<u8> {
    let tag = sum(nonce, &sum(aad, &sum(message, key)));
    let masked = message.iter().zip(key.iter().cycle()).map(|(byte, key)| byte ^ key);
    masked.chain(tag).collect()
}

fn hexadecimal(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02X}")).collect()
}

fn records(fields: impl Fn(usize) -> Vec<(&'static str, Vec<u8>)>) -> String {
    let mut text = String::new();
    for count in 0..40 {
        let _ = writeln!(text, "Count = {}", count + 1);
        for (name, bytes) in fields(count) {
            let _ = writeln!(text, "{name} = {}", hexadecimal(&bytes));
        }
        text.push('\n');
    }
    text
}

#[test]
fn submissions_to_the_lightweight_competition_are_held_to_their_files() {
    let tree = Tree::new();
    let bytes = |count: usize, first: u8| (0..count).map(|i| first + i as u8).collect::<Vec<u8>>();
    let of_hash = |count| {
        let message = bytes(count, 0);
        vec![("MD", toy(&message)), ("Msg", message)]
    };
    tree.toy("ref", "", "");
    tree.toy("wrong", "", "out[7] ^= bytes == 17;");
    let hash = "crypto_hash/toy/LWC_HASH_KAT_256.txt";
    tree.file(hash, &records(of_hash));

    let of_aead = |count: usize| {
        let (key, nonce) = (bytes(8, 16), bytes(8, 32));
        let (message, aad) = (bytes(count % 7, 0), bytes(count / 7, 64));
        let sealed = sealed(&message, &aad, &nonce, &key);
        vec![("Key", key), ("Nonce", nonce), ("PT", message), ("AD", aad), ("CT", sealed)]
    };
    let aead = include_str!("toys/aead.c").replace("crypto_aead.h", "api.h");
    for name in ["ref", "opens"] {
        // The decryption is wrong for one record only.
        let wrong = "*m_bytes = bytes;\n    if (aad_bytes == 3) m[0] ^= bytes == 6;";
        let source =
            if name == "ref" { aead.clone() } else { aead.replace("*m_bytes = bytes;", wrong) };
        let folder = format!("crypto_aead/toy/Implementations/{name}");
        tree.file(&format!("{folder}/source.c"), &source);
        tree.file(&format!("{folder}/toy.h"), include_str!("toys/toy.h"));
        tree.file(
            &format!("{folder}/api.h"),
            "#define CRYPTO_KEYBYTES 8\n#define CRYPTO_NSECBYTES 0\n#define CRYPTO_NPUBBYTES 8\n\
             #define CRYPTO_ABYTES 8\n",
        );
    }
    tree.file("crypto_aead/toy/LWC_AEAD_KAT_64_64.txt", &records(of_aead));

    let run = tree.ends("", "", 1, &[]);
    let found = reason(&run, "wrong");
    assert!(found.contains("LWC_HASH_KAT_256.txt, Count = 18: its MD is"), "{found}");
    let found = reason(&run, "Implementations/opens");
    assert!(found.contains("does not give back") || found.contains("Count ="), "{found}");
    for record in run.records.iter().filter(|record| record.failure.is_none()) {
        let is_proved = matches!(
            record.verification,
            Some(Verification::KnownAnswer | Verification::RoundTrip)
        );
        assert!(is_proved, "{:?} {:?}", record.subject, record.verification);
    }
    assert_eq!(reason(&run, "Implementations/ref"), "it was measured");

    // A changed file is checked again.
    tree.file(hash, &records(of_hash).replacen("Count = 3", "Count 3", 1));
    let (_, run) = tree.run("crypto_hash/toy/ref", "");
    let found = reason(&run, "ref");
    assert!(found.contains("line 9 is no"), "{found}");
}

/// The first record of the toy: the output of NIST's generator for that seed, and its sum.
const RECORD: &str = "\
count = 0
seed = 061550234D158C5EC95595FE04EF7A25767F2E24CC2BC479D09D86DC9ABCFDE7056A8C266F9EF97ED08541DBD2E1FFA1
pk = 7C9935A0B07694AA
sk = 7C9935A0B07694AA
ct = 91282214654CB55E
ss = 7AE3AAC6EFD5DF00
";
const DIGEST: &str = "30c75e7950a23ea40224236f9fe647e304659ed101b52eda74ad26e355be290b";

#[test]
fn submissions_to_the_post_quantum_competition_and_pqclean_are_held_to_their_files() {
    let tree = Tree::new();
    let folder = "crypto_kem/toy";
    tree.file(&format!("{folder}/ref/kem.c"), include_str!("toys/kem.c"));
    tree.file(&format!("{folder}/ref/toy.h"), include_str!("toys/toy.h"));
    let lengths = ["BYTES", "SECRETKEYBYTES", "PUBLICKEYBYTES", "CIPHERTEXTBYTES"];
    let api: String = lengths.iter().map(|name| format!("#define CRYPTO_{name} 8\n")).collect();
    tree.file(&format!("{folder}/ref/api.h"), &api);
    let told = |records: &str, digest: &str| {
        tree.file(&format!("{folder}/PQCkemKAT_8.rsp"), &format!("# toy\n\n{records}"));
        tree.file(&format!("{folder}/META.yml"), &format!("name: toy\nnistkat-sha256: {digest}\n"));
        reason(&tree.run("", "").1, "ref")
    };
    assert_eq!(told(RECORD, DIGEST), "it was measured");
    let found = told(&RECORD.replace("ss = ", "ss = 00"), DIGEST);
    assert!(found.contains("PQCkemKAT_8.rsp, count = 0: its ss is"), "{found}");
    let found = told(RECORD, &DIGEST.replace(|c: char| c.is_ascii_digit(), "0"));
    assert!(found.contains("META.yml: its nistkat-sha256 is"), "{found}");
    // This record has other parameters.
    assert_eq!(told(&RECORD.replace("pk = ", "pk = 00"), DIGEST), "it was measured");
}
