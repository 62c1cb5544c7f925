//! How the rows of a baseline are judged.

use super::{Arguments, Measurement};
use crate::fault::Fault;
use crate::matching::{self, Again, Asked, Targets};
use crate::verdict::{Judged, Verdict, rows};
use crate::{machines, output, own_build};
use cpb_engine::{LibrarySpec, Start};
use cpb_figures::{Judgement, Status, Tolerance};
use cpb_model::{Record, Run};
use cpb_report::number::percent;
use cpb_stats::Comparison;
use std::collections::BTreeSet;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How often a gate on equal code may say otherwise, all rows together.
const FALSE_ALARMS: f64 = 0.05;
/// Rounds of the first measurement, and of those that what it suspects must be
/// confirmed by.
const ROUNDS: [u32; 3] = [6, 16, 40];
const NO_TIME: &str = "no time was left to confirm it; give more with --max-time";

impl Arguments {
    /// Measures what is `wanted`, and again whatever does not look fine: a
    /// verdict is always that of the last measurement alone, so that chance must
    /// strike each time anew. Each is to be saved.
    pub(super) fn judge(
        &self,
        baseline: &Run,
        wanted: &[&Record],
        stop: &AtomicBool,
    ) -> Result<(Verdict, Vec<Measurement>), Fault> {
        let tolerance = self.tolerance_of(wanted);
        let targets = Targets::of(baseline, &self.library);
        let own: Vec<Option<LibrarySpec>> = (wanted.iter())
            .map(|record| {
                let now = targets.target(&record.subject).ok()?;
                own_build::still_there(baseline, record, &now)
            })
            .collect();
        self.announce(wanted, &own, &tolerance);
        tell_replaced(baseline, wanted);
        let mut judging = Judging::new(wanted, tolerance);
        let (mut first, mut measurements) = (None, Vec::new());
        let start = Start::now();
        for (measurement, at_least) in ROUNDS.into_iter().enumerate() {
            let max_time = self.share_of_time(start, measurement);
            if measurement != 0 && max_time.is_some_and(|time| time.is_zero()) {
                judging.leave_open(NO_TIME);
                break;
            }
            let records = judging.records();
            if measurement != 0 {
                let suspected = rows(records.len());
                output::inform(&format!("measuring {suspected} again, with more rounds"));
            }
            let precision = self.tolerance / [4.0, 8.0, 16.0][measurement];
            let asked = Asked { precision, at_least, max_time };
            let own: Vec<Option<LibrarySpec>> =
                judging.suspects.iter().map(|&index| own[index].clone()).collect();
            let machine = &self.machine;
            let again = matching::measure_again(&records, &targets, &own, machine, asked, stop)?;
            let interrupted = stop.load(Ordering::Relaxed);
            if measurement == 0 {
                machines::warn_of_differences(baseline, &again.run);
            }
            judging.take(&again, measurement + 1, interrupted);
            let mut run = Some(again.run);
            if measurement == 0 {
                std::mem::swap(&mut first, &mut run);
            }
            measurements.push(Measurement { run, samples: again.samples });
            if judging.suspects.is_empty() || interrupted {
                break;
            }
        }
        let run = first.ok_or_else(|| Fault::NotMeasured("nothing was measured".to_owned()))?;
        let verdict = Verdict {
            baseline: self.baseline.clone(),
            tolerance: self.tolerance,
            rows: judging.judged.into_iter().flatten().collect(),
            run,
        };
        Ok((verdict, measurements))
    }

    /// With the confidence that all looks at all points together allow each.
    fn tolerance_of(&self, wanted: &[&Record]) -> Tolerance {
        let points: usize = wanted.iter().map(|record| record.points.len()).sum();
        let looks = (points * ROUNDS.len()).max(1) as f64;
        Tolerance { share: self.tolerance, confidence: 1.0 - 2.0 * FALSE_ALARMS / looks }
    }

    /// How long a measurement may take: half of what is left of the time, that there be
    /// some to confirm it in; the last one all.
    fn share_of_time(&self, start: Start, measurement: usize) -> Option<Duration> {
        let left = self.max_time?.saturating_sub(start.elapsed());
        Some(if measurement + 1 == ROUNDS.len() { left } else { left / 2 })
    }

    /// Says before anything is measured how it will be compared, and what cannot
    /// pass.
    fn announce(&self, wanted: &[&Record], own: &[Option<LibrarySpec>], tolerance: &Tolerance) {
        let across_time = wanted.iter().zip(own).filter(|(_, own)| own.is_none());
        let imprecise =
            across_time.filter(|(record, _)| tolerance.is_too_imprecise(record)).count();
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
}

/// Says which builds of the baseline were overwritten since, and how one keeps both.
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

/// What is known of the rows so far.
struct Judging<'a> {
    wanted: &'a [&'a Record],
    tolerance: Tolerance,
    judged: Vec<Option<Judged>>,
    /// What the measurement before found of each.
    before: Vec<Option<Comparison>>,
    /// Places of those that do not look fine.
    suspects: Vec<usize>,
}

impl<'a> Judging<'a> {
    fn new(wanted: &'a [&'a Record], tolerance: Tolerance) -> Self {
        let judged = wanted.iter().map(|_| None).collect();
        let before = vec![None; wanted.len()];
        Self { wanted, tolerance, judged, before, suspects: (0..wanted.len()).collect() }
    }

    fn records(&self) -> Vec<&'a Record> {
        self.suspects.iter().map(|&index| self.wanted[index]).collect()
    }

    /// Judges the suspects by what they are `again`, in the measurement of this number, and
    /// suspects only what still does not look fine.
    fn take(&mut self, again: &Again, number: usize, interrupted: bool) {
        for (asked, &index) in self.suspects.iter().enumerate() {
            let then = again.own(asked).unwrap_or(self.wanted[index]);
            let mut row = compare(then, again.of(asked), &self.tolerance);
            row.name = matching::name(self.wanted[index]);
            row.measurements = number;
            row.beside = again.own(asked).is_some();
            let compared = row.worst.as_ref().and_then(|worst| worst.comparison);
            if !row.beside && row.status == Status::Slower {
                row.must_agree_with(self.before[index], self.tolerance.share);
            }
            self.before[index] = compared;
            if interrupted {
                row.leave_open("interrupted before it could be confirmed");
            }
            self.judged[index] = Some(row);
        }
        let judged = &self.judged;
        let is_suspect = |row: &Judged| row.worst.is_some() && row.status < Status::Within;
        self.suspects.retain(|&index| judged[index].as_ref().is_some_and(is_suspect));
    }

    fn leave_open(&mut self, reason: &str) {
        for &index in &self.suspects {
            self.judged[index].iter_mut().for_each(|row| row.leave_open(reason));
        }
    }
}

/// A row of the baseline against what it is now, or why that is not known.
fn compare(then: &Record, now: Result<&Record, String>, tolerance: &Tolerance) -> Judged {
    let (status, worst, reason) = match now.and_then(|now| tolerance.judge(then, now)) {
        Ok(Judgement { status, worst, reason }) => (status, Some(worst), reason),
        Err(reason) => (Status::NotMeasured, None, Some(reason)),
    };
    Judged { name: String::new(), status, worst, reason, measurements: 1, beside: false }
}
