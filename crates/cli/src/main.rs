//! `cpb`: cycles per byte of cryptographic primitives, in figures that hold
//! from run to run.

#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod fault;
mod output;
mod progress;
mod run_record;
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
    Doctor(commands::doctor::Arguments),
    List(commands::list::Arguments),
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
}

impl CalledAs {
    fn from_program(program: &OsString) -> Self {
        match Path::new(program).file_name().and_then(|name| name.to_str()) {
            Some("bench") => CalledAs::Bench,
            _ => CalledAs::Cpb,
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
    if called_as == CalledAs::Bench
        && words.get(1).is_none_or(|word| word != cpb_engine::worker::SUBCOMMAND)
    {
        words.insert(1, "bench".into());
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
        Command::Doctor(arguments) => commands::doctor::execute(&arguments),
        Command::List(arguments) => commands::list::execute(&arguments),
        Command::Worker => cpb_engine::worker::serve()
            .map(|()| 0)
            .map_err(|error| Fault::Usage(format!("this is for cpb's own use: {error}"))),
    }
}
