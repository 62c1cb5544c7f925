//! What one round says of one workload.

use cpb_model::Samples;
use cpb_stats::{mean, median_of, modal_mean_of, quantile_of};

/// What stands for samples that contention may have added to: nearest to the
/// truth, and not as fickle as the least of them.
pub const LOW_QUANTILE: f64 = 0.1;
/// How far samples that nothing stalled may lie from their mode, relatively: where a library's local
/// buffers lie on the stack moves some calls by two percent. A stall of a third of a
/// microsecond adds more to a sample of ten.
const NEAR: f64 = 0.025;
/// Samples that lie together where nothing stalled them are one in so many of a round.
const ONE_IN: usize = 4;
/// Quiet samples without which a round says nothing of a quiet core, unless it
/// has no others.
const FEWEST_QUIET: usize = 3;

/// What stands for the `samples` of one thread, or those of them that count, of which a call took
/// so many `cycles`: the mean around their mode; of calls that draw the mean, which is what they
/// cost in the long run.
#[must_use]
pub fn centre_of(samples: &Samples, cycles: &[f64]) -> Option<f64> {
    if samples.expected_attempts == 0.0 {
        modal_mean_of(cycles, ONE_IN, NEAR)
    } else {
        mean(cycles)
    }
}

/// One sample.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    /// Of one call.
    pub(crate) cycles: f64,
    /// The core clock around it.
    pub(crate) hertz: f64,
    /// Whether it began and ended on a quiet core.
    pub(crate) is_quiet: bool,
    /// Of one call, where it draws and tells how often.
    pub(crate) attempts: Option<f64>,
}

/// What one round says of one workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Round {
    /// Where its worker's library lay; `None` where it was not placed.
    pub(crate) position: Option<u8>,
    /// Of the samples from a quiet core, where they are enough.
    pub(crate) quiet: Option<Centre>,
    /// Of all samples.
    pub(crate) all: Centre,
    /// The smallest sample that counts, in cycles per call.
    pub(crate) least: f64,
}

impl Round {
    /// Of these samples, of which so many quiet ones were `wanted`; `None` without any.
    /// Calls that draw have an expected number of attempts.
    pub(crate) fn of(samples: &[Sample], expected_attempts: f64, wanted: usize) -> Option<Self> {
        let are_hidden =
            expected_attempts != 0.0 && samples.iter().all(|sample| sample.attempts.is_none());
        let centre = if are_hidden { Centre::of_hidden_draws } else { Centre::of };
        let cycles = |sample: &Sample| sample.cycles;
        let quiet = samples.iter().filter(|sample| sample.is_quiet).count();
        let is_enough = quiet >= FEWEST_QUIET.min(samples.len()).min(wanted.max(1));
        Some(Self {
            position: None,
            quiet: is_enough.then(|| centre(&counted(samples, true, cycles))).flatten(),
            all: centre(&counted(samples, false, cycles))?,
            least: least(samples, cycles)?,
        })
    }

    /// The same of its samples as if each had drawn as often as is expected.
    pub(crate) fn level(&mut self, samples: &[Sample], per_attempt: f64, expected: f64) {
        let level = |sample: &Sample| {
            let attempts = sample.attempts.unwrap_or(expected);
            sample.cycles + per_attempt * (expected - attempts)
        };
        self.quiet = self.quiet.and_then(|_| Centre::of(&counted(samples, true, level)));
        self.all = Centre::of(&counted(samples, false, level)).unwrap_or(self.all);
        self.least = least(samples, level).unwrap_or(self.least);
    }
}

/// Cost and clock of the samples that count.
fn counted(samples: &[Sample], only_quiet: bool, cost: impl Fn(&Sample) -> f64) -> Vec<(f64, f64)> {
    let counting = samples.iter().filter(|sample| sample.is_quiet || !only_quiet);
    counting.map(|sample| (cost(sample), sample.hertz)).collect()
}

/// The least of the quiet samples; of all, where none is.
fn least(samples: &[Sample], cost: impl Fn(&Sample) -> f64) -> Option<f64> {
    let any_quiet = samples.iter().any(|sample| sample.is_quiet);
    let counting = samples.iter().filter(|sample| sample.is_quiet || !any_quiet);
    counting.map(cost).min_by(f64::total_cmp)
}

/// Where samples of one round lie.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Centre {
    /// In cycles per call.
    pub median: f64,
    /// The mean around the mode, where samples that nothing stalled lie closest together; of all,
    /// where calls draw and nobody knows how often.
    pub modal_mean: f64,
    /// The same of half as many samples: another value where it is not clear which of them nothing
    /// stalled. The same as `modal_mean` where nobody knows how often calls draw.
    pub narrow_mean: f64,
    /// [`LOW_QUANTILE`]; the same as `modal_mean` where nobody knows how often calls draw.
    pub low_quantile: f64,
    /// The median core clock around the samples, in Hz.
    pub hertz: f64,
}

impl Centre {
    pub(crate) fn cost(&self, long: bool) -> f64 {
        if long { self.low_quantile } else { self.modal_mean }
    }

    /// Of calls that draw nobody knows how often. The middle of what they cost lies below
    /// its mean, which is what they cost in the long run; and a low quantile would be that
    /// of lucky draws.
    fn of_hidden_draws(samples: &[(f64, f64)]) -> Option<Self> {
        let cycles: Vec<f64> = samples.iter().map(|(cycles, _)| *cycles).collect();
        let mean = mean(&cycles)?;
        Some(Self { modal_mean: mean, narrow_mean: mean, low_quantile: mean, ..Self::of(samples)? })
    }

    fn of(samples: &[(f64, f64)]) -> Option<Self> {
        let (cycles, hertz): (Vec<f64>, Vec<f64>) = samples.iter().copied().unzip();
        Some(Self {
            median: median_of(&cycles)?,
            modal_mean: modal_mean_of(&cycles, ONE_IN, NEAR)?,
            narrow_mean: modal_mean_of(&cycles, 2 * ONE_IN, NEAR)?,
            low_quantile: quantile_of(&cycles, LOW_QUANTILE)?,
            hertz: median_of(&hertz)?,
        })
    }
}
