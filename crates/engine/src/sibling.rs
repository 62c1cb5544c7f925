//! The other hardware thread of the core: when it is busy, this one has less
//! of the core, which a dependent chain cannot see.

use cpb_clock::Clock;
use cpb_model::Calibration;
use std::time::Duration;

/// Blocks of the throughput probe: under a microsecond.
const PROBE_BLOCKS: u32 = 200;
/// How much slower than quiet a probe must be to mean a busy sibling. The
/// counter's step alone makes one or two percent.
const BUSY: f64 = 1.08;
/// Probes by which a worker finds out what quiet is, and the quantile of them
/// that is taken for it.
const PROBES: usize = 200;
const QUIET_QUANTILE: f64 = 0.25;
/// Brackets further apart than this say nothing of the probe between them.
const STEADY: f64 = 0.01;

/// Cycles of a probe as quiet as it mostly gets within a few milliseconds;
/// `None` where cycles cannot be told.
pub(crate) fn quietest(clock: &Clock) -> Option<f64> {
    let mut before = clock.bracket();
    let mut probes = Vec::with_capacity(PROBES);
    for _ in 0..PROBES {
        let probe = probe(clock);
        let after = clock.bracket();
        if before.abs_diff(after) as f64 <= STEADY * before as f64 {
            probes.extend(cycles(clock.calibration(), probe, (before, after)));
        }
        before = after;
    }
    cpb_stats::quantile_of(&probes, QUIET_QUANTILE)
}

/// What quiet is, from what each of several processes found [`quietest`]. Some
/// will have had a busy neighbour all the time, and a few one so quiet as is
/// seldom met: the least of all would make most of the time a busy one.
pub(crate) fn quiet(quietest: &[f64]) -> Option<f64> {
    cpb_stats::quantile_of(quietest, QUIET_QUANTILE)
}

/// Runs the throughput probe, and returns the ticks it took.
pub(crate) fn probe(clock: &Clock) -> u64 {
    clock.probe(PROBE_BLOCKS)
}

/// Tells when the sibling is busy, and how much longer that may be waited out.
#[derive(Debug)]
pub(crate) struct SiblingWatch {
    /// Cycles of a probe on a quiet core; `None` where cycles cannot be told.
    quiet: Option<f64>,
    patience: Duration,
    waited: Duration,
}

impl SiblingWatch {
    pub(crate) fn new(quiet: Option<f64>, patience: Duration) -> Self {
        Self { quiet, patience, waited: Duration::ZERO }
    }

    /// Whether the sibling was busy during a probe between these brackets.
    pub(crate) fn is_busy(
        &self,
        calibration: &Calibration,
        probe: u64,
        brackets: (u64, u64),
    ) -> bool {
        let cycles = cycles(calibration, probe, brackets);
        cycles.zip(self.quiet).is_some_and(|(cycles, quiet)| cycles > BUSY * quiet)
    }

    /// Whether there is patience left; spends `lost` of it.
    pub(crate) fn waits(&mut self, lost: Duration) -> bool {
        let waits = self.waited < self.patience;
        if waits {
            self.waited += lost;
        }
        waits
    }

    /// How much patience was spent.
    pub(crate) fn waited(&self) -> Duration {
        self.waited
    }
}

/// The cycles of a probe, by the chain.
fn cycles(calibration: &Calibration, probe: u64, (before, after): (u64, u64)) -> Option<f64> {
    let chain = calibration.bracket_links as f64 * f64::from(calibration.multiply_latency?);
    let overhead = calibration.overhead_ticks;
    let bracket = f64::midpoint(before as f64, after as f64);
    Some((probe as f64 - overhead) * chain / (bracket - overhead))
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_clock::counter;

    #[test]
    fn a_probe_much_slower_than_quiet_means_a_busy_sibling() {
        let clock = Clock::calibrate(counter::open_best().unwrap(), None).unwrap();
        let calibration = clock.calibration();
        let latency = f64::from(calibration.multiply_latency.unwrap());
        let bracket = calibration.bracket_links as f64 * latency + calibration.overhead_ticks;
        let brackets = (bracket as u64, bracket as u64);
        let watch = SiblingWatch::new(Some(2000.0), Duration::ZERO);
        let probe = |cycles: f64| (cycles + calibration.overhead_ticks) as u64;
        assert!(!watch.is_busy(calibration, probe(2100.0), brackets));
        assert!(watch.is_busy(calibration, probe(2200.0), brackets));
        assert!(!SiblingWatch::new(None, Duration::ZERO).is_busy(
            calibration,
            probe(1e9),
            brackets
        ));
    }

    #[test]
    fn quiet_is_neither_what_is_seldom_met_nor_what_is_busy() {
        let found = [2535.0, 4100.0, 2722.0, 2725.0, 3900.0, 2721.0, 2723.0, 4000.0, 2724.0];
        assert_eq!(quiet(&found), Some(2722.0));
        assert_eq!(quiet(&[]), None);
    }

    #[test]
    fn patience_ends() {
        let mut watch = SiblingWatch::new(None, Duration::from_millis(3));
        let waits: Vec<bool> = (0..5).map(|_| watch.waits(Duration::from_millis(2))).collect();
        assert_eq!(waits, [true, true, false, false, false]);
        assert_eq!(watch.waited(), Duration::from_millis(4));
    }
}
