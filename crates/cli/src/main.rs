//! `cpb`: cycles per byte of cryptographic primitives, in figures that hold
//! from run to run.

#![forbid(unsafe_code)]

mod arguments;
mod commands;
mod comparison;
mod destination;
mod echo;
mod fault;
mod input;
mod interrupt;
mod invocation;
mod lengths;
mod machines;
mod matching;
mod output;
mod own_build;
mod progress;
mod refusal;
mod run_record;
mod sampling;
mod saved;
mod selection;
mod shelf;
mod side;
mod suite;
mod verdict;
mod views;
mod warning;

pub(crate) use cpb_oldtools::CalledAs;

use clap::{CommandFactory, Parser, Subcommand};
use fault::Fault;
use std::ffi::OsString;
use std::process::ExitCode;

/// Cycles per byte of cryptographic primitives, in figures that hold from run
/// to run.
///
/// Exit status: 0 all measured; 1 something asked for could not be measured
/// (its rows say why); 2 wrong use; 3 a gate found something slower; 130 ended
/// by Ctrl-C, 143 by SIGTERM, 129 by SIGHUP, with what was finished.
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
    Recursive(commands::recursive::Arguments),
    Chain(commands::chain::Arguments),
    Compare(commands::compare::Arguments),
    Gate(commands::gate::Arguments),
    Plot(commands::plot::Arguments),
    Report(commands::report::Arguments),
    Doctor(commands::doctor::Arguments),
    List(commands::list::Arguments),
    History(commands::history::Arguments),
    Show(commands::show::Arguments),
    Label(commands::label::Arguments),
    Export(commands::export::Arguments),
    Import(commands::import::Arguments),
    Delete(commands::delete::Arguments),
    Primitive(commands::primitive::Arguments),
    Links(commands::links::Arguments),
    /// Measure for a parent cpb: requests on standard input, replies on
    /// standard output.
    #[command(name = cpb_engine::WORKER, hide = true)]
    Worker,
}

fn main() -> ExitCode {
    std::panic::set_hook(Box::new(|panic| {
        let place = panic.location().map(ToString::to_string).unwrap_or_default();
        let words = panic.payload_as_str().unwrap_or("no words");
        output::complain(&fault::of_panic(&place, words));
    }));
    match std::panic::catch_unwind(run) {
        Ok(Ok(status)) => ExitCode::from(status),
        Ok(Err(fault)) => fault.report(),
        Err(_) => ExitCode::from(fault::NOT_MEASURED),
    }
}

fn run() -> Result<u8, Fault> {
    let words: Vec<OsString> = std::env::args_os().collect();
    // Workers are started by whatever name their parent was called.
    let is_worker = words.get(1).is_some_and(|word| word == cpb_engine::WORKER);
    let called_as = match words.first() {
        Some(program) if !is_worker => CalledAs::from_program(program),
        _ => CalledAs::Cpb,
    };
    match execute(called_as, &words) {
        Err(Fault::Usage(reason)) => {
            output::complain(&reason);
            Ok(called_as.wrong_use())
        }
        other => other,
    }
}

fn execute(called_as: CalledAs, words: &[OsString]) -> Result<u8, Fault> {
    let command = match called_as {
        CalledAs::Milo => return commands::milo::execute(words),
        CalledAs::Cpb => Arguments::try_parse_from(words).map(|arguments| arguments.command),
        CalledAs::Bench => called_as.parse(words).map(Command::Bench),
        CalledAs::BenchSlope(_) => called_as.parse(words).map(Command::Slope),
        CalledAs::BenchmarkMt => called_as.parse(words).map(Command::Recursive),
    };
    let command = match command {
        Ok(command) => command,
        Err(error) => {
            if let (CalledAs::BenchSlope(library), false) = (called_as, error.use_stderr()) {
                commands::slope::introduce(library)?;
            }
            let status = called_as.wrong_use();
            return Ok(refusal::tell(error, &Arguments::command(), words, status));
        }
    };
    match command {
        Command::Run(arguments) => commands::run::execute(&arguments),
        Command::Bench(arguments) => commands::bench::execute(&arguments, called_as),
        Command::Slope(arguments) => commands::slope::execute(&arguments, called_as),
        Command::Recursive(arguments) => commands::recursive::execute(&arguments, called_as),
        Command::Chain(arguments) => commands::chain::execute(&arguments),
        Command::Compare(arguments) => commands::compare::execute(&arguments),
        Command::Gate(arguments) => commands::gate::execute(&arguments),
        Command::Plot(arguments) => commands::plot::execute(&arguments),
        Command::Report(arguments) => commands::report::execute(&arguments),
        Command::Primitive(arguments) => commands::primitive::execute(&arguments),
        Command::Links(arguments) => commands::links::execute(&arguments),
        Command::Doctor(arguments) => commands::doctor::execute(&arguments),
        Command::List(arguments) => commands::list::execute(&arguments),
        Command::History(arguments) => commands::history::execute(&arguments),
        Command::Show(arguments) => commands::show::execute(&arguments),
        Command::Label(arguments) => commands::label::execute(&arguments),
        Command::Export(arguments) => commands::export::execute(&arguments),
        Command::Import(arguments) => commands::import::execute(&arguments),
        Command::Delete(arguments) => commands::delete::execute(&arguments),
        Command::Worker => cpb_engine::worker::serve()
            .map(|never| match never {})
            .map_err(|error| Fault::Usage(format!("this is for cpb's own use: {error}"))),
    }
}
