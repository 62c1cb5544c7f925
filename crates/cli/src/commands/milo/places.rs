//! Which options milo heeds in which place. It ignores all others, and so do we:
//! a script that gives too many goes on as it did, and is told.

use crate::arguments::nearest;
use crate::primitives::Parameter;
use std::ffi::OsString;

const BEFORE_BENCHMARK: [&str; 2] = ["advanced", "verbose"];
const BEFORE_PRIMITIVE: [&str; 3] = ["repeats-time", "repeats-warm", "cpu-clock"];
const PLACES: [&str; 4] = [
    "before `benchmark`",
    "between `benchmark` and `primitive`",
    "between `primitive` and EXPRESSION",
    "behind `primitive EXPRESSION`",
];

/// What milo heeds of a command line, and what is to be said of the rest.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct Heeded {
    pub(super) words: Vec<OsString>,
    pub(super) ignored: Vec<String>,
}

/// Sorts out `words`, of which the first is the program's name.
pub(super) fn heeded(words: &[OsString]) -> Heeded {
    let mut heeded = Heeded::default();
    let mut words = words.iter();
    heeded.words.extend(words.next().cloned());
    let mut place = 0;
    while let Some(word) = words.next() {
        let text = word.to_string_lossy();
        let is_token = !text.starts_with('-');
        if place + 1 == PLACES.len() && !text.starts_with("--") {
            let told = format!("'{text}' and what follows is ignored: parameters end there");
            heeded.ignored.push(told);
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
fn about(text: &str, name: &str) -> String {
    if let Some(place) = (0..PLACES.len()).find(|&place| has(place, name)) {
        return format!("--{name} belongs {}; here it is ignored", PLACES[place]);
    }
    let parameters = Parameter::ALL.iter().map(|parameter| parameter.name());
    let known: Vec<&str> =
        BEFORE_BENCHMARK.into_iter().chain(BEFORE_PRIMITIVE).chain(parameters).collect();
    let hint = nearest(name, &known).map(|known| format!(" Did you mean '--{known}'?"));
    format!("unknown option '{text}' is ignored.{}", hint.unwrap_or_default())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sorted(line: &str) -> (String, Vec<String>) {
        let words: Vec<OsString> = line.split_whitespace().map(OsString::from).collect();
        let Heeded { words, ignored } = heeded(&words);
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
                "--message",
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
