//! `cpb gate`: whether anything became slower than a baseline, for CI.

mod judge;

use crate::arguments::{self, Machine, Saving};
use crate::destination::Destination;
use crate::fault::{Fault, NOT_MEASURED, SLOWER};
use crate::matching;
use crate::saved;
use crate::side::{self, Live};
use crate::{CalledAs, interrupt, machines, output, views};
use clap::Args;
use cpb_engine::{Spool, host};
use cpb_figures::{Status, Worst};
use cpb_model::Run;
use cpb_stats::Comparison;
use std::path::PathBuf;
use std::time::Duration;

/// Tolerances below this may be exceeded by chance.
const LEAST_TOLERANCE: f64 = 0.01;

/// Fail where something became slower than a baseline
///
/// Measures the baseline's rows again, and compares. With --library, the
/// baseline's own build is measured beside the new one, where its file is still
/// there; else figures are compared across time. What looks slower is measured
/// anew, with more rounds, before it is called so; all rows together raise a
/// false alarm in one of twenty runs at most.
///
/// Exit status: 0 nothing is slower; 1 something could not be measured, or not
/// well enough to tell; 2 wrong use; 3 something is slower by more than the
/// tolerance; 130, 143 or 129 ended by Ctrl-C, SIGTERM or SIGHUP.
#[derive(Debug, Args)]
pub(crate) struct Arguments {
    /// Only what these mean of the baseline, as for run.
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
    library: Vec<Live>,
    /// Compare with a baseline of another CPU all the same.
    #[arg(long)]
    other_machine: bool,
    /// Start no further round of a measurement after this many seconds
    /// [default: 15 and 2 for each row].
    #[arg(long, value_name = "SECONDS", value_parser = arguments::seconds,
          allow_negative_numbers = true)]
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
    machine: Machine,
    #[command(flatten)]
    saving: Saving,
}

/// A row of the baseline, judged.
pub(crate) struct Judged {
    pub(crate) name: String,
    pub(crate) status: Status,
    /// Its length that is worst off, with cycles then and now.
    pub(crate) worst: Option<Worst>,
    pub(crate) reason: Option<String>,
    /// Measurements it took to tell.
    pub(crate) measurements: usize,
    /// Whether it was compared with the baseline's own build, measured beside it.
    pub(crate) beside: bool,
}

impl Judged {
    /// Called slower by this measurement, it is so only where the one before does
    /// not deny it: a machine that was disturbed for a while tells nothing.
    fn must_agree_with(&mut self, before: Option<Comparison>) {
        let now = self.worst.as_ref().and_then(|worst| worst.comparison);
        if let Some((before, now)) = before.zip(now)
            && before.interval.high < now.interval.low
        {
            self.status = Status::NotMeasured;
            self.reason = Some(format!(
                "its measurements disagree ({:.3}, then {:.3} times the baseline): this machine \
                 is too disturbed to tell",
                before.ratio, now.ratio
            ));
        }
    }
}

/// What the gate found; worst first.
pub(crate) struct Verdict {
    pub(crate) baseline: String,
    pub(crate) tolerance: f64,
    pub(crate) rows: Vec<Judged>,
    /// The first measurement.
    pub(crate) run: Run,
}

/// What was measured, to be saved.
struct Measurement {
    /// Absent where it is the verdict's.
    run: Option<Run>,
    samples: Spool,
}

impl Verdict {
    pub(crate) fn count(&self, status: Status) -> usize {
        self.rows.iter().filter(|row| row.status == status).count()
    }

    fn exit_status(&self) -> u8 {
        match (self.count(Status::Slower), self.count(Status::NotMeasured)) {
            (0, 0) => 0,
            (0, _) => NOT_MEASURED,
            _ => SLOWER,
        }
    }
}

pub(crate) fn execute(arguments: &Arguments) -> Result<u8, Fault> {
    let baseline = saved::load(&arguments.saving.store, &arguments.baseline)?;
    let wanted = matching::selected(&baseline, &arguments.selectors)?;
    let wanted = matching::records(&baseline, &wanted);
    if wanted.is_empty() {
        return Err(Fault::Usage(format!("the baseline '{}' is empty", arguments.baseline)));
    }
    if let Some(words) = machines::other_cpu(&baseline.host, &host::describe()) {
        let words = format!("the baseline is of another CPU: {words}");
        if !arguments.other_machine {
            return Err(Fault::Usage(format!(
                "{words}. Cycles of one say nothing of the other: measure the baseline on this \
                 machine, compare two builds with cpb compare, or insist with --other-machine"
            )));
        }
        output::warn(&words);
    }
    if arguments.tolerance < LEAST_TOLERANCE {
        output::warn(
            "two runs of the same code may differ by up to 1 %; a smaller tolerance needs both \
             sides measured together, as cpb compare does",
        );
    }
    let files = [
        (&arguments.json, views::gate_json::text as fn(&Verdict) -> String),
        (&arguments.junit, views::gate_junit::text),
        (&arguments.markdown, views::gate_markdown::text),
    ];
    let files = files.map(|(path, text)| Ok((Destination::optional(path.as_ref())?, text)));
    let files = files.into_iter().collect::<Result<Vec<_>, Fault>>()?;
    let stop = interrupt::flag();
    let (mut verdict, again) = arguments.judge(&baseline, &wanted, &stop)?;
    verdict.rows.sort_by(|a, b| {
        let ratio = |row: &Judged| {
            row.worst.as_ref().and_then(|worst| Some(worst.comparison?.ratio)).unwrap_or(0.0)
        };
        a.status.cmp(&b.status).then(ratio(b).total_cmp(&ratio(a)))
    });
    let printed = output::print(&views::gate_table::text(&verdict));
    // Whoever holds the store or a pipe keeps nobody waiting for the verdict.
    for Measurement { run, samples } in &again {
        let run = run.as_ref().unwrap_or(&verdict.run);
        saved::save(&arguments.saving, run, Some(samples)).tell(CalledAs::Cpb);
    }
    printed?;
    for (file, text) in files {
        file.map_or(Ok(()), |file| file.put(text(&verdict)))?;
    }
    verdict.run.warnings.iter().for_each(|warning| output::warn(warning));
    Ok(interrupt::status(&stop, verdict.exit_status()))
}

pub(crate) fn rows(count: usize) -> String {
    format!("{count} {}", if count == 1 { "row" } else { "rows" })
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::Figure;

    fn ratio(low: f64, high: f64) -> Comparison {
        let interval = cpb_stats::Interval { low, high, confidence: 0.95 };
        Comparison { ratio: (low + high) / 2.0, interval }
    }

    fn slower(now: Comparison) -> Judged {
        let cycles = [1.0, now.ratio].map(|cycles| Figure::new(cycles, None));
        Judged {
            name: "x".to_owned(),
            status: Status::Slower,
            worst: Some(Worst { length: 64, cycles, comparison: Some(now) }),
            reason: None,
            measurements: 3,
            beside: false,
        }
    }

    #[test]
    fn slower_is_what_the_measurement_before_does_not_deny() {
        let now = ratio(1.908, 1.910);
        let judged = |before| {
            let mut judged = slower(now);
            judged.must_agree_with(before);
            judged
        };
        assert_eq!(judged(None).status, Status::Slower);
        assert_eq!(judged(Some(ratio(1.5, 2.0))).status, Status::Slower);
        let denied = judged(Some(ratio(1.01, 1.03)));
        assert_eq!(denied.status, Status::NotMeasured);
        assert!(denied.reason.is_some_and(|reason| reason.contains("disagree (1.020, then 1.909")));
    }
}
