//! `cpb run`: the main job.

mod traces;

use crate::arguments::{self, CachesArgument, Machine, Saving, WorkloadOptions, seconds};
use crate::cli_error::CliError;
use crate::concurrency::{self, OtherThreads, ScaleRequest, Threads};
use crate::export::{Exporting, Format};
use crate::folders::{BuiltFolders, Folders};
use crate::library_set::{self, LibrarySet};
use crate::measurement_context::{MeasurementContext, RunOutput};
use crate::order::{self, Order};
use crate::progress::Bar;
use crate::sampling::Time;
use crate::selection::{self, DEFAULT_SIZES, Selection};
use crate::suite::Suite;
use crate::{interrupt, lengths, output, remembered, sampling, saved, time_budget};
use clap::Args;
use cpb_engine::{LibrarySpec, Row, SampleFile, self_test};
use cpb_model::{Caches, Contract, Host, Parameters, Run};
use cpb_oldtools::CalledAs;
use cpb_report::RunDocument;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// The default suite.
const OVERVIEW: &str = "overview";
/// The default precision.
const PRECISION: f64 = 0.0025;
/// The precision of rows in a folder that are not the fastest.
const COARSE: f64 = 0.03;
/// The precision with --quick.
const QUICK_PRECISION: f64 = 0.01;

/// Measure what is selected in every library, and rank it
///
/// A SELECTOR is a primitive in any library's spelling (aes-128-gcm,
/// id-aes128-GCM), a pattern (aes-*-gcm), an operation (hash, xof, mac,
/// encrypt, decrypt, seal, open, auth, derive, encode, decode, keygen, public-key,
/// agree, sign, verify, encapsulate, decapsulate, public-encrypt, private-decrypt) or
/// a group of these (cipher, kdf, codec, keys, signature, kem, pke); '*' is everything.
/// Operations beside names are those of what is named: ed25519 sign. Without a selector,
/// the suite overview is measured; with --library or --backend, all their primitives are
/// measured.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// What to measure.
    #[arg(value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// Measure a suite, with its own parameters: overview, tls, handshake, wireguard,
    /// ssh, pqc, hashes, server, or a file.
    #[arg(long, value_name = "NAME|FILE",
          conflicts_with_all = ["selectors", "sizes", "WorkloadOptions", "caches",
                                "backend", "include_slow"])]
    suite: Option<String>,
    #[command(flatten)]
    exporting: Exporting,
    /// Message lengths for which a rate is shown, in bytes; of signatures the length of
    /// what is signed [default: 64,1024,16384; of signatures 32].
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          allow_negative_numbers = true)]
    sizes: Vec<usize>,
    /// Sort rows by slope (c/B of long messages), by what messages of LENGTH bytes cost, or by
    /// library; name sorts the primitives [default: the longest of --sizes, else slope].
    #[arg(long, value_name = "slope|LENGTH|name|library", value_parser = order::order,
          allow_negative_numbers = true, conflicts_with_all = ["across", "threads"])]
    sort: Option<Order>,
    /// Rank all primitives of an operation in one table, by the cost of a message of this length,
    /// the only one measured without --sizes; operations without messages by the cost of a call.
    #[arg(long, value_name = "LENGTH", value_parser = arguments::length,
          allow_negative_numbers = true, conflicts_with_all = ["suite", "threads"])]
    across: Option<usize>,
    /// Stop when every ± is below this [default: 0.25%].
    #[arg(long, value_name = "PERCENT", value_parser = arguments::percentage,
          allow_negative_numbers = true)]
    precision: Option<f64>,
    /// Time budget for everything; a row that could not be measured in time says so
    /// [default: 60, or 0.2 for each row].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    max_time: Option<Duration>,
    /// A first look: --precision 1% and --max-time 5.
    #[arg(long)]
    quick: bool,
    /// Measure only these backends; `default` for each library's own choice. Variants, such
    /// as implicit-fetch of OpenSSL, are measured only where they are named.
    #[arg(long, value_name = "NAMES", value_delimiter = ',')]
    backend: Vec<String>,
    /// Measure these libraries: NAME,NAME; ./FILE.so or NAME=PATH for one build, with
    /// ;VARIABLE=VALUE for its environment. May be given several times.
    #[arg(long, value_name = "SPEC", value_parser = library_set::specification)]
    library: Vec<LibrarySpec>,
    /// Those of the config file, where --library names none.
    #[arg(skip)]
    pub(super) usual_libraries: Vec<LibrarySpec>,
    /// Measure what takes long and varies, too: the generation of RSA keys.
    #[arg(long)]
    include_slow: bool,
    /// What is in the caches when a call begins.
    #[arg(long, value_enum, default_value = "warm")]
    caches: CachesArgument,
    /// Make calls one by one, too: independent ones, and dependent ones, each given some of
    /// what the one before put out, as a handshake has them. Two more columns.
    #[arg(long)]
    chain: bool,
    /// Numbers of threads of one process that make the calls at once, each measured in turn;
    /// all: as many as there are CPUs. cpb scale does the same, with more options.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = concurrency::threads,
          allow_negative_numbers = true,
          conflicts_with_all = ["caches", "chain", "raw", "cpu"])]
    threads: Vec<Threads>,
    /// Trace a call of each length once all is measured, and say which code it ran, as cpb path does.
    #[arg(long, conflicts_with = "threads")]
    path: bool,
    /// Say what a call costs besides cycles: stack, heap, objects, code, by the same trace as --path;
    /// and what first use costs, in processes of its own.
    #[arg(long, conflicts_with = "threads")]
    resources: bool,
    /// Keep the raw samples in the JSON.
    #[arg(long)]
    raw: bool,
    /// Say below the table what each library says of itself, and which file it is; with
    /// --across, show all rows.
    #[arg(long)]
    verbose: bool,
    #[command(flatten)]
    workload: WorkloadOptions,
    #[command(flatten)]
    folders: Folders,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    saving: Saving,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    if arguments.chain && arguments.caches == CachesArgument::Evicted {
        return Err(usage!(
            "--chain measures calls in a row, --caches evicted single calls: give one of them"
        ));
    }
    let order = arguments.order()?;
    let stop = interrupt::flag();
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    saved::try_store(&arguments.saving, &stop)?;
    let suite = arguments.suite()?;
    suite.as_ref().map_or(Ok(()), |suite| order::check_suite(order, suite))?;
    let built = arguments.folders.build_only(&arguments.selectors, &stop)?;
    let invocation = MeasurementContext::on(&arguments.machine)?;
    let libraries = arguments.libraries(&built);
    let complete = libraries.report_missing();
    if !arguments.threads.is_empty() {
        let request =
            arguments.concurrent_rows(suite.as_ref(), &libraries, &built, invocation.host())?;
        let quick = || time_budget::RUN_QUICK.of(request.rows.len());
        let budget = arguments.max_time.or_else(|| arguments.quick.then(quick));
        let run = request.measure(invocation, &libraries, budget, arguments.machine.timeout, &stop);
        let complete = complete && !libraries.lacks();
        return concurrency::end("run", &run, exporter, &arguments.saving, complete, &stop);
    }
    let rows = arguments.rows(suite.as_ref(), &libraries, &built)?;
    let max_time = arguments.max_time(rows.len());
    sampling::announce(&rows, Time::AtMost(max_time), "--quick or --max-time make");
    let budget = invocation.left_of(max_time);
    let (precision, coarse) = (arguments.precision(), arguments.coarse());
    let rounds = sampling::until(precision, coarse, sampling::ROUNDS_AT_LEAST);
    let samples = sampling::samples_per_round(&rows, budget);
    let time = (Some(budget), budget);
    let sampling = sampling::of_rows(samples, rounds, time, arguments.machine.timeout);
    let plan = invocation.plan(&libraries, rows, sampling);
    let (mut run, samples) = invocation.run(&plan, &stop, Bar::within(max_time), Bar::tell);
    run.sums = suite.as_ref().map_or_else(Vec::new, |suite| suite.sums().to_vec());
    let wants_paths = arguments.path || arguments.resources;
    let timeout = wants_paths.then_some(arguments.machine.timeout);
    traces::add(&mut run, &plan.rows, &libraries, timeout, arguments.resources, &stop);
    let attached = if arguments.raw { attach(&mut run, &samples) } else { Ok(()) };
    let of_selection = || arguments.selection(&built).shown_sizes();
    let mut sizes = suite.as_ref().map_or_else(of_selection, Suite::sizes);
    sizes.sort_unstable();
    sizes.dedup();
    let warns = !exporter.holds_warnings();
    let across = arguments.across;
    let document = RunDocument {
        command: "run",
        run: &run,
        sizes: &sizes,
        asked: suite.is_none() && !arguments.sizes.is_empty(),
        order,
        title: None,
        across,
        verbose: arguments.verbose,
        resources: arguments.resources,
    };
    let printed = exporter.write(&document);
    let (saving, samples, called_as) = (&arguments.saving, Some(&samples), CalledAs::Cpb);
    let complete = complete && !libraries.lacks();
    let ending = RunOutput { saving, samples, called_as, warns, complete };
    ending.end(&run, attached.and(printed), &stop)
}

/// Gives the points of `run` their raw samples.
fn attach(run: &mut Run, spool: &SampleFile) -> Result<(), CliError> {
    for (index, record) in run.records.iter_mut().enumerate() {
        let samples = spool
            .samples(index)
            .map_err(|error| not_measured!("the raw samples cannot be read back: {error}"))?;
        record.put_raw(samples);
    }
    Ok(())
}

impl Arguments {
    /// Returns a path of a library or folder that is relative, and so depends on the current
    /// folder.
    pub(super) fn relative_path(&self) -> Option<&Path> {
        let of_libraries = self.library.iter().filter_map(|library| library.path.as_deref());
        let mut all = of_libraries.chain(self.folders.folder.iter().map(PathBuf::as_path));
        all.find(|path| path.is_relative())
    }

    /// Returns the order of rows.
    fn order(&self) -> Result<Order, CliError> {
        let caches = Caches::from(self.caches);
        let sizes = if caches == Caches::Warm { &self.sizes[..] } else { &[] };
        let order = Order::of(self.sort, sizes);
        order::check(order, caches).map(|()| order)
    }

    /// Returns the requested lengths, including the one by which rows are ranked.
    fn sizes(&self) -> Vec<usize> {
        let usual = match self.across {
            Some(_) => &self.sizes[..],
            None if self.sizes.is_empty() => &DEFAULT_SIZES[..],
            None => &self.sizes,
        };
        match self.across.or(self.sort.and_then(Order::length)) {
            Some(length) if !usual.contains(&length) => [usual, &[length]].concat(),
            _ => self.sizes.clone(),
        }
    }

    fn precision(&self) -> f64 {
        self.precision.unwrap_or(if self.quick { QUICK_PRECISION } else { PRECISION })
    }

    /// Returns the coarse precision for rows that cannot be the fastest, if there are many of them:
    /// a folder has more implementations of a primitive than anybody needs to know precisely, and
    /// so have all primitives of an operation.
    fn coarse(&self) -> Option<f64> {
        (!self.folders.folder.is_empty() || self.across.is_some()).then_some(COARSE)
    }

    fn max_time(&self, rows: usize) -> Duration {
        let usual = if self.quick { time_budget::RUN_QUICK } else { time_budget::RUN };
        self.max_time.unwrap_or_else(|| usual.of(rows))
    }

    /// Opens the libraries to measure, and the self-test if requested.
    fn libraries(&self, built: &BuiltFolders) -> LibrarySet {
        let asks_for_self_test = |s: &String| s.starts_with("chain-") || s.starts_with("fault-");
        let wants_self_test = self.selectors.iter().any(asks_for_self_test);
        let is_usual = self.library.is_empty() && self.folders.folder.is_empty();
        let named = if is_usual { &self.usual_libraries } else { &self.library };
        let mut named: Vec<LibrarySpec> = built.libraries().chain(named.iter().cloned()).collect();
        if wants_self_test && !named.is_empty() {
            named.push(self_test());
        }
        let (timeout, max_time) = (self.machine.timeout, self.max_time);
        let mut libraries = LibrarySet::discover(&named, timeout, max_time);
        if wants_self_test && named.is_empty() {
            libraries.add(&self_test(), timeout, max_time);
        }
        libraries
    }

    fn selection(&self, built: &BuiltFolders) -> Selection {
        Selection {
            selectors: self.selectors.clone(),
            backends: self.backend.clone(),
            sizes: self.sizes(),
            contract: self.workload.contract().unwrap_or(Contract::Keyed),
            parameters: Parameters { caches: self.caches.into(), ..self.workload.parameters() },
            include_slow: self.include_slow,
            built: built.libraries().map(|spec| spec.label()).collect(),
            ..Selection::default()
        }
    }

    /// Returns the suite to measure; `None` if selectors decide.
    fn suite(&self) -> Result<Option<Suite>, CliError> {
        let asks_for_nothing = self.selectors.is_empty()
            && self.library.is_empty()
            && self.backend.is_empty()
            && self.folders.folder.is_empty();
        let name = self.suite.as_deref().or_else(|| asks_for_nothing.then_some(OVERVIEW));
        if self.suite.is_none() && name.is_some() {
            output::inform("this is the suite overview; cpb run '*' measures everything");
        }
        let suite = name.map(Suite::load).transpose()?;
        if self.threads.is_empty() && suite.as_ref().is_some_and(Suite::is_mixed) {
            output::inform("this suite says what other threads do: --threads measures that");
        }
        Ok(suite)
    }

    /// Returns the request for concurrent calls.
    fn concurrent_rows(
        &self,
        suite: Option<&Suite>,
        libraries: &LibrarySet,
        built: &BuiltFolders,
        host: &Host,
    ) -> Result<ScaleRequest, CliError> {
        let rows = match suite {
            Some(suite) => suite.concurrent_rows(libraries)?,
            None => {
                let selection = self.selection(built);
                let mut rows = concurrency::rows(&selection, &DEFAULT_SIZES, libraries)?;
                selection.check_lengths(&rows)?;
                concurrency::check_any(&rows)?;
                selection::in_order(&mut rows);
                OtherThreads::Same.with(rows, libraries)?
            }
        };
        let sizes = concurrency::sizes(&self.threads, host);
        Ok(ScaleRequest { precision: self.precision, ..ScaleRequest::on(host, sizes, rows) })
    }

    /// Returns the selected rows; reports selectors without a match here, if others match.
    fn measured(&self, libraries: &LibrarySet, built: &BuiltFolders) -> Result<Vec<Row>, CliError> {
        let selection = self.selection(built);
        let rows = selection
            .rows(libraries)
            .map_err(|fault| remembered::instead_of(fault, &self.selectors, &self.saving.store))?;
        selection.check_lengths(&rows)?;
        let unmatched_selectors = selection.unmatched_selectors(libraries);
        if !rows.is_empty() && !unmatched_selectors.is_empty() {
            let unmatched_selectors = unmatched_selectors.join(", ");
            output::inform(&format!("none of the libraries asked for has: {unmatched_selectors}"));
        }
        if rows.is_empty() {
            let reason = selection.elsewhere(libraries).unwrap_or_else(|| {
                "none of the libraries and backends asked for has what was selected; see cpb list"
                    .to_owned()
            });
            return Err(CliError::NotMeasured(reason));
        }
        Ok(rows)
    }

    fn rows(
        &self,
        suite: Option<&Suite>,
        libraries: &LibrarySet,
        built: &BuiltFolders,
    ) -> Result<Vec<Row>, CliError> {
        let mut rows = match suite {
            Some(suite) => suite.rows(libraries)?,
            None => self.measured(libraries, built)?,
        };
        if rows.is_empty() {
            return Err(not_measured!(
                "none of the libraries asked for has anything of this suite; see cpb list"
            ));
        }
        selection::in_order(&mut rows);
        if self.across.is_some() {
            rows.iter_mut().for_each(|row| lengths::keep(row, &self.sizes()));
        }
        rows.iter_mut().for_each(|row| row.one_by_one = self.chain);
        Ok(rows)
    }
}
