//! How the rows of a baseline are judged.

use super::{Arguments, Judged, Measurement, Status, Verdict, Worst, rows};
use crate::fault::Fault;
use crate::matching::{self, Asked, Targets};
use crate::{comparison, machines, output, own_build};
use cpb_engine::LibrarySpec;
use cpb_model::{Figure, Record, Run};
use cpb_report::number::percent;
use cpb_stats::Comparison;
use std::sync::atomic::{AtomicBool, Ordering};

/// How often a gate on equal code may say otherwise, all rows together.
const FALSE_ALARMS: f64 = 0.05;
/// Rounds of the first measurement, and of those that what it suspects must be
/// confirmed by.
const ROUNDS: [u32; 3] = [6, 16, 40];

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
        self.announce(wanted, &own);
        let mut judged: Vec<Option<Judged>> = wanted.iter().map(|_| None).collect();
        let mut suspects: Vec<usize> = (0..wanted.len()).collect();
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
        let mut reason = None;
        for point in &then.points {
            let other = now.points.iter().find(|other| other.parameters == point.parameters);
            let Some(other) = other else {
                let length = point.parameters.length();
                return because(format!("there is no figure at length {length}"));
            };
            let (then, now) = (point.cycles_per_call, other.cycles_per_call);
            let compared = comparison::of_figures(then, now, confidence);
            let status = match compared {
                Some(compared) => self.status(&compared),
                None if self.is_bound_within(then, now) => Status::Within,
                None => {
                    reason = reason.or(Some(no_comparison(then, now)));
                    Status::NotMeasured
                }
            };
            let length = Worst {
                length: point.parameters.length(),
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
                let is_open = status == Status::NotMeasured;
                let reason = is_open.then(|| reason.unwrap_or_else(|| too_wide.to_owned()));
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

    /// Whether `record` is known too badly to show the tolerance.
    fn is_too_imprecise(&self, record: &Record) -> bool {
        record.points.iter().map(|point| point.cycles_per_call).any(|figure| {
            let half_width = figure.interval.map_or(0.0, |it| (it.high - it.low) / 2.0);
            figure.upper_bound || half_width > self.tolerance * figure.estimate.abs()
        })
    }

    /// Says before anything is measured how it will be compared, and what cannot
    /// pass.
    fn announce(&self, wanted: &[&Record], own: &[Option<LibrarySpec>]) {
        let across_time = wanted.iter().zip(own).filter(|(_, own)| own.is_none());
        let imprecise = across_time.filter(|(record, _)| self.is_too_imprecise(record)).count();
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
