//! `cpb export`: a saved run as a file.

use crate::arguments::StoreArgument;
use crate::cli_error::CliError;
use crate::export::{Exporting, Format};
use crate::order::Order;
use crate::saved;
use clap::Args;
use cpb_figures::USUAL_LENGTHS;
use cpb_model::Run;
use cpb_report::{
    Document, Rows, RunDocument, Section, Source, WriteError, rows_of_run, write_json,
    write_json_line,
};
use std::io::Write;

/// Write a saved run, with its raw samples, into a file
///
/// RUN as for cpb show. JSON, as cpb import takes it, unless --format or the file's
/// name says otherwise.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which run.
    #[arg(value_name = "RUN")]
    run: String,
    /// Leave the raw samples out of the JSON, which makes it small.
    #[arg(long)]
    no_raw: bool,
    #[command(flatten)]
    exporting: Exporting,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let exporter = arguments.exporting.begin(Format::JSON)?;
    let mut run = saved::load(&arguments.store, &arguments.run)?;
    if arguments.no_raw {
        run.forget_raw();
    }
    exporter.write(&Exported { run: &run, has_raw: !arguments.no_raw }).map(|()| 0)
}

/// A saved run, written as a file.
struct Exported<'a> {
    run: &'a Run,
    has_raw: bool,
}

impl Exported<'_> {
    fn shown(&self) -> RunDocument<'_> {
        let sizes = &USUAL_LENGTHS;
        RunDocument {
            command: "export",
            run: self.run,
            sizes,
            asked: false,
            order: Order::Slope,
            title: None,
            across: None,
            verbose: false,
            resources: false,
        }
    }
}

impl Document for Exported<'_> {
    fn command(&self) -> &'static str {
        "export"
    }

    fn sections(&self) -> Vec<Section> {
        self.shown().sections()
    }

    fn rows(&self) -> Rows<'_> {
        rows_of_run(self.run, Order::Slope)
    }

    fn json(&self, output: &mut dyn Write) -> Result<(), WriteError> {
        if !self.has_raw {
            return write_json(output, self.run);
        }
        // One line per sample would be of no use.
        write_json_line(output, self.run)
    }

    fn runs(&self) -> Vec<Source<'_>> {
        vec![Source { name: "export", run: self.run }]
    }
}
