//! Parses a line of the database.

use cpb_model::{Security, harmless};

/// The words that begin every line, and the rest.
#[derive(Debug, PartialEq)]
pub(super) struct Line<'a> {
    /// Version, machine, architecture and day, which identify a run.
    pub(super) of: [&'a str; 4],
    /// `crypto_hash`.
    pub(super) operation: &'a str,
    pub(super) primitive: &'a str,
    /// The security; absent in lines from before it existed.
    pub(super) security: Option<Security>,
    pub(super) says: DatabaseLine<'a>,
}

/// The content of a line.
#[derive(Debug, PartialEq)]
pub(super) enum DatabaseLine<'a> {
    /// The implementation of the following lines, and its version.
    Implementation(&'a str, &'a str),
    /// An implementation passed SUPERCOP's tests, with known checksums.
    Right(&'a str),
    /// A keyword, with the rest of the line.
    About(&'a str, Vec<&'a str>),
    /// The measurement at a length: each timing, or what represents them.
    Counted(&'a str, Option<u64>, Vec<f64>),
}

/// Keywords for clock, compiler and length.
const ABOUT: [&str; 4] = ["cpuid", "cpucycles_persecond", "cpucycles_implementation", "compiler"];

impl<'a> Line<'a> {
    /// Parses a line, or returns what is wrong with it.
    pub(super) fn of(text: &'a str) -> Result<Self, String> {
        let words: Vec<&str> = text.split_ascii_whitespace().collect();
        let [version, host, architecture, day, operation, primitive, what, rest @ ..] = &words[..]
        else {
            return Err(format!("it has {} words, where 7 and more are expected", words.len()));
        };
        if day.len() != 8 || !day.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!("its fourth word is '{}', not a day, as 20260330", shown(day)));
        }
        let (primitive, security) = match primitive.split_once('/') {
            None => (*primitive, None),
            Some((primitive, "constbranchindex")) => (primitive, Some(Security::ConstBranchIndex)),
            Some((primitive, "timingleaks")) => (primitive, Some(Security::TimingLeaks)),
            Some((_, other)) => {
                return Err(format!(
                    "'{}' is neither timingleaks nor constbranchindex",
                    shown(other)
                ));
            }
        };
        let says = says(what, rest)?;
        let of = [*version, *host, *architecture, *day];
        Ok(Self { of, operation, primitive, security, says })
    }
}

fn says<'a>(what: &'a str, rest: &[&'a str]) -> Result<DatabaseLine<'a>, String> {
    match (what, rest) {
        ("implementation", [path, version @ ..]) => {
            Ok(DatabaseLine::Implementation(path, version.first().copied().unwrap_or("-")))
        }
        ("try", [_, "ok", _, _, _, path, ..]) => Ok(DatabaseLine::Right(path)),
        (what, [length, centre, distances @ ..]) if what.ends_with("cycles") => {
            let length = match *length {
                "-" => None,
                number => Some(
                    number
                        .parse()
                        .map_err(|_| format!("its length is '{}', not a number", shown(number)))?,
                ),
            };
            Ok(DatabaseLine::Counted(what, length, timings(centre, &distances.concat())?))
        }
        (what, _) if what.ends_with("cycles") => {
            Err("it has no length, or no cycles behind that".to_owned())
        }
        (what, rest) if ABOUT.contains(&what) || what.ends_with("bytes") => {
            Ok(DatabaseLine::About(what, rest.to_vec()))
        }
        (what, _) => Ok(DatabaseLine::About(what, Vec::new())),
    }
}

/// Returns the timings 1012 and 997 of `1000` and `+12-3`. Without differences, only the number.
fn timings(centre: &str, distances: &str) -> Result<Vec<f64>, String> {
    let wrong = |what: &str| format!("its cycles are '{}', not numbers", shown(what));
    let centre: i64 = centre.parse().map_err(|_| wrong(centre))?;
    if distances.is_empty() {
        return Ok(vec![centre as f64]);
    }
    let mut timings = Vec::new();
    let mut left = distances;
    while let Some(sign) = left.chars().next() {
        let digits = left.strip_prefix(['+', '-']).ok_or_else(|| wrong(left))?;
        let end = digits.find(['+', '-']).unwrap_or(digits.len());
        let distance: i64 = digits[..end].parse().map_err(|_| wrong(left))?;
        let distance = if sign == '+' { distance } else { -distance };
        timings.push(centre.checked_add(distance).ok_or_else(|| wrong(left))? as f64);
        left = &digits[end..];
    }
    Ok(timings)
}

/// Shortens a word for messages.
fn shown(word: &str) -> String {
    let short: String = word.chars().take(24).collect();
    harmless(&short).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    const BEGINS: &str = "20260330 host amd64 20260401 crypto_hash sha256/timingleaks";

    fn said(rest: &str) -> Result<DatabaseLine<'static>, String> {
        let text = format!("{BEGINS} {rest}").leak();
        Line::of(text).map(|line| line.says)
    }

    #[test]
    fn timings_are_their_distances_from_what_stands_before() {
        let counted =
            |values: &[f64]| Ok(DatabaseLine::Counted("cycles", Some(64), values.to_vec()));
        assert_eq!(said("cycles 64 1000 +12-3+0"), counted(&[1012.0, 997.0, 1000.0]));
        assert_eq!(said("cycles 64 1000"), counted(&[1000.0]));
        assert_eq!(said("cycles 64 -5 -1"), counted(&[-6.0]));
        assert_eq!(
            said("xor_cycles - 7"),
            Ok(DatabaseLine::Counted("xor_cycles", None, vec![7.0]))
        );
        for wrong in [
            "64 x",
            "64 1 +",
            "64 1 +2+",
            "64 1 ++2",
            "64 1 é",
            "64 1 2",
            "64 1+2",
            "64 99999999999999999999",
            "x 1",
            "64",
        ] {
            assert!(said(&format!("cycles {wrong}")).is_err(), "{wrong}");
        }
        assert!(said("cycles 64 9223372036854775807 +1").is_err());
    }

    #[test]
    fn a_line_says_of_what_it_is() {
        let right = "try 12/34 ok 1 2 3 crypto_hash/sha256/ref gcc_-O3 timingleaks";
        assert_eq!(said(right), Ok(DatabaseLine::Right("crypto_hash/sha256/ref")));
        let wrong = "try 12/34 unknown 1 2 3 crypto_hash/sha256/ref gcc_-O3";
        assert_eq!(said(wrong), Ok(DatabaseLine::About("try", Vec::new())));
        assert_eq!(said("outputbytes 32"), Ok(DatabaseLine::About("outputbytes", vec!["32"])));
        let line = Line::of("1 host x86 20080101 crypto_hash md5 implementation a").unwrap();
        assert_eq!((line.primitive, line.security), ("md5", None));
        assert_eq!(line.says, DatabaseLine::Implementation("a", "-"));
        for (text, words) in [
            ("a b c", "3 words"),
            ("1 host x86 today crypto_hash md5 cycles 1 2", "'today'"),
            ("1 host x86 20080101 crypto_hash md5/fast cycles 1 2", "'fast' is neither"),
            ("1 host x86 20080101 crypto_hash md5 cycles \u{1b} 2", "'\\u{1b}'"),
        ] {
            assert!(Line::of(text).unwrap_err().contains(words), "{text}");
        }
    }
}
