//! `cpb chain verify`.

use crate::cli_error::{CliError, WRONG_USE};
use crate::commands::recursive::choice;
use crate::progress::Bar;
use crate::{interrupt, output, views};
use clap::{Args, ValueEnum};
use cpb_chains::{BadLine, Input, Lanes, Options, Progress, Verdict};
use std::fs::File;
use std::io::BufReader;
use std::os::fd::AsFd;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::AtomicBool;

/// Exit status: a segment is wrong.
const SOME_WRONG: u8 = 1;
/// The most bad lines that are named; further ones are counted.
const NAMED: u64 = 100;
const BUFFER: usize = 1 << 17;
const STANDARD_INPUT: &str = "-";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(crate) enum Format {
    /// For people.
    Table,
    /// Everything.
    Json,
}

/// Verify the segments of a file, on all lanes and CPUs
///
/// Names every wrong segment by its line, the first with what it
/// really ends in. A line that is no segment is named, too, and the others are
/// verified all the same. A segment of 0 iterations is right where start and end
/// are the same. The file is read as it is verified, in little memory.
///
/// Exit status: 0 all segments are right; 1 some are wrong; 2 some lines are no
/// segments, or there are none, or they could not be verified or the findings
/// not be written; 130 ended by Ctrl-C. A reader of the findings that goes away
/// changes none of it.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// The file; - for standard input.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// Threads [default: as many as CPUs].
    #[arg(short, long, value_name = "N", value_parser = choice::threads,
          allow_negative_numbers = true)]
    threads: Option<usize>,
    /// Only this backend.
    #[arg(long, value_name = "NAME")]
    backend: Option<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let backends = choice::backends(arguments.backend.as_slice()).map_err(|fault| match fault {
        // 1 would mean that segments are wrong.
        CliError::NotMeasured(reason) => CliError::Usage(reason),
        fault => fault,
    });
    let backend = backends?.first().copied();
    let (file, bytes) = open(&arguments.file)?;
    let cpus = || std::thread::available_parallelism().map_or(1, usize::from);
    let options = Options {
        lanes: backend.map_or(Lanes::Best, Lanes::Backend),
        threads: arguments.threads.unwrap_or_else(cpus),
        bytes,
    };
    let stop = interrupt::flag();
    let input = BufReader::with_capacity(BUFFER, Input::new(file, Arc::clone(&stop)));
    let (verdict, named) = verified(input, &options, &stop);
    let unnamed = verdict.bad_lines - named.len() as u64;
    if unnamed > 0 {
        output::complain(&format!("and {unnamed} more lines that are not segments"));
    }
    if let Some(reason) = &verdict.unread {
        output::complain(&reason.to_string());
    }
    let is_empty = verdict.segments == 0 && verdict.bad_lines == 0 && verdict.unread.is_none();
    if is_empty && !verdict.interrupted {
        return Err(usage!(
            "{} holds no segments; a line is start,iterations,end in hex, a whole number, hex",
            name(&arguments.file)
        ));
    }
    let printed = match arguments.format {
        Format::Table => views::chain::text(&verdict, &options),
        Format::Json => views::chain::json(&verdict, &options, &named),
    };
    if let Err(error) = printed
        && !error.is_broken_pipe()
    {
        output::complain(&error.to_string());
        return Ok(WRONG_USE);
    }
    if let Some(status) = stop.status().filter(|_| verdict.interrupted) {
        output::complain("interrupted; what was verified until then is shown");
        return Ok(status);
    }
    Ok(status(&verdict))
}

/// Returns the verdict, and the bad lines that were named.
fn verified(
    input: BufReader<Input>,
    options: &Options,
    stop: &AtomicBool,
) -> (Verdict, Vec<BadLine>) {
    let bar = Bar::new();
    let mut named = Vec::new();
    let verdict = cpb_chains::verify(input, options, stop, &mut |progress| match progress {
        Progress::Bad(bad) => {
            if (named.len() as u64) < NAMED {
                output::complain(&bad.to_string());
                named.push(bad.clone());
            }
        }
        Progress::Done { iterations, expected } => bar.at(iterations, expected, "verifying"),
    });
    (verdict, named)
}

fn status(verdict: &Verdict) -> u8 {
    if verdict.bad_lines > 0 || verdict.unread.is_some() {
        WRONG_USE
    } else if verdict.wrong.is_empty() {
        0
    } else {
        SOME_WRONG
    }
}

/// Opens the input, and returns its length if it is a file.
fn open(path: &Path) -> Result<(File, Option<u64>), CliError> {
    let refused = |error: std::io::Error| usage!("cannot read {}: {error}", name(path));
    let file = if path.as_os_str() == STANDARD_INPUT {
        std::io::stdin().as_fd().try_clone_to_owned().map(File::from)
    } else {
        File::open(path)
    };
    let file = file.map_err(refused)?;
    let about = file.metadata().map_err(refused)?;
    if about.is_dir() {
        return Err(usage!("{} is a folder, not a file", name(path)));
    }
    let bytes = about.is_file().then_some(about.len());
    Ok((file, bytes))
}

fn name(path: &Path) -> String {
    if path.as_os_str() == STANDARD_INPUT {
        "standard input".to_owned()
    } else {
        format!("'{}'", path.display())
    }
}
