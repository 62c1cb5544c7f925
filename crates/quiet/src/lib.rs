//! Tracks what a quiet core looks like: learned on this CPU, remembered between runs, and corrected
//! by the probes of every run.

mod curve;
mod decision;
mod learn;
mod memory;
mod model;
mod times;

pub use decision::{Learned, PriorKnowledge, decide};
pub use learn::{Learning, Lesson, gate};
pub use memory::QuietMemory;
pub use times::{LoopTimes, UNITS, WindowTimes};

use cpb_figures::QuietCriterion;
use cpb_model::{Certainty, GateLoop, Quiet, Reason, WindowCurve, WindowPoint};
use cpb_stats::Histogram;

/// After this many probes, a quiet level that fewer than this share of them reach is doubted.
const MANY_PROBES: u64 = 2000;
const NEVER_MET: f64 = 0.001;

/// The knowledge about quiet during a run.
#[derive(Debug, Clone, Default)]
pub struct QuietCore {
    learned: Option<Learned>,
    remembered: Option<Learned>,
    curve: Option<WindowCurve>,
    /// Whether an unproven quiet level turned out wrong when more was seen.
    was_fooled: bool,
    /// The probes of the current loop.
    probes: Histogram,
    assumed: bool,
}

impl QuietCore {
    /// Starts from what earlier runs on such CPUs learned.
    pub fn of(memory: &QuietMemory) -> Self {
        let Lesson { learned, curve } = memory.recall().unwrap_or_default();
        let remembered = Some(learned).filter(|it| it.line.is_some());
        Self {
            learned: remembered.filter(|_| !memory.learns_anew),
            remembered,
            curve,
            assumed: memory.assumes_quiet(),
            ..Self::default()
        }
    }

    /// Works like [`Self::of`], for callers that run only chains; they learn by probes if nothing
    /// is remembered.
    pub fn of_chains(memory: &QuietMemory) -> Self {
        let core = Self::of(memory);
        let by_chains =
            |it: Learned| Learned { gate_loop: GateLoop::Chains, line: it.chains, ..it };
        let remembered = core.remembered.map(by_chains).filter(|it| it.line.is_some());
        Self { learned: remembered, remembered, ..core }
    }

    /// Whether the loops are to be run.
    pub fn wants_learning(&self) -> bool {
        !self.assumed && self.line().is_none()
    }

    /// Returns what is known, for workers that are to run the same loop.
    pub fn learned(&self) -> Option<Learned> {
        self.learned.filter(|it| it.line.is_some())
    }

    /// Takes what a worker learned, unless more is known already.
    pub fn take(&mut self, Lesson { learned, curve }: Lesson) {
        let worth = |it: &Learned| (it.line.is_some(), it.certainty);
        if self.was_fooled && learned.certainty == Certainty::Unknown {
            return;
        }
        if self.learned.is_none_or(|known| worth(&learned) > worth(&known)) {
            self.learned = Some(learned);
            self.probes = Histogram::default();
            // A curve that shows both levels is kept.
            self.curve = [curve, self.curve.take()].into_iter().flatten().max_by_key(levels);
        }
    }

    /// Adds probes of `gate_loop`, as bins of a [`Histogram`]. Only a lower level changes what was
    /// learned: if the criterion moved with every probe, no two samples would be judged alike.
    pub fn learn(&mut self, gate_loop: GateLoop, probes: impl IntoIterator<Item = (i32, u64)>) {
        if gate_loop != self.gate().gate_loop {
            return;
        }
        self.probes.extend(probes);
        let Some(line) = self.probes.lowest_line().map(|line| line.centre) else {
            self.doubt();
            return;
        };
        let is_lower = |known: f64| line < known * (1.0 - gate_loop.tolerance());
        let meeting = |line: f64| self.probes.near(line, gate_loop.tolerance());
        // Nothing is faster than a core whose quiet is certain, unless it is another core: a few
        // probes that seem so stood between brackets that were disturbed alike.
        let is_certain = self.learned.is_some_and(|it| it.certainty == Certainty::Certain);
        let is_believed = |known: f64| !is_certain || meeting(line) > meeting(known);
        // A core faster than learned is another core, or never was without neighbours before.
        if self.line().is_none_or(|known| is_lower(known) && is_believed(known)) {
            self.learned = Some(Learned {
                gate_loop,
                line: Some(line),
                certainty: Certainty::Unknown,
                reason: Reason::NoEvidence,
                ..self.learned.unwrap_or_default()
            });
        }
    }

    /// Drops an unproven level that no probe reaches any more: it was a neighbour's of a moment,
    /// and another one found as quickly would be no better.
    fn doubt(&mut self) {
        let is_proven = |it: &Learned| it.certainty > Certainty::Unknown;
        if self.probes.total() >= MANY_PROBES && !self.learned.as_ref().is_some_and(is_proven) {
            self.learned = None;
            self.was_fooled = true;
        }
    }

    fn line(&self) -> Option<f64> {
        self.learned?.line
    }

    /// Returns the criterion that follows from what is known.
    pub fn gate(&self) -> QuietCriterion {
        let gate_loop = self.learned.map_or(GateLoop::Chains, |it| it.gate_loop);
        QuietCriterion { gate_loop, quiet: self.line(), assumed: self.assumed }
    }

    /// Whether none of many probes were as fast as the known level, although many took the same
    /// time.
    fn was_never_met(&self) -> bool {
        let Some(line) = self.line() else { return false };
        let near = self.probes.near(line, self.gate().gate_loop.tolerance());
        self.probes.total() >= MANY_PROBES && (near as f64) < NEVER_MET * self.probes.total() as f64
    }

    /// Summarises the neighbours in a run, for which the core was quiet for this share of the time.
    pub fn summary(&self, share: f64) -> Quiet {
        let QuietCriterion { gate_loop, quiet, assumed } = self.gate();
        let learned = self.learned.unwrap_or_default();
        let is_known = matches!(learned.certainty, Certainty::Certain | Certainty::Likely);
        let certainty =
            if is_known && self.was_never_met() { Certainty::Busy } else { learned.certainty };
        Quiet {
            cycles_per_operation: quiet,
            gate_loop,
            share,
            assumed,
            certainty: (!assumed).then_some(certainty),
            reason: (!assumed).then_some(learned.reason),
            core: self.learned.map(|it| it.core).filter(|it| it.integers != 0.0),
        }
    }

    /// Returns the curve of the two levels.
    pub fn curve(&self) -> Option<WindowCurve> {
        self.curve.clone().filter(|_| !self.assumed)
    }

    /// Stores in `memory` what later runs can use, and removes what was wrong.
    pub fn remember(&self, memory: &QuietMemory) {
        if self.assumed || self.gate().gate_loop != self.learned.unwrap_or_default().gate_loop {
            return;
        }
        // Another kind of core, or one with a permanent neighbour: only the loops can tell, so the
        // next run runs them, as it does where the rates of a core that was quiet are uncertain.
        let is_settled =
            |it: &Learned| it.certainty < Certainty::Likely || it.core.has_certain_rates();
        let holds = self.learned().filter(|it| it.core.integers != 0.0 && is_settled(it));
        let holds = holds.filter(|_| !self.was_never_met());
        if holds != self.remembered {
            memory.keep(holds.map(|learned| Lesson { learned, curve: self.curve.clone() }));
        }
    }
}

/// Counts the levels that a curve shows.
fn levels(curve: &WindowCurve) -> usize {
    let has = |level: fn(&WindowPoint) -> Option<f64>| {
        usize::from(curve.points.iter().any(|point| level(point).is_some()))
    };
    has(|point| point.alone) + has(|point| point.beside)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(line: f64, count: u64) -> Vec<(i32, u64)> {
        let mut histogram = Histogram::default();
        (0..count).for_each(|_| histogram.add(line));
        histogram.bins().collect()
    }

    fn learned(line: f64, certainty: Certainty) -> Lesson {
        let learned = Learned {
            gate_loop: GateLoop::Window(265),
            line: Some(line),
            certainty,
            reason: Reason::TwoLevels,
            chains: Some(0.25),
            core: cpb_model::CoreProfile { integers: 4.0, ..Default::default() },
        };
        Lesson { learned, curve: None }
    }

    fn core(line: f64) -> QuietCore {
        let mut core = QuietCore::default();
        assert!(core.wants_learning());
        core.take(learned(line, Certainty::Certain));
        assert!(!core.wants_learning());
        core
    }

    #[test]
    fn what_was_learned_is_corrected_downwards_only() {
        let gate_loop = GateLoop::Window(265);
        let mut core = core(0.34);
        for line in [0.34, 0.35, 0.32, 0.5] {
            core.learn(gate_loop, bins(line, 100));
            assert_eq!(core.gate().quiet, Some(0.34), "{line}");
        }
        // Probes of another loop say nothing about this one.
        core.learn(GateLoop::Chains, bins(0.2, 1000));
        assert_eq!(core.summary(0.5).certainty, Some(Certainty::Certain));
        core.learn(gate_loop, bins(0.2, 1000));
        let lower = core.gate().quiet.unwrap();
        assert!((lower / 0.2 - 1.0).abs() < 0.002);
        assert_eq!(core.summary(0.5).certainty, Some(Certainty::Unknown));
    }

    #[test]
    fn a_few_faster_probes_do_not_replace_what_is_certain() {
        let mut core = core(0.34);
        core.learn(GateLoop::Window(265), bins(0.34, 900));
        core.learn(GateLoop::Window(265), bins(0.3, 100));
        assert_eq!(core.gate().quiet, Some(0.34));
        assert_eq!(core.summary(0.9).certainty, Some(Certainty::Certain));
        // Without proof it may have been a neighbour's level that was learned.
        let mut core = QuietCore::default();
        core.take(learned(0.34, Certainty::Likely));
        core.learn(GateLoop::Window(265), bins(0.34, 900));
        core.learn(GateLoop::Window(265), bins(0.3, 100));
        assert!(core.gate().quiet.is_some_and(|line| line < 0.31));
    }

    #[test]
    fn more_certain_knowledge_wins() {
        let mut core = QuietCore::default();
        let mut nothing = learned(0.3, Certainty::Unknown);
        nothing.learned.line = None;
        core.take(nothing);
        assert!(core.wants_learning() && core.learned().is_none());
        core.take(learned(0.5, Certainty::Likely));
        core.take(learned(0.6, Certainty::Unknown));
        assert_eq!(core.gate().quiet, Some(0.5));
        core.take(learned(0.4, Certainty::Certain));
        assert_eq!(core.gate().quiet, Some(0.4));
    }

    #[test]
    fn a_core_that_is_never_as_quick_as_it_was_is_busy() {
        let mut core = core(0.34);
        core.learn(GateLoop::Window(265), bins(0.51, 1999));
        assert_eq!(core.summary(0.0).certainty, Some(Certainty::Certain));
        core.learn(GateLoop::Window(265), bins(0.51, 1));
        let busy = core.summary(0.0);
        assert!(busy.is_never() && busy.cycles_per_operation == Some(0.34));
    }

    #[test]
    fn any_sharp_line_is_a_gate_and_says_that_nothing_is_proven() {
        // The chains of Zen 5 do not execute a whole number of additions per cycle.
        for line in [0.2462, 0.2509, 0.4, 1.0] {
            let mut core = QuietCore::default();
            core.learn(GateLoop::Chains, bins(line, 1000));
            assert!((core.gate().quiet.unwrap() / line - 1.0).abs() < 0.002);
            assert!(core.summary(0.9).is_unproven());
        }
    }
}
