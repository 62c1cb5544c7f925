//! `cpb gate`: whether anything became slower than a baseline, for CI.

mod judge;
mod whole;

use crate::arguments::{self, Machine, Saving, seconds};
use crate::cli_error::CliError;
use crate::export::{Exporter, Exporting, Format, annotate_jobs};
use crate::side::{self, LibrarySide};
use crate::verdict::GateRow;
use crate::{interrupt, machines, matching, output, saved};
use clap::Args;
use cpb_oldtools::CalledAs;
use std::path::PathBuf;
use std::time::Duration;
use whole::Whole;

/// Smaller tolerances may be exceeded by chance.
const LEAST_TOLERANCE: f64 = 0.01;

/// Fail where something became slower than a baseline
///
/// Measures the baseline's rows again and compares. With --library, the baseline's
/// own build is measured in turn with the new one, if its file is still there, until
/// every length is decided. Otherwise figures are compared across time, and what
/// looks slower is measured again, with more rounds, before it is called so.
/// All rows together raise a false alarm in one of twenty runs at most.
///
/// Exit status: 0 nothing is slower; 1 something could not be measured, or not
/// well enough to tell; 2 wrong use; 3 something is slower by more than the
/// tolerance; 130, 143 or 129 ended by Ctrl-C, SIGTERM or SIGHUP.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only these rows of the baseline; selectors as for cpb run.
    #[arg(value_name = "SELECTOR")]
    selectors: Vec<String>,
    /// The baseline: a saved run by number or label, or a file from cpb run
    /// --format json.
    #[arg(long, value_name = "RUN")]
    baseline: String,
    /// How much slower anything may be.
    #[arg(long, value_name = "PERCENT", default_value = "2%", value_parser = arguments::tolerance,
          allow_negative_numbers = true)]
    tolerance: f64,
    /// Measure this library (NAME, NAME:BACKEND, NAME=PATH, with
    /// ;VARIABLE=VALUE) in place of the baseline's of that name. May be given
    /// several times.
    #[arg(long, value_name = "SPEC", value_parser = side::library)]
    library: Vec<LibrarySide>,
    /// Compare even if the baseline is of another CPU.
    #[arg(long)]
    other_machine: bool,
    /// Time budget for everything; rows that could not be measured or confirmed in time say so.
    /// Without it, a measurement takes about 15 s and 2 s for each row (3 s in turn with the
    /// baseline's own build); rows of cpb recursive take as long as their repetitions.
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    max_time: Option<Duration>,
    /// Write the result as JSON, too.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
    /// Write the result as JUnit XML, too.
    #[arg(long, value_name = "FILE")]
    junit: Option<PathBuf>,
    /// Write the result as a table in Markdown, too.
    #[arg(long, value_name = "FILE")]
    markdown: Option<PathBuf>,
    #[command(flatten)]
    exporting: Exporting,
    #[command(flatten)]
    machine: Machine,
    #[command(flatten)]
    saving: Saving,
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, CliError> {
    let mut baseline = saved::load(&arguments.saving.store, &arguments.baseline)?;
    cpb_figures::renew(&mut baseline);
    let wanted = matching::selected(&baseline, &arguments.selectors)?;
    let wanted = matching::records(&baseline, &wanted);
    if wanted.is_empty() {
        return Err(usage!("the baseline '{}' is empty", arguments.baseline));
    }
    if let Some(words) = machines::other_cpu(&baseline.host, &cpb_engine::describe_host()) {
        let words = format!("the baseline is of another CPU: {words}");
        if !arguments.other_machine {
            return Err(usage!(
                "{words}. Cycles of one say nothing of the other: measure the baseline on this \
                 machine, compare two builds with cpb compare, or insist with --other-machine"
            ));
        }
        output::warn(&words);
    }
    if arguments.tolerance < LEAST_TOLERANCE {
        output::warn(
            "two runs of the same code may differ by up to 1 %; a smaller tolerance needs both \
             sides measured together, as cpb compare does",
        );
    }
    let exporter = arguments.exporting.begin(Format::TABLE)?;
    let files = [
        (Format::JSON, &arguments.json),
        (Format::JUNIT, &arguments.junit),
        (Format::MARKDOWN, &arguments.markdown),
    ];
    let files = files.into_iter().filter_map(|(format, path)| Some((format, path.as_ref()?)));
    let files = files.map(|(format, path)| Exporter::into_file(format, path));
    let files = files.collect::<Result<Vec<_>, CliError>>()?;
    let stop = interrupt::flag();
    saved::try_store(&arguments.saving, &stop)?;
    let (mut verdict, again) = arguments.judge(&baseline, &wanted, &stop)?;
    verdict.rows.sort_by(|a, b| {
        let ratio = |row: &GateRow| {
            row.worst.as_ref().and_then(|worst| Some(worst.comparison?.ratio)).unwrap_or(0.0)
        };
        a.status.cmp(&b.status).then(ratio(b).total_cmp(&ratio(a)))
    });
    let warns = !exporter.holds_warnings();
    let printed = exporter.write(&verdict);
    // A locked store or a blocked pipe must not delay the verdict.
    let whole = Whole::of(&verdict.run, &again);
    saved::save_with(&arguments.saving, &whole.run, |it| whole.raw(it)).tell(CalledAs::Cpb);
    printed?;
    files.into_iter().try_for_each(|file| file.write(&verdict))?;
    annotate_jobs(&verdict);
    if warns {
        verdict.run.warnings.iter().for_each(|warning| output::warn(warning));
    }
    Ok(interrupt::status(&stop, verdict.exit_status()))
}
