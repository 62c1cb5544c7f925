//! `cpb`: repeatable cycles-per-byte benchmarks for cryptography.

#![forbid(unsafe_code)]

#[macro_use]
mod cli_error;

mod arguments;
mod commands;
mod commits;
mod comparison;
mod concurrency;
mod config;
mod destination;
mod distinct;
mod echo;
mod export;
mod folders;
mod help;
mod input;
mod interrupt;
mod lengths;
mod library_set;
mod machines;
mod matching;
mod measurement_context;
mod order;
mod output;
mod own_build;
mod progress;
mod refusal;
mod remembered;
mod run_record;
mod sampling;
mod saved;
mod selection;
mod side;
mod suite;
mod time_budget;
mod verdict;
mod version;
mod views;
mod warning;

use clap::error::ErrorKind;
use clap::{ColorChoice, CommandFactory, FromArgMatches, Parser};
use cli_error::CliError;
use commands::{Command, bench, recursive, slope};
use config::Config;
use cpb_folders::confine;
use cpb_libraries::inspect;
use cpb_oldtools::CalledAs;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Repeatable cycles-per-byte benchmarks for cryptography
///
/// Measures every implementation of a primitive that this machine has, side by side,
/// and checks each result before timing it. To begin: cpb run sha256
///
/// Exit status: 0 all measured; 1 something asked for could not be measured
/// (its rows say why); 2 wrong use; 3 a gate found something slower; 130 ended
/// by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP, with what was finished.
#[derive(Parser)]
#[command(name = "cpb", version, max_term_width = 100)]
struct Arguments {
    /// Colours: as the terminal and NO_COLOR say, always, or never.
    #[arg(long, value_name = "WHEN", global = true, value_enum, default_value = "auto")]
    #[arg(hide_possible_values = true, hide_short_help = true)]
    color: ColorChoice,
    /// With --version: of which sources, by which compiler, and with which shims it was built.
    #[arg(long, requires = "version", hide_short_help = true)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let words = panic.payload_as_str().unwrap_or("no words");
        output::complain(&cli_error::of_panic(&place, words));
    }));
    match std::panic::catch_unwind(run) {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(fault)) => fault.report(),
        Err(_) => ExitCode::from(cli_error::NOT_MEASURED),
    }
}

/// Registers the libraries reached through shims. Must be called before any library is looked for;
/// tests that parse library names call it too.
fn know_all_libraries() {
    cpb_libraries::install_shims(cpb_shims::SHIMS);
}

fn run() -> Result<u8, CliError> {
    know_all_libraries();
    let words: Vec<OsString> = std::env::args_os().collect();
    if let Some(refused) = words.get(1).and_then(|word| become_another(word, &words[2..])) {
        return Err(usage!("this is for cpb's own use: {refused}"));
    }
    cpb_engine::check_machine().map_err(CliError::Usage)?;
    cpb_engine::listen(output::quote);
    let called_as = words.first().map_or(CalledAs::Cpb, |program| CalledAs::from_program(program));
    match execute(called_as, &words) {
        Err(CliError::Usage(reason)) => {
            output::complain(&reason);
            Ok(called_as.wrong_use())
        }
        other => other,
    }
}

/// Becomes a child process, if the first word says so: a worker, which answers requests on standard
/// input, or one that builds or checks foreign sources. Returns why it failed. Children are started
/// by whatever name their parent was called.
fn become_another(word: &OsString, words: &[OsString]) -> Option<String> {
    let served = match words {
        _ if word == confine::SUBCOMMAND => confine::become_confined(words),
        [] if word == cpb_engine::WORKER => {
            cpb_engine::worker::serve().map_err(|error| error.to_string())
        }
        [more, ..] if word == cpb_engine::WORKER => Err(format!("it takes no {}", more.display())),
        [] if word == inspect::SUBCOMMAND => Err("it takes a file".to_owned()),
        [file, answers @ ..] if word == inspect::SUBCOMMAND => {
            inspect::serve(file.as_ref(), &Vec::from_iter(answers.iter().map(Path::new)))
        }
        _ => return None,
    };
    served.err()
}

fn execute(called_as: CalledAs, words: &[OsString]) -> Result<u8, CliError> {
    if called_as == CalledAs::Cpb && words.iter().skip(1).eq(["help", "words"]) {
        output::print(&help::words())?;
        return Ok(0);
    }
    let command = match called_as {
        CalledAs::Milo => return commands::milo::execute(words),
        CalledAs::Cpb => parse(words)?.map(|arguments| {
            colour(arguments.color);
            arguments.command
        }),
        CalledAs::Bench => called_as.parse(words).map(|mut arguments: bench::Arguments| {
            arguments.called_as = called_as;
            Command::Bench(arguments)
        }),
        CalledAs::BenchSlope(_) => called_as.parse(words).map(|mut arguments: slope::Arguments| {
            arguments.called_as = called_as;
            Command::Slope(arguments)
        }),
        CalledAs::BenchmarkMt => {
            called_as.parse(words).map(|mut arguments: recursive::Arguments| {
                arguments.called_as = called_as;
                Command::Recursive(arguments)
            })
        }
    };
    match command {
        Ok(command) => command.execute(),
        Err(error) => {
            if error.kind() == ErrorKind::DisplayVersion && words.iter().any(|it| it == "--verbose")
            {
                output::print(&version::verbose())?;
                return Ok(0);
            }
            if let (CalledAs::BenchSlope(library), false) = (called_as, error.use_stderr()) {
                slope::introduce(library)?;
            }
            let status = called_as.wrong_use();
            Ok(refusal::tell(error, &Arguments::command(), words, status))
        }
    }
}

/// Parses `words` as cpb's command line, with the config file's values as defaults.
fn parse(words: &[OsString]) -> Result<Result<Arguments, clap::Error>, CliError> {
    let (config, fault) = match Config::load() {
        Ok(config) => (config, None),
        Err(fault) => (Config::default(), Some(fault)),
    };
    let mut command = config.put_into(help::in_groups(Arguments::command()));
    let matches = command.try_get_matches_from_mut(each_library(words));
    let parsed = matches.and_then(|matches| Arguments::from_arg_matches(&matches));
    match (parsed, fault) {
        // Help and version work however wrong the file is.
        (Err(error), _) if !error.use_stderr() => Ok(Err(error)),
        (_, Some(fault)) => Err(fault),
        (Err(error), None) => Ok(Err(error.format(&mut command))),
        (Ok(mut arguments), None) => {
            arguments.command.usually_with(config.libraries());
            Ok(Ok(arguments))
        }
    }
}

/// Splits `--library a,b` into one option per library. What is not a list of libraries, such as an
/// environment with a comma, stays as it is.
fn each_library(words: &[OsString]) -> Vec<OsString> {
    const OPTION: &str = "--library";
    let mut each = Vec::new();
    let mut is_value = false;
    for word in words {
        let text = word.to_str().unwrap_or_default();
        let list = match text.strip_prefix(OPTION).and_then(|rest| rest.strip_prefix('=')) {
            Some(list) => Some(list),
            None if is_value => Some(text),
            None => None,
        };
        let list: Vec<&str> = list.map(|list| list.split(',').collect()).unwrap_or_default();
        if list.len() > 1 && list.iter().all(|it| it.parse::<cpb_engine::LibrarySpec>().is_ok()) {
            if is_value {
                each.pop();
            }
            each.extend(list.iter().map(|library| format!("{OPTION}={library}").into()));
        } else {
            each.push(word.clone());
        }
        is_value = text == OPTION;
    }
    each
}

/// Switches colours on or off; by default as the terminal and NO_COLOR say.
fn colour(choice: ColorChoice) {
    match choice {
        ColorChoice::Auto => {}
        ColorChoice::Always => anstream::ColorChoice::Always.write_global(),
        ColorChoice::Never => anstream::ColorChoice::Never.write_global(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_libraries_is_one_option_each() {
        know_all_libraries();
        let each = |line: &str| -> String {
            let words: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            each_library(&words).join(" ".as_ref()).into_string().unwrap()
        };
        let both = "run --library=native --library=openssl sha256";
        assert_eq!(each("run --library native,openssl sha256"), both);
        assert_eq!(each("run --library=native,openssl sha256"), both);
        for same in [
            "run --library native sha256",
            "run native,openssl",
            "run --library native;A=b,c sha256",
            "run --library native,nosuch",
            "run --library",
        ] {
            assert_eq!(each(same), same);
        }
    }
}
