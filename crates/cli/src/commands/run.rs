//! `cpb run`: the main job.

use crate::arguments::{self, Format, Machine, unknown};
use crate::fault::{Fault, NOT_MEASURED};
use crate::progress::Bar;
use crate::run_record::{self, Start};
use crate::shelf::{self, Shelf};
use crate::{lengths, output, views};
use clap::{Args, ValueEnum};
use cpb_engine::{LibrarySpec, Plan, Progress, Rounds, Row, Sampling, host, measure, self_test};
use cpb_model::{Alignment, Contract, Offer, Operation, Subject};
use std::collections::BTreeSet;
use std::time::Duration;

/// Samples of a workload in each round: as many as the time allows for
/// [`ROUNDS_AT_LEAST`] rounds, within these bounds.
const SAMPLES: std::ops::RangeInclusive<u32> = 6..=40;
/// Time that a sample takes beside its batch, and a workload beside its
/// samples.
const BESIDE_BATCH: Duration = Duration::from_micros(7);
const BESIDE_SAMPLES: Duration = Duration::from_micros(80);
const BATCH: Duration = Duration::from_micros(30);
/// Slow calls get no more time than this in a round.
const LONGEST_WORKLOAD: Duration = Duration::from_millis(20);
const WARM_UP: Duration = Duration::from_micros(500);
const ROUNDS_AT_LEAST: u32 = 5;
const ROUNDS_AT_MOST: u32 = 100;

/// What one timed call does.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum ContractArgument {
    /// Key schedule outside; nonce, tag and finalisation inside.
    Keyed,
    /// Making and keying the context inside, too.
    Cold,
    /// What bench-slopes times for the same row.
    Compat,
}

/// Measure everything selected in every implementation, and rank them
///
/// A SELECTOR is a primitive in any library's spelling (aes-128-gcm,
/// id-aes128-GCM), a pattern (aes-*-gcm), an operation (hash, xof, mac,
/// encrypt, decrypt, seal, open, auth, derive) or a group of these (cipher,
/// kdf). Without one, everything is measured.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to measure.
    #[arg(value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// How to print.
    #[arg(long, value_enum, default_value_t = Format::Table)]
    format: Format,
    /// Message lengths for which a rate is shown, in bytes.
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          default_value = "64,1024,16384", allow_negative_numbers = true)]
    sizes: Vec<usize>,
    /// Take rounds until every interval is at most this wide to either side.
    #[arg(long, value_name = "PERCENT", default_value = "0.25%", value_parser = arguments::percentage,
          allow_negative_numbers = true)]
    precision: f64,
    /// Start no further round after this many seconds.
    #[arg(long, value_name = "SECONDS", default_value = "60", value_parser = arguments::seconds,
          allow_negative_numbers = true)]
    max_time: Duration,
    /// Measure only these backends; `default` for each library's own choice.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    backend: Vec<String>,
    /// Measure this library: NAME, NAME=PATH for one build of it, with
    /// ;VARIABLE=VALUE for its environment. May be given several times.
    #[arg(long, value_name = "SPEC", value_parser = shelf::specification)]
    library: Vec<LibrarySpec>,
    /// What one timed call does.
    #[arg(long, value_enum, default_value = "keyed")]
    contract: ContractArgument,
    /// Put messages one byte behind a page boundary instead of on it.
    #[arg(long)]
    unaligned: bool,
    /// Keep the raw samples in the JSON.
    #[arg(long)]
    raw: bool,
    #[command(flatten)]
    machine: Machine,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    let start = Start::now();
    let host = host::describe();
    let clock = arguments.machine.clock()?;
    let cpu = arguments.machine.cpu(&host)?;
    let mut named = arguments.library.clone();
    let asks_for_self_test = |s: &String| s.starts_with("chain-") || s.starts_with("fault-");
    let wants_self_test = arguments.selectors.iter().any(asks_for_self_test);
    if wants_self_test && !named.is_empty() {
        named.push(self_test());
    }
    let mut shelf = Shelf::look(&named, arguments.machine.timeout);
    if wants_self_test && named.is_empty() {
        shelf.add(&self_test(), arguments.machine.timeout);
    }
    let complete = shelf.report_missing();
    let rows = arguments.rows(&shelf)?;
    let plan = Plan {
        libraries: shelf.usable(),
        witnesses: shelf.witnesses(),
        sampling: Sampling {
            samples: samples_per_round(&rows, arguments.max_time),
            batch: BATCH,
            warm_up: WARM_UP,
            limit: Some(LONGEST_WORKLOAD),
            rounds: Rounds::Until {
                precision: arguments.precision,
                at_least: ROUNDS_AT_LEAST,
                at_most: ROUNDS_AT_MOST,
                budget: arguments.max_time,
            },
            timeout: arguments.machine.timeout,
        },
        rows,
        clock,
        cpu,
        keep_raw: arguments.raw,
        seed: 0,
    };
    let bar = Bar::new();
    let measured = measure(&plan, &mut |progress| {
        if let Progress::Failed { row, failure } = progress {
            bar.aside(|| {
                let Subject { primitive, library, backend, .. } = &row.subject;
                output::complain(&format!("{primitive} {library} {backend}: {}", failure.reason));
            });
        }
        bar.follow(progress);
    });
    bar.finish();
    let run = run_record::assemble(&start, host, &plan, measured);
    let mut sizes = arguments.sizes.clone();
    sizes.sort_unstable();
    sizes.dedup();
    match arguments.format {
        Format::Table => output::print(&views::run_table::text(&run, &sizes))?,
        Format::Csv => views::run_csv::write(&run)?,
        Format::Json => cpb_report::write_json(&mut std::io::stdout().lock(), &run)?,
    }
    if arguments.format != Format::Json {
        run.warnings.iter().for_each(|warning| output::warn(warning));
    }
    let all_measured = run.records.iter().all(|record| record.failure.is_none());
    Ok(if all_measured && complete { 0 } else { NOT_MEASURED })
}

impl Arguments {
    fn rows(&self, shelf: &Shelf) -> Result<Vec<Row>, Fault> {
        let offers: Vec<(String, &Offer)> = shelf.offers().collect();
        self.check_backends(&offers)?;
        let selected = shelf::select(shelf, &self.selectors, offers, "selector")?;
        let mut rows: Vec<Row> = selected
            .iter()
            .filter(|(_, offer)| self.wants(offer))
            .map(|(label, offer)| self.row(label, offer))
            .collect();
        if rows.is_empty() {
            return Err(Fault::NotMeasured(
                "none of the libraries and backends asked for has what was selected; see cpb list"
                    .to_owned(),
            ));
        }
        // What can be compared stands together, in the order in which the
        // libraries first name it.
        let mut order: Vec<(String, Operation)> = Vec::new();
        for row in &rows {
            let key = (row.subject.primitive.clone(), row.subject.operation);
            if !order.contains(&key) {
                order.push(key);
            }
        }
        rows.sort_by_key(|row| {
            order.iter().position(|(primitive, operation)| {
                *primitive == row.subject.primitive && *operation == row.subject.operation
            })
        });
        Ok(rows)
    }

    /// The backends asked for, by their own names.
    fn backends(&self) -> Vec<&str> {
        let canonical = |name| if name == "scalar" { "portable" } else { name };
        self.backend.iter().map(|name| canonical(name.as_str())).collect()
    }

    fn check_backends(&self, offers: &[(String, &Offer)]) -> Result<(), Fault> {
        let known: BTreeSet<&str> =
            offers.iter().map(|(_, offer)| offer.backend.as_str()).chain(["default"]).collect();
        let unknown_name = self.backends().into_iter().find(|name| !known.contains(name));
        unknown_name.map_or(Ok(()), |name| Err(unknown("backend", name, known)))
    }

    /// Whether the offer's backend was asked for. One that cannot run here is
    /// wanted only if it was asked for by name, to say why.
    fn wants(&self, offer: &Offer) -> bool {
        let wanted = self.backends();
        let by_name = offer.backend != "default" && wanted.contains(&offer.backend.as_str());
        let as_default = wanted.contains(&"default") && offer.default_backend;
        // What a library lacks for reasons of its own was selected by name.
        let says_why = !self.selectors.is_empty() && offer.backend == "default";
        by_name || (wanted.is_empty() || as_default) && (offer.unavailable.is_none() || says_why)
    }

    fn row(&self, label: &str, offer: &Offer) -> Row {
        let line = lengths::line(offer);
        let shown = self.sizes.iter().copied().filter(|&size| lengths::fits(offer, size));
        let fitted = line.iter().flat_map(|(_, lengths)| lengths.iter().copied());
        let mut all: BTreeSet<usize> = shown.chain(fitted).collect();
        if all.is_empty() {
            all.insert(1);
        }
        let contract = match self.contract {
            ContractArgument::Keyed => Contract::Keyed,
            ContractArgument::Cold => Contract::Cold,
            ContractArgument::Compat => Contract::Compat,
        };
        Row {
            alignment: if self.unaligned { Alignment::Unaligned } else { Alignment::Page },
            line,
            output_bytes: default_output(offer),
            ..Row::new(label, offer, contract, all.into_iter().collect())
        }
    }
}

/// How many samples of each workload a round can afford.
fn samples_per_round(rows: &[Row], budget: Duration) -> u32 {
    let workloads: usize = rows.iter().map(|row| row.lengths.len()).sum();
    let share = budget.as_secs_f64() / f64::from(ROUNDS_AT_LEAST) / workloads.max(1) as f64;
    let samples = (share - BESIDE_SAMPLES.as_secs_f64()) / (BATCH + BESIDE_BATCH).as_secs_f64();
    (samples.max(0.0) as u32).clamp(*SAMPLES.start(), *SAMPLES.end())
}

/// The output length where it is free and nobody asks.
pub(crate) fn default_output(offer: &Offer) -> Option<usize> {
    let free = matches!(offer.operation, Operation::Xof | Operation::Derive);
    (free && offer.lengths.output.is_none()).then_some(cpb_libraries::DEFAULT_OUTPUT_BYTES)
}
