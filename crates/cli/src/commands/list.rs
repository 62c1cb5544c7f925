//! `cpb list`: what there is to measure.

use crate::cli_error::{CliError, NOT_MEASURED};
use crate::export::{Exporting, Format};
use crate::folders::Folders;
use crate::library_set::{self, LibrarySet};
use crate::views::list::{Detail, Elsewhere, FoundLibraries, Offers};
use crate::{arguments, interrupt};
use clap::Args;
use cpb_engine::LibrarySpec;
use cpb_libraries::rare;
use std::time::Duration;

/// List primitives and libraries, and why some are missing
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to list with all its implementations, as for run; without, a line for each
    /// family of primitives.
    #[arg(value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// List the libraries: where they are, which version, and for what is
    /// missing why and how to get it.
    #[arg(long, conflicts_with = "selectors")]
    libraries: bool,
    /// A line for each primitive.
    #[arg(long, conflicts_with_all = ["libraries", "selectors"])]
    all: bool,
    /// List only what this library has; as for run.
    #[arg(long, value_name = "SPEC", value_parser = library_set::specification)]
    library: Vec<LibrarySpec>,
    #[command(flatten)]
    folders: Folders,
    #[command(flatten)]
    exporting: Exporting,
    /// Give up on a library after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = arguments::seconds,
          allow_negative_numbers = true)]
    timeout: Duration,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let stop = interrupt::flag();
    let built = arguments.folders.build(&stop)?;
    let named = built.libraries().chain(arguments.library.iter().cloned());
    let named: Vec<LibrarySpec> = named.collect();
    let libraries = LibrarySet::discover_named(&named, arguments.timeout);
    // A signal also ends the processes that open libraries.
    let interrupted = stop.status().is_some();
    if arguments.libraries {
        exporter.write(&FoundLibraries { found: libraries.found(), interrupted })?;
        let is_missing = |found: &cpb_engine::Found| found.contents.is_err();
        let named_is_missing = !named.is_empty() && libraries.found().iter().any(is_missing);
        if named_is_missing {
            libraries.report_missing();
        }
        return Ok(interrupt::status(&stop, if named_is_missing { NOT_MEASURED } else { 0 }));
    }
    let complete = libraries.report_missing();
    let offers = libraries.offers().collect();
    let selected = library_set::select(&libraries, &arguments.selectors, offers, "selector");
    let offers = match selected {
        Err(CliError::NotMeasured(reason)) => {
            let names = arguments.selectors.iter().map(String::as_str);
            let holders: Vec<_> = names.map(|name| (name, rare::who_has(name))).collect();
            if holders.iter().any(|(_, who)| !who.is_empty()) {
                exporter.write(&Elsewhere(&holders))?;
                // The table already tells how to get it.
                let short = reason.split("; ").next().unwrap_or_default();
                return Err(CliError::NotMeasured(short.to_owned()));
            }
            return Err(CliError::NotMeasured(reason));
        }
        selected => selected?,
    };
    let detail = match (arguments.all, arguments.selectors.is_empty()) {
        (true, _) => Detail::Primitives,
        (false, true) => Detail::Families,
        (false, false) => Detail::Implementations,
    };
    exporter.write(&Offers { offers: &offers, detail, interrupted })?;
    Ok(interrupt::status(&stop, if complete { 0 } else { NOT_MEASURED }))
}
