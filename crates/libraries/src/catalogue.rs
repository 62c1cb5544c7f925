//! The primitives: canonical names, other spellings, and known answers. One
//! table; a new primitive is a new line in [`PRIMITIVES`].

use cpb_model::Operation;

/// How long a primitive's output is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Output {
    /// Always this many bytes.
    Fixed(usize),
    /// As many bytes as asked for; this many where nobody asks.
    Free {
        /// Bytes where nobody asks.
        default: usize,
    },
}

/// A primitive as cpb knows it.
#[derive(Debug, PartialEq, Eq)]
pub struct Primitive {
    /// The canonical name.
    pub name: &'static str,
    /// What is done with it.
    pub operation: Operation,
    /// Spellings that [`normal_form`] does not already make equal.
    pub aliases: &'static [&'static str],
    /// Bytes that one step of the primitive takes in, where its cost rises in
    /// such steps.
    pub block_bytes: Option<usize>,
    /// How long its output is.
    pub output: Output,
    /// Where it is defined.
    pub source: &'static str,
}

/// Every primitive, in the order of tables.
pub const PRIMITIVES: &[Primitive] = &[
    sha3("sha3-224", 28, &["hash-sha-3-224"]),
    sha3("sha3-256", 32, &["hash-sha-3-256"]),
    sha3("sha3-384", 48, &["hash-sha-3-384"]),
    sha3("sha3-512", 64, &["hash-sha-3-512"]),
    shake("shake128", 168),
    shake("shake256", 136),
];

const fn sha3(name: &'static str, digest: usize, aliases: &'static [&'static str]) -> Primitive {
    Primitive {
        name,
        operation: Operation::Hash,
        aliases,
        block_bytes: Some(200 - 2 * digest),
        output: Output::Fixed(digest),
        source: "FIPS 202 section 6.1",
    }
}

const fn shake(name: &'static str, rate: usize) -> Primitive {
    Primitive {
        name,
        operation: Operation::Xof,
        aliases: &[],
        block_bytes: Some(rate),
        output: Output::Free { default: 32 },
        source: "FIPS 202 section 6.2",
    }
}

/// The primitive called `name` in any spelling: `sha3-256`, `SHA3_256`,
/// `SHA-3(256)`, `hash-sha-3-256`.
#[must_use]
pub fn find(name: &str) -> Option<&'static Primitive> {
    let wanted = normal_form(name);
    PRIMITIVES.iter().find(|primitive| {
        normal_form(primitive.name) == wanted
            || primitive.aliases.iter().any(|alias| normal_form(alias) == wanted)
    })
}

/// Letters and digits of `name` in lower case: what stays the same over most
/// libraries' spellings.
#[must_use]
pub fn normal_form(name: &str) -> String {
    name.chars().filter(char::is_ascii_alphanumeric).map(|c| c.to_ascii_lowercase()).collect()
}

/// The output of a primitive for the message `i mod 251`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct KnownAnswer {
    /// The primitive.
    pub primitive: &'static str,
    /// Length of the message.
    pub message_bytes: usize,
    /// The output; its length is the output length asked for.
    pub output: Vec<u8>,
}

/// The known answers of a primitive, shortest message first. Their origin is
/// stated in `vectors/README.md`.
#[must_use]
pub fn known_answers(primitive: &str) -> Vec<KnownAnswer> {
    KNOWN_ANSWERS
        .lines()
        .filter_map(|line| {
            let mut fields = line.split(',');
            let name = fields.next()?;
            let message_bytes = fields.next()?.parse().ok()?;
            let output = from_hexadecimal(fields.next()?)?;
            let primitive = PRIMITIVES.iter().find(|known| known.name == name)?.name;
            Some(KnownAnswer { primitive, message_bytes, output })
        })
        .filter(|answer| answer.primitive == primitive)
        .collect()
}

const KNOWN_ANSWERS: &str = include_str!("../../../vectors/pattern/keccak.csv");

fn from_hexadecimal(text: &str) -> Option<Vec<u8>> {
    let digits: Option<Vec<u8>> =
        text.chars().map(|c| c.to_digit(16).map(|digit| digit as u8)).collect();
    let digits = digits?;
    (digits.len() % 2 == 0).then(|| digits.chunks(2).map(|pair| pair[0] << 4 | pair[1]).collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn spellings_find_their_primitive() {
        for spelling in ["sha3-256", "SHA3-256", "sha3_256", "SHA-3(256)", "hash-sha-3-256"] {
            assert_eq!(find(spelling).map(|p| p.name), Some("sha3-256"), "{spelling}");
        }
        assert_eq!(find("SHAKE-128").map(|p| p.name), Some("shake128"));
        assert_eq!(find("sha3"), None);
    }

    #[test]
    fn no_spelling_is_ambiguous() {
        let mut seen = HashSet::new();
        for primitive in PRIMITIVES {
            let mut forms: HashSet<String> =
                primitive.aliases.iter().map(|alias| normal_form(alias)).collect();
            forms.insert(normal_form(primitive.name));
            for form in forms {
                assert!(seen.insert(form.clone()), "{form} stands for two primitives");
            }
        }
    }

    #[test]
    fn every_line_of_known_answers_is_read() {
        let lines = KNOWN_ANSWERS.lines().filter(|line| !line.starts_with('#')).count();
        let read: usize = PRIMITIVES.iter().map(|p| known_answers(p.name).len()).sum();
        assert_eq!(read, lines - 1, "one line is the header");
        for primitive in PRIMITIVES {
            assert!(known_answers(primitive.name).len() >= 8, "{}", primitive.name);
        }
    }
}
