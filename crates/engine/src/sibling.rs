//! The other hardware thread of the core: when it is busy, this one has less
//! of the core, which a dependent chain cannot see.

use cpb_clock::Clock;
use cpb_model::Calibration;
use std::time::{Duration, Instant};

/// Blocks of the throughput probe: under a microsecond.
const PROBE_BLOCKS: u32 = 200;
/// How much slower than quiet a probe must be to mean a busy sibling. The
/// counter's step alone makes one or two percent.
const BUSY: f64 = 1.08;
/// Probes by which a worker finds out what quiet is, and the quantile of them
/// that is taken for it.
const PROBES: usize = 200;
const QUIET_QUANTILE: f64 = 0.25;
/// A worker waits for a quiet core in bursts, which are short, and not for
/// ever: this long, and this share of its time.
const PATIENCE: Duration = Duration::from_millis(200);
const PATIENCE_SHARE: f64 = 0.15;

/// Tells when the sibling is busy.
pub(crate) struct SiblingWatch {
    /// Cycles of a probe on a quiet core; `None` where cycles cannot be told.
    quiet: Option<f64>,
    started: Instant,
    waited: Duration,
}

impl SiblingWatch {
    /// Finds out what quiet is: the better of what this worker sees now and
    /// of `known`, what others have seen.
    pub(crate) fn calibrate(clock: &Clock, known: Option<f64>) -> Self {
        let calibration = clock.calibration();
        let probes: Vec<f64> = (0..PROBES)
            .filter_map(|_| {
                let probe = clock.probe(PROBE_BLOCKS);
                cycles(calibration, probe, clock.bracket())
            })
            .collect();
        let seen = cpb_stats::quantile_of(&probes, QUIET_QUANTILE);
        let quiet = seen.into_iter().chain(known).min_by(f64::total_cmp);
        Self { quiet, started: Instant::now(), waited: Duration::ZERO }
    }

    /// Cycles of a probe on a quiet core.
    pub(crate) fn quiet(&self) -> Option<f64> {
        self.quiet
    }

    /// Whether the sibling is busy now; `bracket` is the chain run before.
    pub(crate) fn is_busy(&self, clock: &Clock, bracket: u64) -> bool {
        let probe = clock.probe(PROBE_BLOCKS);
        let cycles = cycles(clock.calibration(), probe, bracket);
        cycles.zip(self.quiet).is_some_and(|(cycles, quiet)| cycles > BUSY * quiet)
    }

    /// Whether there is patience left; spends `lost` of it.
    pub(crate) fn waits(&mut self, lost: Duration) -> bool {
        let patience = PATIENCE + self.started.elapsed().mul_f64(PATIENCE_SHARE);
        let waits = self.waited < patience;
        if waits {
            self.waited += lost;
        }
        waits
    }
}

/// The cycles of a probe, by the chain.
fn cycles(calibration: &Calibration, probe: u64, bracket: u64) -> Option<f64> {
    let chain = calibration.bracket_links as f64 * f64::from(calibration.multiply_latency?);
    let overhead = calibration.overhead_ticks;
    Some((probe as f64 - overhead) * chain / (bracket as f64 - overhead))
}
