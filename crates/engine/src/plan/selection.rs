//! Decides which offers a selector means: `sha3-256`, `aes-*-gcm`, `SHA256` or `hash`.

use cpb_libraries::families;
use cpb_libraries::names::{self, has_normal_form, is_well_known, normal_form, spellings};
use cpb_model::{LARGEST_BYTES, NotAWorkload, Offer, Operation, Workload};
use std::collections::{BTreeSet, HashSet};

/// Longer than any name, and than any key without its lengths. Longer selectors are rejected at once
/// instead of being compared with every name of every offer.
const LONGEST_SELECTOR: usize = 1000;

/// Whether `selector` means `offer`: by key, canonical name, family, operation or operation group,
/// pattern with `*`, or a known or library-specific spelling. The first kind that applies wins: a
/// library's alias never hides a family.
pub fn matches(selector: &str, offer: &Offer) -> bool {
    if let Some(key) = Key::of(selector) {
        return key.is_of(offer);
    }
    let row = offer.operation.row();
    selector.eq_ignore_ascii_case(row.name)
        || selector.eq_ignore_ascii_case(row.group)
        || selector.len() <= LONGEST_SELECTOR
            && match families::find(selector) {
                Some(family) => family.contain(&offer.primitive),
                None => matches_name(selector, offer),
            }
}

/// A workload's key as a selector, with optional lengths: `aes-128-gcm/seal+aad=13@64,1350`.
#[derive(Debug, Clone, PartialEq)]
pub struct Key {
    /// The selected workload.
    pub workload: Workload,
    /// The message lengths, or iterations; the defaults if empty.
    pub lengths: Vec<usize>,
}

impl Key {
    /// Parses `selector` as a key; `None` if it is not one.
    pub fn of(selector: &str) -> Option<Self> {
        let key_bytes = selector.find('@').unwrap_or(selector.len());
        if key_bytes > LONGEST_SELECTOR { None } else { Self::parse(selector).ok() }
    }

    /// Parses `selector`, which must be a key.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(selector: &str) -> Result<Self, String> {
        let (key, lengths) = selector.split_once('@').unwrap_or((selector, ""));
        let workload = key.parse().map_err(|wrong: NotAWorkload| wrong.to_string())?;
        let length = |text: &str| match text.parse() {
            Ok(length @ 1..=LARGEST_BYTES) => Ok(length),
            _ => Err(format!("'{text}' in '{selector}' is not a length from 1 to {LARGEST_BYTES}")),
        };
        let lengths = selector.contains('@').then(|| lengths.split(',').map(length));
        let lengths = lengths.into_iter().flatten().collect::<Result<_, _>>()?;
        Ok(Self { workload, lengths })
    }

    /// Whether it has the primitive and operation of `offer`.
    pub fn is_of(&self, offer: &Offer) -> bool {
        self.workload.primitive == offer.primitive && self.workload.operation == offer.operation
    }
}

/// Whether `selector` means `offer` by one of its names.
pub fn matches_name(selector: &str, offer: &Offer) -> bool {
    if selector.len() > LONGEST_SELECTOR {
        return false;
    }
    let mut names: Vec<String> = spellings(&offer.primitive);
    names.push(offer.spelling.clone());
    if let Some(row) = &offer.row {
        names.push(row.algorithm.clone());
    }
    let pattern: Vec<String> = selector.split('*').map(normal_form).collect();
    if pattern.len() > 1 {
        return names.iter().any(|name| matches_pattern(&pattern, &normal_form(name)));
    }
    !pattern[0].is_empty() && names.iter().any(|name| has_normal_form(name, &pattern[0]))
}

/// Whether several selectors together mean an offer that `means` tests: one of the names and one of
/// the operations, whichever kinds are given. True without selectors.
pub fn together(selectors: &[String], means: impl Fn(&str) -> bool) -> bool {
    let (words, names): (Vec<&String>, Vec<&String>) =
        selectors.iter().partition(|selector| is_a_word(selector));
    let one_of = |some: &[&String]| some.is_empty() || some.iter().any(|it| means(it));
    one_of(&words) && one_of(&names)
}

/// Whether `selector` names an operation or a group of operations.
pub fn is_a_word(selector: &str) -> bool {
    let words = Operation::ALL.iter().map(|operation| operation.row());
    words.flat_map(|row| [row.name, row.group]).any(|word| word.eq_ignore_ascii_case(selector))
}

/// Whether `selector` is valid even if no offer matches: [an operation](is_a_word), a name of the
/// catalogue, or a well-known algorithm.
pub fn may_be_absent(selector: &str) -> bool {
    if let Some(key) = Key::of(selector) {
        return may_be_absent(&key.workload.primitive);
    }
    is_a_word(selector)
        || families::find(selector).is_some()
        || names::known(selector).is_some()
        || is_well_known(selector)
}

/// Returns every valid selector word, for suggestions: operations, groups, and the primitives of
/// `offers`. Key pairs and parts are included only if some offer has them.
pub fn vocabulary<'a>(offers: impl IntoIterator<Item = &'a Offer>) -> Vec<String> {
    let offers: Vec<&Offer> = offers.into_iter().collect();
    let offered: BTreeSet<Operation> = offers.iter().map(|offer| offer.operation).collect();
    let is_wanted = |it: &Operation| !it.is_public_key() && !it.is_part() || offered.contains(it);
    let groups = Operation::groups(|operation| is_wanted(&operation));
    let operations = Operation::ALL.into_iter().filter(is_wanted).map(Operation::name);
    let primitives = offers.iter().map(|offer| offer.primitive.clone());
    let words = groups.into_iter().chain(operations).map(str::to_owned).chain(primitives);
    let mut known = HashSet::new();
    words.filter(|word| known.insert(word.clone())).collect()
}

/// Whether `name` consists of the parts of `pattern` in order, with anything between.
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
    use cpb_model::{BenchSlopesRow, Lengths};

    fn offer(primitive: &str, operation: Operation, spelling: &str, algorithm: &str) -> Offer {
        Offer {
            spelling: spelling.to_owned(),
            row: Some(BenchSlopesRow {
                group: "cipher".to_owned(),
                algorithm: algorithm.to_owned(),
                mode: String::new(),
            }),
            ..Offer::new(primitive, operation, Lengths::default())
        }
    }

    #[test]
    fn operations_beside_names_are_those_of_what_is_named() {
        let select = |selectors: &[&str], offer: &Offer| {
            let selectors: Vec<String> = selectors.iter().map(|it| (*it).to_owned()).collect();
            together(&selectors, |selector| matches(selector, offer))
        };
        let sign = offer("ecdsa-p256", Operation::Sign, "P-256", "");
        for selectors in [&[][..], &["ecdsap256", "sign"], &["verify", "*p256", "signature"]] {
            assert!(select(selectors, &sign), "{selectors:?}");
        }
        for selectors in [&["ecdsap256", "verify"][..], &["ed25519", "sign"], &["kem", "kyber768"]]
        {
            assert!(!select(selectors, &sign), "{selectors:?}");
        }
    }

    #[test]
    fn names_spellings_rows_patterns_operations_and_groups_select() {
        let gcm = offer("aes-128-gcm", Operation::Seal, "id-aes128-GCM", "AES");
        for selector in [
            "aes-128-gcm",
            "AES_128_GCM",
            "id-aes128-gcm",
            "aes",
            "aes-*",
            "*-gcm",
            "*",
            "seal",
            "cipher",
            "Cipher",
        ] {
            assert!(matches(selector, &gcm), "{selector}");
        }
        let endless = "*".repeat(100_000);
        for selector in ["aes-256-gcm", "hash", "aes-12", "*-ccm", "", "-", "open", &endless] {
            assert!(!matches(selector, &gcm), "{selector}");
        }
        let hash = offer("ripemd160", Operation::Hash, "RIPEMD-160", "RIPEMD-160");
        assert!(matches("rmd160", &hash) && matches("hash", &hash) && !matches("mac", &hash));
        assert!(!matches_name("hash", &hash));
    }
}
