//! `cpb bench`: the sha3 bench.

use crate::CalledAs;
use crate::arguments::{self, Format, Machine, Saving, unknown};
use crate::fault::{Fault, NOT_MEASURED};
use crate::progress::Bar;
use crate::run_record::{self, Start};
use crate::selection::default_output;
use crate::shelf::Shelf;
use crate::{interrupt, output, saved, views};
use clap::Args;
use cpb_engine::{LibrarySpec, Plan, Progress, QuietMemory, Rounds, Row, Sampling, host, measure};
use cpb_kernels::keccak::Backend;
use cpb_libraries::names;
use cpb_model::{Calibration, Contract, CycleSource, Offer, Run};
use std::time::Duration;

/// The functions, in the order of the rows.
pub(crate) const FUNCTIONS: [&str; 6] =
    ["sha3_224", "sha3_256", "sha3_384", "sha3_512", "shake128", "shake256"];

const FEWEST_TRIALS: u32 = 2;
const MOST_TRIALS: u32 = 1_000_000;
/// Fresh processes over which the trials are spread.
const ROUNDS: u32 = 10;
/// Thirty cells of 2000 trials shall fit into three seconds.
const BATCH: Duration = Duration::from_micros(20);
const WARM_UP: Duration = Duration::from_micros(500);
/// How long it may take on a core that is hardly ever quiet.
const BUDGET: Duration = Duration::from_secs(15);

/// Median cycles per byte of SHA-3 and SHAKE per message length, as CSV
///
/// One row for each function, one column for each message length. A trial is
/// an accepted sample; trials are spread over ten fresh processes.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Accepted samples for each cell, in total.
    #[arg(value_name = "NUM", default_value = "2000", value_parser = trials, allow_negative_numbers = true)]
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
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Csv)]
    format: Format,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    saving: Saving,
}

pub(crate) fn execute(arguments: &Arguments, called_as: CalledAs) -> Result<u8, Fault> {
    let stop = interrupt::flag();
    let start = Start::now();
    let host = host::describe();
    let backends = arguments.backends()?;
    let shelf = Shelf::look_only(&[LibrarySpec::installed("native")], arguments.machine.timeout);
    let complete = shelf.report_missing();
    let plan = Plan {
        rows: arguments.rows(&shelf, &backends),
        libraries: shelf.usable(),
        witnesses: shelf.witnesses(),
        sampling: Sampling {
            samples: arguments.num,
            batch: BATCH,
            warm_up: WARM_UP,
            limit: None,
            rounds: Rounds::Fixed(ROUNDS.min(arguments.num)),
            budget: BUDGET,
            timeout: arguments.machine.timeout,
        },
        clock: arguments.machine.clock()?,
        cpus: arguments.machine.cpus(&host)?,
        memory: QuietMemory::of(&host),
        seed: 0,
    };
    let bar = Bar::new();
    let (measured, samples) = measure(&plan, &stop, &mut |progress| {
        match progress {
            Progress::Clock(calibration) => bar.aside(|| {
                output::inform(&arguments.describe_clock(calibration, called_as));
                output::inform(&arguments.describe_trials(&backends));
            }),
            Progress::Failed { row, failure } => bar.aside(|| {
                let subject = &row.subject;
                output::complain(&format!(
                    "{} {}: {}",
                    subject.primitive, subject.backend, failure.reason
                ));
            }),
            Progress::Verify { .. } | Progress::Job { .. } => {}
        }
        bar.follow(progress);
    });
    bar.finish();
    let run = run_record::assemble(&start, host, &plan, measured);
    let shown = views::bench::Shown {
        backend_column: backends.len() > 1 || arguments.all_backends,
        one_decimal: called_as == CalledAs::Bench,
        message_bytes: &arguments.src_lens,
    };
    let printed = arguments.print(&run, &shown);
    saved::save(&arguments.saving, &run, Some(&samples)).tell(called_as);
    printed?;
    if called_as == CalledAs::Cpb && arguments.format != Format::Json {
        run.warnings.iter().for_each(|warning| output::warn(warning));
    }
    let all_measured = run.records.iter().all(|record| record.failure.is_none());
    Ok(interrupt::status(&stop, if all_measured && complete { 0 } else { NOT_MEASURED }))
}

impl Arguments {
    fn print(&self, run: &Run, shown: &views::bench::Shown<'_>) -> Result<(), Fault> {
        match self.format {
            Format::Csv => views::bench::csv(run, shown)?,
            Format::Table => output::print(&views::bench::table(run, shown))?,
            Format::Json => cpb_report::write_json(&mut std::io::stdout().lock(), run)?,
        }
        Ok(())
    }

    fn backends(&self) -> Result<Vec<String>, Fault> {
        if self.all_backends {
            return Ok(Backend::available().iter().map(|b| b.name().to_owned()).collect());
        }
        if self.backend.is_empty() {
            return Ok(vec![Backend::fastest().name().to_owned()]);
        }
        let mut names = Vec::new();
        for name in &self.backend {
            let canonical = if name == "scalar" { "portable" } else { name };
            if !Backend::NAMES.contains(&canonical) {
                return Err(unknown("backend", name, Backend::NAMES.iter().copied()));
            }
            if !names.iter().any(|known| known == canonical) {
                names.push(canonical.to_owned());
            }
        }
        Ok(names)
    }

    fn rows(&self, shelf: &Shelf, backends: &[String]) -> Vec<Row> {
        let offers: Vec<(String, &Offer)> = shelf.offers().collect();
        let offer = |function: &str, backend: &str| {
            let primitive = names::hash(function);
            let found =
                offers.iter().find(|(_, o)| o.primitive == primitive && o.backend == backend);
            found.map(|(label, offer)| (label.clone(), *offer))
        };
        FUNCTIONS
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
        Row { output_bytes, ..Row::new(label, offer, Contract::Keyed, lengths) }
    }

    fn describe_clock(&self, calibration: &Calibration, called_as: CalledAs) -> String {
        let version = calibration.version.as_deref().unwrap_or(env!("CARGO_PKG_VERSION"));
        let what = match (called_as, calibration.cycle_source) {
            (CalledAs::Bench, _) => "",
            (_, CycleSource::StatedClock { .. }) => " persecond_is=stated-core-clock",
            _ => " persecond_is=measured-core-clock",
        };
        format!(
            "cpucycles: version={version} implementation={} persecond={:.0}{what}",
            calibration.name(),
            calibration.core_hertz,
        )
    }

    fn describe_trials(&self, backends: &[String]) -> String {
        let list = |numbers: &[usize]| {
            numbers.iter().map(ToString::to_string).collect::<Vec<_>>().join(",")
        };
        format!(
            "backend={} num_trials={} src_lens={} dst_lens={}",
            backends.join(","),
            self.num,
            list(&self.src_lens),
            list(&self.dst_lens)
        )
    }
}

fn trials(text: &str) -> Result<u32, String> {
    text.parse()
        .ok()
        .filter(|number| (FEWEST_TRIALS..=MOST_TRIALS).contains(number))
        .ok_or_else(|| {
            format!("the number of trials is a whole number from {FEWEST_TRIALS} to {MOST_TRIALS}, not '{text}'")
        })
}
