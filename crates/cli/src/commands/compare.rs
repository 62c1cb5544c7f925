//! `cpb compare`: whether one side is faster than another.

mod folders;
mod live;
mod pairs;
mod primitives;
mod threads;

use crate::arguments::{self, Machine, Saving, WorkloadOptions, seconds};
use crate::cli_error::{CliError, NOT_MEASURED, SLOWER};
use crate::commits::{self, Commits};
use crate::comparison::{self, Comparison};
use crate::concurrency::{self, Threads};
use crate::destination::Destination;
use crate::export::{Exporter, Exporting, Format};
use crate::folders::Folders;
use crate::interrupt::Interrupt;
use crate::matching::{self, MeasurementGoal};
use crate::selection::Selection;
use crate::side::{self, LibrarySide, Side};
use crate::{interrupt, machines, output, saved, views};
use clap::{ArgGroup, Args, ValueEnum};
use cpb_figures::compare;
use cpb_model::{Contract, Run};
use cpb_oldtools::CalledAs;
use cpb_stats::Verdict;
use std::path::PathBuf;
use std::time::Duration;

/// Compare A with B: is B faster, and by how much
///
/// A side is a library as for --library (openssl, openssl=/opt/libcrypto.so,
/// 'openssl;OPENSSL_ia32cap=:~0x20'), one of its backends (native:avx2,
/// mine:avx2=./libmine.so), or a saved run. Two libraries are measured now, next
/// to each other, in fresh processes and random order, until every line has a
/// verdict or time is up. A saved run is compared by its figures. What is measured is
/// saved.
///
/// Two primitives are compared by their names: cpb compare aes-128-gcm chacha20-poly1305, each
/// in the library that is fastest at it here, or both in one with --library; SELECTORs
/// are then operations. The verdict is which is cheaper: they do different work.
///
/// With --git, the sides are two commits of the repository in which it is called:
/// cpb compare --git v1.0 HEAD --build make --library mine=libmine.so. Each is checked
/// out into a temporary folder and built there; nothing of it stays.
///
/// With --folder twice, the sides are two folders of sources, such as a copy of one from before
/// a change: cpb compare --folder before/ --folder after/. With one, that is B, and A is named.
///
/// A ratio below 1 means that B takes less time. Without a SELECTOR, everything
/// that both sides have is compared. The exit status is 0 whatever the verdicts are; with
/// --fail-if it is 3 where a line has one of those.
#[derive(Debug, Args)]
#[command(group(ArgGroup::new("built").args(["library", "provider"])))]
pub(crate) struct Arguments {
    /// The baseline.
    #[arg(value_name = "A", required_unless_present_any = ["git", "folder"])]
    baseline: Option<String>,
    /// The candidate.
    #[arg(value_name = "B", required_unless_present_any = ["git", "folder"])]
    candidate: Option<String>,
    /// What to compare, as for run.
    #[arg(value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// Compare two commits, by what --build makes of each.
    #[arg(long, num_args = 2, value_names = ["REV1", "REV2"], requires_all = ["build", "built"],
          help_heading = "Commits")]
    git: Vec<String>,
    /// The shell command that builds it, at the top of the repository.
    #[arg(long, value_name = "COMMAND", requires = "git", help_heading = "Commits")]
    build: Option<String>,
    /// The library that is built, with its file: openssl=libcrypto.so, and what else
    /// is possible for A and B. Without --git, the one that has both primitives.
    #[arg(long, value_name = "NAME=FILE", value_parser = side::library, conflicts_with = "folder",
          help_heading = "Commits")]
    library: Option<LibrarySide>,
    /// The file that is built, where that is a provider.
    #[arg(long, value_name = "FILE", requires = "git", help_heading = "Commits")]
    provider: Option<PathBuf>,
    /// Call sides equal that differ by less than this.
    #[arg(long, value_name = "PERCENT", default_value = "0.5%", value_parser = arguments::percentage,
          allow_negative_numbers = true)]
    precision: f64,
    /// Time budget for everything; what could not be measured in time says so. Without it,
    /// about 15 and 3 for each line, and as many rounds as a difference takes, 10 to 20.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    max_time: Option<Duration>,
    /// Message lengths in bytes; a line is over all of them [default: 64,1024,16384; of
    /// signatures 32].
    #[arg(long, value_name = "LENGTHS", value_delimiter = ',', value_parser = arguments::length,
          allow_negative_numbers = true)]
    sizes: Vec<usize>,
    /// A line, and a verdict, for each length.
    #[arg(long)]
    per_size: bool,
    /// End with status 3 where B is surely slower in a line, or faster or slower; without it,
    /// with 0.
    #[arg(long, value_enum, value_name = "VERDICT")]
    fail_if: Option<FailIf>,
    /// Numbers of threads of one process that make the calls at once; all: as many as there are
    /// CPUs. Each length and number of threads has its own line and verdict; one thread is
    /// always among them.
    #[arg(long, value_name = "LIST", value_delimiter = ',', value_parser = concurrency::threads,
          allow_negative_numbers = true, conflicts_with = "cpu")]
    threads: Vec<Threads>,
    /// Measure what takes long and varies, too: the generation of RSA keys.
    #[arg(long)]
    include_slow: bool,
    #[command(flatten)]
    workload: WorkloadOptions,
    #[command(flatten)]
    folders: Folders,
    #[command(flatten)]
    exporting: Exporting,
    /// Draw the ratios and their intervals, too.
    #[arg(long, value_name = "FILE.svg")]
    plot: Option<PathBuf>,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    saving: Saving,
}

/// Which verdicts end with a status of their own.
#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum FailIf {
    /// B is slower.
    Slower,
    /// B is faster or slower.
    Different,
}

impl FailIf {
    fn is(self, verdict: Verdict) -> bool {
        verdict == Verdict::Slower || self == FailIf::Different && verdict == Verdict::Faster
    }
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    if let Some(path) =
        arguments.plot.as_deref().filter(|p| p.extension().is_none_or(|e| e != "svg"))
    {
        return Err(usage!("--plot writes SVG: '{}' must end in .svg", path.display()));
    }
    let plot = Destination::optional(arguments.plot.as_ref())?;
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let stop = interrupt::flag();
    saved::try_store(&arguments.saving, &stop)?;
    let commits = arguments.commits()?;
    let (outcome, complete) = match (&commits, &arguments.build) {
        (Some((commits, library)), Some(command)) => {
            if !commits.build(command, &stop)? {
                output::complain("interrupted while building");
                return Ok(stop.status().unwrap_or(NOT_MEASURED));
            }
            arguments.measure_both(&commits.sides(library)?, commits.names(), &stop)?
        }
        _ => arguments.compare_sides(&stop)?,
    };
    print(&outcome, exporter, plot, &arguments.saving)?;
    let failed = outcome.lines.iter().any(|line| line.failure.is_some());
    let fails =
        |line: &comparison::ComparedRow| arguments.fail_if.is_some_and(|it| it.is(line.verdict()));
    let status = match complete && !failed {
        _ if outcome.lines.iter().any(fails) => SLOWER,
        true => 0,
        false => NOT_MEASURED,
    };
    Ok(interrupt::status(&stop, status))
}

impl Arguments {
    /// Returns the commits to compare, and the library built from them; `None` without --git.
    fn commits(&self) -> Result<Option<(Commits, LibrarySide)>, CliError> {
        let [first, second] = &self.git[..] else { return Ok(None) };
        let library = match (&self.library, &self.provider) {
            (Some(library), _) => library.clone(),
            (None, Some(file)) => commits::provider(file)?,
            (None, None) => return Ok(None),
        };
        let commits = Commits::check_out([first, second], &library)?;
        Ok(Some((commits, library)))
    }

    fn compare_sides(&self, stop: &Interrupt) -> Result<(Comparison, bool), CliError> {
        let side = |text: &Option<String>| {
            Side::parse(text.as_deref().unwrap_or_default(), &self.saving.store)
        };
        folders::check(&self.folders.folder, &self.baseline)?;
        // Kept alive, because it owns the built files.
        let built = self.folders.build(stop)?;
        let named = [&self.baseline, &self.candidate];
        let sides = match (folders::both(&built, named, side), named) {
            (sides, [Some(a), Some(b)]) if self.library.is_some() || sides.is_err() => {
                return self.compare_primitives([a, b], sides.err(), stop);
            }
            (sides, _) => sides?,
        };
        let names = [sides[0].name(), sides[1].name()];
        let saved = sides.iter().find(|side| matches!(side, Side::Saved { .. }));
        if let Some(saved) = saved.filter(|_| !self.threads.is_empty()) {
            return Err(usage!(
                "--threads measures both sides now: '{}' is a saved run; name a library",
                saved.name()
            ));
        }
        match sides {
            [Side::LibrarySide(a), Side::LibrarySide(b)] => self.measure_both(&[a, b], names, stop),
            [Side::Saved { run: a, .. }, Side::Saved { run: b, .. }] => {
                machines::warn_of_differences(&a, &b);
                Ok((self.by_figures(names, [*a, *b], None)?, true))
            }
            [Side::Saved { run, .. }, Side::LibrarySide(live)] => {
                let (now, complete) = self.measure_now(&run, &live, stop)?;
                machines::warn_of_differences(&run, &now);
                Ok((self.by_figures(names, [*run, now], Some((1, &live)))?, complete))
            }
            [Side::LibrarySide(live), Side::Saved { run, .. }] => {
                let (now, complete) = self.measure_now(&run, &live, stop)?;
                machines::warn_of_differences(&now, &run);
                Ok((self.by_figures(names, [now, *run], Some((0, &live)))?, complete))
            }
        }
    }

    /// Returns the selectors. With --git or two folders, no sides precede them; with one folder,
    /// one does.
    fn selectors(&self) -> Vec<String> {
        let sides = match (&self.git[..], self.folders.folder.len()) {
            ([], 0) => 2,
            ([], 1) => 1,
            _ => 0,
        };
        let words = [&self.baseline, &self.candidate].into_iter().flatten();
        words.chain(&self.selectors).skip(sides).cloned().collect()
    }

    fn selection(&self) -> Selection {
        Selection {
            selectors: self.selectors(),
            sizes: self.sizes.clone(),
            contract: self.workload.contract().unwrap_or(Contract::Keyed),
            parameters: self.workload.parameters(),
            include_slow: self.include_slow,
            ..Selection::default()
        }
    }

    /// Measures with `live` what `saved` contains.
    fn measure_now(
        &self,
        saved: &Run,
        live: &LibrarySide,
        stop: &Interrupt,
    ) -> Result<(Run, bool), CliError> {
        let wanted = matching::records(saved, &matching::selected(saved, &self.selectors())?);
        let asked = MeasurementGoal {
            precision: self.precision / 2.0,
            at_least: 10,
            max_time: self.max_time,
        };
        let instead = std::slice::from_ref(live);
        let targets = matching::Replacements::of(saved, instead);
        let again = matching::remeasure(&wanted, &targets, &self.machine, asked, stop)?;
        let mut ours = again.run;
        // Rows without a counterpart in this library were not requested.
        ours.records.retain(|record| record.subject.library == live.spec.label());
        Ok((ours, true))
    }

    fn by_figures(
        &self,
        names: [String; 2],
        runs: [Run; 2],
        measured: Option<(usize, &LibrarySide)>,
    ) -> Result<Comparison, CliError> {
        let [a, b] = &runs;
        let ours = matching::selected(a, &self.selectors())?;
        // A selector that only matches one run is not wrong.
        let theirs = matching::selected(b, &self.selectors()).unwrap_or_default();
        let compared = compare([a, b], [&ours, &theirs], self.selection().sizes(), self.precision);
        let lines = comparison::unpaired([a, b], &compared);
        if lines.is_empty() {
            let [a, b] = names;
            return Err(not_measured!("'{a}' and '{b}' have no workload in common"));
        }
        let apart = compared.rows.iter().find_map(|row| {
            cpb_figures::other_estimator(&a.records[row.places[0]], &b.records[row.places[1]])
        });
        if let Some(reason) = apart {
            output::warn(&format!("rows without a ratio: {reason}"));
        }
        output::warn(
            "the sides were measured at different times; differences below 1 % may be chance",
        );
        let label =
            |side| measured.filter(|(now, _)| *now == side).map(|(_, live)| live.spec.label());
        Ok(Comparison {
            names,
            labels: [0, 1].map(label),
            is_paired: false,
            precision: self.precision,
            asked: !self.sizes.is_empty(),
            sum: compared.all,
            summed: compared.counted,
            lines,
            only: [called(a, &compared.only[0]), called(b, &compared.only[1])],
            halves: None,
            runs: runs.into(),
            measured: measured.map(|(side, _)| side),
        })
    }
}

fn print(
    outcome: &Comparison,
    exporter: Exporter,
    plot: Option<Destination>,
    saving: &Saving,
) -> Result<(), CliError> {
    for (name, only) in outcome.names.iter().zip(&outcome.only).filter(|(_, o)| !o.is_empty()) {
        output::inform(&format!("only {name} has {}", few(only)));
    }
    let warns = !exporter.holds_warnings();
    let printed = exporter.write(outcome);
    if let Some(run) = outcome.run() {
        saved::save(saving, run, None).tell(CalledAs::Cpb);
    }
    printed?;
    if let Some(plot) = plot {
        plot.write(views::compare_forest::svg(outcome))?;
    }
    if let Some(run) = outcome.run().filter(|_| warns) {
        run.warnings.iter().for_each(|warning| output::warn(warning));
    }
    Ok(())
}

/// Returns the first of `names`, with the number of others.
fn few(names: &[String]) -> String {
    const SHOWN: usize = 4;
    let (first, rest) = names.split_at(names.len().min(SHOWN));
    let more = if rest.is_empty() { String::new() } else { format!(" and {} more", rest.len()) };
    format!("{}{more}", first.join(", "))
}

/// What records of a run are called.
fn called(run: &Run, places: &[usize]) -> Vec<String> {
    places.iter().map(|&place| cpb_report::row_name(&run.records[place])).collect()
}
