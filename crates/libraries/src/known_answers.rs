//! Known answers, by canonical name.

/// The output of a primitive for the message `i mod 251`, and for the key and salt
/// of [`Inputs`](crate::Inputs) where it has them; a derivation's after one iteration.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAnswer {
    /// The primitive.
    pub primitive: String,
    /// Length of the message.
    pub message_bytes: usize,
    /// The output; its length is the output length asked for.
    pub output: Vec<u8>,
}

/// The known answers of a primitive, shortest message first, then shortest output. Their origin is
/// stated in `vectors/README.md`.
#[must_use]
pub fn of(primitive: &str) -> Vec<KnownAnswer> {
    KNOWN_ANSWERS
        .iter()
        .flat_map(|file| file.lines())
        .filter_map(|line| {
            let mut fields = line.split(',');
            let name = fields.next()?;
            let message_bytes = fields.next()?.parse().ok()?;
            let output = from_hexadecimal(fields.next()?)?;
            (name == primitive).then(|| KnownAnswer {
                primitive: name.to_owned(),
                message_bytes,
                output,
            })
        })
        .collect()
}

const KNOWN_ANSWERS: &[&str] = &[
    include_str!("../../../vectors/pattern/keccak.csv"),
    include_str!("../../../vectors/pattern/codec.csv"),
    include_str!("../../../vectors/pattern/sha.csv"),
];

fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits?;
    (digits.len() % 2 == 0).then(|| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_known_answers_is_read() {
        // The first line of a file is its header.
        let lines = || KNOWN_ANSWERS.iter().flat_map(|file| file.lines().skip(1));
        let primitives: std::collections::BTreeSet<&str> =
            lines().filter_map(|line| line.split(',').next()).collect();
        let read: usize = primitives.iter().map(|name| of(name).len()).sum();
        assert_eq!(read, lines().count());
        for name in primitives {
            assert!(of(name).len() >= 8, "{name}");
        }
    }
}
