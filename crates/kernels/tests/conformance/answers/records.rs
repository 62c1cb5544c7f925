//! Reads files of known answers, which are paragraphs of `name = value`, and counts
//! the results.

use cpb_kernels::Backend;
use data_encoding::HEXLOWER_PERMISSIVE;

use crate::on_every_backend;

/// Holds the fields of one paragraph.
pub struct Record(Vec<(String, String)>);

impl Record {
    pub fn find(&self, name: &str) -> Option<&str> {
        let (_, value) = self.0.iter().find(|(field, _)| field.eq_ignore_ascii_case(name))?;
        Some(value)
    }

    pub fn text(&self, name: &str) -> &str {
        self.find(name).unwrap_or_else(|| panic!("a record without {name}"))
    }

    pub fn number(&self, name: &str) -> usize {
        self.text(name).parse().unwrap()
    }

    /// Returns a field's bytes, written in hexadecimal or as text in quotes.
    pub fn bytes(&self, name: &str) -> Vec<u8> {
        let text = self.text(name);
        match text.strip_prefix('"').and_then(|text| text.strip_suffix('"')) {
            Some(text) => text.as_bytes().to_vec(),
            None => bytes(text),
        }
    }

    pub fn array<const N: usize>(&self, name: &str) -> [u8; N] {
        self.bytes(name).try_into().unwrap()
    }
}

/// The folder of known answers.
pub const VECTORS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../vectors");

fn text(file: &str) -> String {
    let path = format!("{VECTORS}/{file}");
    std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Returns how many lines of a file under `vectors/` give the field `name`.
pub fn count(file: &str, name: &str) -> usize {
    text(file).lines().filter(|line| line.starts_with(&format!("{name} ="))).count()
}

/// Returns the records of a file under `vectors/` that have the field `name`.
pub fn read(file: &str, name: &str) -> Vec<Record> {
    let text = text(file);
    let mut records = vec![Record(Vec::new())];
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((field, value)) = line.trim_matches(['[', ']']).split_once('=') {
            let (field, value) = (field.trim().to_owned(), value.trim().to_owned());
            match records.last_mut() {
                // A repeated field starts a new record.
                Some(record) if record.find(&field).is_none() => record.0.push((field, value)),
                _ => records.push(Record(vec![(field, value)])),
            }
        }
    }
    records.retain(|record| record.find(name).is_some());
    records
}

pub fn bytes(hex: &str) -> Vec<u8> {
    HEXLOWER_PERMISSIVE.decode(hex.as_bytes()).unwrap()
}

pub fn array<const N: usize>(hex: &str) -> [u8; N] {
    bytes(hex).try_into().unwrap()
}

/// Counts the results of a set of known answers.
#[derive(Default)]
pub struct Count {
    run: usize,
    passed: usize,
}

impl Count {
    pub fn check(&mut self, right: bool, what: &str) {
        self.run += 1;
        if right {
            self.passed += 1;
        } else {
            println!("WRONG {what}");
        }
    }

    fn must_be(&self, expected: usize, test: &str, name: &str) {
        let Self { run, passed } = *self;
        println!("{test}: backend={name} run={run} passed={passed}");
        assert_eq!(run, passed, "{test} on {name}");
        assert_eq!(run, expected, "{test} on {name}: answers were lost");
    }
}

/// Checks known answers on every backend; `check` counts the results, and returns how many there
/// must be.
///
/// # Panics
/// If an answer was wrong, or not all were found.
pub fn every_backend_answers<B: Backend>(
    test: &str,
    mut check: impl FnMut(B, &mut Count) -> usize,
) {
    on_every_backend(test, |backend: B| {
        let (mut count, name) = (Count::default(), backend.name());
        let expected = check(backend, &mut count);
        count.must_be(expected, test, name);
    });
}
