//! Checks NIST's known answers (CAVS 11 and 19, byte-oriented), every file, on every
//! backend.
//!
//! The Monte Carlo rules are those of the Secure Hash Algorithm Validation System (NIST,
//! 2014), section 6.4, and of the SHA-3 Validation System (NIST, 2016), section 6.2.3
//! for SHA-3 and 6.3.3 for SHAKE.

use std::path::Path;

use cpb_kernels::hash::Hash;
use cpb_kernels::sha3::{Shake128, Shake256};
use cpb_kernels::{hashes, keccak};

use super::records::{Count, VECTORS, count, every_backend_answers, read};

#[test]
fn every_hash() {
    hashes!(cavp_of);
}

fn cavp_of<H: Hash>() {
    let stem = H::NAME.to_ascii_uppercase().replace('-', "_");
    every_backend_answers(&format!("cavp {stem}"), |backend: H::Backend, answers| {
        hash_answers(&stem, answers, &|message| H::hash(backend, message).as_ref().to_vec())
    });
}

/// Checks a hash's messages and its Monte Carlo test; returns how many answers there must be.
fn hash_answers(stem: &str, answers: &mut Count, digest: &dyn Fn(&[u8]) -> Vec<u8>) -> usize {
    // SHA-3 hashes its last digest; the earlier functions hash the last three.
    let digests = if stem.starts_with("SHA3_") { 1 } else { 3 };
    let files = [find(stem, "ShortMsg"), find(stem, "LongMsg")];
    for file in files.iter().flatten() {
        messages(file, "MD", answers, &|message, _| digest(message));
    }
    let monte = find(stem, "Monte");
    if let Some(file) = &monte {
        let mut seed = read(file, "Seed")[0].bytes("Seed");
        for record in read(file, "MD") {
            let mut last = vec![seed; digests];
            for _ in 0..1000 {
                let next = digest(&last.concat());
                last.rotate_left(1);
                last[digests - 1] = next;
            }
            seed = last.swap_remove(digests - 1);
            let what = format!("{file}: {}", record.text("COUNT"));
            answers.check(seed == record.bytes("MD"), &what);
        }
    }
    let files = files.iter().chain([&monte]).flatten();
    let expected = files.map(|file| count(file, "MD")).sum();
    assert!(expected > 0, "there are no known answers of {stem}: where is {stem}ShortMsg.rsp?");
    expected
}

type Xof = fn(keccak::Backend, &[u8], &mut [u8]);

#[test]
fn every_shake() {
    let shakes: [(&str, Xof); 2] =
        [("SHAKE128", Shake128::xof_with), ("SHAKE256", Shake256::xof_with)];
    for (stem, xof) in shakes {
        every_backend_answers(&format!("cavp {stem}"), |backend: keccak::Backend, answers| {
            let output = |message: &[u8], bytes: usize| {
                let mut out = vec![0; bytes];
                xof(backend, message, &mut out);
                out
            };
            let mut expected = 0;
            for (kind, field) in [("ShortMsg", "MD"), ("LongMsg", "MD"), ("VariableOut", "Output")]
            {
                let file = find(stem, kind).unwrap();
                messages(&file, field, answers, &output);
                expected += count(&file, field);
            }
            let file = find(stem, "Monte").unwrap();
            shake_monte_carlo(&file, answers, output);
            expected + count(&file, "Output")
        });
    }
}

/// Checks messages with their lengths in bits against the answers.
fn messages(
    file: &str,
    field: &str,
    answers: &mut Count,
    output: &dyn Fn(&[u8], usize) -> Vec<u8>,
) {
    for (number, record) in read(file, field).iter().enumerate() {
        let (mut message, answer) = (record.bytes("Msg"), record.bytes(field));
        // The empty message is written as one zero byte.
        if record.find("Len").is_some() {
            message.truncate(record.number("Len") / 8);
        }
        let right = output(&message, answer.len()) == answer;
        answers.check(right, &format!("{file}: record {number}"));
    }
}

/// The next message is the first 128 bits of the output, whose last 16 bits choose the
/// next output's length.
fn shake_monte_carlo(file: &str, answers: &mut Count, xof: impl Fn(&[u8], usize) -> Vec<u8>) {
    let bytes = |name| read(file, name)[0].number(name) / 8;
    let least = bytes("Minimum Output Length (bits)");
    let most = bytes("Maximum Output Length (bits)");
    let mut output = read(file, "Msg")[0].bytes("Msg");
    let mut length = most;
    for record in read(file, "Output") {
        for _ in 0..1000 {
            output.resize(16, 0);
            output = xof(&output, length);
            let last = [output[length - 2], output[length - 1]];
            length = least + usize::from(u16::from_be_bytes(last)) % (most - least + 1);
        }
        let what = format!("{file}: {}", record.text("COUNT"));
        answers.check(output == record.bytes("Output"), &what);
    }
}

/// Returns the path of the file of that kind, either NIST's or one in the folder of the
/// hash itself.
fn find(stem: &str, kind: &str) -> Option<String> {
    ["cavp", "../crates/kernels/src"].into_iter().find_map(|parent| {
        let folders = std::fs::read_dir(format!("{VECTORS}/{parent}")).unwrap();
        let mut names = folders.map(|folder| folder.unwrap().file_name().into_string().unwrap());
        names.find_map(|folder| {
            let file = format!("{parent}/{folder}/{stem}{kind}.rsp");
            Path::new(&format!("{VECTORS}/{file}")).is_file().then_some(file)
        })
    })
}
