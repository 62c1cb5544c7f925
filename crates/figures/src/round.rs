//! Summarises one round of one workload.

use cpb_model::Samples;
use cpb_stats::{lowest_cluster, mean, median, median_of, modal_mean, modal_mean_of, quantile};

/// The quantile used where contention may have added to samples: close to the truth, but less
/// erratic than the minimum.
pub const LOW_QUANTILE: f64 = 0.1;
/// How far undisturbed samples may lie from their mode, relatively. The stack position of a
/// library's local buffers moves some calls by two percent; a stall of a third of a microsecond
/// adds more to a sample of ten.
const NEAR: f64 = 0.025;
/// The part of a round's samples that must lie close together for a mode, as its divisor.
const ONE_IN: usize = 4;
/// What undisturbed calls that are longer than the time between two stalls have in common: one in so
/// many, width, and gap to the stalled ones. A stall of a microsecond adds this gap to calls of up to 80
/// microseconds. Where stalls add less, or are rare, there is no such cluster, and the mode counts.
const ONE_IN_OF_CLUSTER: f64 = 12.5;
const CLUSTER_AND_GAP: [f64; 2] = [0.02, 0.012];
/// With fewer quiet samples, a round counts as not quiet, unless it has no others.
const FEWEST_QUIET: usize = 3;

/// Returns the centre of one thread's samples, of which each call took these `cycles`: the mean
/// around their mode, or, with rejection sampling, the mean, which is the long-run cost.
#[must_use]
pub fn centre_of(samples: &Samples, cycles: &[f64]) -> Option<f64> {
    if samples.expected_attempts == 0.0 {
        modal_mean_of(cycles, ONE_IN, NEAR)
    } else {
        mean(cycles)
    }
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Sample {
    /// Cycles per call.
    pub(crate) cycles: f64,
    /// The core clock around it.
    pub(crate) hertz: f64,
    /// Whether it began and ended on a quiet core.
    pub(crate) is_quiet: bool,
    /// Attempts per call, if it uses rejection sampling and reports them.
    pub(crate) attempts: Option<f64>,
}

/// The summary of one round of one workload.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(crate) struct Round {
    /// The position of its worker's library; `None` if it was not placed.
    pub(crate) position: Option<u8>,
    /// The centre of the quiet samples; `None` if there are too few.
    pub(crate) quiet: Option<Centre>,
    /// The centre of all samples.
    pub(crate) all: Centre,
    /// The smallest sample that counts, in cycles per call.
    pub(crate) least: f64,
}

impl Round {
    /// Summarises these samples, of which `wanted` quiet ones were requested; `None` without
    /// samples. With rejection sampling, there is an expected number of attempts. Whether each sample
    /// is `one_call` that is always the same decides how stalled ones are told from others.
    pub(crate) fn of(
        samples: &[Sample],
        expected_attempts: f64,
        wanted: usize,
        one_call: bool,
    ) -> Option<Self> {
        let are_hidden =
            expected_attempts != 0.0 && samples.iter().all(|sample| sample.attempts.is_none());
        let centre = match (are_hidden, one_call) {
            (true, _) => Centre::of_hidden_draws,
            (false, true) => Centre::of_single_calls,
            (false, false) => Centre::of,
        };
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

    /// Recomputes the centres as if each sample had taken the expected number of attempts.
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

/// Returns cost and clock of the samples that count.
fn counted(samples: &[Sample], only_quiet: bool, cost: impl Fn(&Sample) -> f64) -> Vec<(f64, f64)> {
    let counting = samples.iter().filter(|sample| sample.is_quiet || !only_quiet);
    counting.map(|sample| (cost(sample), sample.hertz)).collect()
}

/// Returns the smallest quiet sample, or the smallest of all if none is quiet.
fn least(samples: &[Sample], cost: impl Fn(&Sample) -> f64) -> Option<f64> {
    let any_quiet = samples.iter().any(|sample| sample.is_quiet);
    let counting = samples.iter().filter(|sample| sample.is_quiet || !any_quiet);
    counting.map(cost).min_by(f64::total_cmp)
}

/// The centre of a round's samples.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Centre {
    /// Cycles per call.
    pub median: f64,
    /// The mean around the mode, where undisturbed samples are densest; the mean of the lowest cluster
    /// of single calls; the mean of all if the number of attempts is unknown.
    pub modal_mean: f64,
    /// The same mean with half as many samples in the mode, or of the lower half of the cluster; it
    /// differs if it is unclear which samples are undisturbed. Equals `modal_mean` if the number of attempts is unknown.
    pub narrow_mean: f64,
    /// The [`LOW_QUANTILE`]; equals `modal_mean` if the number of attempts is unknown.
    pub low_quantile: f64,
    /// The median core clock around the samples, in Hz.
    pub hertz: f64,
}

impl Centre {
    pub(crate) fn cost(&self, long: bool) -> f64 {
        if long { self.low_quantile } else { self.modal_mean }
    }

    /// Computes the centre of calls with an unknown number of attempts: their mean, which is the
    /// long-run cost. The median lies below it, and a low quantile would be that of lucky draws.
    fn of_hidden_draws(samples: &[(f64, f64)]) -> Option<Self> {
        let cycles: Vec<f64> = samples.iter().map(|(cycles, _)| *cycles).collect();
        let mean = mean(&cycles)?;
        Some(Self { modal_mean: mean, narrow_mean: mean, low_quantile: mean, ..Self::of(samples)? })
    }

    /// Computes the centre of samples of one call each, which only stalls make different. Longer calls
    /// than the time between two stalls are mostly stalled, so that the mode is one of stalled calls:
    /// where some are apart below it, they count.
    fn of_single_calls(samples: &[(f64, f64)]) -> Option<Self> {
        let centre = Self::of(samples)?;
        let mut cycles: Vec<f64> = samples.iter().map(|(cycles, _)| *cycles).collect();
        let cluster = lowest_cluster(&mut cycles, ONE_IN_OF_CLUSTER, CLUSTER_AND_GAP);
        let Some(cluster) = cluster else { return Some(centre) };
        let [modal_mean, narrow_mean] = [cluster, &cluster[..cluster.len().div_ceil(2)]].map(mean);
        let is_below = |mean: &f64| *mean < centre.modal_mean * (1.0 - CLUSTER_AND_GAP[1]);
        Some(match modal_mean.filter(is_below).zip(narrow_mean) {
            Some((modal_mean, narrow_mean)) => Self { modal_mean, narrow_mean, ..centre },
            None => centre,
        })
    }

    fn of(samples: &[(f64, f64)]) -> Option<Self> {
        let (mut cycles, hertz): (Vec<f64>, Vec<f64>) = samples.iter().copied().unzip();
        // The first leaves them sorted, which the others take less time for.
        Some(Self {
            modal_mean: modal_mean(&mut cycles, ONE_IN, NEAR)?,
            narrow_mean: modal_mean(&mut cycles, 2 * ONE_IN, NEAR)?,
            median: median(&mut cycles)?,
            low_quantile: quantile(&mut cycles, LOW_QUANTILE)?,
            hertz: median_of(&hertz)?,
        })
    }
}
