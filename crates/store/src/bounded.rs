//! Reads the JSON of a run as a stream, up to the size that a run can have, so that reading takes
//! less than 200 MB for any input.

use cpb_model::FromJson;
use std::io::{self, Read, Seek, SeekFrom};
use std::mem;

/// Limits that no run exceeds.
struct Limits {
    /// The limit for the whole file. A raw sample has about twenty bytes of JSON, and takes three
    /// once read.
    total_bytes: u64,
    /// The limit for everything except raw samples. A row has one to two thousand such bytes, and
    /// fifty or more values.
    plain: Amount,
    /// The limit for a round of raw samples, which is kept in pieces while it is read.
    round: Amount,
    text_bytes: u64,
}

const LIMITS: Limits = Limits {
    total_bytes: 256 << 20,
    plain: Amount { bytes: 48 << 20, values: 3_000_000 },
    round: Amount { bytes: 16 << 20, values: 1 << 20 },
    text_bytes: 1 << 20,
};

/// Up to this size, all of it is in memory before it is parsed.
const MOST_AT_ONCE: u64 = 1 << 20;

/// The key of raw samples.
const RAW: &[u8] = b"raw";

/// Reads a value from JSON, with all its text made harmless.
///
/// # Errors
/// If `json` cannot be read, is not such a value, or is larger than any run; the error says what is
/// wrong, with the remedy.
pub fn from_json<T: FromJson>(json: impl Read) -> serde_json::Result<T> {
    from_bounded(&mut Bounded::new(json))
}

/// Works like [`from_json`], for a reader that its caller rewinds to read it again.
///
/// # Errors
/// As there.
pub fn from_bounded<T: FromJson>(json: &mut Bounded<impl Read>) -> serde_json::Result<T> {
    // serde_json reads bytes that are there several times faster than a stream.
    let mut start = Vec::new();
    match json.by_ref().take(MOST_AT_ONCE).read_to_end(&mut start) {
        Ok(bytes) if (bytes as u64) < MOST_AT_ONCE => T::from_slice(&start),
        Ok(_) => T::from_reader(&mut start.as_slice().chain(json)),
        Err(error) => T::from_reader(&mut start.as_slice().chain(Failed(Some(error)))),
    }
}

/// A reader that fails once.
struct Failed(Option<io::Error>);

impl Read for Failed {
    fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
        self.0.take().map_or(Ok(0), Err)
    }
}

/// A reader of JSON that fails when there is too much of anything. Seeking to the start resets it.
pub struct Bounded<R> {
    json: R,
    limits: &'static Limits,
    seen: Seen,
}

/// What was read so far.
#[derive(Default)]
struct Seen {
    total: u64,
    plain: Amount,
    round: Amount,
    /// The number of open lists and objects.
    depth: u64,
    /// The depth of the list of raw rounds, while inside one.
    raw: Option<u64>,
    /// Whether the next value belongs to the key `raw`.
    is_raw_next: bool,
    text: Text,
}

#[derive(Clone, Copy, Default)]
struct Amount {
    bytes: u64,
    values: u64,
}

/// The current string, or the last one.
#[derive(Default)]
struct Text {
    is_open: bool,
    is_escaped: bool,
    bytes: u64,
    start: [u8; RAW.len()],
}

impl<R> Bounded<R> {
    /// Wraps `json`, which must be at its start.
    pub fn new(json: R) -> Self {
        Self { json, limits: &LIMITS, seen: Seen::default() }
    }
}

impl Seen {
    /// Looks at the next bytes. Too much of something may be noticed at their end only.
    fn see(&mut self, bytes: &[u8], limits: &Limits) -> Result<(), &'static str> {
        let mut new = Amount::default();
        for &byte in bytes {
            new.bytes += 1;
            if self.text.is_open {
                self.text.see(byte, limits)?;
                continue;
            }
            match byte {
                b'"' => self.text = Text { is_open: true, ..Text::default() },
                b':' => {
                    self.is_raw_next = self.text.is(RAW);
                    continue;
                }
                b',' => new.values += 1,
                b'[' | b'{' => {
                    new.values += 1;
                    self.depth += 1;
                    if self.raw.is_none() && self.is_raw_next && byte == b'[' {
                        self.count(mem::take(&mut new), limits)?;
                        self.raw = Some(self.depth);
                    } else if self.raw.is_some_and(|raw| self.depth == raw + 1) {
                        self.count(mem::take(&mut new), limits)?;
                        self.round = Amount::default();
                    }
                }
                b']' | b'}' => {
                    if self.raw == Some(self.depth) {
                        self.count(mem::take(&mut new), limits)?;
                        self.raw = None;
                    }
                    self.depth = self.depth.saturating_sub(1);
                }
                b' ' | b'\n' | b'\r' | b'\t' => continue,
                _ => {}
            }
            self.is_raw_next = false;
        }
        self.text.check(limits)?;
        self.count(new, limits)
    }

    /// Counts what was new until now.
    fn count(&mut self, new: Amount, limits: &Limits) -> Result<(), &'static str> {
        let (amount, most, words) = match self.raw {
            None => (
                &mut self.plain,
                limits.plain,
                "it holds more than any run does, beside raw samples",
            ),
            Some(_) => (
                &mut self.round,
                limits.round,
                "it has more raw samples in one round than any run has",
            ),
        };
        amount.bytes += new.bytes;
        amount.values += new.values;
        if amount.bytes > most.bytes || amount.values > most.values { Err(words) } else { Ok(()) }
    }
}

impl Text {
    fn see(&mut self, byte: u8, limits: &Limits) -> Result<(), &'static str> {
        match byte {
            _ if self.is_escaped => self.is_escaped = false,
            b'\\' => self.is_escaped = true,
            b'"' => {
                self.is_open = false;
                return self.check(limits);
            }
            _ => {}
        }
        if let Some(place) = usize::try_from(self.bytes).ok().and_then(|at| self.start.get_mut(at))
        {
            *place = byte;
        }
        self.bytes += 1;
        Ok(())
    }

    fn check(&self, limits: &Limits) -> Result<(), &'static str> {
        if self.bytes > limits.text_bytes {
            Err("it has a text of more than 1 MiB")
        } else {
            Ok(())
        }
    }

    fn is(&self, word: &[u8]) -> bool {
        self.bytes == word.len() as u64 && self.start == word
    }
}

impl<R: Read> Read for Bounded<R> {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let read = self.json.read(buffer)?;
        self.seen.total += read as u64;
        if self.seen.total > self.limits.total_bytes {
            return Err(io::Error::other(
                "it is larger than 256 MiB; cpb export --no-raw makes it small",
            ));
        }
        self.seen.see(&buffer[..read], self.limits).map_err(io::Error::other)?;
        Ok(read)
    }
}

impl<R: Seek> Seek for Bounded<R> {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let place = self.json.seek(to)?;
        if place == 0 {
            self.seen = Seen::default();
        }
        Ok(place)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::Value;

    #[derive(serde::Deserialize)]
    #[serde(transparent)]
    struct Any(Value);
    cpb_model::impl_from_json!(Any);

    /// Smaller than [`LIMITS`] in proportion, for a fast test.
    const SMALL: Limits = Limits {
        total_bytes: 256 << 10,
        plain: Amount { bytes: 48 << 10, values: 3_000 },
        round: Amount { bytes: 16 << 10, values: 1 << 10 },
        text_bytes: 1 << 10,
    };

    fn refusal(json: impl Read) -> String {
        let read = from_bounded(&mut Bounded { json, limits: &SMALL, seen: Seen::default() });
        read.map(|_: Any| ()).unwrap_err().to_string()
    }

    struct Endless(&'static [u8], usize);

    impl Read for Endless {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            for place in &mut *buffer {
                *place = self.0[self.1 % self.0.len()];
                self.1 += 1;
            }
            Ok(buffer.len())
        }
    }

    #[test]
    fn what_never_ends_is_refused_in_words() {
        for (start, part, words) in [
            ("[", &b"\"\","[..], "beside raw samples"),
            ("[", b"1111111111111111111111111111111111111111", "beside raw samples"),
            (" ", b" ", "beside raw samples"),
            ("[\"", b"x", "more than 1 MiB"),
            ("{\"raw\": [{\"ticks\": [", b"1,", "in one round"),
            ("{\"raw\": [{\"a\": \"x\", \"b\": [", b"                    1,", "in one round"),
            ("{\"raw\": [", b"{\"ticks\":[1,2,3]},                                 ", "256 MiB"),
            // With an escaped key it does not count as raw samples, but is read as such.
            ("{\"r\\u0061w\": [{\"ticks\": [", b"1,", "beside raw samples"),
            ("{\"raw\": [], \"more\": [", b"1,", "beside raw samples"),
        ] {
            let refused = refusal(start.as_bytes().chain(Endless(part, 0)));
            assert!(refused.contains(words), "{start}: {refused}");
        }
    }

    #[test]
    fn what_ends_in_time_for_others_to_follow_is_refused_too() {
        let text = format!("[\"{}\", \"x\"]", "x".repeat(2000));
        assert!(refusal(text.as_bytes()).contains("more than 1 MiB"));
        let round = |values| format!("{{\"ticks\": [{}1]}}", "1,".repeat(values));
        let raw = |rounds: &[String]| format!("{{\"raw\": [{}], \"b\": 1}}", rounds.join(","));
        let refused = refusal(raw(&[round(9), round(2000), round(9)]).as_bytes());
        assert!(refused.contains("in one round"), "{refused}");
        // Together they have more than one round may.
        let several = raw(&[round(700), round(700), round(700)]);
        let json = &mut Bounded { json: several.as_bytes(), limits: &SMALL, seen: Seen::default() };
        assert!(from_bounded::<Any>(json).is_ok());
    }

    #[test]
    fn what_is_right_is_read_and_made_harmless() {
        let text = r#"{"a": ["\u001b[2J", "\\\"]"], "raw": [{"ticks": [1, 2]}], "b": [{}]}"#;
        let Any(read) = from_json(text.as_bytes()).unwrap();
        assert_eq!(
            read,
            serde_json::json!({
                "a": ["\\u{1b}[2J", "\\\"]"], "raw": [{"ticks": [1, 2]}], "b": [{}]
            })
        );
    }
}
