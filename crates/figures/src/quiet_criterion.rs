//! Decides which samples count. The timed loop and the figures both use it.
//!
//! A neighbour on the core's other hardware thread takes part of the core, which a dependent chain
//! cannot see. A probe can: beside a neighbour it slows down by much more than
//! [`GateLoop::tolerance`].

use cpb_model::{Calibration, GateLoop, Quiet, Samples};

/// The tolerance of a probe on a quiet core, in steps of the counter.
const TOLERANCE_STEPS: f64 = 1.5;
/// The largest accepted difference between a sample's brackets: relative, and in steps of the
/// counter.
const BRACKET_TOLERANCE: f64 = 0.01;
const BRACKET_TOLERANCE_STEPS: f64 = 2.5;

/// Tells a quiet core from one whose other hardware thread is busy.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct QuietCriterion {
    /// The loop that probes run.
    pub gate_loop: GateLoop,
    /// Cycles per instruction of it on a quiet core; `None` if unknown.
    pub quiet: Option<f64>,
    /// Whether every core is assumed to be quiet, whatever its probes say.
    pub assumed: bool,
}

impl QuietCriterion {
    /// Returns the criterion that a run's figures were made with.
    #[must_use]
    pub fn of(quiet: Quiet) -> Self {
        let Quiet { cycles_per_operation, gate_loop, assumed, .. } = quiet;
        Self { gate_loop, quiet: cycles_per_operation, assumed }
    }

    /// Whether quiet and busy can be distinguished, so that waiting for quiet makes sense.
    #[must_use]
    pub fn knows_quiet(self) -> bool {
        self.assumed || self.quiet.is_some()
    }

    /// Whether both criteria accept the same samples.
    #[must_use]
    pub fn judges_like(self, other: Self) -> bool {
        self == other || (self.assumed && other.assumed)
    }

    /// Whether a probe of `probe` ticks between these brackets saw no neighbour.
    #[must_use]
    pub fn is_quiet(self, calibration: &Calibration, probe: u64, brackets: (u64, u64)) -> bool {
        if self.assumed {
            return true;
        }
        let steps = TOLERANCE_STEPS * calibration.step_ticks as f64 / probe.max(1) as f64;
        let tolerance = self.gate_loop.tolerance().max(steps);
        calibration.gate_loop == self.gate_loop
            && agree(calibration, brackets)
            && cycles_per_operation(calibration, probe, brackets)
                .zip(self.quiet)
                .is_some_and(|(cycles, quiet)| (cycles / quiet - 1.0).abs() <= tolerance)
    }

    /// Returns the core's state before and after each sample. Samples without probes come from old
    /// files, which kept only accepted ones.
    pub fn states(
        self,
        calibration: &Calibration,
        samples: &Samples,
    ) -> impl Iterator<Item = State> {
        let has_probes = samples.probe_after.len() == samples.ticks.len()
            && samples.probe_before.len() == samples.ticks.len();
        let brackets = samples.before.iter().zip(&samples.after);
        brackets.enumerate().map(move |(index, (&before, &after))| {
            let is_quiet = |probes: &[u64]| {
                !has_probes || self.is_quiet(calibration, probes[index], (before, after))
            };
            State {
                began_quiet: is_quiet(&samples.probe_before),
                ended_quiet: is_quiet(&samples.probe_after),
            }
        })
    }
}

/// The core's state before and after a sample.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct State {
    /// Whether the probe before it saw no neighbour.
    pub began_quiet: bool,
    /// Whether the probe after it saw none.
    pub ended_quiet: bool,
}

impl State {
    /// Whether neither probe saw a neighbour.
    #[must_use]
    pub fn is_quiet(self) -> bool {
        self.began_quiet && self.ended_quiet
    }
}

/// Whether both brackets saw the same clock frequency.
#[must_use]
pub fn agree(calibration: &Calibration, brackets: (u64, u64)) -> bool {
    agree_within(1.0, calibration.step_ticks as f64, brackets)
}

/// Works like [`agree`], with `tolerated` times the usual tolerance, for a counter with this step
/// in ticks.
#[must_use]
pub fn agree_within(tolerated: f64, step: f64, (before, after): (u64, u64)) -> bool {
    let mean = f64::midpoint(before as f64, after as f64);
    let steps = BRACKET_TOLERANCE_STEPS * step;
    before.abs_diff(after) as f64 <= (tolerated * BRACKET_TOLERANCE * mean).max(steps)
}

/// Returns the cycles per instruction of the probe, measured by the chain: in links of it if their
/// latency is unknown. `None` without a probe.
#[must_use]
pub fn cycles_per_operation(
    calibration: &Calibration,
    probe: u64,
    (before, after): (u64, u64),
) -> Option<f64> {
    let latency = f64::from(calibration.multiply_latency.unwrap_or(1));
    let chain = calibration.bracket_links as f64 * latency;
    let overhead = calibration.overhead_ticks;
    let bracket = f64::midpoint(before as f64, after as f64) - overhead;
    let operations = calibration.probe_operations as f64;
    let cycles = (probe as f64 - overhead) * chain / bracket / operations;
    (cycles.is_finite() && cycles > 0.0).then_some(cycles)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::calibration;

    /// Returns the ticks of a probe with this many cycles per instruction, beside this bracket.
    fn probe(cycles_per_operation: f64, bracket: u64) -> u64 {
        let calibration = calibration(1);
        let cycles = cycles_per_operation * calibration.probe_operations as f64;
        let chain = calibration.bracket_links as f64 * 3.0;
        let overhead = calibration.overhead_ticks;
        (cycles / chain * (bracket as f64 - overhead) + overhead).round() as u64
    }

    #[test]
    fn quiet_is_within_two_percent_at_any_clock() {
        let gate = QuietCriterion { quiet: Some(0.25), ..QuietCriterion::default() };
        for bracket in [9_000, 15_000, 30_000] {
            let is_quiet = |cycles: f64| {
                gate.is_quiet(&calibration(1), probe(cycles, bracket), (bracket, bracket))
            };
            assert!(is_quiet(0.25) && is_quiet(0.254) && is_quiet(0.246));
            assert!(!is_quiet(0.256) && !is_quiet(0.27) && !is_quiet(0.2) && !is_quiet(0.5));
        }
    }

    #[test]
    fn between_brackets_that_disagree_nothing_is_quiet() {
        let gate = QuietCriterion { quiet: Some(0.25), ..QuietCriterion::default() };
        let is_quiet = |after| gate.is_quiet(&calibration(1), probe(0.25, 15_000), (15_000, after));
        assert!(is_quiet(15_100) && !is_quiet(15_200));
        assert!(
            agree(&calibration(26), (1_000, 1_060)) && !agree(&calibration(26), (1_000, 1_070))
        );
    }

    #[test]
    fn unknown_quiet_is_never_met_and_samples_of_old_count() {
        let (calibration, brackets) = (calibration(1), (15_000, 15_000));
        assert!(!QuietCriterion::default().is_quiet(&calibration, probe(0.25, 15_000), brackets));
        let mut samples = Samples {
            ticks: vec![1; 2],
            before: vec![15_000; 2],
            after: vec![15_000; 2],
            ..Samples::default()
        };
        let gate = QuietCriterion { quiet: Some(0.25), ..QuietCriterion::default() };
        let quiet = |samples: &Samples| -> Vec<bool> {
            gate.states(&calibration, samples).map(State::is_quiet).collect()
        };
        assert_eq!(quiet(&samples), [true, true]);
        samples.probe_before = vec![probe(0.25, 15_000); 2];
        samples.probe_after = vec![probe(0.25, 15_000), probe(0.4, 15_000)];
        assert_eq!(quiet(&samples), [true, false]);
    }
}
