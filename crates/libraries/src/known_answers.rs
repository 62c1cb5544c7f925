//! Lists known answers, by canonical name and operation.

use cpb_model::{Operation, Parameters, Role};

/// The key length of a MAC, whatever an implementation states.
const MAC_KEY_BYTES: usize = 32;
/// The length of a derivation's password or key, and of its salt.
const SECRET_BYTES: usize = 16;

/// The output of a primitive for the message `i mod 251`, with the key and the nonce or salt of
/// [`Inputs`](crate::Inputs) if it has them. Derivations use one iteration, AEADs no associated
/// data unless they are the message.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAnswer {
    pub primitive: String,
    /// What is done with the message.
    pub operation: Operation,
    pub message_bytes: usize,
    /// The output, which has the requested output length.
    pub output: Vec<u8>,
}

impl KnownAnswer {
    /// Returns the parameters of this answer.
    pub fn parameters(&self) -> Parameters {
        let (key_bytes, nonce_bytes) = match self.operation.row().takes {
            [Role::Password, ..] => (Some(SECRET_BYTES), Some(SECRET_BYTES)),
            _ if self.operation.row().group == "mac" => (Some(MAC_KEY_BYTES), None),
            _ => (None, None),
        };
        Parameters {
            message_bytes: self.message_bytes,
            key_bytes,
            nonce_bytes,
            output_bytes: Some(self.output.len()),
            ..Parameters::default()
        }
    }
}

/// Returns the known answers of a primitive's operation, by rising message length and then output
/// length. Inverses (decrypt, open, decode) have none. `vectors/README.md` states their sources.
pub fn of(primitive: &str, operation: Operation) -> Vec<KnownAnswer> {
    if operation.inverse().is_some() {
        return Vec::new();
    }
    let answer = |line: &str| {
        let mut fields = line.split(',');
        let name = fields.next().filter(|name| *name == primitive)?;
        let message_bytes = fields.next()?.parse().ok()?;
        let output = from_hexadecimal(fields.next()?)?;
        // If none is named, the primitive has only one operation in this direction.
        let is_meant = fields.next().is_none_or(|named| named == operation.name());
        is_meant.then(|| KnownAnswer {
            primitive: name.to_owned(),
            operation,
            message_bytes,
            output,
        })
    };
    KNOWN_ANSWERS.iter().flat_map(|file| file.lines()).filter_map(answer).collect()
}

const KNOWN_ANSWERS: &[&str] = &[
    include_str!("../../../vectors/pattern/keccak.csv"),
    include_str!("../../../vectors/pattern/codec.csv"),
    include_str!("../../../vectors/pattern/sha.csv"),
    include_str!("../../../vectors/pattern/chacha20-poly1305.csv"),
    include_str!("../../../vectors/pattern/blake.csv"),
];

pub(crate) fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits?;
    (digits.len() % 2 == 0).then(|| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::BTreeSet;

    #[test]
    fn every_line_of_known_answers_is_read() {
        // The first line of a file is its header.
        let lines = || KNOWN_ANSWERS.iter().flat_map(|file| file.lines().skip(1));
        // The fourth field names an operation; without it, every one applies.
        let kinds: BTreeSet<(&str, Operation)> = lines()
            .filter_map(|line| {
                let fields: Vec<&str> = line.split(',').collect();
                let named = |operation: &Operation| fields.get(3) == Some(&operation.name());
                let operation = Operation::ALL.into_iter().find(named);
                Some((*fields.first()?, operation.unwrap_or(Operation::Hash)))
            })
            .collect();
        let read: usize = kinds.iter().map(|(name, operation)| of(name, *operation).len()).sum();
        assert_eq!(read, lines().count());
        for (name, operation) in kinds {
            assert!(of(name, operation).len() >= 8, "{name} {}", operation.name());
        }
    }

    #[test]
    fn an_answer_is_of_the_operation_that_is_asked_for() {
        let bytes = |operation| {
            let answers = of("chacha20-poly1305", operation);
            answers.iter().map(|answer| answer.output.len()).max()
        };
        assert_eq!(bytes(Operation::Seal), Some(4096 + 16));
        assert_eq!(bytes(Operation::Auth), Some(16));
        assert_eq!(bytes(Operation::Open), None);
        assert!(of("chacha20", Operation::Decrypt).is_empty());
        assert!(of("base64", Operation::Decode).is_empty());
    }
}
