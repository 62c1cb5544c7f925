//! NIST's known answers (CAVS 19.0, byte-oriented), every file, every backend.
//!
//! The rules are those of the SHA-3 Validation System (NIST, 2016): section 6.2.3
//! for SHA-3 Monte Carlo, section 6.3.3 for SHAKE Monte Carlo.

use cpb_kernels::keccak::Backend;

use crate::function::Function;
use crate::on_every_backend;

/// Answers in all files, so that a parser that loses some is noticed.
const ANSWERS: usize = 4642;

#[derive(Default)]
struct Count {
    run: usize,
    passed: usize,
}

impl Count {
    fn check(&mut self, actual: &[u8], expected: &str, what: &str) {
        self.run += 1;
        if hex(actual) == expected {
            self.passed += 1;
        } else {
            println!("keccak cavp: WRONG {what}");
        }
    }
}

#[test]
fn cavp() {
    on_every_backend("keccak cavp", |backend| {
        let mut count = Count::default();
        for (function, stem) in [
            (Function::Sha3_224, "SHA3_224"),
            (Function::Sha3_256, "SHA3_256"),
            (Function::Sha3_384, "SHA3_384"),
            (Function::Sha3_512, "SHA3_512"),
        ] {
            messages(backend, function, &format!("{stem}ShortMsg"), &mut count);
            messages(backend, function, &format!("{stem}LongMsg"), &mut count);
            sha3_monte_carlo(backend, function, &format!("{stem}Monte"), &mut count);
        }
        for (function, stem) in [(Function::Shake128, "SHAKE128"), (Function::Shake256, "SHAKE256")]
        {
            messages(backend, function, &format!("{stem}ShortMsg"), &mut count);
            messages(backend, function, &format!("{stem}LongMsg"), &mut count);
            messages(backend, function, &format!("{stem}VariableOut"), &mut count);
            shake_monte_carlo(backend, function, &format!("{stem}Monte"), &mut count);
        }
        let Count { run, passed } = count;
        println!("keccak cavp: backend={} run={run} passed={passed}", backend.name());
        assert_eq!(run, passed, "backend {}", backend.name());
        assert_eq!(run, ANSWERS, "backend {}", backend.name());
    });
}

/// ShortMsg, LongMsg and VariableOut: a message, its length in bits, an answer.
fn messages(backend: Backend, function: Function, file: &str, count: &mut Count) {
    for (number, record) in read(file).iter().enumerate() {
        let Some(message) = record.find("Msg") else {
            continue;
        };
        let mut message = bytes(message);
        // The empty message is written as one zero byte.
        if let Some(bits) = record.find("Len") {
            message.truncate(bits.parse::<usize>().unwrap() / 8);
        }
        let answer = record.find("MD").or(record.find("Output")).unwrap();
        let output = function.compute(backend, &message, answer.len() / 2);
        count.check(&output, answer, &format!("{file} record {number}"));
    }
}

/// 100 answers, each the end of a chain of 1000 digests.
fn sha3_monte_carlo(backend: Backend, function: Function, file: &str, count: &mut Count) {
    let records = read(file);
    let mut digest = bytes(records[0].find("Seed").unwrap());
    for (number, record) in records[1..].iter().enumerate() {
        for _ in 0..1000 {
            digest = function.compute(backend, &digest, 0);
        }
        let answer = record.find("MD").unwrap();
        count.check(&digest, answer, &format!("{file} count {number}"));
    }
}

/// As for SHA-3, but the message is the output's first 128 bits, and its last
/// 16 bits choose the next output's length.
fn shake_monte_carlo(backend: Backend, function: Function, file: &str, count: &mut Count) {
    let records = read(file);
    let bound = |name: &str| -> usize {
        let bits = records.iter().find_map(|record| record.find(name));
        bits.unwrap().parse::<usize>().unwrap() / 8
    };
    let least = bound("Minimum Output Length (bits)");
    let most = bound("Maximum Output Length (bits)");
    let mut output = bytes(records.iter().find_map(|record| record.find("Msg")).unwrap());
    let mut length = most;
    for (number, record) in
        records.iter().filter(|record| record.find("Output").is_some()).enumerate()
    {
        for _ in 0..1000 {
            output.resize(16, 0);
            output = function.compute(backend, &output, length);
            let last = [output[length - 2], output[length - 1]];
            length = least + usize::from(u16::from_be_bytes(last)) % (most - least + 1);
        }
        let answer = record.find("Output").unwrap();
        count.check(&output, answer, &format!("{file} count {number}"));
    }
}

/// The fields of one paragraph of a file, in brackets or not.
struct Record(Vec<(String, String)>);

impl Record {
    fn find(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(field, _)| field == name)?;
        Some(value)
    }
}

fn read(file: &str) -> Vec<Record> {
    let path = format!("{}/../../vectors/cavp/sha3/{file}.rsp", env!("CARGO_MANIFEST_DIR"));
    let text = std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"));
    let records: Vec<Record> = text
        .replace("\r\n", "\n")
        .split("\n\n")
        .map(|paragraph| {
            let fields = paragraph
                .lines()
                .filter(|line| !line.starts_with('#'))
                .filter_map(|line| line.trim_matches(['[', ']']).split_once(" = "))
                .map(|(name, value)| (name.into(), value.into()));
            Record(fields.collect())
        })
        .collect();
    // The size of a SHA-3 is known from the file's name.
    records
        .into_iter()
        .filter(|record| !record.0.is_empty() && record.find("L").is_none())
        .collect()
}

fn bytes(hex: &str) -> Vec<u8> {
    assert!(hex.len().is_multiple_of(2), "odd hexadecimal {hex}");
    (0..hex.len()).step_by(2).map(|i| u8::from_str_radix(&hex[i..i + 2], 16).unwrap()).collect()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}
