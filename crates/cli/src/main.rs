//! `cpb`: cycles per byte of cryptographic primitives, in figures that hold
//! from run to run.

#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod fault;
mod lengths;
mod output;
mod progress;
mod run_record;
mod shelf;
mod views;

use clap::{Parser, Subcommand};
use fault::Fault;
use std::ffi::OsString;
use std::path::Path;
use std::process::ExitCode;

/// Cycles per byte of cryptographic primitives, in figures that hold from run
/// to run.
///
/// Exit status: 0 all measured; 1 something asked for could not be measured
/// (its rows say why); 2 wrong use.
#[derive(Parser)]
#[command(name = "cpb", version, max_term_width = 100)]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Run(commands::run::Arguments),
    Bench(commands::bench::Arguments),
    Slope(commands::slope::Arguments),
    Plot(commands::plot::Arguments),
    Doctor(commands::doctor::Arguments),
    List(commands::list::Arguments),
    Links(commands::links::Arguments),
    /// Measure for a parent cpb: requests on standard input, replies on
    /// standard output.
    #[command(name = cpb_engine::worker::SUBCOMMAND, hide = true)]
    Worker,
}

/// How the program was called: by its own name, or by an old tool's.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CalledAs {
    Cpb,
    /// The sha3 bench.
    Bench,
    /// bench-slopes for a library.
    BenchSlope(&'static str),
}

impl CalledAs {
    /// The old tools' names.
    pub(crate) const NAMES: [(&'static str, CalledAs); 6] = [
        ("bench", CalledAs::Bench),
        ("bench-slope-openssl", CalledAs::BenchSlope("openssl")),
        ("bench-slope-gcrypt", CalledAs::BenchSlope("gcrypt")),
        ("bench-slope-nettle", CalledAs::BenchSlope("nettle")),
        ("bench-slope-botan", CalledAs::BenchSlope("botan")),
        ("bench-slope-cryptopp", CalledAs::BenchSlope("cryptopp")),
    ];

    fn from_program(program: &OsString) -> Self {
        let called = Path::new(program).file_name().and_then(|name| name.to_str());
        let known = Self::NAMES.into_iter().find(|(name, _)| Some(*name) == called);
        known.map_or(CalledAs::Cpb, |(_, called_as)| called_as)
    }

    /// The command that an old tool's name stands for.
    fn command(self) -> Option<&'static str> {
        match self {
            CalledAs::Cpb => None,
            CalledAs::Bench => Some("bench"),
            CalledAs::BenchSlope(_) => Some("slope"),
        }
    }
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        output::complain(&format!(
            "internal error at {place}: {}; please report this",
            panic.payload_as_str().unwrap_or("no words")
        ));
    }));
    match std::panic::catch_unwind(run) {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(fault)) => fault.report(),
        Err(_) => ExitCode::from(fault::NOT_MEASURED),
    }
}

fn run() -> Result<u8, Fault> {
    let mut words: Vec<OsString> = std::env::args_os().collect();
    let called_as = words.first().map_or(CalledAs::Cpb, CalledAs::from_program);
    // Workers are started by whatever name their parent was called.
    let is_worker = words.get(1).is_some_and(|word| word == cpb_engine::worker::SUBCOMMAND);
    if let Some(command) = called_as.command().filter(|_| !is_worker) {
        words.insert(1, command.into());
    }
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        // Help and version are results; everything else clap has to say is
        // wrong use.
        Err(error) => {
            let status = if error.use_stderr() { fault::WRONG_USE } else { 0 };
            let _ = error.print();
            return Ok(status);
        }
    };
    match arguments.command {
        Command::Run(arguments) => commands::run::execute(&arguments),
        Command::Bench(arguments) => commands::bench::execute(&arguments, called_as),
        Command::Slope(arguments) => commands::slope::execute(&arguments, called_as),
        Command::Plot(arguments) => commands::plot::execute(&arguments),
        Command::Links(arguments) => commands::links::execute(&arguments),
        Command::Doctor(arguments) => commands::doctor::execute(&arguments),
        Command::List(arguments) => commands::list::execute(&arguments),
        Command::Worker => cpb_engine::worker::serve()
            .map(|()| 0)
            .map_err(|error| Fault::Usage(format!("this is for cpb's own use: {error}"))),
    }
}
