//! Which names an expression means, and whether the parameters fit them.

use super::{Request, whole_number};
use crate::arguments::unknown;
use crate::fault::Fault;
use crate::output;
use crate::primitives::{self, Family, Name, Parameter};
use clap::Args;

const LARGEST: u64 = cpb_model::LARGEST_BYTES as u64;
const MOST_ITERATIONS: u64 = 1_000_000_000;
const POLY1305_KEY_BYTES: u64 = 32;

/// The parameters of the primitives.
#[derive(Debug, Clone, Args)]
#[command(next_help_heading = "Parameters, in bytes")]
pub(crate) struct Sizes {
    /// Of what a codec or cipher works on; of codecs the decoded side (codec-*,
    /// cipher-*, aead-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    bytes_size: Option<u64>,
    /// Of the message (hash-*, mac-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    message_size: Option<u64>,
    /// Of the key (mac-*), or of the derived key (kdf-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    key_size: Option<u64>,
    /// Of the key material or password (kdf-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    ikm_size: Option<u64>,
    /// Of the salt (kdf-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    salt_size: Option<u64>,
    /// Of the info (kdf-hkdf-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    info_size: Option<u64>,
    /// Number of iterations (kdf-pbkdf-2-*).
    #[arg(long, value_name = "N", value_parser = iterations, allow_negative_numbers = true)]
    iterations: Option<u64>,
    /// Of the associated data (aead-*).
    #[arg(long, value_name = "N", value_parser = size, allow_negative_numbers = true)]
    aad_size: Option<u64>,
}

/// A name and the parameters it takes, with their values.
pub(crate) struct Chosen {
    pub(crate) name: Name,
    pub(crate) parameters: Vec<(Parameter, u64)>,
    /// Bytes that its throughput counts.
    pub(crate) bytes: u64,
}

impl Request {
    /// The names that the expression means, each with its parameters.
    pub(super) fn choose(&self, names: &[Name]) -> Result<Vec<Chosen>, Fault> {
        let meant = |name: &&Name| primitives::matches(&self.expression, &name.name);
        let with_backends: Vec<&Name> = names.iter().filter(meant).collect();
        let names_meant: Vec<&Name> = with_backends
            .iter()
            .filter(|name| self.advanced || name.backend.is_none())
            .copied()
            .collect();
        if self.expression.is_empty() || names_meant.is_empty() {
            let fault = unknown(
                "primitive",
                &self.expression,
                names
                    .iter()
                    .filter(|name| self.advanced || name.backend.is_none())
                    .map(|name| name.name.as_str()),
            );
            return Err(if with_backends.is_empty() || self.expression.is_empty() {
                Fault::Usage(fault.to_string().replace("cpb list shows", "the list has"))
            } else {
                Fault::Usage(format!(
                    "'{}' means names with a backend only, which need --advanced",
                    self.expression
                ))
            });
        }
        self.check_missing(&names_meant)?;
        self.check_needless(&names_meant)?;
        names_meant.iter().try_for_each(|name| self.check_fit(name))?;
        Ok(names_meant.into_iter().map(|name| self.with_parameters(name)).collect())
    }

    /// All that is missing is told at once.
    fn check_missing(&self, names: &[&Name]) -> Result<(), Fault> {
        let mut missing: Vec<String> = Vec::new();
        for (family, members) in by_family(names) {
            let absent: Vec<String> = family
                .parameters()
                .iter()
                .filter(|parameter| self.sizes.of(**parameter).is_none())
                .map(ToString::to_string)
                .collect();
            if !absent.is_empty() {
                let plural = if absent.len() == 1 { "" } else { "s" };
                let absent = absent.join(", ");
                missing.push(format!(
                    "Missing {absent} parameter{plural} of {family} command ({members})"
                ));
            }
        }
        if missing.is_empty() { Ok(()) } else { Err(Fault::Usage(missing.join("\n"))) }
    }

    /// What no name takes was meant otherwise. milo says nothing, and its own guide
    /// gives too many: there it is a warning.
    fn check_needless(&self, names: &[&Name]) -> Result<(), Fault> {
        let taken =
            |p: &Parameter| names.iter().any(|name| name.member.family.parameters().contains(p));
        let given = Parameter::ALL.into_iter().filter(|p| self.sizes.of(*p).is_some());
        for parameter in given.filter(|parameter| !taken(parameter)) {
            let others: Vec<String> = by_family(names)
                .into_iter()
                .map(|(family, members)| {
                    let takes: Vec<String> =
                        family.parameters().iter().map(ToString::to_string).collect();
                    format!("{family} command ({members}), which takes {}", takes.join(", "))
                })
                .collect();
            let told = format!("{parameter} is no parameter of {}", others.join("; "));
            if !self.as_milo {
                return Err(Fault::Usage(told));
            }
            output::warn(&told);
        }
        Ok(())
    }

    fn check_fit(&self, name: &Name) -> Result<(), Fault> {
        let key = self.sizes.key_size.unwrap_or(0);
        let wrong = |right: String| {
            Err(Fault::Usage(format!("--key-size={key} does not fit {}: {right}", name.name)))
        };
        match (name.member.family, name.member.primitive) {
            (Family::Mac, "poly1305") if key != POLY1305_KEY_BYTES => {
                wrong(format!("its key has {POLY1305_KEY_BYTES} bytes"))
            }
            (Family::Hkdf, primitive) => {
                // RFC 5869 section 2.3: at most 255 blocks.
                let most = 255 * hash_bytes(primitive);
                if key <= most { Ok(()) } else { wrong(format!("it derives at most {most} bytes")) }
            }
            _ => Ok(()),
        }
    }

    fn with_parameters(&self, name: &Name) -> Chosen {
        let taken = name.member.family.parameters().iter();
        let parameters: Vec<(Parameter, u64)> =
            taken.filter_map(|p| Some((*p, self.sizes.of(*p)?))).collect();
        let value = |wanted: Parameter| {
            parameters.iter().find(|(p, _)| *p == wanted).map_or(0, |(_, value)| *value)
        };
        let bytes = match name.member.family {
            Family::Codec | Family::Cipher => value(Parameter::Bytes),
            Family::Hash | Family::Mac => value(Parameter::Message),
            Family::Hkdf | Family::Pbkdf2 => value(Parameter::Key),
            Family::Aead => value(Parameter::Aad) + value(Parameter::Bytes),
        };
        Chosen { name: name.clone(), parameters, bytes }
    }
}

impl Sizes {
    pub(super) fn of(&self, parameter: Parameter) -> Option<u64> {
        match parameter {
            Parameter::Bytes => self.bytes_size,
            Parameter::Message => self.message_size,
            Parameter::Key => self.key_size,
            Parameter::Ikm => self.ikm_size,
            Parameter::Salt => self.salt_size,
            Parameter::Info => self.info_size,
            Parameter::Iterations => self.iterations,
            Parameter::Aad => self.aad_size,
        }
    }
}

/// The families of `names` in order, each with its members in words.
fn by_family(names: &[&Name]) -> Vec<(Family, String)> {
    let mut families: Vec<(Family, &str, usize)> = Vec::new();
    for name in names {
        match families.iter_mut().find(|(family, ..)| *family == name.member.family) {
            Some((_, _, more)) => *more += 1,
            None => families.push((name.member.family, &name.name, 0)),
        }
    }
    let words = |first: &str, more: usize| match more {
        0 => first.to_owned(),
        more => format!("{first} and {more} more"),
    };
    families.into_iter().map(|(family, first, more)| (family, words(first, more))).collect()
}

/// Digest length of the hash that a derivation's name ends in.
fn hash_bytes(primitive: &str) -> u64 {
    let bits = match primitive.rsplit(['-', 'a']).next() {
        Some("1") => 160,
        Some(bits) => bits.parse().unwrap_or(256),
        None => 256,
    };
    bits / 8
}

fn size(text: &str) -> Result<u64, String> {
    whole_number(text, 0, LARGEST).ok_or_else(|| {
        format!("a size is a whole number of bytes from 0 to {LARGEST}, not '{text}'")
    })
}

fn iterations(text: &str) -> Result<u64, String> {
    whole_number(text, 1, MOST_ITERATIONS).ok_or_else(|| {
        format!(
            "the number of iterations is a whole number from 1 to {MOST_ITERATIONS}, not '{text}'"
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digest_lengths_come_from_names() {
        for (primitive, bytes) in [
            ("hkdf-sha1", 20),
            ("hkdf-sha256", 32),
            ("hkdf-sha512", 64),
            ("hkdf-sha512-224", 28),
            ("hkdf-sha384", 48),
        ] {
            assert_eq!(hash_bytes(primitive), bytes, "{primitive}");
        }
    }
}
