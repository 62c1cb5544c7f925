//! `cpb path`: which code ran.

use crate::arguments::{self, WorkloadOptions};
use crate::cli_error::{CliError, NOT_MEASURED};
use crate::export::{Exporting, Format};
use crate::interrupt::{self, Interrupt};
use crate::library_set::{self, LibrarySet};
use crate::progress::Bar;
use crate::run_record;
use crate::selection::{self, Selection};
use crate::views::paths::PathDocument;
use clap::Args;
use cpb_engine::{
    LibrarySpec, PathMemory, Row, Start, TracePlan, describe_host, find_costs, trace_paths,
};
use cpb_model::{CodePath, Contract, Costs, Record};
use std::time::Duration;

/// The default message lengths.
const SIZES: [usize; 2] = [64, 1024];
/// The limit of traced instructions: enough for a signature, but not for key generation.
pub(super) const INSTRUCTIONS: u64 = 20_000_000;
pub(super) const TIME: Duration = Duration::from_secs(5);

/// Say which code runs: functions, instruction sets, widths
///
/// One call of each workload is followed instruction by instruction, in a process in which nothing
/// is timed: as a call is that is timed, warm and with the same inputs. What a library says of
/// itself plays no part. Selectors are those of run.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to trace; with --library or --backend, all they have where nothing is named.
    #[arg(value_name = "SELECTOR", required_unless_present_any = ["library", "backend"])]
    selectors: Vec<String>,
    #[command(flatten)]
    exporting: Exporting,
    /// Message lengths to trace a call of, in bytes [default: 64,1024; of signatures 32].
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          allow_negative_numbers = true)]
    sizes: Vec<usize>,
    /// Trace only these backends; `default` for each library's own choice.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    backend: Vec<String>,
    /// Trace these libraries; as for run.
    #[arg(long, value_name = "SPEC", value_parser = library_set::specification)]
    library: Vec<LibrarySpec>,
    /// Trace the generation of RSA keys, too: the beginning of it.
    #[arg(long)]
    include_slow: bool,
    /// The most instructions to follow in a call.
    #[arg(long, value_name = "N", default_value_t = INSTRUCTIONS,
          value_parser = clap::value_parser!(u64).range(1..), allow_negative_numbers = true)]
    instructions: u64,
    /// Name the functions, the instruction sets, what was called of the C library and the system, and
    /// the files.
    #[arg(long)]
    verbose: bool,
    /// Say what a call costs besides cycles: stack, heap, objects, code, first use.
    #[arg(long)]
    resources: bool,
    #[command(flatten)]
    workload: WorkloadOptions,
    /// Give up on a library after this many seconds without an answer.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = arguments::seconds,
          allow_negative_numbers = true)]
    timeout: Duration,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let stop = interrupt::flag();
    let start = Start::now();
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let libraries = LibrarySet::discover_named(&arguments.library, arguments.timeout);
    let complete = libraries.report_missing();
    let rows = arguments.rows(&libraries)?;
    let host = describe_host();
    let (instructions, timeout) = (arguments.instructions, arguments.timeout);
    let paths = trace(&rows, &libraries, instructions, arguments.resources, timeout, &stop);
    PathMemory::of(&host).keep(&rows, &libraries.usable(), &paths);
    let costs = match arguments.resources {
        true => costs(&rows, &paths, &libraries, timeout, &stop),
        false => vec![None; rows.len()],
    };
    let record = |((row, path), costs): ((&Row, Option<CodePath>), Option<Costs>)| {
        path.map(|path| Record { costs, ..row.traced(path) })
    };
    let records: Vec<Record> = rows.iter().zip(paths).zip(costs).filter_map(record).collect();
    let is_traced = |it: &Record| {
        it.path.iter().flat_map(|path| &path.calls).all(|call| call.not_traced.is_none())
    };
    let all_traced = records.iter().all(is_traced);
    let found = libraries.found().iter().filter_map(|found| found.contents.as_ref().ok());
    let builds = found.map(|(id, _)| id.clone());
    let measured = |label: &str| records.iter().any(|it| it.subject.library == label);
    let builds = builds.filter(|id| measured(&id.label)).collect();
    let run = run_record::assemble_paths(&start, host, builds, records);
    let Arguments { verbose, resources, .. } = *arguments;
    exporter.write(&PathDocument { run: &run, verbose, resources })?;
    let is_whole = complete && all_traced && !libraries.lacks();
    Ok(interrupt::status(&stop, if is_whole { 0 } else { NOT_MEASURED }))
}

impl Arguments {
    fn rows(&self, libraries: &LibrarySet) -> Result<Vec<Row>, CliError> {
        let selection = Selection {
            selectors: self.selectors.clone(),
            backends: self.backend.clone(),
            sizes: self.sizes.clone(),
            contract: self.workload.contract().unwrap_or(Contract::Keyed),
            parameters: self.workload.parameters(),
            include_slow: self.include_slow,
            ..Selection::default()
        };
        let mut rows = Vec::new();
        for (label, offer) in selection.select(libraries)? {
            for mut asked in selection.of_keys(offer) {
                let is_usual = asked.sizes.is_empty() && asked.signed(offer).is_none();
                if is_usual {
                    asked.sizes = SIZES.to_vec();
                }
                let lengths = asked.lengths(offer);
                rows.push(asked.row_at(&label, offer, lengths));
            }
        }
        selection.check_lengths(&rows)?;
        if rows.is_empty() {
            return Err(not_measured!(
                "none of the libraries and backends asked for has what was selected; see cpb list"
            ));
        }
        selection::in_order(&mut rows);
        Ok(rows)
    }
}

fn plan<'a>(
    libraries: &'a [LibrarySpec],
    rows: &'a [Row],
    instructions: u64,
    timeout: Duration,
) -> TracePlan<'a> {
    TracePlan { libraries, rows, instructions, time: TIME, has_resources: false, timeout }
}

/// Returns the costs besides cycles of the calls of `rows`, as far as no signal came.
pub(super) fn costs(
    rows: &[Row],
    paths: &[Option<CodePath>],
    libraries: &LibrarySet,
    timeout: Duration,
    stop: &Interrupt,
) -> Vec<Option<Costs>> {
    let bar = Bar::new();
    let usable = libraries.usable();
    let plan = plan(&usable, rows, INSTRUCTIONS, timeout);
    find_costs(&plan, paths, stop, &mut |done, expected, Row { subject, .. }| {
        let message = format!("first use of {} {}", subject.primitive, subject.library);
        bar.at(done, expected, message);
    })
}

/// Traces the calls of `rows`, as far as no signal came.
pub(super) fn trace(
    rows: &[Row],
    libraries: &LibrarySet,
    instructions: u64,
    has_resources: bool,
    timeout: Duration,
    stop: &Interrupt,
) -> Vec<Option<CodePath>> {
    let bar = Bar::new();
    let usable = libraries.usable();
    let plan = TracePlan { has_resources, ..plan(&usable, rows, instructions, timeout) };
    trace_paths(&plan, stop, &mut |done, expected, Row { subject, .. }| {
        bar.at(done, expected, format!("tracing {} {}", subject.primitive, subject.library));
    })
}
