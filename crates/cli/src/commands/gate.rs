//! `cpb gate`: whether anything became slower than a baseline, for CI.

use crate::arguments::{self, Machine, Saving};
use crate::comparison;
use crate::destination::Destination;
use crate::fault::{Fault, NOT_MEASURED, SLOWER};
use crate::matching::{self, Asked, Targets};
use crate::saved;
use crate::side::{self, Live};
use crate::{CalledAs, interrupt, machines, output, own_build, views};
use clap::Args;
use cpb_engine::{LibrarySpec, Spool, host};
use cpb_model::{Figure, Record, Run};
use cpb_report::number::percent;
use cpb_stats::Comparison;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a gate on equal code may say otherwise, all rows together.
const FALSE_ALARMS: f64 = 0.05;
/// Rounds of the first measurement, and of those that what it suspects must be
/// confirmed by.
const ROUNDS: [u32; 3] = [6, 16, 40];
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

/// What became of a row of the baseline.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Status {
    /// By more than the tolerance, with confidence.
    Slower,
    /// It could not be measured, or not well enough to see the tolerance.
    NotMeasured,
    /// It is about as much slower as is tolerated.
    AtTolerance,
    /// It is not slower by more than the tolerance.
    Within,
    /// By more than the tolerance, with confidence.
    Faster,
}

impl Status {
    pub(crate) fn name(self) -> &'static str {
        match self {
            Status::Slower => "slower",
            Status::NotMeasured => "not measured",
            Status::AtTolerance => "at the tolerance",
            Status::Within => "within tolerance",
            Status::Faster => "faster",
        }
    }
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

/// A length of a row of the baseline.
pub(crate) struct Worst {
    /// Bytes of the message, or iterations.
    pub(crate) length: usize,
    /// Cycles per call then and now.
    pub(crate) cycles: [f64; 2],
    pub(crate) comparison: Option<Comparison>,
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

impl Arguments {
    /// Measures what is `wanted`, and again whatever does not look fine: a
    /// verdict is always that of the last measurement alone, so that chance must
    /// strike each time anew. Each is to be saved.
    fn judge(
        &self,
        baseline: &Run,
        wanted: &[&Record],
        stop: &AtomicBool,
    ) -> Result<(Verdict, Vec<Measurement>), Fault> {
        let points: usize = wanted.iter().map(|record| record.points.len()).sum();
        let looks = (points * ROUNDS.len()).max(1) as f64;
        let confidence = 1.0 - 2.0 * FALSE_ALARMS / looks;
        let targets = Targets::of(baseline, &self.library);
        let own: Vec<Option<LibrarySpec>> = (wanted.iter())
            .map(|record| {
                let now = targets.target(&record.subject).ok()?;
                own_build::still_there(baseline, record, &now)
            })
            .collect();
        let mut judged: Vec<Option<Judged>> =
            wanted.iter().zip(&own).map(|(record, own)| self.too_imprecise(record, own)).collect();
        self.announce(&judged, &own);
        let mut suspects: Vec<usize> =
            (0..wanted.len()).filter(|&index| judged[index].is_none()).collect();
        let mut before: Vec<Option<Comparison>> = vec![None; wanted.len()];
        let mut first = None;
        let mut measurements = Vec::new();
        for (measurement, at_least) in ROUNDS.into_iter().enumerate() {
            let records: Vec<&Record> = suspects.iter().map(|&index| wanted[index]).collect();
            if measurement != 0 {
                output::inform(&format!(
                    "measuring {} anew, with more rounds",
                    rows(records.len())
                ));
            }
            let precision = self.tolerance / [4.0, 8.0, 16.0][measurement];
            let asked = Asked { precision, at_least, budget: self.max_time };
            let own: Vec<Option<LibrarySpec>> =
                suspects.iter().map(|&index| own[index].clone()).collect();
            let machine = &self.machine;
            let again = matching::measure_again(&records, &targets, &own, machine, asked, stop)?;
            let interrupted = stop.load(Ordering::Relaxed);
            if measurement == 0 {
                machines::warn_of_differences(baseline, &again.run);
            }
            for (asked, &index) in suspects.iter().enumerate() {
                let then = again.own(asked).unwrap_or(wanted[index]);
                let mut row = self.compare(then, again.of(asked), confidence);
                row.name = matching::name(wanted[index]);
                row.measurements = measurement + 1;
                row.beside = again.own(asked).is_some();
                let compared = row.worst.as_ref().and_then(|worst| worst.comparison);
                if !row.beside && row.status == Status::Slower {
                    row.must_agree_with(before[index]);
                }
                before[index] = compared;
                if interrupted && row.status < Status::Within && row.reason.is_none() {
                    row.status = Status::NotMeasured;
                    row.reason = Some("interrupted before it could be confirmed".to_owned());
                }
                judged[index] = Some(row);
            }
            let run = match first {
                None => {
                    first = Some(again.run);
                    None
                }
                Some(_) => Some(again.run),
            };
            measurements.push(Measurement { run, samples: again.samples });
            suspects.retain(|&index| {
                judged[index]
                    .as_ref()
                    .is_some_and(|row| row.worst.is_some() && row.status < Status::Within)
            });
            if suspects.is_empty() || interrupted {
                break;
            }
        }
        let run = first.ok_or_else(|| Fault::NotMeasured("nothing was measured".to_owned()))?;
        let verdict = Verdict {
            baseline: self.baseline.clone(),
            tolerance: self.tolerance,
            rows: judged.into_iter().flatten().collect(),
            run,
        };
        Ok((verdict, measurements))
    }

    fn compare(&self, then: &Record, now: Result<&Record, String>, confidence: f64) -> Judged {
        let row = Judged {
            name: matching::name(then),
            status: Status::NotMeasured,
            worst: None,
            reason: None,
            measurements: 1,
            beside: false,
        };
        let because = |reason: String| Judged { reason: Some(reason), ..row_of(&row) };
        let now = match now {
            Ok(now) => now,
            Err(reason) => return because(reason),
        };
        if let Some(failure) = &now.failure {
            return because(failure.reason.clone());
        }
        let mut worst: Option<(Status, Worst)> = None;
        for point in &then.points {
            let other = now.points.iter().find(|other| other.parameters == point.parameters);
            let Some(other) = other else {
                let length = comparison::length(&point.parameters);
                return because(format!("there is no figure at length {length}"));
            };
            let (then, now) = (point.cycles_per_call, other.cycles_per_call);
            let compared = comparison::of_figures(then, now, confidence);
            let status = match compared {
                Some(compared) => self.status(&compared),
                None if self.is_bound_within(then, now) => Status::Within,
                None => return because(no_comparison(then, now)),
            };
            let length = Worst {
                length: comparison::length(&point.parameters),
                cycles: [then.estimate, now.estimate],
                comparison: compared,
            };
            let is_worse = worst.as_ref().is_none_or(|(other, there)| {
                let ratio = |length: &Worst| length.comparison.map_or(0.0, |it| it.ratio);
                (status, -ratio(&length)) < (*other, -ratio(there))
            });
            if is_worse {
                worst = Some((status, length));
            }
        }
        match worst {
            None => because("the baseline has no figure".to_owned()),
            Some((status, length)) => {
                let too_wide = "the interval is wider than the tolerance; stop other work on \
                                this machine, or allow more with --max-time";
                let reason = (status == Status::NotMeasured).then(|| too_wide.to_owned());
                Judged { status, worst: Some(length), reason, ..row }
            }
        }
    }

    /// Whether what is now known as an upper bound only is within the tolerance
    /// all the same.
    fn is_bound_within(&self, then: Figure, now: Figure) -> bool {
        let least = then.interval.map(|interval| interval.low).filter(|_| !then.upper_bound);
        now.upper_bound && least.is_some_and(|it| now.estimate <= (1.0 + self.tolerance) * it)
    }

    /// A row that is compared across time with a baseline too imprecise to show
    /// the tolerance cannot pass, so that measuring it is in vain.
    fn too_imprecise(&self, record: &Record, own: &Option<LibrarySpec>) -> Option<Judged> {
        let half_width = |figure: Figure| {
            let interval = figure.interval?;
            Some((interval.high - interval.low) / 2.0 / figure.estimate.abs())
        };
        let figures = || record.points.iter().map(|point| point.cycles_per_call);
        let widest = figures().filter_map(half_width).fold(0.0, f64::max);
        let reason = if figures().any(|figure| figure.upper_bound) {
            "the baseline is an upper bound, taken beside a busy neighbour".to_owned()
        } else if widest > self.tolerance {
            format!("the baseline is known to ±{} only", percent(widest))
        } else {
            return None;
        };
        own.is_none().then(|| Judged {
            name: matching::name(record),
            status: Status::NotMeasured,
            worst: None,
            reason: Some(reason),
            measurements: 0,
            beside: false,
        })
    }

    /// Says before anything is measured how it will be compared.
    fn announce(&self, judged: &[Option<Judged>], own: &[Option<LibrarySpec>]) {
        let imprecise = judged.iter().flatten().count();
        if imprecise != 0 {
            output::warn(&format!(
                "the baseline is less precise than the tolerance of {} in {}, which cannot pass; \
                 measure it again with --precision {}",
                percent(self.tolerance),
                rows(imprecise),
                percent(self.tolerance / 4.0)
            ));
        }
        let beside = own.iter().flatten().count();
        output::inform(&match beside {
            0 => "comparing across time: what changed since the baseline besides the library is \
                  in the ratio, too"
                .to_owned(),
            _ => {
                format!("measuring the baseline's own build beside the new one in {}", rows(beside))
            }
        });
    }

    fn status(&self, compared: &Comparison) -> Status {
        let most = 1.0 + self.tolerance;
        let interval = compared.interval;
        if interval.low > most {
            Status::Slower
        } else if interval.high < 1.0 / most {
            Status::Faster
        } else if interval.high <= most {
            Status::Within
        } else if compared.half_width() > self.tolerance {
            Status::NotMeasured
        } else {
            Status::AtTolerance
        }
    }
}

/// Why two figures cannot be compared.
fn no_comparison(then: Figure, now: Figure) -> String {
    let why = match (then.upper_bound, now.upper_bound) {
        (true, _) => "the baseline is an upper bound, taken beside a busy neighbour",
        (_, true) => {
            "the core was not quiet for long enough now, so that there is an upper bound only"
        }
        _ => "the baseline has no interval: measure it in several rounds",
    };
    why.to_owned()
}

fn row_of(row: &Judged) -> Judged {
    Judged { name: row.name.clone(), worst: None, reason: None, ..*row }
}

pub(crate) fn rows(count: usize) -> String {
    format!("{count} {}", if count == 1 { "row" } else { "rows" })
}
