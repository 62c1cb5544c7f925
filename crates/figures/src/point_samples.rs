//! Collects what the rounds so far show about one workload. Pure.

use crate::cycles::calibration_of;
use crate::draws::{attempts_per_call, cycles_per_attempt};
use crate::round::{Centre, Round, Sample};
use crate::{QuietCriterion, core_hertz, cycles_per_call};
use cpb_model::{Caches, Calibration, Layout, Position, RawRound, RawRounds, Workload};
use cpb_stats::positions::{Level, as_of_all, levels};
use cpb_stats::{median_of, quantile_of};

/// Longer calls cannot escape preemption on a loaded machine.
const LONG_CALL_NANOSECONDS: f64 = 300_000.0;
/// With fewer quiet rounds or samples than these among others that are not quiet, a figure is an
/// upper bound.
const FEWEST_QUIET_ROUNDS: usize = 2;
const FEWEST_QUIET_SAMPLES: u64 = 24;
/// The share of samples begun on a quiet core that must also end on one. If fewer do, a sample
/// lasts about as long as quiet does, and the core may have been busy within it.
const LEAST_QUIET_ENDS: f64 = 0.5;

/// Longer samples may span busy stretches between quiet ends.
const LONG_SAMPLE_NANOSECONDS: f64 = 100_000.0;
/// If the core was quiet for more than this share of the time, samples hardly span busy stretches.
/// Otherwise a quiet end must be likelier than by chance by at least the second value, from 0 to 1.
const MOSTLY_QUIET: f64 = 0.97;
const LEAST_TIE: f64 = 0.5;

/// The rounds so far of one workload at one length.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointSamples {
    rounds: Vec<Round>,
    /// With rejection sampling, the samples of each round. The cost of an attempt is fitted over
    /// all rounds, since more samples determine it better.
    drawn: Vec<Vec<Sample>>,
    /// Whether all calls are the same, so that only disturbances make them different. Those with key
    /// pairs take keys and messages in turn, and what is left in evicted caches differs.
    is_same: bool,
    /// The most calls per sample; each round finds its own number.
    pub calls: Option<u64>,
    /// Counts of quiet samples, of others, and, over rounds with quiet samples, of all that began
    /// quiet.
    quiet: u64,
    loud: u64,
    began_quiet: u64,
    /// Quiet samples requested.
    wanted: u64,
    rejected: u64,
    /// The cost of one more attempt, and the expected number of attempts.
    per_attempt: Option<f64>,
    expected_attempts: f64,
    /// Nanoseconds for which the core was watched, and quiet.
    watched: u64,
    quiet_time: u64,
}

impl PointSamples {
    /// Creates the samples of a workload, before the first round.
    pub fn of(workload: &Workload) -> Self {
        let is_same = !workload.operation.is_public_key() && workload.caches == Caches::Warm;
        Self { is_same, ..Self::default() }
    }

    /// Counts the rounds.
    pub fn rounds(&self) -> u32 {
        self.rounds.len() as u32
    }

    /// Returns the cost per call if it is an upper bound: the median over rounds of their low
    /// quantiles. Contention only adds time, so low quantiles are nearest to the truth; but the
    /// smallest of many may lie below it, because processes differ.
    pub fn bound(&self) -> Option<f64> {
        let low = self.of_all_positions(|round| round.low_quantile);
        median_of(&low.into_iter().flatten().collect::<Vec<f64>>())
    }

    /// Returns the smallest sample that counts, in cycles per call.
    pub fn minimum(&self) -> Option<f64> {
        self.rounds.iter().map(|round| round.least).min_by(f64::total_cmp)
    }

    /// Returns the numbers of samples that count, and of those that do not.
    pub fn samples(&self) -> (u64, u64) {
        if self.is_bound() {
            (self.quiet + self.loud, self.rejected)
        } else {
            (self.quiet, self.rejected + self.loud)
        }
    }

    /// Whether too few samples are quiet for more than an upper bound.
    pub fn is_bound(&self) -> bool {
        let rounds = self.rounds.iter().filter(|round| round.quiet.is_some()).count();
        let enough = FEWEST_QUIET_SAMPLES.min(self.wanted);
        let few = self.quiet < enough && self.loud > self.quiet;
        let fickle = (self.quiet as f64) < LEAST_QUIET_ENDS * self.began_quiet as f64;
        let quiet_rounds_are_few = rounds < FEWEST_QUIET_ROUNDS.min(self.rounds.len()).max(1);
        quiet_rounds_are_few || few || fickle || self.spans_busy_stretches()
    }

    /// Whether samples are so long that a quiet end says nothing about the time between: whether
    /// they end quiet about as often as the core is quiet at all.
    fn spans_busy_stretches(&self) -> bool {
        let quiet_share = self.quiet_time as f64 / self.watched.max(1) as f64;
        let lasting = self.rounds.iter().map(|round| round.all.low_quantile / round.all.hertz);
        let lasting = lasting.min_by(f64::total_cmp).unwrap_or(0.0);
        let nanoseconds = lasting * 1e9 * self.calls.unwrap_or(1) as f64;
        if nanoseconds < LONG_SAMPLE_NANOSECONDS || self.watched == 0 || quiet_share > MOSTLY_QUIET
        {
            return false;
        }
        let ends_quiet = self.quiet as f64 / self.began_quiet.max(1) as f64;
        (ends_quiet - quiet_share) / (1.0 - quiet_share) < LEAST_TIE
    }

    /// Returns the cost of one more attempt, in cycles, and the expected number of attempts, for
    /// calls that use rejection sampling.
    pub fn per_attempt(&self) -> Option<(f64, f64)> {
        self.per_attempt.map(|cycles| (cycles, self.expected_attempts))
    }

    /// Whether calls use rejection sampling with an unknown number of attempts. Chance then affects
    /// every round, and only the mean of all is the long-run cost.
    pub fn has_hidden_draws(&self) -> bool {
        self.expected_attempts != 0.0 && self.drawn.iter().flatten().all(|it| it.attempts.is_none())
    }

    /// Returns these quantiles of the cost per call, in cycles, if the number of attempts is
    /// unknown and each sample is one call.
    pub fn seen(&self, shares: [f64; 3]) -> Option<[f64; 3]> {
        if !self.has_hidden_draws() || self.calls != Some(1) {
            return None;
        }
        let is_bound = self.is_bound();
        let counting = self.drawn.iter().flatten().filter(|it| is_bound || it.is_quiet);
        let cycles: Vec<f64> = counting.map(|it| it.cycles).collect();
        let [p50, p90, p99] = shares.map(|share| quantile_of(&cycles, share));
        Some([p50?, p90?, p99?])
    }

    /// Adjusts every sample to the expected number of attempts, by the cost of an attempt over all
    /// rounds.
    fn level_draws(&mut self) {
        self.per_attempt = cycles_per_attempt(self.drawn.iter().flatten());
        let Some(per_attempt) = self.per_attempt else { return };
        for (round, drawn) in self.rounds.iter_mut().zip(&self.drawn) {
            round.level(drawn, per_attempt, self.expected_attempts);
        }
    }

    /// Whether calls are too long to escape preemption.
    pub fn is_long(&self) -> bool {
        let lasting = self.values(|round| round.low_quantile / round.hertz * 1e9);
        median_of(&lasting).is_some_and(|nanoseconds| nanoseconds > LONG_CALL_NANOSECONDS)
    }

    /// Iterates over each round's cost per call on a quiet core, in cycles: the mean around the
    /// mode of its samples, or their low quantile for calls too long to escape preemption. `None`
    /// for a round beside a neighbour.
    pub fn quiet_costs(&self, long: bool) -> impl Iterator<Item = Option<f64>> + '_ {
        self.rounds.iter().map(move |round| round.quiet.map(|centre| centre.cost(long)))
    }

    /// Works like [`Self::quiet_costs`], over all samples, including those beside a neighbour.
    pub fn all_costs(&self, long: bool) -> impl Iterator<Item = f64> + '_ {
        self.rounds.iter().map(move |round| round.all.cost(long))
    }

    /// Returns a value of each round that counts: of quiet rounds, or, for an upper bound, of all.
    pub fn values(&self, value: fn(&Centre) -> f64) -> Vec<f64> {
        self.by_round(value).into_iter().flatten().collect()
    }

    /// Works like [`Self::values`], with positions; `None` unless the library was placed in all
    /// these rounds.
    pub fn placed(&self, value: fn(&Centre) -> f64) -> Option<Vec<(u8, f64)>> {
        let values = self.by_round(value).into_iter();
        let counting = self.positions().zip(values).filter_map(|(at, value)| Some((at, value?)));
        counting.map(|(position, value)| Some((position?, value))).collect()
    }

    /// Returns a value of each round, `None` for one that does not count, adjusted as if the round
    /// had been measured at all positions. The values stay unadjusted if not all rounds were
    /// placed, or if a round says little about its position: with an unknown number of attempts, or
    /// with calls too long to escape preemption, which adds more than a position does.
    pub fn of_all_positions(&self, value: fn(&Centre) -> f64) -> Vec<Option<f64>> {
        let by_round = self.by_round(value);
        let says_little = self.has_hidden_draws() || self.is_long();
        let placed = self.placed(value).filter(|_| !says_little);
        let Some(moved) = placed.and_then(|placed| as_of_all(&placed)) else { return by_round };
        let mut moved = moved.into_iter();
        by_round.into_iter().map(|value| value.and_then(|_| moved.next())).collect()
    }

    /// Returns the cost per call by position, if rounds were placed at several.
    pub fn layout(&self, value: fn(&Centre) -> f64) -> Option<Layout> {
        let position = |level: Level| Position {
            position: level.position,
            rounds: level.rounds as u32,
            cycles_per_call: level.centre,
            differs: level.differs,
        };
        let positions: Vec<_> = levels(&self.placed(value)?).into_iter().map(position).collect();
        (positions.len() > 1).then_some(Layout { positions })
    }

    /// Iterates over the position of the library in each round.
    pub fn positions(&self) -> impl Iterator<Item = Option<u8>> + '_ {
        self.rounds.iter().map(|round| round.position)
    }

    /// Works like [`Self::values`], with `None` for rounds that do not count.
    pub fn by_round(&self, value: fn(&Centre) -> f64) -> Vec<Option<f64>> {
        let is_bound = self.is_bound();
        let centre = |round: &Round| if is_bound { Some(round.all) } else { round.quiet };
        self.rounds.iter().map(|round| centre(round).as_ref().map(value)).collect()
    }
}

/// Adds a round with samples for each length of a row. `None` if its worker's calibration is not
/// among `calibrations`.
pub fn add_round(
    cells: &mut [PointSamples],
    calibrations: &[Calibration],
    gate: QuietCriterion,
    measured: &[RawRound],
) -> Option<()> {
    add_unlevelled(cells, calibrations, gate, measured)?;
    cells.iter_mut().for_each(PointSamples::level_draws);
    Some(())
}

/// Works like [`add_round`], without adjusting for attempts, which is done once for all rounds.
fn add_unlevelled(
    cells: &mut [PointSamples],
    calibrations: &[Calibration],
    gate: QuietCriterion,
    measured: &[RawRound],
) -> Option<()> {
    for (cell, raw) in cells.iter_mut().zip(measured) {
        let calibration = calibration_of(raw, calibrations)?;
        let RawRound { samples, position, .. } = raw;
        let costs = cycles_per_call(&calibration, samples).into_iter();
        let of_cores = core_hertz(&calibration, samples).zip(gate.states(&calibration, samples));
        let draws = attempts_per_call(samples);
        let taken: Vec<Sample> = costs
            .zip(of_cores)
            .enumerate()
            .map(|(index, (cycles, (hertz, state)))| Sample {
                cycles,
                hertz,
                is_quiet: state.is_quiet(),
                attempts: draws.as_ref().map(|attempts| attempts[index]),
            })
            .collect();
        let wanted = usize::try_from(samples.wanted).unwrap_or(usize::MAX);
        let quiet = taken.iter().filter(|sample| sample.is_quiet).count();
        let is_one_call = cell.is_same && samples.calls == 1;
        let round = Round::of(&taken, samples.expected_attempts, wanted, is_one_call);
        let Some(round) = round.map(|it| Round { position: *position, ..it }) else { continue };
        cell.calls = cell.calls.max(Some(samples.calls));
        cell.expected_attempts = samples.expected_attempts;
        cell.wanted += match samples.wanted {
            0 => FEWEST_QUIET_SAMPLES,
            wanted => wanted,
        };
        cell.quiet += quiet as u64;
        cell.loud += (taken.len() - quiet) as u64 + samples.busy;
        if round.quiet.is_some() {
            let began = gate.states(&calibration, samples).filter(|it| it.began_quiet);
            let began = began.count() as u64;
            cell.began_quiet += began + samples.busy;
        }
        cell.rejected += samples.rejected;
        cell.watched += samples.watched_nanoseconds;
        cell.quiet_time += samples.quiet_nanoseconds;
        cell.rounds.push(round);
        if samples.expected_attempts != 0.0 {
            cell.drawn.push(taken);
        }
    }
    Some(())
}

/// Collects the samples of a row of this workload from its raw samples by length. `None` as in
/// [`add_round`].
pub fn cells<'a>(
    workload: &Workload,
    by_length: impl IntoIterator<Item = &'a RawRounds>,
    calibrations: &[Calibration],
    gate: QuietCriterion,
) -> Option<Vec<PointSamples>> {
    let mut lengths: Vec<_> = by_length.into_iter().map(RawRounds::iter).collect();
    let mut cells = vec![PointSamples::of(workload); lengths.len()];
    loop {
        let round: Vec<RawRound> = lengths.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            cells.iter_mut().for_each(PointSamples::level_draws);
            return Some(cells);
        }
        add_unlevelled(&mut cells, calibrations, gate, &round)?;
    }
}
