//! milo's arguments: what comes where, as milo itself has it.

mod places;

use crate::arguments::Saving;
use crate::commands::primitive::{self, Repeats, Request, Sizes};
use crate::fault::Fault;
use crate::{CalledAs, output, refusal};
use clap::{Args, CommandFactory, Parser, Subcommand};
use std::ffi::OsString;

/// What milo itself prints; scripts look for it.
const VERSION: &str = "milo 0.2.0";

/// Measure cpb's own kernels as milo measures its own
#[derive(Parser)]
#[command(name = "milo", max_term_width = 100)]
struct Arguments {
    /// Names with a backend, too.
    #[arg(long)]
    advanced: bool,
    /// Wrap the results with command, project and compiler.
    #[arg(long)]
    verbose: bool,
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Measure.
    Benchmark(Benchmark),
    /// Print milo's version.
    Version,
}

#[derive(Args)]
struct Benchmark {
    #[command(flatten)]
    repeats: Repeats,
    #[command(subcommand)]
    what: What,
}

#[derive(Subcommand)]
enum What {
    /// Measure primitives, or list them.
    Primitive(Primitive),
}

#[derive(Args)]
struct Primitive {
    /// `list`, or a pattern with * of names on that list.
    #[arg(value_name = "EXPRESSION")]
    expression: String,
    #[command(flatten)]
    sizes: Sizes,
}

pub(crate) fn execute(words: &[OsString]) -> Result<u8, Fault> {
    let heeded = places::heeded(words);
    heeded.ignored.iter().for_each(|ignored| output::warn(ignored));
    let arguments = match Arguments::try_parse_from(&heeded.words) {
        Ok(arguments) => arguments,
        Err(error) => {
            let (command, status) = (Arguments::command(), CalledAs::Milo.wrong_use());
            return Ok(refusal::tell(error, &command, &heeded.words, status));
        }
    };
    let Command::Benchmark(Benchmark { repeats, what: What::Primitive(primitive) }) =
        arguments.command
    else {
        return Ok(output::print(&format!("{VERSION}\n")).map(|()| 0)?);
    };
    primitive::serve(&Request {
        expression: primitive.expression,
        sizes: primitive.sizes,
        repeats,
        advanced: arguments.advanced,
        verbose: arguments.verbose,
        format: None,
        counter: None,
        cpu: None,
        saving: Saving::default(),
        as_milo: true,
    })
}
