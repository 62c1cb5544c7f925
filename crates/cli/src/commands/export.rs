//! `cpb export`: a saved run as a file.

use crate::destination::Destination;
use crate::fault::Fault;
use crate::{arguments::StoreArgument, output, saved, views};
use clap::{Args, ValueEnum};
use cpb_report::WriteError;
use std::io::{BufWriter, Write};
use std::path::PathBuf;

/// What is written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ExportFormat {
    /// Everything, as cpb import takes it.
    Json,
    /// A line for each row and message length.
    Csv,
}

/// A saved run as a file, for another machine or program
///
/// RUN as for cpb show.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which run.
    #[arg(value_name = "RUN")]
    run: String,
    /// What to write.
    #[arg(long, value_enum, default_value_t = ExportFormat::Json)]
    format: ExportFormat,
    /// Leave the raw samples out of the JSON, which makes it small.
    #[arg(long)]
    no_raw: bool,
    /// Write into this file instead of standard output.
    #[arg(long, short, value_name = "FILE")]
    output: Option<PathBuf>,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    let destination = Destination::optional(arguments.output.as_ref())?;
    let mut run = saved::load(&arguments.store, &arguments.run)?;
    if arguments.no_raw {
        run.forget_raw();
    }
    let write = |file: &mut dyn Write| -> Result<(), WriteError> {
        // A run with its samples is too large to be made ready in memory.
        let mut file = BufWriter::new(file);
        match arguments.format {
            ExportFormat::Csv => views::run_csv::write_to(&mut file, &run)?,
            ExportFormat::Json if arguments.no_raw => cpb_report::write_json(&mut file, &run)?,
            // A line for each sample would be of use to nobody.
            ExportFormat::Json => {
                serde_json::to_writer(&mut file, &run)?;
                file.write_all(b"\n")?;
            }
        }
        Ok(file.flush()?)
    };
    match destination {
        None => write(&mut std::io::stdout().lock())?,
        Some(destination) => {
            destination.write_with(write)?;
            let path = arguments.output.iter().map(|path| path.display().to_string());
            path.for_each(|path| output::inform(&format!("wrote {path}")));
        }
    }
    Ok(0)
}
