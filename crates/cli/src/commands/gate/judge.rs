//! Judges the rows of a baseline.

use super::Arguments;
use super::whole::Measurement;
use crate::cli_error::CliError;
use crate::matching::{self, MeasurementGoal, Remeasurement, Replacements, SideBySide};
use crate::verdict::{GateRow, Verdict};
use crate::{machines, output, own_build};
use cpb_engine::{LibrarySpec, SampleFile, Start};
use cpb_figures::{GateVerdict, Status, Tolerance};
use cpb_model::{Record, Run};
use cpb_report::number::{counted, percent};
use cpb_stats::Comparison;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// The accepted rate of false alarms on equal code, over all rows.
const FALSE_ALARMS: f64 = 0.05;
/// The rounds of the first measurement, and of those that must confirm its suspicions.
const ROUNDS: [u32; 3] = [6, 16, 40];
const NO_TIME: &str = "no time was left to confirm it; give more with --max-time";

impl Arguments {
    /// Measures the `wanted` rows next to the baseline's own build if that still exists. Otherwise
    /// compares across time, and repeats rows that look bad: the verdict is that of the last
    /// measurement alone, so that chance would have to strike each time. Each measurement is saved.
    pub(super) fn judge(
        &self,
        baseline: &Run,
        wanted: &[&Record],
        stop: &AtomicBool,
    ) -> Result<(Verdict, Vec<Measurement>), CliError> {
        let targets = Replacements::of(baseline, &self.library);
        let own: Vec<Option<LibrarySpec>> = (wanted.iter())
            .map(|record| {
                let now = targets.target(&record.subject).ok()?;
                own_build::still_there(baseline, record, &now)
            })
            .collect();
        tell_replaced(baseline, wanted);
        let (mut first, mut measurements) = (None, Vec::new());
        let mut keep = |run: Run, samples: SampleFile| {
            let mut run = Some(run);
            if first.is_none() {
                first = run.take().inspect(|it| machines::warn_of_differences(baseline, it));
            }
            measurements.push(Measurement { run, samples });
        };
        let mut judging = Judging::new(wanted, self.tolerance);
        let start = Start::now();
        let has_own = own.iter().flatten().count();
        if has_own != 0 {
            let share = has_own as f64 / wanted.len() as f64;
            let time = self.max_time.map(|time| time.mul_f64(share));
            let asked = (self.tolerance, time);
            output::inform(&format!(
                "measuring the baseline's own build beside the new one in {}",
                counted(has_own, "row")
            ));
            let machine = &self.machine;
            let beside = matching::measure_beside(wanted, &targets, &own, machine, asked, stop)?;
            if let Some(beside) = beside {
                judging.take_beside(&beside, stop.load(Ordering::Relaxed));
                keep(beside.run, beside.samples);
            }
        }
        if !judging.suspects.is_empty() {
            self.announce(&judging);
        }
        for (measurement, at_least) in ROUNDS.into_iter().enumerate() {
            if judging.suspects.is_empty() {
                break;
            }
            let max_time = self.share_of_time(start, measurement);
            if measurement != 0 && max_time.is_some_and(|time| time.is_zero()) {
                judging.leave_open(NO_TIME);
                break;
            }
            let records = judging.records();
            if measurement != 0 {
                let suspected = counted(records.len(), "row");
                output::inform(&format!("measuring {suspected} again, with more rounds"));
            }
            let precision = self.tolerance / [4.0, 8.0, 16.0][measurement];
            let asked = MeasurementGoal { precision, at_least, max_time };
            let again = matching::remeasure(&records, &targets, &self.machine, asked, stop)?;
            let interrupted = stop.load(Ordering::Relaxed);
            judging.take(&again, measurement + 1, interrupted);
            keep(again.run, again.samples);
            if interrupted {
                break;
            }
        }
        let run = first.ok_or_else(|| not_measured!("nothing was measured"))?;
        let verdict = Verdict {
            baseline: self.baseline.clone(),
            tolerance: self.tolerance,
            rows: judging.judged.into_iter().flatten().collect(),
            run,
        };
        Ok((verdict, measurements))
    }

    /// Returns how long a measurement may take: half of the remaining time, so that some is left to
    /// confirm it; the last one gets all.
    fn share_of_time(&self, start: Start, measurement: usize) -> Option<Duration> {
        let left = self.max_time?.saturating_sub(start.elapsed());
        Some(if measurement + 1 == ROUNDS.len() { left } else { left / 2 })
    }

    /// Announces a comparison across time, and rows that cannot pass.
    fn announce(&self, judging: &Judging<'_>) {
        let tolerance = &judging.tolerance;
        let records = judging.records();
        let imprecise = records.iter().filter(|record| tolerance.is_too_imprecise(record)).count();
        if imprecise != 0 {
            let repeated = |it: &&Record| it.concurrent.as_ref()?.iterations;
            let remedy = match records.iter().find_map(repeated) {
                Some(_) => "more --repetitions".to_owned(),
                None => format!("--precision {}", percent(self.tolerance / 4.0)),
            };
            output::warn(&format!(
                "the baseline is less precise than the tolerance of {} in {}, which cannot pass; \
                 measure it again with {remedy}",
                percent(self.tolerance),
                counted(imprecise, "row"),
            ));
        }
        let of_what = match records.len() == judging.wanted.len() {
            true => String::new(),
            false => format!(" in {}", counted(records.len(), "row")),
        };
        output::inform(&format!(
            "comparing across time{of_what}: whatever else changed since the baseline is in the \
             ratio, too"
        ));
    }
}

/// Reports which builds of the baseline were overwritten, and how to keep both.
fn tell_replaced(baseline: &Run, wanted: &[&Record]) {
    let replaced = wanted.iter().filter_map(|record| own_build::replaced(baseline, record));
    let files: BTreeSet<(&str, &str)> =
        replaced.filter_map(|id| Some((id.name.as_str(), id.path.as_deref()?))).collect();
    for (name, path) in files {
        output::inform(&format!(
            "{path} was overwritten since the baseline. Keep a copy of a baseline's build, and \
             both are measured side by side: cpb run --library {name}=COPY, then cpb gate \
             --library {name}={path}"
        ));
    }
}

/// The state of the judgement.
struct Judging<'a> {
    wanted: &'a [&'a Record],
    tolerance: Tolerance,
    judged: Vec<Option<GateRow>>,
    /// The comparison of each row by the previous measurement.
    before: Vec<Option<Comparison>>,
    /// The indices of rows that do not look fine.
    suspects: Vec<usize>,
}

impl<'a> Judging<'a> {
    fn new(wanted: &'a [&'a Record], share: f64) -> Self {
        let mut judging = Self {
            wanted,
            tolerance: Tolerance { share, confidence: 1.0 },
            judged: wanted.iter().map(|_| None).collect(),
            before: vec![None; wanted.len()],
            suspects: (0..wanted.len()).collect(),
        };
        judging.share_error(FALSE_ALARMS);
        judging
    }

    /// Makes all looks at all lengths of the suspects together err no more often than this.
    fn share_error(&mut self, false_alarms: f64) {
        let points: usize = self.records().iter().map(|record| record.points.len()).sum();
        let looks = (points * ROUNDS.len()).max(1) as f64;
        self.tolerance.confidence = 1.0 - 2.0 * false_alarms / looks;
    }

    /// Judges rows measured next to their own build, and suspects all others.
    fn take_beside(&mut self, beside: &SideBySide, interrupted: bool) {
        self.suspects.retain(|&index| {
            let Some(([then, now], pair)) = beside.of(index) else { return true };
            let judged = self.tolerance.judge_beside(then, now, &pair.findings);
            let mut row = judged_row(self.wanted[index], judged);
            row.beside = true;
            if interrupted {
                row.leave_open("interrupted before it could be told");
            }
            self.judged[index] = Some(row);
            false
        });
        // A comparison falsely calls a row slower in one of forty runs.
        self.share_error(FALSE_ALARMS / 2.0);
    }

    fn records(&self) -> Vec<&'a Record> {
        self.suspects.iter().map(|&index| self.wanted[index]).collect()
    }

    /// Judges the suspects by the measurement `again` with this number, and keeps suspecting only
    /// rows that still do not look fine.
    fn take(&mut self, again: &Remeasurement, number: usize, interrupted: bool) {
        for (asked, &index) in self.suspects.iter().enumerate() {
            let now = again.of(asked);
            let judged = now.and_then(|now| self.tolerance.judge(self.wanted[index], now));
            let mut row = judged_row(self.wanted[index], judged);
            row.measurements = number;
            let compared = row.worst.as_ref().and_then(|worst| worst.comparison);
            if row.status == Status::Slower {
                row.must_agree_with(self.before[index], self.tolerance.share);
            }
            self.before[index] = compared;
            if interrupted {
                row.leave_open("interrupted before it could be confirmed");
            }
            self.judged[index] = Some(row);
        }
        let judged = &self.judged;
        let is_suspect = |row: &GateRow| row.worst.is_some() && row.status < Status::Within;
        self.suspects.retain(|&index| judged[index].as_ref().is_some_and(is_suspect));
    }

    fn leave_open(&mut self, reason: &str) {
        for &index in &self.suspects {
            self.judged[index].iter_mut().for_each(|row| row.leave_open(reason));
        }
    }
}

/// Creates a row from its verdict, or from the reason why there is none.
fn judged_row(record: &Record, judged: Result<GateVerdict, String>) -> GateRow {
    let (status, worst, reason) = match judged {
        Ok(GateVerdict { status, worst, reason }) => (status, Some(worst), reason),
        Err(reason) => (Status::NotMeasured, None, Some(reason)),
    };
    let name = cpb_report::row_name(record);
    GateRow { name, status, worst, reason, measurements: 1, beside: false }
}
