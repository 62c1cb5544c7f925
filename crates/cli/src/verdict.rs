//! Holds the verdict of a gate.

use crate::cli_error::{NOT_MEASURED, SLOWER};
use cpb_figures::{Status, WorstRatio};
use cpb_model::Run;
use cpb_stats::Comparison;

/// The verdict on one row of the baseline.
pub(crate) struct GateRow {
    pub(crate) name: String,
    pub(crate) status: Status,
    /// The worst length, with cycles then and now.
    pub(crate) worst: Option<WorstRatio>,
    pub(crate) reason: Option<String>,
    /// The number of measurements that it took.
    pub(crate) measurements: usize,
    /// Whether it was compared with the baseline's own build, measured next to it.
    pub(crate) beside: bool,
}

impl GateRow {
    /// Leaves the row undecided for this `reason`, because it could not be confirmed.
    pub(crate) fn leave_open(&mut self, reason: &str) {
        if self.status < Status::Within && self.reason.is_none() {
            self.status = Status::NotMeasured;
            self.reason = Some(reason.to_owned());
        }
    }

    /// Keeps the verdict slower only if the previous measurement does not contradict it, by showing
    /// no more than the tolerance: otherwise the machine was disturbed for a while.
    pub(crate) fn must_agree_with(&mut self, before: Option<Comparison>, tolerance: f64) {
        let now = self.worst.as_ref().and_then(|worst| worst.comparison);
        if let Some((before, now)) = before.zip(now)
            && before.interval.high < now.interval.low
            && before.interval.low <= 1.0 + tolerance
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

/// The verdict of a gate, worst rows first.
pub(crate) struct Verdict {
    pub(crate) baseline: String,
    pub(crate) tolerance: f64,
    pub(crate) rows: Vec<GateRow>,
    /// The first measurement.
    pub(crate) run: Run,
}

impl Verdict {
    pub(crate) fn count(&self, status: Status) -> usize {
        self.rows.iter().filter(|row| row.status == status).count()
    }

    pub(crate) fn exit_status(&self) -> u8 {
        match (self.count(Status::Slower), self.count(Status::NotMeasured)) {
            (0, 0) => 0,
            (0, _) => NOT_MEASURED,
            _ => SLOWER,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_model::Figure;

    fn ratio(low: f64, high: f64) -> Comparison {
        let interval = cpb_stats::Interval { low, high, confidence: 0.95 };
        Comparison { ratio: (low + high) / 2.0, interval }
    }

    fn slower(now: Comparison) -> GateRow {
        let cycles = [1.0, now.ratio].map(|cycles| Figure::new(cycles, None));
        GateRow {
            name: "x".to_owned(),
            status: Status::Slower,
            worst: Some(WorstRatio { length: 64, cycles, comparison: Some(now) }),
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
            judged.must_agree_with(before, 0.02);
            judged
        };
        assert_eq!(judged(None).status, Status::Slower);
        assert_eq!(judged(Some(ratio(1.5, 2.0))).status, Status::Slower);
        // They disagree on how much, but both say slower.
        assert_eq!(judged(Some(ratio(1.3, 1.31))).status, Status::Slower);
        let denied = judged(Some(ratio(1.01, 1.03)));
        assert_eq!(denied.status, Status::NotMeasured);
        assert!(denied.reason.is_some_and(|reason| reason.contains("disagree (1.020, then 1.909")));
    }
}
