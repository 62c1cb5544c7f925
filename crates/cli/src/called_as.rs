//! The program's names, and what each takes.

use clap::Args;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// How the program was called: by its own name, or by an old tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CalledAs {
    Cpb,
    /// The sha3 bench.
    Bench,
    /// bench-slopes for a library.
    BenchSlope(&'static str),
    /// The recursive SHA-256 benchmark.
    BenchmarkMt,
    /// The benchmark of milo.
    Milo,
}

impl CalledAs {
    /// The old tools' names.
    pub(crate) const NAMES: [(&'static str, CalledAs); 8] = [
        ("bench", CalledAs::Bench),
        ("bench-slope-openssl", CalledAs::BenchSlope("openssl")),
        ("bench-slope-gcrypt", CalledAs::BenchSlope("gcrypt")),
        ("bench-slope-nettle", CalledAs::BenchSlope("nettle")),
        ("bench-slope-botan", CalledAs::BenchSlope("botan")),
        ("bench-slope-cryptopp", CalledAs::BenchSlope("cryptopp")),
        ("benchmark_mt", CalledAs::BenchmarkMt),
        ("milo", CalledAs::Milo),
    ];

    pub(crate) fn from_program(program: &OsStr) -> Self {
        let called = Path::new(program).file_name().and_then(|name| name.to_str());
        let known = Self::NAMES.into_iter().find(|(name, _)| Some(*name) == called);
        known.map_or(CalledAs::Cpb, |(_, called_as)| called_as)
    }

    /// Parses the arguments of the command that an old tool's name stands for.
    ///
    /// # Errors
    /// clap's, for wrong use and for `--help`; and where an option is the
    /// command's but has no meaning under this name.
    pub(crate) fn parse<A: Args>(self, words: Vec<OsString>) -> Result<A, clap::Error> {
        let mut command = A::augment_args(clap::Command::new(self.name()).max_term_width(100));
        for option in self.without() {
            command = command.mut_arg(option, |argument| argument.hide(true));
        }
        let matches = command.try_get_matches_from_mut(words)?;
        let is_given =
            |option: &&&str| matches.value_source(option) == Some(ValueSource::CommandLine);
        if let Some(option) = self.without().iter().find(is_given) {
            let (name, option) = (self.name(), option.replace('_', "-"));
            let reason =
                format!("--{option} is no option of {name}; cpb {} has it", self.command());
            return Err(command.error(ErrorKind::UnknownArgument, reason));
        }
        A::from_arg_matches(&matches)
    }

    fn name(self) -> &'static str {
        let known = Self::NAMES.into_iter().find(|(_, called_as)| *called_as == self);
        known.map_or("cpb", |(name, _)| name)
    }

    /// Options of the command that have no meaning under this name, by their ids.
    fn without(self) -> &'static [&'static str] {
        match self {
            CalledAs::BenchmarkMt => &["scaling", "plot", "format", "store", "no_save"],
            CalledAs::BenchSlope(_) => &["library", "all"],
            CalledAs::Cpb | CalledAs::Bench | CalledAs::Milo => &[],
        }
    }

    /// The command that has all options.
    fn command(self) -> &'static str {
        match self {
            CalledAs::BenchSlope(_) => "slope",
            CalledAs::Bench => "bench",
            CalledAs::BenchmarkMt => "recursive",
            CalledAs::Cpb | CalledAs::Milo => "run",
        }
    }
}
