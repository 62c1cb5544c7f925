//! `cpb scale`: the same calls, made by many at once.

use crate::arguments::{self, Saving, WorkloadOptions, percentage, seconds};
use crate::cli_error::CliError;
use crate::concurrency::{self, OtherThreads, ScaleRequest, Threads};
use crate::distinct::distinct;
use crate::export::{Exporting, Format};
use crate::library_set::{self, LibrarySet};
use crate::measurement_context::MeasurementContext;
use crate::selection::{self, Selection};
use crate::suite::Suite;
use crate::{interrupt, saved};
use clap::{Args, ValueEnum};
use cpb_engine::{BackgroundLoad, LibrarySpec, Row, Size};
use cpb_model::{Contract, Host};
use std::time::Duration;

const MOST_ROUNDS: u32 = 1000;
/// The default message length.
const USUAL_SIZE: usize = 1024;
const MOST_PROCESSES: usize = 256;

/// Measure throughput with all cores busy
///
/// One thread, then two, four and so on up to all CPUs make the same calls at the same time,
/// each with its own objects (--share key: with one key for all). Shows the calls per second
/// of all threads, as a share of what as many times one thread would make, and what the rest
/// was lost to, as far as the figures tell: locks, shared cores, the clock, memory.
/// --processes tells a lock in a library from a limit of the machine.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to measure: as for cpb run.
    #[arg(value_name = "SELECTOR", required_unless_present = "suite")]
    selectors: Vec<String>,
    /// Measure a suite with its own parameters and background load: server, another suite of
    /// cpb run, or a file.
    #[arg(long, value_name = "NAME|FILE",
          conflicts_with_all = ["selectors", "beside", "size", "WorkloadOptions", "backend",
                                "processes"])]
    suite: Option<String>,
    /// Threads that make calls at once: numbers, all for as many as there are CPUs. One is
    /// always measured, since all are compared with it [default: 1, 2, 4 and so on, and
    /// all].
    #[arg(long, value_name = "LIST", value_delimiter = ',',
          value_parser = concurrency::threads, allow_negative_numbers = true)]
    threads: Vec<Threads>,
    /// Also measure this many processes of one thread each.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = processes,
          allow_negative_numbers = true)]
    processes: Vec<usize>,
    /// What the other threads do: same, the same calls (all threads are then measured, otherwise
    /// one); memory, read and write more than the caches hold; or other calls of the same
    /// library, by a selector such as "aes-128-gcm seal".
    #[arg(long, value_name = "WHAT", default_value = "same", value_parser = OtherThreads::parse,
          conflicts_with_all = ["processes"])]
    beside: OtherThreads,
    /// Which CPUs threads are kept on.
    #[arg(long, value_enum, default_value = "cores-first")]
    placement: Placement,
    /// What the threads of a process have in common: key objects, where a library lets them.
    #[arg(long, value_enum, default_value = "none")]
    share: Share,
    /// Message lengths in bytes [default: 1024; of signatures 32].
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          allow_negative_numbers = true)]
    size: Vec<usize>,
    /// Measure only these backends [default: each library's own choice].
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    backend: Vec<String>,
    /// Measure these libraries: NAME,NAME; ./FILE.so or NAME=PATH for one build, with
    /// ;VARIABLE=VALUE for its environment. May be given several times.
    #[arg(long, value_name = "SPEC", value_parser = library_set::specification)]
    library: Vec<LibrarySpec>,
    /// Time budget for everything; what could not be measured in time says so
    /// [default: 60, or 0.15 for each size of each row and round].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    max_time: Option<Duration>,
    /// Make further rounds, up to 100 in the time there is, until every ± is below this.
    #[arg(long, value_name = "PERCENT", value_parser = percentage, allow_negative_numbers = true)]
    precision: Option<f64>,
    /// Rounds: in each, every size makes its calls once, in fresh processes. Where neighbours
    /// disturb them, up to three times as many are made in the time there is.
    #[arg(long, value_name = "N", default_value_t = concurrency::ROUNDS, value_parser = rounds,
          allow_negative_numbers = true)]
    rounds: u32,
    #[command(flatten)]
    exporting: Exporting,
    #[command(flatten)]
    workload: WorkloadOptions,
    #[command(flatten)]
    machine: ScaleMachine,
    #[command(flatten)]
    saving: Saving,
}

/// Which CPUs threads are kept on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Placement {
    /// A core for each; a core's other hardware threads (SMT) when all cores have one.
    CoresFirst,
    /// All hardware threads of a core before the next core.
    SiblingsFirst,
    /// None: the kernel moves them.
    None,
}

/// What threads have in common.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Share {
    /// Key objects: each thread has contexts of its own for them.
    Key,
    /// Nothing: each thread has objects of its own.
    None,
}

/// The clock.
#[derive(Debug, Args)]
#[command(next_help_heading = "Clock")]
struct ScaleMachine {
    /// Count with this counter instead of the best one (`cpb doctor` lists
    /// them).
    #[arg(long, value_name = "NAME")]
    counter: Option<String>,
    /// Give up on an operation after this many seconds without an answer.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds,
          allow_negative_numbers = true)]
    timeout: Duration,
}

fn processes(text: &str) -> Result<usize, String> {
    arguments::up_to(MOST_PROCESSES, text, "the number of processes")
}

fn rounds(text: &str) -> Result<u32, String> {
    arguments::up_to(MOST_ROUNDS, text, "the number of rounds")
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let stop = interrupt::flag();
    saved::try_store(&arguments.saving, &stop)?;
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let suite = arguments.suite.as_deref().map(Suite::load).transpose()?;
    let invocation = MeasurementContext::begin(arguments.machine.counter.as_deref(), None, None)?;
    let (timeout, budget) = (arguments.machine.timeout, arguments.max_time);
    let libraries = LibrarySet::discover(&arguments.library, timeout, budget);
    let complete = libraries.report_missing();
    let rows = match &suite {
        Some(suite) => suite.concurrent_rows(&libraries)?,
        None => arguments.rows(&libraries)?,
    };
    let sizes = arguments.sizes(invocation.host());
    let cpus = arguments.placement.cpus(invocation.host(), &sizes);
    let request = ScaleRequest {
        cpus,
        shares_keys: arguments.share == Share::Key,
        rounds: arguments.rounds,
        precision: arguments.precision,
        ..ScaleRequest::on(invocation.host(), sizes, rows)
    };
    let run = request.measure(invocation, &libraries, budget, timeout, &stop);
    let complete = complete && !libraries.lacks();
    concurrency::end("scale", &run, exporter, &arguments.saving, complete, &stop)
}

impl Placement {
    /// Returns a CPU for each of the threads that `sizes` need.
    fn cpus(self, host: &Host, sizes: &[Size]) -> Vec<usize> {
        let most = sizes.iter().map(|size| size.all()).max().unwrap_or(1);
        match self {
            Placement::CoresFirst => cpb_host::spread(host, most),
            Placement::SiblingsFirst => cpb_host::pack(host, most),
            Placement::None => Vec::new(),
        }
    }
}

impl Arguments {
    /// Returns one thread, the numbers of threads, and the numbers of processes, each once.
    fn sizes(&self, host: &Host) -> Vec<Size> {
        let of_threads = concurrency::sizes(&self.threads, host).into_iter();
        let processes = self.processes.iter().map(|&processes| Size { processes, ..Size::ONE });
        distinct(of_threads.chain(processes))
    }

    /// Returns a row for every length of everything selected, with its background load.
    fn rows(&self, libraries: &LibrarySet) -> Result<Vec<(Row, BackgroundLoad)>, CliError> {
        let backends =
            if self.backend.is_empty() { vec!["default".to_owned()] } else { self.backend.clone() };
        let selection = Selection {
            selectors: self.selectors.clone(),
            backends,
            contract: self.workload.contract().unwrap_or(Contract::Keyed),
            parameters: self.workload.parameters(),
            sizes: self.size.clone(),
            ..Selection::default()
        };
        let mut rows = concurrency::rows(&selection, &[USUAL_SIZE], libraries)?;
        selection.check_lengths(&rows)?;
        concurrency::check_any(&rows)?;
        selection::in_order(&mut rows);
        self.beside.with(rows, libraries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_of_processes_and_rounds_have_bounds() {
        for wrong in ["0", "-1", "x", "", "4097", "1.5"] {
            assert!(processes(wrong).unwrap_err().contains("from 1"), "{wrong}");
            assert!(rounds(wrong).unwrap_err().contains("from 1"), "{wrong}");
        }
    }
}
