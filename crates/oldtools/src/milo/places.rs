//! Which options milo heeds in which place. It ignores all others, and so do we:
//! a script that gives too many goes on as it did, and is told.

use super::names::Parameter;
use std::ffi::OsString;

const BEFORE_BENCHMARK: [&str; 2] = ["advanced", "verbose"];
const BEFORE_PRIMITIVE: [&str; 3] = ["repeats-time", "repeats-warm", "cpu-clock"];
const PLACES: [&str; 4] = [
    "before `benchmark`",
    "between `benchmark` and `primitive`",
    "between `primitive` and EXPRESSION",
    "behind `primitive EXPRESSION`",
];

/// What milo heeds of a command line, and what it ignores.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Heeded {
    /// The words to parse.
    pub words: Vec<OsString>,
    /// The others.
    pub ignored: Vec<Ignored>,
}

/// What milo ignores, and why.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Ignored {
    /// An option that belongs elsewhere.
    #[error("--{option} belongs {place}; here it is ignored")]
    OutOfPlace {
        /// Its name.
        option: String,
        /// Where it belongs.
        place: &'static str,
    },
    /// An option that it does not have.
    #[error("unknown option '{text}' is ignored.")]
    Unknown {
        /// As it was written.
        text: String,
        /// Its name.
        option: String,
    },
    /// Words behind the parameters.
    #[error("'{0}' and what follows is ignored: parameters end there")]
    Rest(String),
}

/// Every option of milo, in whatever place.
#[must_use]
pub fn options() -> Vec<&'static str> {
    let parameters = Parameter::ALL.iter().map(|parameter| parameter.name());
    BEFORE_BENCHMARK.into_iter().chain(BEFORE_PRIMITIVE).chain(parameters).collect()
}

/// Sorts out `words`, of which the first is the program's name.
#[must_use]
pub fn heeded(words: &[OsString]) -> Heeded {
    let mut heeded = Heeded::default();
    let mut words = words.iter();
    heeded.words.extend(words.next().cloned());
    let mut place = 0;
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let is_token = !text.starts_with('-');
        if place + 1 == PLACES.len() && !text.starts_with("--") {
            heeded.ignored.push(Ignored::Rest(text.into_owned()));
            break;
        }
        if is_token {
            place += 1;
            heeded.words.push(word.clone());
            continue;
        }
        let (name, value) = match text.trim_start_matches('-').split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (text.trim_start_matches('-'), None),
        };
        if matches!(&*text, "--help" | "-h") || text.starts_with("--") && has(place, name) {
            heeded.words.push(word.clone());
            // milo wants `--name=value`; here, `--name value` is good as well.
            let is_apart = value.is_none() && place != 0 && has(place, name);
            let value = if is_apart { words.next() } else { None };
            heeded.words.extend(value.cloned());
        } else {
            heeded.ignored.push(about(&text, name));
        }
    }
    heeded
}

fn has(place: usize, name: &str) -> bool {
    match place {
        0 => BEFORE_BENCHMARK.contains(&name),
        1 => BEFORE_PRIMITIVE.contains(&name),
        2 => false,
        _ => Parameter::ALL.iter().any(|parameter| parameter.name() == name),
    }
}

/// Why the option `text`, of this name, is ignored.
fn about(text: &str, name: &str) -> Ignored {
    let option = name.to_owned();
    match (0..PLACES.len()).find(|&place| has(place, name)) {
        Some(place) => Ignored::OutOfPlace { option, place: PLACES[place] },
        None => Ignored::Unknown { text: text.to_owned(), option },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(line: &str) -> (String, Vec<String>) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let Heeded { words, ignored } = heeded(&words);
        let ignored = ignored.iter().map(ToString::to_string).collect();
        (words.join(" ".as_ref()).into_string().unwrap(), ignored)
    }

    #[test]
    fn what_is_in_its_place_is_heeded() {
        for line in [
            "milo",
            "milo --help",
            "milo benchmark --help",
            "milo version",
            "milo --advanced --verbose benchmark --repeats-time=8 --cpu-clock=3500 primitive list",
            "milo benchmark --repeats-warm 8 primitive hash-* --message-size=64",
            "milo benchmark primitive hash-* --message-size 64 --key-size=1",
        ] {
            assert_eq!(sorted(line), (line.to_owned(), Vec::new()));
        }
    }

    #[test]
    fn what_is_not_is_ignored_and_told() {
        for (line, rest, told) in [
            ("milo --cpu-clock=1 version", "milo version", "--cpu-clock belongs between"),
            ("milo benchmark --verbose primitive x", "milo benchmark primitive x", "before"),
            ("milo benchmark primitive --key-size=1 x", "milo benchmark primitive x", "behind"),
            (
                "milo benchmark primitive x --mesage-size=1",
                "milo benchmark primitive x",
                "'--mesage-size=1'",
            ),
            ("milo -v version", "milo version", "'-v'"),
            ("milo benchmark primitive x y --key-size=1", "milo benchmark primitive x", "'y' and"),
            ("milo benchmark primitive x -5 z", "milo benchmark primitive x", "'-5' and"),
        ] {
            let (words, ignored) = sorted(line);
            assert_eq!((words.as_str(), ignored.len()), (rest, 1), "{line}: {ignored:?}");
            assert!(ignored[0].contains(told), "{line}: {ignored:?}");
        }
    }
}
