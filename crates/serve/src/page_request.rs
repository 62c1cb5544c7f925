//! Parses the address of a request.

use cpb_model::harmless;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};
use std::collections::BTreeMap;

/// The longest query that is accepted, in bytes.
const LONGEST_QUERY: usize = 4096;

/// Characters that addresses contain unescaped (RFC 3986 section 2.3).
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// The requested name, if the page's address has one, and the parameters.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub(crate) struct PageRequest {
    /// The text for `{name}`; empty if there is none.
    pub(crate) name: String,
    parameters: BTreeMap<String, String>,
}

impl PageRequest {
    /// Parses `query` for a page with the parameters `known`; the error says what is wrong.
    pub(crate) fn parse(name: String, query: &str, known: &[&str]) -> Result<Self, String> {
        if query.len() > LONGEST_QUERY {
            let bytes = query.len();
            return Err(format!(
                "the query has {bytes} bytes, and no page takes more than {LONGEST_QUERY}"
            ));
        }
        let mut parameters = BTreeMap::new();
        for part in query.split('&').filter(|part| !part.is_empty()) {
            let (key, value) = part.split_once('=').unwrap_or((part, ""));
            let (key, value) = (decoded(key)?, decoded(value)?);
            if !known.contains(&key.as_str()) {
                return Err(match known {
                    [] => format!("this page has no parameter '{key}', and no other"),
                    known => {
                        format!("this page has no parameter '{key}'; it has {}", known.join(", "))
                    }
                });
            }
            // An empty field of a form.
            let value = value.trim();
            if !value.is_empty() && parameters.insert(key.clone(), value.to_owned()).is_some() {
                return Err(format!("the parameter '{key}' is given twice"));
            }
        }
        Ok(Self { name: harmless(&name).into_owned(), parameters })
    }

    /// Returns the parameter's value; empty if it is missing.
    pub(crate) fn text(&self, key: &str) -> &str {
        self.parameters.get(key).map_or("", String::as_str)
    }

    /// Returns the parameter as an integer within `bounds`; `usual` if it is missing.
    pub(crate) fn number(&self, key: &str, bounds: [i64; 2], usual: i64) -> Result<i64, String> {
        let [least, most] = bounds;
        let Some(text) = self.parameters.get(key) else { return Ok(usual) };
        let number = text.parse().ok().filter(|number| (least..=most).contains(number));
        number.ok_or_else(|| {
            format!("'{key}' is a whole number from {least} to {most}, not '{text}'")
        })
    }

    /// Returns the parameter, which must be one of `choices`; the first of them if it is missing.
    pub(crate) fn choice<'a>(&self, key: &str, choices: &[&'a str]) -> Result<&'a str, String> {
        let Some(text) = self.parameters.get(key) else { return Ok(choices[0]) };
        let known = choices.iter().find(|choice| *choice == text);
        let names = || choices.iter().filter(|it| !it.is_empty()).copied().collect::<Vec<_>>();
        known
            .copied()
            .ok_or_else(|| format!("'{key}' is one of {}, not '{text}'", names().join(", ")))
    }

    /// Returns the address of `path` with the same parameters and one `change`; an empty value
    /// removes it.
    pub(crate) fn with(&self, path: &str, change: (&str, &str)) -> String {
        let others = self.parameters.iter().map(|(key, value)| (key.as_str(), value.as_str()));
        let others = others.filter(|(key, _)| *key != change.0);
        address(path, &others.chain([change]).collect::<Vec<_>>())
    }
}

/// Returns the address of `path` with the parameters that are not empty.
pub(crate) fn address(path: &str, parameters: &[(&str, &str)]) -> String {
    let given = parameters.iter().filter(|(_, value)| !value.is_empty());
    let parts: Vec<String> =
        given.map(|(key, value)| format!("{key}={}", encoded(value))).collect();
    if parts.is_empty() { path.to_owned() } else { format!("{path}?{}", parts.join("&")) }
}

/// Encodes `text` as part of an address.
pub(crate) fn encoded(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

fn decoded(text: &str) -> Result<String, String> {
    let spaced = text.replace('+', " ");
    let decoded = percent_decode_str(&spaced).decode_utf8();
    let decoded = decoded.map_err(|_| format!("'{}' is not UTF-8", harmless(text)))?;
    Ok(harmless(&decoded).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(query: &str) -> Result<PageRequest, String> {
        PageRequest::parse("x".to_owned(), query, &["a", "b"])
    }

    #[test]
    fn queries_are_read_and_written() {
        let asked = parse("a=1+2%203&b=&&").unwrap();
        assert_eq!((asked.text("a"), asked.text("b")), ("1 2 3", ""));
        assert_eq!(asked.with("/p", ("b", "&=<\"é")), "/p?a=1%202%203&b=%26%3D%3C%22%C3%A9");
        assert_eq!(asked.with("/p", ("a", "")), "/p");
        assert_eq!(parse("a=%00").unwrap().text("a"), "\\u{0}");
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (query, words) in [
            ("c=1", "no parameter 'c'; it has a, b"),
            ("a=1&a=2", "'a' is given twice"),
            ("a=%ff", "'%ff' is not UTF-8"),
            ("a%fe=1", "not UTF-8"),
            (&format!("a={}", "x".repeat(5000)), "5002 bytes"),
        ] {
            let refused = parse(query).unwrap_err();
            assert!(refused.contains(words), "{query}: {refused}");
        }
        let asked = parse("a=x&b=9").unwrap();
        assert!(asked.number("a", [1, 9], 5).unwrap_err().contains("from 1 to 9, not 'x'"));
        assert_eq!(asked.number("b", [1, 9], 5), Ok(9));
        assert!(asked.number("b", [1, 8], 5).is_err());
        assert_eq!(asked.number("c", [1, 8], 5), Ok(5));
        assert_eq!(asked.choice("c", &["all", "one"]), Ok("all"));
        assert!(asked.choice("a", &["", "one", "two"]).unwrap_err().contains("one of one, two"));
    }
}
