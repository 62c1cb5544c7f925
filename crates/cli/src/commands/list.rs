//! `cpb list`: what there is to measure.

use crate::arguments;
use crate::export::{Exporting, Format};
use crate::fault::{Fault, NOT_MEASURED};
use crate::folders::Folders;
use crate::interrupt;
use crate::shelf::{self, Shelf};
use crate::views::list::{Detail, FoundLibraries, Offers};
use clap::Args;
use cpb_engine::LibrarySpec;
use std::time::Duration;

/// List primitives, libraries, backends, and why some are missing
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
    #[arg(long, value_name = "SPEC", value_parser = shelf::specification)]
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

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let built = arguments.folders.build(&interrupt::flag())?;
    let named = built.libraries().chain(arguments.library.iter().cloned());
    let named: Vec<LibrarySpec> = named.collect();
    let shelf = match &named[..] {
        [] => Shelf::look(&[], arguments.timeout),
        named => Shelf::look_only(named, arguments.timeout),
    };
    if arguments.libraries {
        exporter.write(&FoundLibraries(shelf.found()))?;
        let is_missing = |found: &cpb_engine::Found| found.contents.is_err();
        let named_is_missing = !named.is_empty() && shelf.found().iter().any(is_missing);
        if named_is_missing {
            shelf.report_missing();
        }
        return Ok(if named_is_missing { NOT_MEASURED } else { 0 });
    }
    let complete = shelf.report_missing();
    let offers = shelf::select(&shelf, &arguments.selectors, shelf.offers().collect(), "selector")?;
    let detail = match (arguments.all, arguments.selectors.is_empty()) {
        (true, _) => Detail::Primitives,
        (false, true) => Detail::Families,
        (false, false) => Detail::Implementations,
    };
    exporter.write(&Offers { offers: &offers, detail })?;
    Ok(if complete { 0 } else { NOT_MEASURED })
}
