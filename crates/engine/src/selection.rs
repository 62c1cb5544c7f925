//! What the user means by `sha3-256`, `sha3-*` or `hash`.

use cpb_libraries::catalogue::{PRIMITIVES, Primitive, normal_form};
use cpb_model::Operation;

/// A selector that matches nothing.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("no primitive or operation matches '{selector}'")]
pub struct NoMatch {
    /// The selector as given.
    pub selector: String,
}

/// The primitives that `selectors` name, in the order of the catalogue, each
/// once; all of them where there are no selectors.
///
/// A selector is a primitive's name in any spelling, a pattern with `*`, or
/// an operation. The primitives of `by_name_only` are found by name, or by a
/// pattern that begins like one, and never by `*` or an operation.
///
/// # Errors
/// The first selector that matches nothing.
pub fn select<'a>(
    selectors: &[String],
    by_name_only: &'a [Primitive],
) -> Result<Vec<&'a Primitive>, NoMatch> {
    if selectors.is_empty() {
        return Ok(PRIMITIVES.iter().collect());
    }
    for selector in selectors {
        let any = PRIMITIVES.iter().any(|primitive| matches(selector, primitive))
            || by_name_only.iter().any(|primitive| matches_name(selector, primitive));
        if !any {
            return Err(NoMatch { selector: selector.clone() });
        }
    }
    let chosen = PRIMITIVES.iter().filter(|p| selectors.iter().any(|s| matches(s, p)));
    let named = by_name_only.iter().filter(|p| selectors.iter().any(|s| matches_name(s, p)));
    Ok(chosen.chain(named).collect())
}

/// Every word a selector may be, for suggesting the nearest.
#[must_use]
pub fn vocabulary() -> Vec<&'static str> {
    PRIMITIVES
        .iter()
        .map(|primitive| primitive.name)
        .chain(Operation::ALL.iter().map(|operation| operation.name()))
        .collect()
}

fn matches(selector: &str, primitive: &Primitive) -> bool {
    selector.eq_ignore_ascii_case(primitive.operation.name())
        || selector.starts_with('*') && matches_any_name(selector, primitive)
        || matches_name(selector, primitive)
}

fn matches_name(selector: &str, primitive: &Primitive) -> bool {
    !selector.starts_with('*') && matches_any_name(selector, primitive)
}

fn matches_any_name(selector: &str, primitive: &Primitive) -> bool {
    let mut names = std::iter::once(&primitive.name).chain(primitive.aliases);
    let pattern: Vec<String> = selector.split('*').map(normal_form).collect();
    if pattern.len() > 1 {
        return names.any(|name| matches_pattern(&pattern, &normal_form(name)));
    }
    !pattern[0].is_empty() && names.any(|name| normal_form(name) == pattern[0])
}

/// Whether `name` is the parts of `pattern` in order, with anything between.
fn matches_pattern(pattern: &[String], name: &str) -> bool {
    let [first, middle @ .., last] = pattern else { return false };
    let Some(mut rest) = name.strip_prefix(first.as_str()) else { return false };
    for part in middle {
        let Some(found) = rest.find(part.as_str()) else { return false };
        rest = &rest[found + part.len()..];
    }
    rest.ends_with(last.as_str())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(selectors: &[&str]) -> Result<Vec<&'static str>, NoMatch> {
        let selectors: Vec<String> = selectors.iter().map(|&s| s.to_owned()).collect();
        select(&selectors, &[]).map(|found| found.into_iter().map(|p| p.name).collect())
    }

    #[test]
    fn nothing_selects_everything() {
        assert_eq!(names(&[]).unwrap().len(), PRIMITIVES.len());
        assert_eq!(names(&["*"]).unwrap().len(), PRIMITIVES.len());
    }

    #[test]
    fn names_patterns_and_operations_select() {
        assert_eq!(names(&["SHA3_256"]).unwrap(), ["sha3-256"]);
        assert_eq!(names(&["xof"]).unwrap(), ["shake128", "shake256"]);
        assert_eq!(names(&["*-256", "SHA3-256"]).unwrap(), ["sha3-256", "shake256"]);
        assert_eq!(names(&["sha*2*"]).unwrap().len(), 5);
        assert_eq!(names(&["shake256", "sha3-224"]).unwrap(), ["sha3-224", "shake256"]);
    }

    #[test]
    fn self_tests_are_found_by_name_only() {
        let extra = crate::selftest::SELF_TEST_PRIMITIVES;
        let count = |selector: &str| select(&[selector.to_owned()], extra).unwrap().len();
        assert_eq!(count("*"), PRIMITIVES.len());
        assert_eq!(count("chain-*"), 3);
        assert_eq!(count("chain-logic"), 1);
    }

    #[test]
    fn what_matches_nothing_is_named() {
        for selector in ["sha3-255", "", "-", "md*", "sha3"] {
            assert_eq!(
                names(&["sha3-256", selector]),
                Err(NoMatch { selector: selector.to_owned() })
            );
        }
    }
}
