//! Interprets the program's names, and the arguments of each.

use crate::clock::bench_slopes_megahertz;
use clap::Args;
use clap::error::ErrorKind;
use clap::parser::ValueSource;
use std::ffi::{OsStr, OsString};
use std::path::Path;

/// The exit status of the tools for wrong use.
const OF_BENCH_SLOPES_AND_MILO: u8 = 1;
const OF_THE_OTHERS: u8 = 2;
/// The help of bench-slope-LIBRARY.
const BENCH_SLOPE: &str = "\
Time and cycles per byte of every algorithm of LIBRARY

Fits a line through the time of messages of 16 to 4112 bytes (for kdf, of 2 to 64 \
iterations); its slope is the cost of a byte, free of the cost of a call. Without a \
group, everything that bench-slopes has a row for is measured. Options come before the \
group.";
const REPETITIONS: &str = "Accepted samples for each length [default: 64, for few rows up to 192]";

/// The name with which the program was called: its own, or an old tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CalledAs {
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
    pub const NAMES: [(&'static str, CalledAs); 8] = [
        ("bench", CalledAs::Bench),
        ("bench-slope-openssl", CalledAs::BenchSlope("openssl")),
        ("bench-slope-gcrypt", CalledAs::BenchSlope("gcrypt")),
        ("bench-slope-nettle", CalledAs::BenchSlope("nettle")),
        ("bench-slope-botan", CalledAs::BenchSlope("botan")),
        ("bench-slope-cryptopp", CalledAs::BenchSlope("cryptopp")),
        ("benchmark_mt", CalledAs::BenchmarkMt),
        ("milo", CalledAs::Milo),
    ];

    /// Returns the tool for the name of the program at this path.
    pub fn from_program(program: &OsStr) -> Self {
        let called = Path::new(program).file_name().and_then(|name| name.to_str());
        let known = Self::NAMES.into_iter().find(|(name, _)| Some(*name) == called);
        known.map_or(CalledAs::Cpb, |(_, called_as)| called_as)
    }

    /// Parses the arguments of the command for an old tool's name.
    ///
    /// # Errors
    /// clap's error, for wrong use and for `--help`; also if an option of the command has no
    /// meaning under this name.
    pub fn parse<A: Args>(self, words: &[OsString]) -> Result<A, clap::Error> {
        let command = clap::Command::new(self.name()).max_term_width(100);
        // The last occurrence of an option counts, since wrappers of these tools append their own.
        let mut command = A::augment_args(command.args_override_self(true));
        for option in self.without() {
            command = command.mut_arg(option, |argument| argument.hide(true));
        }
        if let CalledAs::BenchSlope(library) = self {
            command = command
                .about(format!("Time and cycles per byte of every algorithm of {library}"))
                .long_about(BENCH_SLOPE.replace("LIBRARY", library))
                .mut_arg("repetitions", |argument| argument.help(REPETITIONS).long_help(None))
                .mut_arg("cpu_mhz", |argument| argument.value_parser(bench_slopes_megahertz));
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

    /// Returns the library for which this is bench-slopes' tool.
    pub fn bench_slopes_library(self) -> Option<&'static str> {
        match self {
            CalledAs::BenchSlope(library) => Some(library),
            _ => None,
        }
    }

    /// Returns the tool's exit status for wrong use.
    pub fn wrong_use(self) -> u8 {
        match self {
            CalledAs::BenchSlope(_) | CalledAs::Milo => OF_BENCH_SLOPES_AND_MILO,
            CalledAs::Cpb | CalledAs::Bench | CalledAs::BenchmarkMt => OF_THE_OTHERS,
        }
    }

    fn name(self) -> &'static str {
        let known = Self::NAMES.into_iter().find(|(_, called_as)| *called_as == self);
        known.map_or("cpb", |(name, _)| name)
    }

    /// Returns the IDs of options without meaning under this name.
    fn without(self) -> &'static [&'static str] {
        match self {
            CalledAs::BenchmarkMt => {
                &["scaling", "plot", "format", "output", "store", "no_save", "require_store"]
            }
            CalledAs::BenchSlope(_) => {
                &["library", "all", "contract", "aad", "key", "nonce", "out"]
            }
            CalledAs::Cpb | CalledAs::Bench | CalledAs::Milo => &[],
        }
    }

    /// Returns the command that has all options.
    fn command(self) -> &'static str {
        match self {
            CalledAs::BenchSlope(_) => "slope",
            CalledAs::Bench => "bench",
            CalledAs::BenchmarkMt => "recursive",
            CalledAs::Cpb | CalledAs::Milo => "run",
        }
    }
}
