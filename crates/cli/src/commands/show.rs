//! `cpb show`: a saved run, as it was printed.

mod view_options;

use self::view_options::{ViewOptions, lengths};
use crate::arguments::{self, StoreArgument};
use crate::cli_error::CliError;
use crate::export::{Exporting, Format};
use crate::order::{self, Order};
use crate::{output, saved};
use clap::Args;
use cpb_figures::USUAL_LENGTHS;
use cpb_figures::scaling::Scaled;
use cpb_history::run_title;
use cpb_model::{Caches, Concurrent, Run};
use cpb_oldtools::benchmark_mt::document::ThroughputDocument;
use cpb_oldtools::benchmark_mt::rates::{RateOptions, Unit};
use cpb_report::{RunDocument, ScaleDocument};

/// Print a saved run again
///
/// RUN is the number of a saved run (17), its label, latest, latest~2 (two runs before
/// the latest), or a JSON file that cpb wrote. What was measured with --sizes, --sort or --across
/// is shown with them, unless one of these is given.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Which run.
    #[arg(value_name = "RUN", default_value = "latest")]
    run: String,
    #[command(flatten)]
    exporting: Exporting,
    /// Message lengths for which a rate is shown, in bytes [default: those that the run was asked
    /// for; else 64, 1024 and 16384 where it has them, else its shortest and longest].
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          allow_negative_numbers = true)]
    sizes: Vec<usize>,
    /// Sort rows by slope (c/B of long messages), by what messages of LENGTH bytes cost, or by
    /// library; name sorts the primitives [default: the longest of --sizes, else slope].
    #[arg(long, value_name = "slope|LENGTH|name|library", value_parser = order::order,
          allow_negative_numbers = true, conflicts_with = "across")]
    sort: Option<Order>,
    /// Rank all primitives of an operation in one table, by the cost of a message of this length;
    /// operations without messages by the cost of a call.
    #[arg(long, value_name = "LENGTH", value_parser = arguments::length,
          allow_negative_numbers = true)]
    across: Option<usize>,
    /// Say below the table what each library says of itself, and which file it is; with
    /// --across, show all rows.
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

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let mut run = saved::load(&arguments.store, &arguments.run)?;
    if !arguments.raw {
        run.forget_raw();
    }
    let warns = !exporter.holds_warnings();
    let (command, title) = ("show", Some(run_title(&run)));
    let Arguments { sizes: given, sort, across, .. } = arguments;
    let given = ViewOptions { sizes: given.clone(), sort: *sort, across: *across };
    let asked = given.or_those_of(&run);
    let sizes = sizes(&run, &asked.sizes);
    let is_of_given_calls = |it: &Concurrent| it.iterations.is_some();
    if !Scaled::of(&run.records, &run.host).is_empty() {
        exporter.write(&ScaleDocument { command, run: &run, title })?;
    } else if !run.records.iter().filter_map(|it| it.concurrent.as_ref()).any(is_of_given_calls) {
        let is_measured = |option, length| measured(&run, option, length);
        let across = asked.across.map(|it| is_measured("--across", it)).transpose()?;
        let ViewOptions { sort, sizes: lengths, .. } = asked;
        let asked = !lengths.is_empty();
        let order = order_of(&run, sort, if asked { &sizes } else { &[] })?;
        exporter.write(&RunDocument {
            command,
            run: &run,
            sizes: &sizes,
            asked,
            order,
            title,
            across,
            verbose: arguments.verbose,
            resources: arguments.resources,
        })?;
    } else {
        let shown = RateOptions { unit: Unit::Mh, gigahertz: None };
        let run = &run;
        exporter.write(&ThroughputDocument { command, run, shown, scaling: None, title })?;
    }
    if warns {
        run.warnings.iter().for_each(|warning| output::warn(warning));
    }
    Ok(0)
}

/// Returns the order of rows, which the run must have figures for.
fn order_of(run: &Run, asked: Option<Order>, sizes: &[usize]) -> Result<Order, CliError> {
    let mut workloads = run.records.iter().map(|record| &record.workload);
    let caches = match workloads.any(|it| it.caches == Caches::Evicted) {
        true => Caches::Evicted,
        false => Caches::Warm,
    };
    let sizes = if caches == Caches::Warm { sizes } else { &[] };
    let order = Order::of(asked, sizes);
    order::check(order, caches)?;
    order.length().map_or(Ok(0), |length| measured(run, "--sort", length))?;
    Ok(order)
}

/// Returns the length that `option` requests, if the run has it, or has no messages at all.
fn measured(run: &Run, option: &str, length: usize) -> Result<usize, CliError> {
    let measured = lengths(run);
    if measured.is_empty() || measured.contains(&length) {
        return Ok(length);
    }
    let measured: Vec<String> = measured.iter().map(ToString::to_string).collect();
    let measured = measured.join(", ");
    Err(usage!(
        "{option} {length}: this run has messages of {measured} bytes; cpb run {option} {length} \
         measures that length"
    ))
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
