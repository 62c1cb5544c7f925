//! Judges whether a row became slower by more than a tolerance.

use crate::other_estimator;
use crate::ratio::between;
use cpb_model::{Figure, Layout, Point, Position, Record};
use cpb_stats::{Comparison, Finding, Verdict, mean, verdicts};

cpb_model::named! {
    /// Names the verdict on a row.
    #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
    pub enum Status {
        /// It is slower by more than the tolerance, with confidence.
        Slower = "slower",
        /// It was not measured, or not well enough to resolve the tolerance.
        NotMeasured = "not measured",
        /// Its slowdown is about the tolerance.
        AtTolerance = "at the tolerance",
        /// It is slower by more than the tolerance, but only at some positions of its library, so
        /// the code is not the reason.
        Layout = "layout",
        /// It is not slower by more than the tolerance.
        Within = "within tolerance",
        /// It is faster by more than the tolerance, with confidence.
        Faster = "faster",
    }
}

/// The largest accepted slowdown, and the confidence required to exceed it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Tolerance {
    /// The relative slowdown: 0.02 is 2 %.
    pub share: f64,
    /// The confidence of each length's interval.
    pub confidence: f64,
}

/// The verdict on a row, then and now.
#[derive(Debug, Clone, PartialEq)]
pub struct GateVerdict {
    /// The status of its worst length.
    pub status: Status,
    pub worst: WorstRatio,
    /// Why there is no verdict, if there is none.
    pub reason: Option<String>,
}

/// The comparison at one length of a row.
#[derive(Debug, Clone, PartialEq)]
pub struct WorstRatio {
    /// Bytes of the message, or iterations.
    pub length: usize,
    /// Cycles per call then and now.
    pub cycles: [Figure; 2],
    /// The comparison; `None` if one side is a bound or has no interval.
    pub comparison: Option<Comparison>,
}

impl Tolerance {
    /// Judges the row `then`, whose own build was measured side by side with the build `now`.
    /// `found` holds the rounds of both.
    ///
    /// # Errors
    /// The reason why there is no verdict.
    pub fn judge_beside(
        &self,
        then: &Record,
        now: &Record,
        found: &verdicts::Line,
    ) -> Result<GateVerdict, String> {
        if let Some(failure) = &then.failure {
            return Err(format!("the baseline's own build: {}", failure.reason));
        }
        if let Some(failure) = &now.failure {
            return Err(failure.reason.clone());
        }
        let findings = found.by_length.iter().zip(&found.layout_by_length);
        let all = then.points.iter().zip(&now.points).zip(findings).map(|((then, now), found)| {
            let cycles = [then.cycles_per_call, now.cycles_per_call];
            let (finding, layout) = found;
            let status = finding.map_or(Status::NotMeasured, |it| self.status_of(it));
            // It is within the tolerance at the other positions.
            let is_layout = status == Status::Within
                && layout.is_some()
                && cycles[1].estimate > (1.0 + self.share) * cycles[0].estimate;
            let comparison = finding.map(|it| it.comparison);
            let worst = WorstRatio { length: then.parameters.length(), cycles, comparison };
            (if is_layout { Status::Layout } else { status }, worst)
        });
        let lengths = found.by_length.len();
        let is_whole = [then, now].iter().all(|side| side.points.len() == lengths);
        let worst = worst_of(all).filter(|_| is_whole);
        let (status, worst) = worst.ok_or("not all of its lengths could be measured")?;
        let reason = (status == Status::NotMeasured).then(|| match worst.comparison {
            Some(_) => TOO_WIDE.to_owned(),
            None => "there were fewer than ten rounds; give more with --max-time".to_owned(),
        });
        Ok(GateVerdict { status, worst, reason })
    }

    fn status_of(&self, finding: Finding) -> Status {
        match finding.verdict {
            Verdict::Slower => Status::Slower,
            Verdict::Faster => Status::Faster,
            Verdict::NoDifference => Status::Within,
            Verdict::CannotTell if finding.comparison.half_width() > self.share => {
                Status::NotMeasured
            }
            Verdict::CannotTell => Status::AtTolerance,
        }
    }

    /// Judges the row `then` by its new measurement `now`.
    ///
    /// # Errors
    /// The reason why there is no verdict.
    pub fn judge(&self, then: &Record, now: &Record) -> Result<GateVerdict, String> {
        if let Some(failure) = &now.failure {
            return Err(failure.reason.clone());
        }
        if let Some(reason) = other_estimator(then, now) {
            return Err(reason);
        }
        let mut all = Vec::with_capacity(then.points.len());
        let mut reason = None;
        for point in &then.points {
            let length = point.parameters.length();
            let other = now.points.iter().find(|other| other.parameters == point.parameters);
            let other = other.ok_or_else(|| format!("there is no figure at length {length}"))?;
            let cycles = [point.cycles_per_call, other.cycles_per_call];
            let comparison = self.between(cycles);
            let status = match comparison {
                Some(compared) => match self.status(&compared) {
                    Status::Slower if self.is_layout([point, other]) => Status::Layout,
                    status => status,
                },
                None if self.is_bound_within(cycles) => Status::Within,
                None => {
                    reason = reason.or(Some(no_comparison(cycles)));
                    Status::NotMeasured
                }
            };
            all.push((status, WorstRatio { length, cycles, comparison }));
        }
        let (status, worst) = worst_of(all).ok_or("the baseline has no figure")?;
        let reason =
            (status == Status::NotMeasured).then(|| reason.unwrap_or_else(|| TOO_WIDE.to_owned()));
        Ok(GateVerdict { status, worst, reason })
    }

    /// Whether the interval of `record` is too wide to resolve the tolerance.
    #[must_use]
    pub fn is_too_imprecise(&self, record: &Record) -> bool {
        record.points.iter().map(|point| point.cycles_per_call).any(|figure| {
            figure.upper_bound || figure.relative_half_width().is_some_and(|it| it > self.share)
        })
    }

    fn between(&self, cycles: [Figure; 2]) -> Option<Comparison> {
        let has_bound = cycles.iter().any(|figure| figure.upper_bound);
        between(&[cycles], self.confidence).filter(|_| !has_bound)
    }

    /// Whether the calls are within the tolerance at those positions where neither certainly
    /// differs from elsewhere: compares the figures without what the other positions contribute.
    fn is_layout(&self, points: [&Point; 2]) -> bool {
        let [Some(then), Some(now)] = points.map(|point| point.layout.as_ref()) else {
            return false;
        };
        let alike = |position: &&Position| {
            let others = now.positions.iter();
            let other = others.clone().find(|other| other.position == position.position);
            !position.differs && other.is_some_and(|other| !other.differs)
        };
        let common: Vec<u8> = then.positions.iter().filter(alike).map(|it| it.position).collect();
        let mean_at = |layout: &Layout, is_there: &dyn Fn(u8) -> bool| {
            let there = layout.positions.iter().filter(|it| is_there(it.position));
            mean(&there.map(|it| it.cycles_per_call).collect::<Vec<f64>>())
        };
        let elsewhere = |point: &Point, layout: &Layout| {
            let share = mean_at(layout, &|at| common.contains(&at))? / mean_at(layout, &|_| true)?;
            Some(point.cycles_per_call.estimate * share)
        };
        let [then, now] = [elsewhere(points[0], then), elsewhere(points[1], now)];
        let ratio = now.zip(then).map(|(now, then)| now / then);
        ratio.is_some_and(|ratio| ratio <= 1.0 + self.share)
    }

    fn status(&self, compared: &Comparison) -> Status {
        let most = 1.0 + self.share;
        let interval = compared.interval;
        if interval.low > most {
            Status::Slower
        } else if interval.high < 1.0 / most {
            Status::Faster
        } else if interval.high <= most {
            Status::Within
        } else if compared.half_width() > self.share {
            Status::NotMeasured
        } else {
            Status::AtTolerance
        }
    }

    /// Whether the current figure is within the tolerance although it is only an upper bound.
    fn is_bound_within(&self, [then, now]: [Figure; 2]) -> bool {
        let least = then.interval.map(|interval| interval.low).filter(|_| !then.upper_bound);
        now.upper_bound && least.is_some_and(|it| now.estimate <= (1.0 + self.share) * it)
    }
}

const TOO_WIDE: &str = "the interval is wider than the tolerance; stop other work on this \
                        machine, or allow more with --max-time";

/// Returns the worst length: among those of the worst status, the one with the largest ratio.
fn worst_of(all: impl IntoIterator<Item = (Status, WorstRatio)>) -> Option<(Status, WorstRatio)> {
    let ratio = |length: &WorstRatio| length.comparison.map_or(0.0, |it| it.ratio);
    let in_order = |(a, here): &(Status, WorstRatio), (b, there): &(Status, WorstRatio)| {
        a.cmp(b).then(ratio(there).total_cmp(&ratio(here)))
    };
    all.into_iter().min_by(in_order)
}

/// Returns why two figures cannot be compared.
fn no_comparison([then, now]: [Figure; 2]) -> String {
    let why = match (then.upper_bound, now.upper_bound) {
        (true, _) => "the baseline is an upper bound, taken beside a busy neighbour",
        (_, true) => {
            "the core was not quiet for long enough now, so that there is an upper bound only"
        }
        _ if then.interval.is_none() => {
            "the baseline has no interval: measure it in several rounds"
        }
        _ => {
            "there were fewer than four rounds now, which give no interval; give more with --max-time"
        }
    };
    why.to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{failed, record};
    use cpb_model::Estimator;

    const TOLERANCE: Tolerance = Tolerance { share: 0.02, confidence: 0.95 };

    fn status(then: &Record, now: &Record) -> Status {
        TOLERANCE.judge(then, now).unwrap().status
    }

    #[test]
    fn a_row_is_as_its_worst_length() {
        let sharp = |slope: f64| {
            let mut row = record("sha256", "native", slope);
            for point in &mut row.points {
                let cycles = point.cycles_per_call.estimate;
                let interval = point.cycles_per_call.interval.as_mut().unwrap();
                (interval.low, interval.high) = (cycles * 0.999, cycles * 1.001);
            }
            row
        };
        let then = sharp(5.0);
        assert_eq!(status(&then, &then), Status::Within);
        assert_eq!(status(&then, &sharp(6.0)), Status::Slower);
        // The cost per call stays the same, so short messages differ less.
        assert_eq!(status(&then, &sharp(5.1)), Status::AtTolerance);
        assert_eq!(TOLERANCE.judge(&then, &sharp(6.0)).unwrap().worst.length, 16_384);
        assert!(TOLERANCE.judge(&then, &failed("sha256", "native", "SIGILL")).is_err());
        // Both sides have ±1 %.
        assert_eq!(status(&then, &record("sha256", "native", 5.1)), Status::AtTolerance);
    }

    #[test]
    fn a_bound_passes_where_it_is_low_enough() {
        let then = record("sha256", "native", 5.0);
        let mut now = then.clone();
        let mut set = |factor: f64| {
            for point in &mut now.points {
                let estimate = 300.0 + 5.0 * point.parameters.message_bytes as f64;
                point.cycles_per_call = Figure::at_most(factor * estimate);
            }
            now.clone()
        };
        assert_eq!(status(&then, &set(1.0)), Status::Within);
        assert_eq!(status(&then, &set(1.03)), Status::NotMeasured);
        assert_eq!(status(&set(1.0), &then), Status::NotMeasured);
        assert!(TOLERANCE.is_too_imprecise(&set(1.0)) && !TOLERANCE.is_too_imprecise(&then));
    }

    #[test]
    fn what_is_slower_at_some_positions_alone_is_layout() {
        let placed = |slow: &[u8], elsewhere: f64| {
            let cost = |at| if slow.contains(&at) { 1.4 * elsewhere } else { elsewhere };
            let costs: Vec<f64> = (0..8).map(cost).collect();
            let mut row = record("sha256", "native", mean(&costs).unwrap());
            for point in &mut row.points {
                let scale = point.cycles_per_call.estimate / mean(&costs).unwrap();
                let position = |at: u8| Position {
                    position: at,
                    rounds: 3,
                    cycles_per_call: scale * costs[usize::from(at)],
                    differs: slow.contains(&at),
                };
                point.layout = Some(Layout { positions: (0..8).map(position).collect() });
            }
            row
        };
        let then = placed(&[7], 1.0);
        assert_eq!(status(&then, &placed(&[7], 1.0)), Status::Within);
        assert_eq!(status(&then, &placed(&[1, 2, 3, 4, 7], 1.0)), Status::Layout);
        assert_eq!(status(&then, &placed(&[7], 1.2)), Status::Slower, "at all of them");
        assert_eq!(status(&then, &placed(&[1, 2, 3, 4, 7], 1.1)), Status::Slower, "and elsewhere");
        let unplaced = record("sha256", "native", 1.4);
        assert_eq!(status(&then, &unplaced), Status::Slower, "nobody knows");
    }

    #[test]
    fn beside_its_own_build_a_row_is_as_its_worst_length() {
        let then = record("sha256", "native", 5.0);
        let finding = |ratio: f64, verdict| {
            let interval =
                cpb_stats::Interval { low: ratio - 0.004, high: ratio + 0.004, confidence: 0.95 };
            Some(Finding { comparison: Comparison { ratio, interval }, verdict })
        };
        let lengths = then.points.len();
        let judged = |worst: Option<Finding>, layout: Option<cpb_stats::Layout>, now: &Record| {
            let mut found = verdicts::Line {
                by_length: vec![finding(1.0, Verdict::NoDifference); lengths],
                layout_by_length: vec![None; lengths],
                ..verdicts::Line::default()
            };
            (found.by_length[1], found.layout_by_length[1]) = (worst, layout);
            TOLERANCE.judge_beside(&then, now, &found)
        };
        let status = |worst| judged(worst, None, &then).unwrap().status;
        assert_eq!(status(finding(1.0, Verdict::NoDifference)), Status::Within);
        assert_eq!(status(finding(1.04, Verdict::Slower)), Status::Slower);
        assert_eq!(status(finding(1.02, Verdict::CannotTell)), Status::AtTolerance);
        assert_eq!(status(None), Status::NotMeasured);
        let worst = judged(finding(1.04, Verdict::Slower), None, &then).unwrap().worst;
        assert_eq!(worst.length, then.points[1].parameters.length());
        // Slower overall, but not where its library is at the other positions.
        let slower = record("sha256", "native", 6.0);
        let layout = cpb_stats::Layout { at: vec![(7, 1.4)], positions: 8 };
        let within = finding(1.0, Verdict::NoDifference);
        assert_eq!(judged(within, Some(layout), &slower).unwrap().status, Status::Layout);
        let crashed = judged(None, None, &failed("sha256", "native", "SIGILL"));
        assert!(crashed.is_err_and(|reason| reason == "SIGILL"));
    }

    #[test]
    fn figures_of_another_estimator_are_refused() {
        let now = record("sha256", "native", 5.0);
        let then = Record { estimator: Estimator::MiddleRounds, ..now.clone() };
        let reason = TOLERANCE.judge(&then, &now).unwrap_err();
        assert!(reason.contains("the mean of the middle half of the rounds then"), "{reason}");
        assert!(reason.contains("measure it again"), "{reason}");
        assert!(TOLERANCE.judge(&then, &then).is_ok());
    }

    #[test]
    fn a_side_without_an_interval_is_named() {
        let then = record("sha256", "native", 5.0);
        let mut without = then.clone();
        without.points.iter_mut().for_each(|point| point.cycles_per_call.interval = None);
        let reason = |then: &Record, now: &Record| {
            TOLERANCE.judge(then, now).unwrap().reason.unwrap_or_default()
        };
        assert!(reason(&without, &then).contains("the baseline has no interval"));
        assert!(reason(&then, &without).contains("fewer than four rounds now"));
        assert_eq!(reason(&then, &then), "");
    }
}
