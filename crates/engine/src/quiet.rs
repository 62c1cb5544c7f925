//! What a quiet core is: learned from the probes of a run, remembered from
//! run to run, and held against what a core can do.

pub(crate) mod memory;

use crate::quiet::memory::QuietMemory;
use cpb_figures::Gate;
use cpb_stats::Histogram;

/// How far above the cycles that a whole number of units would give a quiet
/// core may be: the branch of the loop, and schedulers that are not perfect.
const MOST_ABOVE_WHOLE: f64 = 0.04;
const MOST_ABOVE_CERTAIN: f64 = 0.02;
const MOST_BELOW_WHOLE: f64 = 0.01;
const MOST_UNITS: u32 = 8;
/// A line so much lower than the one remembered takes its place.
const LOWER: f64 = 0.99;
/// Probes after which a remembered line of which fewer than this share lies
/// within two percent is given up.
const MANY_PROBES: u64 = 2000;
const NEVER_MET: f64 = 0.001;
const NEAR: f64 = 0.02;

/// What the probes of all workers say of quiet.
#[derive(Debug, Clone, Default)]
pub(crate) struct QuietCore {
    remembered: Option<f64>,
    probes: Histogram,
    learned: Option<f64>,
    assumed: bool,
}

impl QuietCore {
    /// As earlier runs on CPUs like this one found it.
    pub(crate) fn remembered(cycles_per_operation: Option<f64>) -> Self {
        let remembered = cycles_per_operation.filter(|&cycles| is_possible(cycles));
        Self { remembered, ..Self::default() }
    }

    /// The same, unless every core is to be taken for quiet.
    pub(crate) fn of(memory: &QuietMemory) -> Self {
        Self { assumed: memory.assumes_quiet(), ..Self::remembered(memory.recall()) }
    }

    /// Takes in the probes of a worker, as bins of a [`Histogram`].
    pub(crate) fn learn(&mut self, probes: impl IntoIterator<Item = (i32, u64)>) {
        self.probes.extend(probes);
        let line = self.probes.lowest_line().map(|line| line.centre);
        let line = line.filter(|&cycles| is_possible(cycles));
        // What was learned stays as it is but for a lower line: a measure that
        // moves with every probe would judge no two samples alike.
        self.learned = match (self.learned, line) {
            (Some(learned), Some(line)) if line >= LOWER * learned => Some(learned),
            (learned, line) => line.or(learned),
        };
        if self.remembered.is_some_and(|remembered| self.denies(remembered)) {
            self.remembered = None;
        }
    }

    /// Whether so many probes lie at a line that is certainly that of a quiet
    /// core, and hardly any at the one remembered, that this is another kind of
    /// core than the one remembered.
    fn denies(&self, remembered: f64) -> bool {
        let is_certain = self.learned.is_some_and(is_certain);
        let seldom = NEVER_MET * self.probes.total() as f64;
        is_certain
            && self.probes.total() >= MANY_PROBES
            && (self.probes.near(remembered, NEAR) as f64) < seldom
    }

    /// The gate that goes with what is known by now.
    pub(crate) fn gate(&self) -> Gate {
        // What is remembered was seen on a core as quiet as this one, or
        // quieter: now there may be a neighbour all the time.
        let is_lower = |learned: &f64| self.remembered.is_none_or(|it| *learned < LOWER * it);
        let quiet = self.learned.filter(is_lower).or(self.remembered);
        Gate { quiet, assumed: self.assumed }
    }

    /// What is worth remembering, where it is not remembered already.
    pub(crate) fn news(&self) -> Option<f64> {
        self.gate().quiet.filter(|_| !self.assumed).filter(|&quiet| Some(quiet) != self.remembered)
    }
}

/// Whether an addition takes so few cycles that it is no neighbour's doing.
pub(crate) fn is_certain(cycles_per_operation: f64) -> bool {
    is_within(cycles_per_operation, MOST_ABOVE_CERTAIN)
}

/// Whether an addition can take so many cycles on a quiet core: what a whole
/// number of integer units gives, or a little more. A neighbour that is always
/// there, and always alike, makes a sharp line, too, but mostly none like that.
pub(crate) fn is_possible(cycles_per_operation: f64) -> bool {
    is_within(cycles_per_operation, MOST_ABOVE_WHOLE)
}

fn is_within(cycles_per_operation: f64, most_above: f64) -> bool {
    (fewest_units()..=MOST_UNITS).any(|units| {
        let above = cycles_per_operation * f64::from(units) - 1.0;
        (-MOST_BELOW_WHOLE..=most_above).contains(&above)
    })
}

/// Integer units that every core like this one has: four since Haswell and
/// Zen, the first to have AVX2.
pub(crate) fn fewest_units() -> u32 {
    #[cfg(target_arch = "x86_64")]
    if std::arch::is_x86_feature_detected!("avx2") {
        return 4;
    }
    2
}

#[cfg(test)]
mod tests {
    use super::*;

    fn bins(line: f64, count: u64) -> Vec<(i32, u64)> {
        let mut histogram = Histogram::default();
        (0..count).for_each(|_| histogram.add(line));
        histogram.bins().collect()
    }

    #[test]
    fn quiet_is_learned_and_corrected_downwards_only() {
        let mut quiet = QuietCore::default();
        assert_eq!(quiet.gate().quiet, None);
        quiet.learn(bins(0.2515, 100));
        let first = quiet.gate().quiet.unwrap();
        assert!((first / 0.2515 - 1.0).abs() < 0.001);
        assert_eq!(quiet.news(), Some(first));

        let mut again = QuietCore::remembered(Some(first));
        again.learn(bins(0.2590, 100));
        assert_eq!((again.gate().quiet, again.news()), (Some(first), None));
        let mut lower = QuietCore::remembered(Some(0.2590));
        lower.learn(bins(0.2515, 100));
        assert_eq!(lower.gate().quiet, Some(first));
        assert_eq!(lower.news(), Some(first));
    }

    #[test]
    fn what_is_learned_stays_as_it_is() {
        let mut quiet = QuietCore::default();
        quiet.learn(bins(0.2515, 100));
        let first = quiet.gate();
        for line in [0.2512, 0.2521, 0.2517, 0.4] {
            quiet.learn(bins(line, 1000));
            assert_eq!(quiet.gate(), first, "{line}");
        }
    }

    #[test]
    fn another_kind_of_core_is_learned_anew() {
        let mut quiet = QuietCore::remembered(Some(0.2005));
        quiet.learn(bins(0.2509, 1000));
        assert_eq!(quiet.gate().quiet, Some(0.2005));
        quiet.learn(bins(0.2509, 2000));
        let learned = quiet.gate().quiet.unwrap();
        assert!((learned / 0.2509 - 1.0).abs() < 0.002);
        assert_eq!(quiet.news(), Some(learned));
        // A busy core says nothing of the kind.
        let mut busy = QuietCore::remembered(Some(0.2005));
        busy.learn(bins(0.29, 5000));
        assert_eq!(busy.gate().quiet, Some(0.2005));
    }

    #[test]
    fn a_neighbour_that_is_always_there_is_not_taken_for_quiet() {
        for busy in [0.265, 0.28, 0.293, 0.31, 0.39, 0.42, 0.46, 0.59, 0.7] {
            let mut quiet = QuietCore::default();
            quiet.learn(bins(busy, 1000));
            assert_eq!(quiet.gate().quiet, None, "{busy}");
        }
        for cycles in [0.2505, 0.2509, 0.2546, 0.2595, 0.2005, 0.168, 0.126] {
            assert!(is_possible(cycles), "{cycles}");
        }
        assert!(!is_possible(0.0) && !is_possible(f64::NAN) && !is_possible(1.0));
    }
}
