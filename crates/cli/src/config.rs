//! Reads the config file. Its values become defaults of options before the command line is read, so
//! that commands do not know of it, and the command line overrides it.

use crate::arguments::{self, nearest};
use crate::cli_error::CliError;
use crate::{input, library_set};
use clap::builder::ArgPredicate;
use clap::{Arg, ColorChoice, Command, ValueEnum};
use cpb_engine::LibrarySpec;
use cpb_host::Home;
use cpb_store::{StoreLocation, without_passwords};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use toml::{Spanned, Value};

/// Names the file; if empty, none is read.
const VARIABLE: &str = "CPB_CONFIG";

/// The key that is not the default of an option, because --library does more than choose libraries.
const LIBRARIES: &str = "libraries";

/// A key of the file.
pub(crate) struct Key {
    pub(crate) name: &'static str,
    /// The option for which it is the default.
    pub(crate) about: &'static str,
    /// Describes valid values.
    right: &'static str,
    is_right: fn(&str) -> bool,
    takes_many: bool,
    /// The option's field name, if it is the default of one, and the commands it applies to; if
    /// none are named, all that have the option.
    option: &'static str,
    commands: &'static [&'static str],
    /// An option that also sets this.
    yields_to: &'static str,
    /// Environment variables that also set this.
    variables: &'static [&'static str],
}

/// Commands whose results can have other formats: all except those that print as an old tool does.
const OWN_RESULTS: &[&str] =
    &["run", "compare", "gate", "doctor", "list", "history", "machines", "show"];

const PLAIN: Key = Key {
    name: "",
    about: "",
    right: "",
    is_right: |_| true,
    takes_many: false,
    option: "",
    commands: &[],
    yields_to: "",
    variables: &[],
};

/// Every key. A new key is a new row here.
pub(crate) static KEYS: [Key; 8] = [
    Key {
        name: "precision",
        about: "--precision of run",
        right: "a percentage above 0 and below 100, as \"0.5%\"",
        is_right: |text| arguments::percentage(text).is_ok(),
        option: "precision",
        commands: &["run"],
        yields_to: "quick",
        ..PLAIN
    },
    Key {
        name: "max-time",
        about: "--max-time of run, compare and gate",
        right: "a number of seconds, or a time as \"90s\" or \"2m\"",
        is_right: |text| arguments::seconds(text).is_ok(),
        option: "max_time",
        commands: &["run", "compare", "gate"],
        yields_to: "quick",
        ..PLAIN
    },
    Key {
        name: "color",
        about: "--color",
        right: "\"auto\", \"always\" or \"never\"",
        is_right: |text| ColorChoice::from_str(text, false).is_ok(),
        option: "color",
        variables: &["NO_COLOR", "CLICOLOR", "CLICOLOR_FORCE"],
        ..PLAIN
    },
    Key {
        name: "format",
        about: "--format of run, compare, gate, doctor, list, history, machines and show",
        right: "\"table\", \"csv\", \"json\" or \"markdown\"",
        is_right: |text| ["table", "csv", "json", "markdown"].contains(&text),
        option: "format",
        commands: OWN_RESULTS,
        yields_to: "output",
        ..PLAIN
    },
    Key {
        name: LIBRARIES,
        about: "the libraries that run measures where --library names none",
        right: "a list of libraries as for --library, as [\"openssl\", \"mine=/opt/libmine.so\"], \
                with absolute paths",
        is_right: |text| {
            library_set::specification(text).is_ok_and(|it| it.path.is_none_or(is_absolute))
        },
        takes_many: true,
        ..PLAIN
    },
    Key {
        name: "store",
        about: "--store of every command that has it",
        right: "the absolute path of a file, as \"/home/me/runs.sqlite\", or a database, as \
                \"postgres://me@db.example/bench\"",
        is_right: |text| match StoreLocation::parse(text.as_ref()) {
            Ok(StoreLocation::File(path)) => is_absolute(path),
            Ok(StoreLocation::Server(_)) => true,
            Err(_) => false,
        },
        option: "store",
        variables: &["CPB_STORE"],
        ..PLAIN
    },
    Key {
        name: "cpu",
        about: "--cpu of every command that has it",
        right: "the number of a CPU, as 3 (cpb doctor lists those allowed)",
        is_right: |text| arguments::cpu(text).is_ok(),
        option: "cpu",
        ..PLAIN
    },
    Key {
        name: "build-cache",
        about: "--build-cache of every command that has --folder",
        right: "a whole number of bytes, as \"500M\" or \"4G\"",
        is_right: |text| arguments::room(text).is_ok(),
        option: "build_cache",
        ..PLAIN
    },
];

/// Commands may be called from any folder.
fn is_absolute(path: impl AsRef<Path>) -> bool {
    path.as_ref().is_absolute()
}

/// The content of the file.
#[derive(Debug, Default)]
pub(crate) struct Config {
    /// Its path, whether it exists or not; `None` if no variable names a folder.
    pub(crate) path: Option<PathBuf>,
    pub(crate) exists: bool,
    words: HashMap<&'static str, Vec<String>>,
}

impl Config {
    /// Reads the file that `CPB_CONFIG` names, which must exist; otherwise the one in the user's
    /// folder, which may be missing.
    pub(crate) fn load() -> Result<Self, CliError> {
        let named = std::env::var_os(VARIABLE);
        let path = match &named {
            Some(name) if name.is_empty() => return Ok(Self::default()),
            Some(name) => PathBuf::from(name),
            None => match Home::Config.folder() {
                Some(folder) => folder.join("config.toml"),
                None => return Ok(Self::default()),
            },
        };
        if named.is_none() && !path.exists() {
            return Ok(Self { path: Some(path), ..Self::default() });
        }
        // The named file may be a pipe.
        let text = match &named {
            Some(_) => input::text(&path),
            None => cpb_host::files::read_text(&path, input::MOST_TEXT),
        };
        let text = text.map_err(|error| {
            let by = if named.is_some() { ", which CPB_CONFIG names" } else { "" };
            usage!("cannot read the config file '{}'{by}: {error}", path.display())
        })?;
        Self::parse(path, &text)
    }

    /// Parses `text`, the content of the file at `path`.
    fn parse(path: PathBuf, text: &str) -> Result<Self, CliError> {
        let wrong = |at: usize, what: &str| {
            let line = text.get(..at).unwrap_or_default().matches('\n').count() + 1;
            usage!("config file '{}', line {line}: {what}", path.display())
        };
        let entries: HashMap<Spanned<String>, Spanned<Value>> = toml::from_str(text)
            .map_err(|error| wrong(error.span().map_or(0, |span| span.start), error.message()))?;
        let mut entries: Vec<_> = entries.into_iter().collect();
        entries.sort_by_key(|(name, _)| name.span().start);
        let mut words = HashMap::new();
        for (name, value) in entries {
            let key = KEYS.iter().find(|key| key.name == name.get_ref());
            let key = key.ok_or_else(|| wrong(name.span().start, &unknown(name.get_ref())))?;
            let said = key.words(value.get_ref()).ok_or_else(|| {
                let found = text.get(value.span()).unwrap_or_default();
                let found = without_passwords(found);
                let what = format!("'{}' is {}, not {found}", key.name, key.right);
                wrong(value.span().start, &what)
            })?;
            words.insert(key.name, said);
        }
        Ok(Self { path: Some(path), exists: true, words })
    }

    /// Returns the value of `key` as words of the command line.
    pub(crate) fn words(&self, key: &Key) -> Option<&[String]> {
        self.words.get(key.name).map(Vec::as_slice)
    }

    /// Returns the libraries to measure if none is named.
    pub(crate) fn libraries(&self) -> Vec<LibrarySpec> {
        let words = self.words.get(LIBRARIES).into_iter().flatten();
        words.filter_map(|word| word.parse().ok()).collect()
    }

    /// Sets the file's values as defaults of `command`.
    pub(crate) fn put_into(&self, command: Command) -> Command {
        let said = KEYS.iter().filter_map(|key| Some((key, self.words(key)?)));
        said.filter(|(key, _)| !key.is_said_by_environment())
            .fold(command, |command, (key, words)| key.put_into(command, words))
    }
}

impl Key {
    /// Converts `value` to words of the command line; `None` if it is invalid.
    fn words(&self, value: &Value) -> Option<Vec<String>> {
        let word = |value: &Value| match value {
            Value::String(text) => Some(text.clone()),
            Value::Integer(number) => Some(number.to_string()),
            Value::Float(number) => Some(number.to_string()),
            _ => None,
        };
        let words: Vec<String> = match value {
            Value::Array(values) if self.takes_many => {
                values.iter().map(word).collect::<Option<_>>()
            }
            _ if self.takes_many => None,
            value => word(value).map(|word| vec![word]),
        }?;
        words.iter().all(|word| (self.is_right)(word)).then_some(words)
    }

    fn is_said_by_environment(&self) -> bool {
        let is_set = |name: &&str| std::env::var_os(name).is_some_and(|value| !value.is_empty());
        self.variables.iter().any(is_set)
    }

    fn put_into(&self, command: Command, words: &[String]) -> Command {
        self.set(command, words).mut_subcommands(|command| {
            match self.commands.is_empty() || self.commands.contains(&command.get_name()) {
                true => self.set_within(command, words),
                false => command,
            }
        })
    }

    /// Sets the default in `command` and its subcommands.
    fn set_within(&self, command: Command, words: &[String]) -> Command {
        self.set(command, words).mut_subcommands(|command| self.set(command, words))
    }

    /// Sets the default of the option in `command`, if it has that option.
    fn set(&self, command: Command, words: &[String]) -> Command {
        let yields = command.get_arguments().any(|argument| argument.get_id() == self.yields_to);
        let default = |argument: Arg| {
            let argument = argument.default_values(words.to_vec()).hide_default_value(true);
            match yields {
                true => {
                    argument.default_value_if(self.yields_to, ArgPredicate::IsPresent, None::<&str>)
                }
                false => argument,
            }
        };
        command.mut_args(|argument| match argument.get_id() == self.option {
            true => default(argument),
            false => argument,
        })
    }
}

fn unknown(name: &str) -> String {
    let known = KEYS.each_ref().map(|key| key.name);
    let hint = nearest(name, &known).map(|it| format!(" Did you mean '{it}'?")).unwrap_or_default();
    format!("unknown key '{name}'.{hint} Known: {}", known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Config, CliError> {
        Config::parse(PathBuf::from("/x/config.toml"), text)
    }

    #[test]
    fn every_key_has_its_words() {
        crate::know_all_libraries();
        let config = parse(
            "precision = \"1%\"\nmax-time = 90\ncolor = \"never\"\nformat = \"csv\"\n\
             libraries = [\"native\", \"mine=/opt/libmine.so\"]\nstore = \"/x/runs.sqlite\"\ncpu = 0\n\
             build-cache = \"500M\"\n",
        )
        .unwrap();
        let words = KEYS
            .each_ref()
            .map(|key| config.words(key).map(<[String]>::to_vec).unwrap_or_default());
        assert_eq!(words[..4].concat(), ["1%", "90", "never", "csv"]);
        assert_eq!(words[4..6].concat(), ["native", "mine=/opt/libmine.so", "/x/runs.sqlite"]);
        assert_eq!(words[6..].concat(), ["0", "500M"]);
        assert!(parse("").unwrap().words.is_empty());
    }

    #[test]
    fn what_is_wrong_is_told_with_its_line_and_what_would_be_right() {
        crate::know_all_libraries();
        for (text, words) in [
            (
                "# x\n\nprecison = 1",
                ["line 3: unknown key 'precison'", "Did you mean 'precision'?"],
            ),
            ("nonsense = 1", ["line 1: unknown key 'nonsense'", "Known: precision, max-time"]),
            ("cpu = 1\nprecision = 200", ["line 2: 'precision' is a percentage", "not 200"]),
            ("max-time = \"soon\"", ["line 1: 'max-time' is a number of seconds", "soon"]),
            ("max-time = [1]", ["line 1: 'max-time'", "[1]"]),
            ("color = true", ["line 1: 'color' is \"auto\"", "not true"]),
            ("format = \"html\"", ["line 1: 'format' is \"table\"", "html"]),
            ("libraries = \"openssl\"", ["line 1: 'libraries' is a list", "openssl"]),
            ("libraries = [\"opensll\"]", ["line 1: 'libraries' is a list", "opensll"]),
            ("libraries = [\"mine=./x.so\"]", ["'libraries'", "absolute"]),
            ("store = \"runs.sqlite\"", ["'store' is the absolute path", "runs.sqlite"]),
            ("cpu = -1", ["'cpu' is the number of a CPU", "-1"]),
            ("build-cache = \"4T\"", ["'build-cache' is a whole number of bytes", "4T"]),
            ("[run]\nprecision = 1", ["line 1: unknown key 'run'", "Known"]),
            ("\ncpu = 1\ncpu = 2", ["line 3", "duplicate"]),
            ("cpu 1", ["line 1", ""]),
        ] {
            let error = parse(text).unwrap_err();
            assert!(matches!(error, CliError::Usage(_)));
            let error = error.to_string();
            assert!(error.contains("'/x/config.toml'"), "{error}");
            assert!(words.iter().all(|word| error.contains(word)), "{text}: {error}");
        }
    }

    #[test]
    fn commands_of_commands_have_their_defaults_too() {
        let config = parse("store = \"/x/runs.sqlite\"").unwrap();
        let store = KEYS.iter().find(|key| key.name == "store").unwrap();
        let words = config.words(store).unwrap();
        let command = <crate::Arguments as clap::CommandFactory>::command();
        let command = store.put_into(command, words);
        let fleet = command.find_subcommand("fleet").and_then(|it| it.find_subcommand("run"));
        let default = |it: &Arg| it.get_default_values().iter().any(|it| it == "/x/runs.sqlite");
        let of_fleet = fleet.unwrap().get_arguments().filter(|it| default(it)).count();
        assert_eq!(of_fleet, 1);
    }

    #[test]
    fn every_key_is_of_an_option() {
        let mut command = Command::new("x");
        for key in KEYS.iter().filter(|key| !key.option.is_empty()) {
            command = <crate::Arguments as clap::CommandFactory>::command();
            let has =
                |command: &Command| command.get_arguments().any(|it| it.get_id() == key.option);
            let meant = key.commands.iter().map(|name| command.find_subcommand(name).unwrap());
            assert!(meant.clone().all(&has), "{}", key.name);
            let all = command.get_subcommands().chain([&command]);
            assert!(all.into_iter().any(&has), "{}", key.name);
        }
        command.debug_assert();
    }
}
