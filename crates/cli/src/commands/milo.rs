//! milo's arguments: what comes where, as milo itself has it.

use crate::arguments::Saving;
use crate::commands::primitive::{self, Repeats, Request, Sizes};
use crate::fault::{self, Fault};
use crate::output;
use crate::primitives::Parameter;
use clap::error::{ContextKind, ContextValue, ErrorKind};
use clap::{Args, Parser, Subcommand};
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

pub(crate) fn execute(words: Vec<OsString>) -> Result<u8, Fault> {
    let arguments = match Arguments::try_parse_from(words) {
        Ok(arguments) => arguments,
        Err(error) => {
            let status = if error.use_stderr() { fault::WRONG_USE } else { 0 };
            let _ = error.print();
            if let Some(hint) = misplaced(&error) {
                output::inform(&hint);
            }
            return Ok(status);
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

/// Where an option belongs that exists, but not in this place.
fn misplaced(error: &clap::Error) -> Option<String> {
    if error.kind() != ErrorKind::UnknownArgument {
        return None;
    }
    let Some(ContextValue::String(option)) = error.get(ContextKind::InvalidArg) else {
        return None;
    };
    let name = option.trim_start_matches('-').split('=').next()?;
    let place = match name {
        "advanced" | "verbose" => "before `benchmark`",
        "repeats-time" | "repeats-warm" | "cpu-clock" => "between `benchmark` and `primitive`",
        _ if Parameter::ALL.iter().any(|parameter| parameter.name() == name) => {
            "behind `primitive EXPRESSION`"
        }
        _ => return None,
    };
    Some(format!("--{name} belongs {place}"))
}
