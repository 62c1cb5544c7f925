//! Matches names with an expression, and checks that the parameters fit them.

use super::arguments::Sizes;
use super::names::{self, Family, Name, Parameter};
use cpb_report::group_by;

const POLY1305_KEY_BYTES: u64 = 32;

/// The requested names and parameters.
#[derive(Debug, Clone, Copy)]
pub struct NameQuery<'a> {
    /// A pattern of names.
    pub expression: &'a str,
    pub sizes: &'a Sizes,
    /// Whether to include names with a backend.
    pub advanced: bool,
}

/// A name, with the values of its parameters.
pub struct Chosen {
    pub name: Name,
    pub parameters: Vec<(Parameter, u64)>,
    /// The bytes for which throughput is computed.
    pub bytes: u64,
}

/// The reason why nothing is chosen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Refused {
    /// The expression matches no name.
    #[error("there is no primitive '{expression}'")]
    Unknown {
        expression: String,
        /// The existing names.
        known: Vec<String>,
    },
    /// It matches only names that need an option.
    #[error("'{0}' means names with a backend only, which need --advanced")]
    NeedsAdvanced(String),
    /// Parameters are missing or do not fit.
    #[error("{0}")]
    Parameters(String),
}

impl NameQuery<'_> {
    /// Returns the names that match the expression, none of which lacks a parameter.
    ///
    /// # Errors
    /// [`Refused`], if there are none.
    pub fn names<'n>(&self, names: &'n [Name]) -> Result<Vec<&'n Name>, Refused> {
        let known = || names.iter().filter(|name| self.advanced || name.backend.is_none());
        let means = |name: &Name| names::matches(self.expression, &name.name);
        let meant: Vec<&Name> = known().filter(|name| means(name)).collect();
        if !self.expression.is_empty() && meant.is_empty() && names.iter().any(means) {
            return Err(Refused::NeedsAdvanced(self.expression.to_owned()));
        }
        if self.expression.is_empty() || meant.is_empty() {
            let known = known().map(|name| name.name.clone()).collect();
            return Err(Refused::Unknown { expression: self.expression.to_owned(), known });
        }
        self.check_missing(&meant)?;
        Ok(meant)
    }

    /// Returns these names with their parameters, and why others were left out: a pattern matched
    /// them among others, but a parameter does not fit them.
    ///
    /// # Errors
    /// [`Refused`], if a parameter fits none of them.
    pub fn chosen(&self, names: &[&Name]) -> Result<(Vec<Chosen>, Vec<String>), Refused> {
        let (mut chosen, mut unfit) = (Vec::new(), Vec::new());
        for name in names {
            match self.misfit(name) {
                None => chosen.push(self.with_parameters(name)),
                Some(reason) => unfit.push(reason),
            }
        }
        match chosen.is_empty() {
            true => Err(Refused::Parameters(unfit.join("\n"))),
            false => Ok((chosen, unfit)),
        }
    }

    /// Returns remarks about parameters that none of the names takes, which were meant for others.
    /// milo ignores them silently, and its own guide gives too many.
    pub fn needless(&self, names: &[&Name]) -> Vec<String> {
        let taken =
            |p: &Parameter| names.iter().any(|name| name.member.family.parameters().contains(p));
        let given = Parameter::ALL.into_iter().filter(|p| self.sizes.of(*p).is_some());
        let told = |parameter: Parameter| {
            let others: Vec<String> = by_family(names)
                .into_iter()
                .map(|(family, members)| {
                    let takes: Vec<String> =
                        family.parameters().iter().map(ToString::to_string).collect();
                    format!("{family} command ({members}), which takes {}", takes.join(", "))
                })
                .collect();
            format!("{parameter} is no parameter of {}", others.join("; "))
        };
        given.filter(|parameter| !taken(parameter)).map(told).collect()
    }

    /// Checks for missing parameters, and reports all of them at once.
    fn check_missing(&self, names: &[&Name]) -> Result<(), Refused> {
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
        if missing.is_empty() { Ok(()) } else { Err(Refused::Parameters(missing.join("\n"))) }
    }

    /// Returns which parameter does not fit, and what would.
    fn misfit(&self, name: &Name) -> Option<String> {
        let value = |parameter: Parameter| self.sizes.of(parameter).unwrap_or(0);
        let (parameter, right) = match (name.member.family, name.member.primitive) {
            (Family::Mac, "poly1305") if value(Parameter::Key) != POLY1305_KEY_BYTES => {
                (Parameter::Key, format!("its key has {POLY1305_KEY_BYTES} bytes"))
            }
            (Family::Hkdf, primitive) => {
                // RFC 5869 section 2.3: at most 255 blocks.
                let most = 255 * hash_bytes(primitive);
                let is_too_long = value(Parameter::Key) > most;
                is_too_long.then(|| (Parameter::Key, format!("it derives at most {most} bytes")))?
            }
            (Family::Pbkdf2, _) if value(Parameter::Iterations) == 0 => {
                (Parameter::Iterations, "it iterates once at least".to_owned())
            }
            _ => return None,
        };
        Some(format!("{parameter}={} does not fit {}: {right}", value(parameter), name.name))
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

/// Groups `names` by family, in order, and lists the members as text.
fn by_family(names: &[&Name]) -> Vec<(Family, String)> {
    let families = group_by(names, |name| name.member.family);
    let words = |members: &[&&Name]| match members.len() {
        1 => members[0].name.clone(),
        count => format!("{} and {} more", members[0].name, count - 1),
    };
    families.iter().map(|members| (members[0].member.family, words(members))).collect()
}

/// Returns the digest length of the hash at the end of a derivation's name.
fn hash_bytes(primitive: &str) -> u64 {
    let bits = match primitive.rsplit(['-', 'a']).next() {
        Some("1") => 160,
        Some(bits) => bits.parse().unwrap_or(256),
        None => 256,
    };
    bits / 8
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
