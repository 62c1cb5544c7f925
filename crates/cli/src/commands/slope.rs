//! `cpb slope`: bench-slopes.

mod named;
mod order;
mod sampling;

use crate::arguments::{self, Saving, WorkloadOptions, seconds};
use crate::cli_error::{CliError, NOT_MEASURED};
use crate::export::{Exporter, Format};
use crate::library_set::{self, LibrarySet};
use crate::measurement_context::{MeasurementContext, RunOutput};
use crate::progress::Bar;
use crate::selection::{Selection, is_slow};
use crate::{interrupt, output, saved};
use clap::{Args, ValueEnum};
use cpb_engine::{Fit, LibrarySpec, Row, selection};
use cpb_model::{Axis, Contract, Offer, Operation, Parameters, Run};
use cpb_oldtools::CalledAs;
use cpb_oldtools::clock::{CpuMegahertz, megahertz_or_auto};
use cpb_oldtools::slope::rows::{self, RowLabel};
use cpb_oldtools::slope::wide::Slopes;
use cpb_oldtools::slope::{csv, key_pairs, lengths, raw, table};
use cpb_report::number::counted;
use named::{Listing, Selected};
use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

/// The time limit to find the library's version for the help.
const INTRODUCTION: Duration = Duration::from_secs(20);

/// Time and cycles per byte of every row, as bench-slopes does
///
/// Fits a line through the time of messages of 16 to 4112 bytes (for kdf, of 2
/// to 64 iterations); its slope is the cost of a byte, free of the cost of a
/// call. Without --library every library is measured; without a group or an
/// algorithm, in every row that bench-slopes has for it. Options come before
/// the group. The groups pk, ecc and pq are those of libgcrypt's newer
/// bench-slope: they cost by the call, which it calls an iteration.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    #[arg(skip = CalledAs::Cpb)]
    pub(crate) called_as: CalledAs,
    /// hash, mac, cipher, kdf or codec, all of them without; pk, ecc or pq.
    #[arg(value_name = "GROUP")]
    group: Option<String>,
    /// Algorithms, by row name or in any spelling (aes, aes-128-gcm), also such
    /// as bench-slopes has no row for.
    #[arg(value_name = "ALGORITHM")]
    algorithms: Vec<String>,
    /// Measure these libraries: NAME,NAME; ./FILE.so or NAME=PATH for one build, with
    /// ;VARIABLE=VALUE for its environment. May be given several times.
    #[arg(long, value_name = "SPEC", value_parser = library_set::specification)]
    library: Vec<LibrarySpec>,
    /// Measure all there is, not only what bench-slopes has a row for.
    #[arg(long)]
    all: bool,
    /// Take the core clock to be N MHz, or `auto` to print the measured one.
    #[arg(long, value_name = "N|auto", value_parser = megahertz_or_auto, allow_negative_numbers = true)]
    cpu_mhz: Option<CpuMegahertz>,
    /// Accepted samples for each length [default: 20, for few rows up to 512].
    #[arg(long, value_name = "N", value_parser = sampling::repetitions, allow_negative_numbers = true,
          conflicts_with = "raw")]
    repetitions: Option<u32>,
    /// How to print: table, wide, csv or json [default: table].
    #[arg(long, value_enum, value_name = "FORMAT", hide_possible_values = true,
          conflicts_with_all = ["csv", "json", "wide", "raw"])]
    format: Option<SlopeFormat>,
    /// Print comma-separated values.
    #[arg(long)]
    csv: bool,
    /// Print everything as JSON.
    #[arg(long, conflicts_with_all = ["csv", "raw"])]
    json: bool,
    /// Print a wide table, with intercepts and intervals.
    #[arg(long, conflicts_with_all = ["csv", "raw", "json"])]
    wide: bool,
    /// Write the cost of messages of 16 bytes to 2 MiB into one file for each
    /// row, in the current folder.
    #[arg(long, conflicts_with = "csv")]
    raw: bool,
    /// The machine's name in the names of raw files.
    #[arg(long, value_name = "NAME", requires = "raw")]
    machine: Option<String>,
    /// Measure these message lengths instead.
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          conflicts_with = "raw", allow_negative_numbers = true)]
    sizes: Vec<usize>,
    /// Time budget for everything; a row that could not be measured in time says so [default: as
    /// long as it takes].
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    max_time: Option<Duration>,
    /// Count with this counter instead of the best one (`cpb doctor` lists them).
    #[arg(long, value_name = "NAME", help_heading = "Clock and CPU")]
    counter: Option<String>,
    /// Measure on CPU N instead of the last of the most capable allowed ones.
    #[arg(long, value_name = "N", help_heading = "Clock and CPU", value_parser = arguments::cpu,
          allow_negative_numbers = true)]
    cpu: Option<usize>,
    /// Give up on an operation after this many seconds without an answer.
    #[arg(long, value_name = "SECONDS", default_value = "20", value_parser = seconds,
          allow_negative_numbers = true, help_heading = "Clock and CPU")]
    timeout: Duration,
    #[command(flatten)]
    workload: WorkloadOptions,
    #[command(flatten)]
    saving: Saving,
}

/// How results are printed: as bench-slopes does, or as one of the options of that name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SlopeFormat {
    Table,
    Wide,
    Csv,
    Json,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let called_as = arguments.called_as;
    let stop = interrupt::flag();
    saved::try_store(&arguments.saving, &stop)?;
    let as_old_tool = called_as.bench_slopes_library();
    if as_old_tool.is_some() && arguments.raw && !arguments.states_clock() {
        return Err(usage!("--raw needs --cpu-mhz, to tell cycles"));
    }
    if let Some(library) = as_old_tool.filter(|_| arguments.raw && arguments.is_of("kdf")) {
        output::inform("--raw writes no files of derivations: it is about lengths");
        return Ok(if introduce(library)? { 0 } else { NOT_MEASURED });
    }
    let named = match as_old_tool {
        Some(library) => vec![LibrarySpec::installed(library)],
        None => arguments.library.clone(),
    };
    if arguments.raw {
        raw::check_writable().map_err(unwritable)?;
    }
    let (counter, megahertz) = (arguments.counter.as_deref(), arguments.megahertz());
    let invocation = MeasurementContext::begin(counter, megahertz, arguments.cpu)?;
    let max_time = arguments.max_time;
    let libraries = LibrarySet::discover(&named, arguments.timeout, max_time);
    let complete = libraries.report_missing();
    let Selected { mut rows, listing, all_known } = arguments.rows(&libraries, as_old_tool)?;
    let complete = arguments.leave_out_slopeless(&mut rows) && all_known && complete;
    let budget = max_time.map(|time| invocation.left_of(time));
    let sampling = arguments.sampling(rows.len(), budget);
    let plan = invocation.plan(&libraries, rows, sampling);
    let (run, samples) = invocation.run(&plan, &stop, Bar::of(max_time), |bar, progress| {
        bar.tell_of(progress, |it| {
            format!("{} {} {}", it.library, it.spelling, it.operation.name())
        });
    });
    let printed = arguments.print(&listing.of(&run), as_old_tool);
    let warns = as_old_tool.is_none() && !arguments.is(SlopeFormat::Json);
    let saving = &arguments.saving;
    let ending = RunOutput { saving, samples: Some(&samples), called_as, warns, complete };
    ending.tell(&run, printed)?;
    if warns {
        warn_of_unverified(&run);
    }
    Ok(ending.status(&run, &stop))
}

/// Prints the first line of the tool for `library` if that is installed; returns whether it is.
pub(crate) fn introduce(library: &str) -> Result<bool, CliError> {
    let libraries = LibrarySet::discover_only(&[LibrarySpec::installed(library)], INTRODUCTION);
    let is_there = libraries.report_missing();
    for (id, _) in libraries.found().iter().flat_map(|found| &found.contents) {
        output::print(&rows::old_first_line(library, &id.banner))?;
    }
    Ok(is_there)
}

impl Arguments {
    fn is(&self, format: SlopeFormat) -> bool {
        let by_option = match format {
            SlopeFormat::Table => !(self.csv || self.json || self.wide),
            SlopeFormat::Wide => self.wide,
            SlopeFormat::Csv => self.csv,
            SlopeFormat::Json => self.json,
        };
        self.format.map_or(by_option, |asked| asked == format)
    }

    fn is_of(&self, group: &str) -> bool {
        self.group.as_ref().is_some_and(|it| it.eq_ignore_ascii_case(group))
    }

    /// Splits off the group: the first word may be a group or, since groups are optional, an
    /// algorithm.
    fn selection(
        &self,
        libraries: &LibrarySet,
    ) -> Result<(Option<&'static str>, Vec<String>), CliError> {
        let mut algorithms = self.algorithms.clone();
        let Some(first) = &self.group else { return Ok((None, algorithms)) };
        let mut groups = Operation::groups(|it| !it.is_public_key() && !it.is_part());
        groups.extend(key_pairs::GROUPS);
        if let Some(group) = groups.iter().find(|name| name.eq_ignore_ascii_case(first)) {
            return Ok((Some(*group), algorithms));
        }
        if !libraries.all_offers().any(|(_, offer)| selection::matches_name(first, offer)) {
            return Err(libraries.unknown("group", first, groups));
        }
        algorithms.insert(0, first.clone());
        Ok((None, algorithms))
    }

    /// Returns the selected rows. Without a selection, and always under bench-slopes' name, these
    /// are bench-slopes' rows; but everything of a library that has none.
    fn rows(
        &self,
        libraries: &LibrarySet,
        as_old_tool: Option<&str>,
    ) -> Result<Selected, CliError> {
        let (group, algorithms) = self.selection(libraries)?;
        let key_pairs = group.is_some_and(|group| key_pairs::GROUPS.contains(&group));
        if key_pairs && (self.raw || !self.sizes.is_empty()) {
            return Err(usage!(
                "--raw and --sizes are about lengths; pk, ecc and pq cost by the call"
            ));
        }
        // Without group and name, bench-slopes' own rows are meant, which have no key pairs.
        let may_be_of_key_pairs = self.sizes.is_empty()
            && !self.raw
            && (key_pairs || self.all || group.is_none() && !algorithms.is_empty());
        let mut offers: Vec<(String, &Offer)> = libraries
            .offers()
            .filter(|(_, offer)| {
                offer.default_backend
                    && !is_slow(offer)
                    && group.is_none_or(|group| RowLabel::of_offer(offer).group == group)
                    && match offer.axis() {
                        Axis::Bytes => !offer.operation.is_part(),
                        Axis::Iterations => !self.raw,
                        Axis::Calls => may_be_of_key_pairs && offer.operation.is_public_key(),
                    }
            })
            .collect();
        if let Some(library) = as_old_tool.filter(|_| !algorithms.is_empty()) {
            let row = |label: &str, offer: &Offer, output: Option<usize>| {
                self.row(libraries, label, offer, output)
            };
            return named::select(library, group, &algorithms, &offers, row);
        }
        let named = self.all || group.is_some() || !algorithms.is_empty();
        let all = key_pairs || as_old_tool.is_none() && named;
        let have_row = offers.iter().filter(|(_, offer)| offer.row.is_some());
        let with_rows: HashSet<String> = have_row.map(|(label, _)| label.clone()).collect();
        offers.retain(|(label, offer)| all || offer.row.is_some() || !with_rows.contains(label));
        let mut selected = library_set::select(libraries, &algorithms, offers, "algorithm")?;
        order::key_pairs(&mut selected);
        if selected.is_empty() {
            let what = group.into_iter().map(str::to_owned).chain(algorithms);
            let what = what.collect::<Vec<_>>().join(" ");
            return Err(not_measured!("there is nothing to measure of '{what}'; see cpb list"));
        }
        let rows: Vec<Row> =
            selected.iter().map(|(label, offer)| self.row(libraries, label, offer, None)).collect();
        let parameters = self.workload.parameters();
        Selection { parameters, ..Selection::default() }.check_lengths(&rows)?;
        Ok(Selected { rows, listing: Listing::default(), all_known: true })
    }

    /// Drops rows with fewer than two lengths, which have no slope, and reports them. Returns
    /// whether there were none.
    fn leave_out_slopeless(&self, rows: &mut Vec<Row>) -> bool {
        let before = rows.len();
        rows.retain(|row| {
            let has_slope = row.line.is_none() || row.lengths.len() > 1;
            if !has_slope {
                let subject = &row.subject;
                output::complain(&format!(
                    "{} {}: a slope needs two lengths that fit it, and --sizes has fewer",
                    subject.library, subject.spelling
                ));
            }
            has_slope
        });
        rows.len() == before
    }

    /// Creates the row of `offer`, with this output length if given.
    fn row(
        &self,
        libraries: &LibrarySet,
        label: &str,
        offer: &Offer,
        output: Option<usize>,
    ) -> Row {
        // The compat contract is defined only for rows of bench-slopes' libraries.
        let is_old = offer.row.is_some() && libraries.name(label).is_some_and(is_of_bench_slopes);
        let usual = if is_old { Contract::Compat } else { Contract::Keyed };
        let contract = self.workload.contract().unwrap_or(usual);
        let granularity = if is_old { 1 } else { offer.lengths.granularity.max(1) };
        let lengths: Vec<usize> = match offer.axis() {
            Axis::Iterations => lengths::iterations(),
            Axis::Calls if offer.operation.takes_message() => vec![key_pairs::MESSAGE_BYTES],
            Axis::Calls => vec![1],
            _ if self.raw => lengths::raw(),
            _ if !self.sizes.is_empty() => {
                let mut sizes = self.sizes.clone();
                sizes.retain(|&size| crate::lengths::fits(offer, size));
                sizes.sort_unstable();
                sizes.dedup();
                sizes
            }
            _ => lengths::messages(granularity),
        };
        let asked = self.workload.parameters();
        let parameters = Parameters { output_bytes: output.or(asked.output_bytes), ..asked };
        let selection = Selection { contract, parameters, ..Selection::default() };
        let row = selection.row_at(label, offer, lengths.clone());
        let line = !self.raw && offer.axis() != Axis::Calls;
        Row { line: line.then_some((Fit::LeastSquares, lengths)), ..row }
    }

    /// Returns the stated clock.
    fn megahertz(&self) -> Option<f64> {
        match self.cpu_mhz {
            Some(CpuMegahertz::Stated(megahertz)) => Some(megahertz),
            Some(CpuMegahertz::Auto | CpuMegahertz::Unknown) | None => None,
        }
    }

    fn states_clock(&self) -> bool {
        matches!(self.cpu_mhz, Some(CpuMegahertz::Auto | CpuMegahertz::Stated(_)))
    }

    fn print(&self, run: &Run, as_old_tool: Option<&'static str>) -> Result<(), CliError> {
        let shown = rows::RowOptions {
            old_tool: as_old_tool,
            cycles: as_old_tool.is_none() || self.states_clock(),
            clock: self.cpu_mhz == Some(CpuMegahertz::Auto),
        };
        if self.raw {
            for (label, _) in rows::by_library(run) {
                output::print(&rows::first_line(run, label, &shown))?;
            }
            let usual = || if as_old_tool.is_some() { String::new() } else { cpb_host::name() };
            let machine = self.machine.clone().unwrap_or_else(usual);
            let here = PathBuf::from(".");
            let files = raw::write(run, &shown, &machine, &here).map_err(unwritable)?;
            output::inform(&format!("{} written", counted(files, "file")));
            return Ok(());
        }
        if self.is(SlopeFormat::Json) {
            Exporter::on_screen(Format::JSON).write(&Slopes(run))?;
        } else if self.is(SlopeFormat::Csv) {
            output::print(&csv::text(run, &shown))?;
        } else if self.is(SlopeFormat::Wide) {
            Exporter::on_screen(Format::TABLE).write(&Slopes(run))?;
        } else {
            output::print(&table::text(run, &shown))?;
        }
        Ok(())
    }
}

/// Whether bench-slopes has a tool for the library of this name.
fn is_of_bench_slopes(name: &str) -> bool {
    CalledAs::NAMES.iter().any(|(_, tool)| tool.bench_slopes_library() == Some(name))
}

fn unwritable(reason: raw::Unwritable) -> CliError {
    usage!("{reason}")
}

/// Reports rows whose results nothing could confirm.
fn warn_of_unverified(run: &Run) {
    let unverified = run.records.iter().filter(|record| {
        matches!(record.verification, Some(cpb_model::Verification::Unverified { .. }))
    });
    let names: Vec<String> = unverified
        .map(|record| {
            let subject = &record.subject;
            format!("{} {} {}", subject.library, subject.spelling, subject.operation.name())
        })
        .collect();
    if !names.is_empty() {
        output::warn(&format!(
            "the results of {} rows are unverified, since no other library has them or one \
             disagrees (--wide marks them): {}",
            names.len(),
            names.join(", ")
        ));
    }
}
