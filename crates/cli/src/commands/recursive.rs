//! `cpb recursive`: recursive SHA-256 on lanes and threads.

pub(crate) mod choice;

use crate::arguments::{Saving, seconds};
use crate::cli_error::CliError;
use crate::destination::Destination;
use crate::export::{Exporter, Exporting, Format};
use crate::interrupt::{self, Interrupt};
use crate::measurement_context::{MeasurementContext, RunOutput};
use crate::{output, saved};
use choice::Lanes;
use clap::Args;
use cpb_engine::QuietMemory;
use cpb_engine::recursive::{Plan, Setting};
use cpb_model::{Host, Run};
use cpb_oldtools::CalledAs;
use cpb_oldtools::benchmark_mt::document::ThroughputDocument;
use cpb_oldtools::benchmark_mt::rates::{RateOptions, Unit};
use cpb_oldtools::benchmark_mt::{lines, scaling};
use cpb_oldtools::clock::gigahertz;
use std::io::Write;
use std::path::PathBuf;
use std::time::Duration;

const REPETITIONS: u32 = 3;

/// Throughput of recursive SHA-256, on lanes and threads
///
/// SHA-256 applied again and again to its own 32-byte output, on several
/// independent lanes in each of several threads. Every lane's last value is
/// compared with known values (at 10M, 50M, 100M, 200M, 500M and a few smaller
/// counts) or with another backend. Rates are by the wall clock of all threads,
/// cycles by the calibrated clock. Ctrl-C ends with what was finished.
///
/// Called benchmark_mt, it prints the lines of the recursive SHA-256 benchmark.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[arg(skip = CalledAs::Cpb)]
    pub(crate) called_as: CalledAs,
    /// Iterations of each lane; K, M and G stand for thousand, million,
    /// billion (10⁹).
    #[arg(short, long, value_name = "COUNT", default_value = "10M", value_parser = choice::count,
          allow_negative_numbers = true)]
    iterations: u64,
    /// Take the clock to be N GHz for figures per 0.1 GHz, and for cycles with
    /// --unit cpb, instead of the measured clock; cut to two decimals.
    #[arg(short = 's', long, value_name = "N", value_parser = gigahertz,
          allow_negative_numbers = true)]
    ghz: Option<f64>,
    /// The unit of throughput.
    #[arg(short = 'm', long, value_enum, ignore_case = true, default_value = "MH")]
    unit: Unit,
    /// Threads [default: 1; with --scaling up to all CPUs].
    #[arg(short, long, value_name = "N", value_parser = choice::threads,
          allow_negative_numbers = true)]
    threads: Option<usize>,
    /// Let the kernel move threads, instead of keeping each on a CPU.
    #[arg(long)]
    no_pin: bool,
    /// Lanes in each thread: numbers; auto for each width that loops here have,
    /// run as it is best on this CPU; all for every loop of every backend.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = choice::lanes,
          allow_negative_numbers = true)]
    lanes: Vec<Lanes>,
    /// Only these backends.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    backend: Vec<String>,
    /// Timed runs of each row [default: 3; 1 as benchmark_mt].
    #[arg(long, value_name = "N", value_parser = choice::repetitions,
          allow_negative_numbers = true)]
    repetitions: Option<u32>,
    /// Time budget for everything; a repetition that has not ended by then is given up
    /// [default: as long as it takes].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    max_time: Option<Duration>,
    /// How throughput grows with threads: 1, 2, 4 and so on up to all CPUs.
    #[arg(long)]
    scaling: bool,
    /// Also draw it, into this file.
    #[arg(long, value_name = "FILE.svg", requires = "scaling", value_parser = choice::svg)]
    plot: Option<PathBuf>,
    #[command(flatten)]
    exporting: Exporting,
    /// Count with this counter instead of the best one (`cpb doctor` lists
    /// them).
    #[arg(long, value_name = "NAME")]
    counter: Option<String>,
    #[command(flatten)]
    saving: Saving,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let called_as = arguments.called_as;
    let stop = interrupt::flag();
    saved::try_store(&arguments.saving, &stop)?;
    if called_as == CalledAs::BenchmarkMt {
        return arguments.as_benchmark_mt(&stop);
    }
    let invocation = arguments.invocation()?;
    let settings = arguments.settings(invocation.host())?;
    let plan = arguments.plan(&invocation, settings, REPETITIONS);
    let plot = Destination::optional(arguments.plot.as_ref())?;
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let warns = !exporter.holds_warnings();
    let run = invocation.recursive(&plan, &stop);
    let printed = arguments.print(&run, exporter, plot);
    let saving = &arguments.saving;
    RunOutput { saving, samples: None, called_as, warns, complete: true }.end(&run, printed, &stop)
}

impl Arguments {
    fn invocation(&self) -> Result<MeasurementContext, CliError> {
        MeasurementContext::begin(self.counter.as_deref(), None, None)
    }

    fn plan(
        &self,
        invocation: &MeasurementContext,
        settings: Vec<Setting>,
        usual_repetitions: u32,
    ) -> Plan {
        Plan {
            settings,
            iterations: self.iterations,
            repetitions: self.repetitions.unwrap_or(usual_repetitions),
            max_time: self.max_time,
            pin: !self.no_pin,
            clock: invocation.clock().clone(),
            memory: QuietMemory::of(invocation.host()),
        }
    }

    fn settings(&self, host: &Host) -> Result<Vec<Setting>, CliError> {
        let backends = choice::backends(&self.backend)?;
        let rows = choice::settings(&self.lanes, &backends);
        let counts = if self.scaling {
            choice::thread_counts(self.threads.unwrap_or(host.allowed_cpus.len().max(1)))
        } else {
            vec![self.threads.unwrap_or(1)]
        };
        let in_threads = |row: Setting| counts.iter().map(move |&n| row.in_threads(n));
        Ok(rows.into_iter().flat_map(in_threads).collect())
    }

    fn print(
        &self,
        run: &Run,
        exporter: Exporter,
        plot: Option<Destination>,
    ) -> Result<(), CliError> {
        let names_backend = !self.backend.is_empty();
        let best = || scaling::best(run, names_backend).unwrap_or_default();
        let scaling = self.scaling.then(best);
        if let Some(best) = scaling.as_ref().filter(|it| !exporter.is_on_screen() && !it.is_empty())
        {
            output::inform(best);
        }
        let shown = RateOptions { unit: self.unit, gigahertz: self.ghz };
        let command = "recursive";
        exporter.write(&ThroughputDocument { command, run, shown, scaling, title: None })?;
        plot.map_or(Ok(()), |plot| plot.write(scaling::chart(run)))
    }

    /// Measures one row after the other, and prints each when it is done.
    fn as_benchmark_mt(&self, stop: &Interrupt) -> Result<u8, CliError> {
        let threads = self.threads.unwrap_or(1);
        let shown = RateOptions { unit: self.unit, gigahertz: self.ghz };
        let backends = choice::backends(&self.backend)?;
        let rows = if self.lanes.is_empty() && backends.is_empty() {
            choice::as_benchmark_mt()
        } else {
            choice::settings(&self.lanes, &backends)
        };
        let heading = lines::heading(self.iterations, threads, &shown);
        print_at_once(&heading)?;
        for row in rows {
            let invocation = self.invocation()?;
            let plan = self.plan(&invocation, vec![row.in_threads(threads)], 1);
            let run = invocation.recursive(&plan, stop);
            if let Some(status) = stop.status() {
                return Ok(status);
            }
            for record in &run.records {
                print_at_once(&lines::row(record, &shown))?;
                if let Some(failure) = &record.failure {
                    return Err(CliError::NotMeasured(failure.reason.clone()));
                }
            }
        }
        Ok(0)
    }
}

/// Writes immediately, and always in colour, as that benchmark does.
fn print_at_once(text: &str) -> Result<(), CliError> {
    let mut output = std::io::stdout().lock();
    let written = output.write_all(text.as_bytes()).and_then(|()| output.flush());
    Ok(written.map_err(cpb_report::WriteError::from)?)
}
