//! Parses constraints on nodes.

use crate::FleetError;
use std::fmt;

/// Features that a node must have: all of them, or one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Constraint {
    text: String,
    features: Vec<String>,
    is_any: bool,
}

impl Constraint {
    /// Parses `zen4`, `zen4&big` or `zen3|zen4`. Slurm's other forms (counts, brackets, & and |
    /// mixed) are for jobs with several nodes.
    ///
    /// # Errors
    /// [`FleetError::NoConstraint`] for any other form.
    pub fn parse(text: &str) -> Result<Self, FleetError> {
        let wrong = || FleetError::NoConstraint(text.to_owned());
        let is_any = text.contains('|');
        if is_any && text.contains('&') {
            return Err(wrong());
        }
        let features: Vec<String> = text.split(['&', '|']).map(str::to_owned).collect();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-.:".contains(c);
        if features.iter().any(|it| it.is_empty() || !it.chars().all(is_plain)) {
            return Err(wrong());
        }
        Ok(Self { text: text.to_owned(), features, is_any })
    }

    /// Whether a node with `features` satisfies it.
    pub fn means(&self, features: &[String]) -> bool {
        let mut wanted = self.features.iter().map(|wanted| features.contains(wanted));
        if self.is_any { wanted.any(|has| has) } else { wanted.all(|has| has) }
    }
}

/// Shows it as the user wrote it, and as Slurm takes it.
impl fmt::Display for Constraint {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn features_are_all_wanted_or_any() {
        let features = ["zen".to_owned(), "big".to_owned()];
        for (text, means) in [
            ("zen", true),
            ("zen&big", true),
            ("zen&small", false),
            ("small|big", true),
            ("small|tiny", false),
            ("ze", false),
        ] {
            assert_eq!(Constraint::parse(text).unwrap().means(&features), means, "{text}");
        }
    }

    #[test]
    fn what_is_of_jobs_of_several_nodes_is_refused() {
        for wrong in ["", "&", "a&", "a&b|c", "[a|b]", "a*2", "a b", "a\n#SBATCH", "a,b", "$(x)"] {
            assert!(Constraint::parse(wrong).is_err(), "{wrong}");
        }
    }
}
