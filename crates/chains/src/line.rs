//! Parses a line of a file: a segment.

use cpb_kernels::base16;
use serde::Deserialize;
use serde_json::value::RawValue;

/// A piece of a chain, as a file claims it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Segment {
    /// Its line number in the file, from 1.
    pub line: u64,
    pub start: [u8; 32],
    /// How often the start is hashed; with zero, the end equals the start.
    pub iterations: u64,
    /// The claimed end.
    pub end: [u8; 32],
}

/// The format of a segment.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `start,iterations,end`, with a heading.
    Csv,
    /// `{"start":"…","iterations":…,"end":"…"}`.
    Json,
}

/// What is wrong with a line.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum LineError {
    /// It does not have three fields.
    #[error("{0} fields where there should be three: start,iterations,end")]
    Fields(usize),
    /// It is not a JSON object of the right shape.
    #[error("no segment: {0}; it should be {{\"start\":\"HEX\",\"iterations\":N,\"end\":\"HEX\"}}")]
    Json(String),
    /// It has an odd number of digits.
    #[error("{field}: {digits} hex digits, which is odd; 32 bytes are 64 digits")]
    OddDigits {
        /// `start` or `end`.
        field: &'static str,
        /// Their number.
        digits: usize,
    },
    /// It does not have 32 bytes.
    #[error("{field}: {bytes} bytes; a SHA-256 value has 32 (64 hex digits)")]
    Bytes {
        /// `start` or `end`.
        field: &'static str,
        /// Their number.
        bytes: usize,
    },
    /// A character is not a hex digit.
    #[error("{field}: {found:?} at digit {at} is no hex digit")]
    NoDigit {
        /// `start` or `end`.
        field: &'static str,
        /// The character.
        found: char,
        /// Its position, from 1.
        at: usize,
    },
    /// It is not a count.
    #[error("iterations: {0:?} is no whole number from 0 to 18446744073709551615")]
    Iterations(String),
    /// The count is 2⁶⁴ or more.
    #[error("iterations: {0} is too many; the most are 18446744073709551615 (2^64 - 1)")]
    TooMany(String),
    /// It contains bytes that are not text.
    #[error("not text (UTF-8)")]
    NoText,
    /// It is longer than any segment.
    #[error("longer than {0} bytes, which no segment is")]
    TooLong(usize),
}

impl Segment {
    /// Formats the segment as a line, with its line feed.
    pub fn text(&self, style: Style) -> String {
        let (start, end) = (base16::encode(&self.start), base16::encode(&self.end));
        let iterations = self.iterations;
        match style {
            Style::Csv => format!("{start},{iterations},{end}\n"),
            Style::Json => {
                format!("{{\"start\":\"{start}\",\"iterations\":{iterations},\"end\":\"{end}\"}}\n")
            }
        }
    }
}

/// Parses the segment on line `number`, in either format; ignores spaces around fields.
///
/// # Errors
/// [`LineError`], which says what is wrong, and what would be right.
pub fn parse(number: u64, line: &str) -> Result<Segment, LineError> {
    let line = line.trim();
    if line.starts_with('{') {
        return parse_json(number, line);
    }
    let fields: Vec<&str> = line.split(',').map(str::trim).collect();
    let [start, iterations, end] = fields[..] else {
        return Err(LineError::Fields(fields.len()));
    };
    segment(number, start, iterations, end)
}

fn segment(line: u64, start: &str, iterations: &str, end: &str) -> Result<Segment, LineError> {
    Ok(Segment {
        line,
        start: value("start", start)?,
        iterations: count(iterations)?,
        end: value("end", end)?,
    })
}

/// Parses the 32 bytes of 64 hex digits, in either case.
///
/// # Errors
/// [`LineError`], about this `field`.
pub fn value(field: &'static str, digits: &str) -> Result<[u8; 32], LineError> {
    let no_digit = digits.chars().enumerate().find(|(_, digit)| !digit.is_ascii_hexdigit());
    if let Some((before, found)) = no_digit {
        return Err(LineError::NoDigit { field, found, at: before + 1 });
    }
    let bytes =
        base16::decode(digits).map_err(|_| LineError::OddDigits { field, digits: digits.len() })?;
    bytes.try_into().map_err(|bytes: Vec<u8>| LineError::Bytes { field, bytes: bytes.len() })
}

fn parse_json(number: u64, line: &str) -> Result<Segment, LineError> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct Written<'a> {
        #[serde(borrow)]
        start: std::borrow::Cow<'a, str>,
        // The literal text, because a number of 2^64 or more would be rounded.
        #[serde(borrow)]
        iterations: &'a RawValue,
        #[serde(borrow)]
        end: std::borrow::Cow<'a, str>,
    }
    let written: Written<'_> = serde_json::from_str(line).map_err(|error| {
        // There is only one line, and its number is reported elsewhere.
        let reason = error.to_string().replace(" at line 1 column ", " at column ");
        LineError::Json(reason)
    })?;
    let iterations = written.iterations.get();
    if !iterations.starts_with(|first: char| first == '-' || first.is_ascii_digit()) {
        return Err(LineError::Json(format!("iterations: {iterations} is no number")));
    }
    segment(number, &written.start, iterations, &written.end)
}

fn count(text: &str) -> Result<u64, LineError> {
    let is_number = !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    if !is_number {
        return Err(LineError::Iterations(text.to_owned()));
    }
    text.parse().map_err(|_| LineError::TooMany(text.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn digits(count: usize) -> String {
        "0123456789abcdef".chars().cycle().take(count).collect()
    }

    fn error(line: &str) -> String {
        parse(1, line).unwrap_err().to_string()
    }

    #[test]
    fn what_is_wrong_is_named() {
        let good = digits(64);
        let line = |start: &str, iterations: &str| format!("{start},{iterations},{good}");
        assert!(error(&line(&digits(63), "1")).contains("start: 63 hex digits, which is odd"));
        assert!(error(&line(&digits(66), "1")).contains("start: 33 bytes"));
        assert!(error(&line(&digits(62), "1")).contains("start: 31 bytes"));
        assert!(error(&line("", "1")).contains("start: 0 bytes"));
        assert!(error(&line(&good.replace('7', "g"), "1")).contains("'g' at digit 8"));
        assert!(error(&line(&good.replace('7', "é"), "1")).contains("'é' at digit 8"));
        for wrong in ["", "-1", "+1", "1.5", "1e3", "x", "0x10", "1 0"] {
            assert!(error(&line(&good, wrong)).contains("no whole number"), "{wrong}");
        }
        for many in ["18446744073709551616", "99999999999999999999999"] {
            let words = format!("iterations: {many} is too many");
            assert!(error(&line(&good, many)).contains(&words));
            let json = format!(r#"{{"start":"{good}","iterations":{many},"end":"{good}"}}"#);
            assert!(error(&json).contains(&words), "{}", error(&json));
        }
        assert!(error(&good).contains("1 fields"));
        assert!(error(&format!("{good},1,{good},2")).contains("4 fields"));
        assert!(error(&format!("{good},1,{}", digits(30))).contains("end: 15 bytes"));
    }

    #[test]
    fn what_is_wrong_in_json_is_named() {
        let good = digits(64);
        assert!(error(&format!(r#"{{"start":"{good}","iterations":1}}"#)).contains("`end`"));
        assert!(error(&format!(r#"{{"start":"{good}","iterations":"#)).contains("no segment"));
        let with = |iterations: &str| {
            format!(r#"{{"start":"{good}","iterations":{iterations},"end":"{good}"}}"#)
        };
        assert!(error(&with("-1")).contains("no whole number"));
        assert!(error(&with("1.5")).contains("\"1.5\" is no whole number"));
        assert!(error(&with("1e3")).contains("no whole number"));
        assert!(error(&with("null")).contains("no segment"));
        assert!(error(&with("\"1\"")).contains("no segment"));
        let short = with("1").replace(&good, &digits(66));
        assert!(error(&short).contains("start: 33 bytes"));
    }

    #[test]
    fn zero_and_the_most_iterations_are_counts() {
        let good = digits(64);
        for count in [0, 1, u64::MAX] {
            assert_eq!(parse(1, &format!("{good},{count},{good}")).unwrap().iterations, count);
        }
        let upper = format!(" {} , 7 ,{good} ", good.to_uppercase());
        assert_eq!(parse(9, &upper), parse(9, &format!("{good},7,{good}")));
    }

    proptest! {
        #[test]
        fn what_is_written_is_read(start: [u8; 32], end: [u8; 32], iterations: u64, line: u64) {
            let segment = Segment { line, start, iterations, end };
            for style in [Style::Csv, Style::Json] {
                prop_assert_eq!(parse(line, &segment.text(style)), Ok(segment.clone()));
            }
        }

        #[test]
        fn no_line_panics(line: String) {
            let _ = parse(1, &line);
            let _ = parse(1, &format!("{{{line}"));
        }
    }
}
