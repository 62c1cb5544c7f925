//! Decides which options milo accepts in which place, and how it parses them. Others are ignored,
//! as milo does, so that scripts with too many keep working, with a warning.

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

/// The arguments that milo accepts, and those it ignores.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct AcceptedArguments {
    /// The words to parse.
    pub words: Vec<OsString>,
    /// The ignored arguments.
    pub ignored: Vec<Ignored>,
}

/// An ignored argument, with the reason.
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
    /// An unknown option.
    #[error("unknown option '{text}' is ignored.")]
    Unknown {
        /// The argument as written.
        text: String,
        /// Its name.
        option: String,
    },
    /// An option that was given before.
    #[error("'{0}' is ignored: the first of an option counts")]
    Again(String),
    /// An option after a word that ends the options of its place.
    #[error("'{0}' is ignored: it stands behind a word with a single dash, where options end")]
    Behind(String),
    /// An argument that begins with the name of an option, and is taken for it.
    #[error("'{text}' is taken for --{known}")]
    Prefix {
        /// The argument as written.
        text: String,
        /// The option.
        known: &'static str,
    },
    /// Arguments after the parameters.
    #[error("'{0}' and what follows is ignored: parameters end there")]
    Rest(String),
}

/// Returns every option of milo, for any place.
pub fn options() -> Vec<&'static str> {
    let parameters = Parameter::ALL.iter().map(|parameter| parameter.name());
    BEFORE_BENCHMARK.into_iter().chain(BEFORE_PRIMITIVE).chain(parameters).collect()
}

/// Separates accepted from ignored `words`, of which the first is the program's name.
pub fn heeded(words: &[OsString]) -> AcceptedArguments {
    let mut heeded = AcceptedArguments::default();
    let mut words = words.iter();
    heeded.words.extend(words.next().cloned());
    let mut place = 0;
    // The options of this place so far; `None` after a word that ends them.
    let mut given = Some(Vec::new());
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let is_version = heeded.words.last().is_some_and(|last| place == 1 && last == "version");
        if is_version || place + 1 == PLACES.len() && !text.starts_with("--") {
            heeded.ignored.push(Ignored::Rest(text.into_owned()));
            break;
        }
        if !text.starts_with('-') {
            place += 1;
            given = Some(Vec::new());
            heeded.words.push(word.clone());
            continue;
        }
        if matches!(&*text, "--help" | "-h") {
            heeded.words.push(word.clone());
            continue;
        }
        if !text.starts_with("--") {
            given = None;
        }
        let name = text.trim_start_matches('-').split('=').next().unwrap_or_default();
        let value = text.split_once('=').map(|(_, value)| value);
        let known = read_as(place, &text);
        // milo requires `--name=value`; here, `--name value` is accepted too.
        let apart =
            if known.is_some() && place != 0 && value.is_none() { words.next() } else { None };
        match (known, &mut given) {
            (None, _) => heeded.ignored.push(about(&text, name)),
            (Some(_), None) => heeded.ignored.push(Ignored::Behind(text.into_owned())),
            (Some(known), Some(given)) if given.contains(&known) => {
                heeded.ignored.push(Ignored::Again(text.into_owned()));
            }
            (Some(known), Some(given)) => {
                given.push(known);
                if name != known {
                    heeded.ignored.push(Ignored::Prefix { text: text.clone().into_owned(), known });
                }
                // A clock of 0 means none.
                if known != "cpu-clock" || value.is_none_or(|value| value.parse() != Ok(0.0)) {
                    let value = value.map(|value| format!("={value}")).unwrap_or_default();
                    heeded.words.push(format!("--{known}{value}").into());
                    heeded.words.extend(apart.cloned());
                }
            }
        }
    }
    heeded
}

/// Returns the option of a place for which milo takes `text`: the first one with a value whose name
/// it begins with.
fn read_as(place: usize, text: &str) -> Option<&'static str> {
    let text = text.strip_prefix("--")?;
    let begins = |name: &&str| text.starts_with(name);
    match place {
        0 => BEFORE_BENCHMARK.into_iter().find(|name| *name == text),
        1 => BEFORE_PRIMITIVE.into_iter().find(begins),
        2 => None,
        _ => Parameter::ALL.into_iter().map(Parameter::name).find(begins),
    }
}

/// Returns why the option `text`, with this name, is ignored.
fn about(text: &str, name: &str) -> Ignored {
    let option = name.to_owned();
    match (0..PLACES.len()).find(|&place| read_as(place, text) == Some(name)) {
        Some(place) => Ignored::OutOfPlace { option, place: PLACES[place] },
        None => Ignored::Unknown { text: text.to_owned(), option },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Returns what milo heeds of a line behind its name, and what is said of the rest.
    fn sorted(line: &str) -> (String, Vec<String>) {
        let words = std::iter::once("milo").chain(line.split_whitespace());
        let words: Vec<OsString> = words.map(OsString::from).collect();
        let AcceptedArguments { words, ignored } = heeded(&words);
        let ignored = ignored.iter().map(ToString::to_string).collect();
        assert_eq!(words[0], "milo");
        (words[1..].join(" ".as_ref()).into_string().unwrap(), ignored)
    }

    #[test]
    fn what_is_in_its_place_is_heeded() {
        for line in [
            "",
            "--help",
            "benchmark --help",
            "version",
            "--advanced --verbose benchmark --repeats-time=8 --cpu-clock=3500 primitive list",
            "benchmark --repeats-warm 8 primitive hash-* --message-size=64",
            "benchmark primitive hash-* --message-size 64 --key-size=1",
            "benchmark primitive hash-* --message-size= --key-size=x=y",
        ] {
            assert_eq!(sorted(line), (line.to_owned(), Vec::new()));
        }
    }

    #[test]
    fn what_is_not_is_ignored_and_told() {
        for (line, rest, told) in [
            ("--cpu-clock=1 version", "version", "--cpu-clock belongs between"),
            ("benchmark --verbose primitive x", "benchmark primitive x", "before"),
            ("benchmark primitive --key-size=1 x", "benchmark primitive x", "behind"),
            ("benchmark primitive x --mesage-size=1", "benchmark primitive x", "'--mesage-size=1'"),
            ("-v version", "version", "'-v'"),
            ("-v --advanced version", "version", "--advanced' is ignored: it stands behind"),
            ("--advanced=1 version", "version", "'--advanced=1'"),
            ("--advanced --advanced version", "--advanced version", "the first"),
            ("version extra --verbose", "version", "'extra' and what follows"),
            (
                "benchmark --repeats-time=8 --repeats-time=9 primitive x",
                "benchmark --repeats-time=8 primitive x",
                "the first of an option",
            ),
            (
                "benchmark primitive x --key-size 1 --key-size 2",
                "benchmark primitive x --key-size 1",
                "the first of an option",
            ),
            (
                "benchmark primitive x --key-sizes=1",
                "benchmark primitive x --key-size=1",
                "is taken for --key-size",
            ),
            ("benchmark primitive x y --key-size=1", "benchmark primitive x", "'y' and"),
            ("benchmark primitive x -5 z", "benchmark primitive x", "'-5' and"),
        ] {
            let (words, ignored) = sorted(line);
            assert_eq!(words, rest, "{line}: {ignored:?}");
            assert!(ignored.iter().any(|it| it.contains(told)), "{line}: {ignored:?}");
        }
    }

    #[test]
    fn a_clock_of_nothing_is_none() {
        for (line, rest) in [
            ("benchmark --cpu-clock=0 primitive x", "benchmark primitive x"),
            ("benchmark --cpu-clock=10 primitive x", "benchmark --cpu-clock=10 primitive x"),
        ] {
            assert_eq!(sorted(line), (rest.to_owned(), Vec::new()));
        }
    }
}
