//! `cpb show`: a saved run, as it was printed.

use crate::arguments::{self, StoreArgument};
use crate::export::{Exporting, Format};
use crate::fault::Fault;
use crate::views::recursive::ThroughputDocument;
use crate::views::run::RunDocument;
use crate::views::runs;
use crate::views::scale::ScaleDocument;
use crate::{output, saved};
use clap::Args;
use cpb_figures::USUAL_LENGTHS;
use cpb_model::Run;
use cpb_oldtools::benchmark_mt::rates::{Shown, Unit};
use std::collections::BTreeSet;

/// Print a saved run again
///
/// RUN is the number of a saved run (17), its label, latest, latest~2 (two runs before
/// the latest), or a JSON file that cpb wrote.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which run.
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    #[command(flatten)]
    exporting: Exporting,
    /// Message lengths for which a rate is shown, in bytes [default: 64, 1024
    /// and 16384 where the run has them, else its shortest and longest].
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          allow_negative_numbers = true)]
    sizes: Vec<usize>,
    /// Rank all primitives of an operation together, in one table: by what a message of so many
    /// bytes costs; what has none, by the call.
    #[arg(long, value_name = "LENGTH", value_parser = arguments::length,
          allow_negative_numbers = true)]
    across: Option<usize>,
    /// Say below the table what each library says of itself, and which file it is.
    #[arg(long)]
    verbose: bool,
    /// Say what a call costs besides cycles, where it was traced.
    #[arg(long)]
    resources: bool,
    /// Print the raw samples, too, in the JSON.
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    store: StoreArgument,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let mut run = saved::load(&arguments.store, &arguments.run)?;
    if !arguments.raw {
        run.forget_raw();
    }
    let warns = !exporter.holds_warnings();
    let (command, title) = ("show", Some(runs::title(&run)));
    let sizes = sizes(&run, &arguments.sizes);
    if !run.scaling.is_empty() {
        exporter.write(&ScaleDocument { command, run: &run, title })?;
    } else if run.throughput.is_empty() {
        let across = arguments.across.map(|length| measured(&run, length)).transpose()?;
        let Arguments { verbose, resources, .. } = *arguments;
        let asked = !arguments.sizes.is_empty();
        let (run, sizes) = (&run, &sizes);
        exporter.write(&RunDocument {
            command,
            run,
            sizes,
            asked,
            title,
            across,
            verbose,
            resources,
        })?;
    } else {
        let shown = Shown { unit: Unit::Mh, gigahertz: None };
        let run = &run;
        exporter.write(&ThroughputDocument { command, run, shown, scaling: None, title })?;
    }
    if warns {
        run.warnings.iter().for_each(|warning| output::warn(warning));
    }
    Ok(0)
}

/// The length, where the run has it, or has no messages at all.
fn measured(run: &Run, length: usize) -> Result<usize, Fault> {
    let measured = lengths(run);
    if measured.is_empty() || measured.contains(&length) {
        return Ok(length);
    }
    let measured: Vec<String> = measured.iter().map(ToString::to_string).collect();
    let measured = measured.join(", ");
    Err(Fault::Usage(format!(
        "--across {length}: this run has messages of {measured} bytes; cpb run --across {length} \
         measures that length"
    )))
}

/// Of all messages.
fn lengths(run: &Run) -> BTreeSet<usize> {
    let points = run.records.iter().flat_map(|record| &record.points);
    points.map(|point| point.parameters.message_bytes).filter(|&bytes| bytes != 0).collect()
}

fn sizes(run: &Run, asked: &[usize]) -> Vec<usize> {
    let measured = lengths(run);
    let wanted = if asked.is_empty() { &USUAL_LENGTHS[..] } else { asked };
    let mut sizes: Vec<usize> =
        wanted.iter().copied().filter(|size| measured.contains(size)).collect();
    if sizes.is_empty() {
        sizes.extend(measured.first().into_iter().chain(measured.last()));
    }
    sizes.sort_unstable();
    sizes.dedup();
    sizes
}
