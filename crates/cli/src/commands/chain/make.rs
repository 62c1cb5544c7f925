//! `cpb chain make`.

use crate::cli_error::CliError;
use crate::commands::recursive::choice;
use crate::progress::Bar;
use crate::{interrupt, output};
use clap::{Args, ValueEnum};
use cpb_chains::Style;
use std::fs::File;
use std::io::{BufWriter, ErrorKind, Write};
use std::path::{Path, PathBuf};

const STANDARD_OUTPUT: &str = "-";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Format {
    /// start,iterations,end.
    Csv,
    /// A JSON object on each line.
    Json,
}

/// Make a chain, and write its segments to a file
///
/// Each segment starts where the one before ends; the last may be shorter. Only
/// one core can work on a chain, one hash after the other. Ctrl-C ends with
/// whole segments.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Where the chain starts: 64 hex digits.
    #[arg(long, value_name = "HEX", value_parser = value)]
    start: [u8; 32],
    /// Iterations in all; K, M and G stand for thousand, million, billion (10⁹).
    #[arg(long, value_name = "COUNT", value_parser = choice::count, allow_negative_numbers = true)]
    length: u64,
    /// Iterations of each segment.
    #[arg(long, value_name = "COUNT", value_parser = choice::count, allow_negative_numbers = true)]
    every: u64,
    /// Where to write: a new file, or - for standard output.
    #[arg(long, short, value_name = "FILE", default_value = STANDARD_OUTPUT)]
    output: PathBuf,
    /// How to write.
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let is_stdout = arguments.output.as_os_str() == STANDARD_OUTPUT;
    let mut writer: Box<dyn Write> = if is_stdout {
        Box::new(BufWriter::new(std::io::stdout().lock()))
    } else {
        Box::new(BufWriter::new(create(&arguments.output)?))
    };
    let style = match arguments.format {
        Format::Csv => Style::Csv,
        Format::Json => Style::Json,
    };
    let stop = interrupt::flag();
    let bar = Bar::new();
    let made = cpb_chains::make(
        arguments.start,
        arguments.length,
        arguments.every,
        style,
        &mut writer,
        &stop,
        &mut |done| bar.at(done, arguments.length, "hashing"),
    );
    drop(bar);
    // A chain that was not read to its end counts as not made.
    let made = made.map_err(|error| not_measured!("{error}"))?;
    match stop.status() {
        Some(status) if made < arguments.length => {
            output::complain(&format!(
                "interrupted; {made} iterations are written, in whole segments"
            ));
            Ok(status)
        }
        _ => Ok(0),
    }
}

/// Creates a new file, or opens what is not a file, such as a named pipe. It never overwrites,
/// because a chain may have taken days.
fn create(path: &Path) -> Result<File, CliError> {
    let shown = path.display();
    let refused = |error| usage!("cannot write '{shown}': {error}");
    match File::create_new(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => {
            if path.is_file() {
                return Err(usage!(
                    "'{shown}' already exists; name another file, or remove it first"
                ));
            }
            File::options().write(true).open(path).map_err(refused)
        }
        created => created.map_err(refused),
    }
}

fn value(text: &str) -> Result<[u8; 32], String> {
    cpb_chains::value("--start", text).map_err(|error| error.to_string())
}
