//! `cpb bench`: the sha3 bench.

use crate::arguments::{self, Machine, Saving, unknown};
use crate::cli_error::CliError;
use crate::distinct::distinct;
use crate::export::{Exporting, Format};
use crate::library_set::LibrarySet;
use crate::measurement_context::{MeasurementContext, RunOutput};
use crate::progress::Bar;
use crate::selection::default_output;
use crate::{interrupt, output, sampling, saved, time_budget};
use clap::Args;
use cpb_engine::{LibrarySpec, Progress, Rounds, Row, Sampling};
use cpb_kernels::Backend as _;
use cpb_kernels::keccak::Backend;
use cpb_libraries::names;
use cpb_model::{Contract, Offer, Parameters};
use cpb_oldtools::bench::BenchDocument;
use cpb_oldtools::{CalledAs, bench};
use std::time::Duration;

/// The number of fresh processes over which the trials are spread.
const ROUNDS: u32 = 10;
/// Short enough for thirty cells of 2000 trials in three seconds.
const BATCH: Duration = Duration::from_micros(20);

/// Cycles per byte of SHA-3 and SHAKE by length, as CSV
///
/// One row for each function, one column for each message length. A trial is
/// an accepted sample; trials are spread over ten fresh processes. A figure is
/// the mean around the mode of the trials: their median, but for the trials
/// that something stalled.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[arg(skip = CalledAs::Cpb)]
    pub(crate) called_as: CalledAs,
    /// Accepted samples for each cell, in total.
    #[arg(value_name = "NUM", default_value = "2000", value_parser = bench::trials,
          allow_negative_numbers = true)]
    num: u32,
    /// Measure this backend instead of the fastest (several: one row each,
    /// with a backend column).
    #[arg(long, value_name = "NAME", value_delimiter = ',', conflicts_with = "all_backends")]
    backend: Vec<String>,
    /// Measure every backend this CPU can run, with a backend column.
    #[arg(long)]
    all_backends: bool,
    /// Message lengths in bytes.
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          default_value = "64,256,1024,4096,16384", allow_negative_numbers = true)]
    src_lens: Vec<usize>,
    /// Output lengths of the XOFs in bytes, one row each.
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          default_value = "32", allow_negative_numbers = true)]
    dst_lens: Vec<usize>,
    /// Time budget for everything; a row that could not be measured in time says so [default: as
    /// long as it takes].
    #[arg(long, value_name = "SECONDS", value_parser = arguments::seconds,
          allow_negative_numbers = true)]
    max_time: Option<Duration>,
    #[command(flatten)]
    exporting: Exporting,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    saving: Saving,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let called_as = arguments.called_as;
    let stop = interrupt::flag();
    saved::try_store(&arguments.saving, &stop)?;
    let exporter = arguments.exporting.begin(Format::CSV)?;
    let invocation = MeasurementContext::on(&arguments.machine)?;
    let libraries =
        LibrarySet::discover_only(&[LibrarySpec::installed("native")], arguments.machine.timeout);
    let backends = arguments.backends(&libraries)?;
    let complete = libraries.report_missing();
    let max_time = arguments.max_time;
    let rounds = Rounds::Fixed(ROUNDS.min(arguments.num));
    let time = (max_time.map(|time| invocation.left_of(time)), time_budget::BENCH.of(1));
    let usual = sampling::of_rows(arguments.num, rounds, time, arguments.machine.timeout);
    let sampling = Sampling { batch: BATCH, limit: None, ..usual };
    let plan = invocation.plan(&libraries, arguments.rows(&libraries, &backends), sampling);
    let (run, samples) = invocation.run(&plan, &stop, Bar::of(max_time), |bar, progress| {
        if let Progress::Clock(calibration) = progress {
            output::inform(&bench::about_clock(calibration, called_as == CalledAs::Bench));
            output::inform(&arguments.about_trials(&backends));
        }
        bar.tell_of(progress, |it| format!("{} {}", it.primitive, it.backend));
    });
    let shown = bench::TableOptions {
        backend_column: backends.len() > 1 || arguments.all_backends,
        one_decimal: called_as == CalledAs::Bench,
        message_bytes: &arguments.src_lens,
    };
    let warns = called_as == CalledAs::Cpb && !exporter.holds_warnings();
    let printed = exporter.write(&BenchDocument { run: &run, shown });
    let (saving, samples) = (&arguments.saving, Some(&samples));
    RunOutput { saving, samples, called_as, warns, complete }.end(&run, printed, &stop)
}

impl Arguments {
    /// Returns the backends that the user named; otherwise all that work here, or the default.
    fn backends(&self, libraries: &LibrarySet) -> Result<Vec<String>, CliError> {
        if self.all_backends || self.backend.is_empty() {
            let offers = libraries.offers().map(|(_, offer)| offer).filter(|offer| {
                bench::FUNCTIONS.iter().any(|function| names::hash(function) == offer.primitive)
                    && offer.unavailable.is_none()
                    && (self.all_backends || offer.default_backend)
            });
            return Ok(distinct(offers.map(|offer| offer.backend.clone())));
        }
        let names = self.backend.iter().map(|name| {
            let canonical = if name == "scalar" { "portable" } else { name };
            if !Backend::NAMES.contains(&canonical) {
                return Err(unknown("backend", name, Backend::NAMES.iter().copied()));
            }
            Ok(canonical.to_owned())
        });
        Ok(distinct(names.collect::<Result<Vec<_>, CliError>>()?))
    }

    fn rows(&self, libraries: &LibrarySet, backends: &[String]) -> Vec<Row> {
        let offers: Vec<(String, &Offer)> = libraries.offers().collect();
        let offer = |function: &str, backend: &str| {
            let primitive = names::hash(function);
            let found =
                offers.iter().find(|(_, o)| o.primitive == primitive && o.backend == backend);
            found.map(|(label, offer)| (label.clone(), *offer))
        };
        bench::FUNCTIONS
            .iter()
            .flat_map(|function| backends.iter().filter_map(|backend| offer(function, backend)))
            .flat_map(|(label, offer)| {
                let lengths = match default_output(offer) {
                    Some(_) => self.dst_lens.iter().copied().map(Some).collect(),
                    None => vec![None],
                };
                lengths.into_iter().map(move |output| self.row(&label, offer, output))
            })
            .collect()
    }

    fn row(&self, label: &str, offer: &Offer, output_bytes: Option<usize>) -> Row {
        let mut lengths = self.src_lens.clone();
        lengths.sort_unstable();
        lengths.dedup();
        let parameters = Parameters { output_bytes, ..Parameters::default() };
        Row::new(label, offer, Contract::Keyed, parameters, lengths)
    }

    fn about_trials(&self, backends: &[String]) -> String {
        bench::about_trials(backends, self.num, &self.src_lens, &self.dst_lens)
    }
}
