//! Watches the core while samples are taken on it. Each observation is a throughput probe and
//! a bracket, and neighbouring samples share it.

use crate::acceptance::Acceptance;
use crate::timer::Timer;
use cpb_figures::{QuietCriterion, cycles_per_operation};
use cpb_stats::Histogram;
use std::time::Duration;

/// The time after which a busy CPU is left for the next. Quiet intervals last from tenths of
/// a millisecond to a few milliseconds.
const STAY: Duration = Duration::from_micros(1500);

/// The brackets of which the shortest is taken not to be stalled.
const FEW: u32 = 3;

/// The state of the core at one moment.
#[derive(Debug, Clone, Copy)]
pub struct Observation {
    /// Ticks of the throughput probe.
    pub probe: u64,
    /// Ticks of the bracket that followed.
    pub bracket: u64,
    /// Whether the probe found no neighbour.
    pub is_quiet: bool,
}

/// Observes the core repeatedly.
pub struct QuietMonitor<'a> {
    timer: &'a mut dyn Timer,
    gate: QuietCriterion,
    /// The probes' cycles, between plausible brackets; for these, the tolerance never grows.
    probes: Histogram,
    acceptance: Acceptance,
    last_bracket: u64,
    last_look: Duration,
    busy_since: Option<Duration>,
    watched: Duration,
    quiet: Duration,
}

impl<'a> QuietMonitor<'a> {
    /// Starts to watch the core of `timer`, where `gate` decides what is quiet.
    pub fn new(timer: &'a mut dyn Timer, gate: QuietCriterion) -> Self {
        let last_bracket = timer.bracket();
        let last_look = timer.now();
        let step = timer.calibration().step_ticks;
        Self {
            timer,
            gate,
            probes: Histogram::default(),
            acceptance: Acceptance::new(step, u32::MAX),
            last_bracket,
            last_look,
            busy_since: None,
            watched: Duration::ZERO,
            quiet: Duration::ZERO,
        }
    }

    pub fn timer(&mut self) -> &mut dyn Timer {
        self.timer
    }

    /// Returns the current time of the timer.
    pub fn now(&self) -> Duration {
        self.timer.now()
    }

    /// Whether the quiet level is known, so that waiting for it makes sense.
    pub fn knows_quiet(&self) -> bool {
        self.gate.knows_quiet()
    }

    /// Observes the core now.
    pub fn look(&mut self) -> Observation {
        let probe = self.timer.probe();
        let bracket = self.timer.bracket();
        let brackets = (self.last_bracket, bracket);
        let calibration = self.timer.calibration();
        // Two brackets that were stalled equally agree, and would give a level that no core
        // has.
        if self.acceptance.accepts(brackets.0, probe, brackets.1)
            && let Some(cycles) = cycles_per_operation(calibration, probe, brackets)
        {
            self.probes.add(cycles);
        }
        let is_quiet = self.gate.is_quiet(calibration, probe, brackets);
        let now = self.timer.now();
        let passed = now.saturating_sub(self.last_look);
        self.watched += passed;
        if is_quiet {
            self.quiet += passed;
            self.busy_since = None;
        } else if self.busy_since.is_none() {
            self.busy_since = Some(now);
        }
        (self.last_bracket, self.last_look) = (bracket, now);
        Observation { probe, bracket, is_quiet }
    }

    /// Returns the shortest bracket of the last observations, or else of a few taken now, because
    /// any may be stalled.
    pub fn shortest_bracket(&mut self) -> u64 {
        let few = |timer: &mut dyn Timer| (0..FEW).map(|_| timer.bracket()).min();
        self.acceptance.shortest().or_else(|| few(self.timer)).unwrap_or_default()
    }

    /// Replaces the bracket of an observation that was disturbed.
    pub fn bracket_again(&mut self, look: Observation) -> Observation {
        self.last_bracket = self.timer.bracket();
        Observation { bracket: self.last_bracket, ..look }
    }

    /// Whether a sample between these observations is from a quiet core. As in the later
    /// summary, both probes are compared with the brackets of the sample.
    pub fn was_quiet(&self, before: Observation, after: Observation) -> bool {
        let brackets = (before.bracket, after.bracket);
        let calibration = self.timer.calibration();
        [before.probe, after.probe]
            .into_iter()
            .all(|probe| self.gate.is_quiet(calibration, probe, brackets))
    }

    /// Must be called while the core is busy: moves to the next CPU once it has been busy for
    /// long. Returns whether it moved; then caches are cold.
    pub fn wait(&mut self) -> bool {
        let now = self.timer.now();
        let is_long = self.busy_since.is_some_and(|since| now.saturating_sub(since) > STAY);
        if !is_long {
            return false;
        }
        self.busy_since = Some(now);
        self.acceptance.forget_clock();
        self.timer.move_on()
    }

    /// Starts to watch, which counts from now.
    pub fn start_watching(&mut self) {
        self.last_look = self.timer.now();
        self.take_times();
    }

    /// Starts again after something that no observation should include.
    pub fn refresh(&mut self) {
        self.last_bracket = self.timer.bracket();
        self.last_look = self.timer.now();
    }

    /// Returns the time watched since the last call, and how much of it was quiet.
    pub fn take_times(&mut self) -> (Duration, Duration) {
        (std::mem::take(&mut self.watched), std::mem::take(&mut self.quiet))
    }

    /// Returns the histogram of the probes.
    pub fn into_probes(self) -> Vec<(i32, u64)> {
        self.probes.bins().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use cpb_clock::CoreLoop;
    use cpb_model::{Calibration, GateLoop};

    /// Stalls some brackets, all by the same time, and no probe.
    struct Stalling {
        calibration: Calibration,
        brackets: u64,
    }

    const BRACKET: u64 = 15_400;
    const STALLED: u64 = 16_700;
    const PROBE: u64 = 2_620;

    impl Timer for Stalling {
        fn calibration(&self) -> &Calibration {
            &self.calibration
        }

        fn time(&mut self, _: &mut dyn FnMut()) -> u64 {
            0
        }

        fn bracket(&mut self) -> u64 {
            self.brackets += 1;
            if self.brackets % 8 < 3 { STALLED } else { BRACKET }
        }

        fn probe(&mut self) -> u64 {
            PROBE
        }

        fn core_loop(&mut self, _: CoreLoop, _: u32) -> u64 {
            0
        }

        fn read(&mut self, _: usize, _: &mut dyn FnMut(u64)) -> u64 {
            0
        }

        fn gate_by(&mut self, _: GateLoop, _: f64) {}

        fn now(&self) -> Duration {
            Duration::from_micros(10 * self.brackets)
        }

        fn cpu(&self) -> Option<usize> {
            None
        }

        fn move_to(&mut self, _: usize) {}

        fn move_on(&mut self) -> bool {
            false
        }
    }

    #[test]
    fn probes_between_brackets_that_were_stalled_alike_make_no_level() {
        let calibration = cpb_figures::testing::calibration(2);
        let quiet = cycles_per_operation(&calibration, PROBE, (BRACKET, BRACKET)).unwrap();
        let mut timer = Stalling { calibration, brackets: 0 };
        let mut monitor = QuietMonitor::new(&mut timer, QuietCriterion::default());
        for _ in 0..4000 {
            monitor.look();
        }
        let probes: Histogram = monitor.into_probes().into_iter().collect();
        let lowest = probes.lowest_line().unwrap().centre;
        assert!((lowest / quiet - 1.0).abs() < 0.002, "{lowest}, not {quiet}");
    }
}
