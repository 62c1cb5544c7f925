//! What the rounds so far say of one workload. Pure.

use crate::draws::{attempts_per_call, cycles_per_attempt};
use crate::round::{Centre, Round, Sample};
use crate::{QuietCriterion, core_hertz, cycles_per_call};
use cpb_model::{Calibration, Layout, Position, RawRound, RawRounds};
use cpb_stats::positions::{Level, as_of_all, levels};
use cpb_stats::{median_of, quantile_of};

/// Calls longer than this cannot escape preemption on a loaded machine.
const LONG_CALL_NANOSECONDS: f64 = 300_000.0;
/// Quiet rounds and samples without which a figure is an upper bound, where
/// there were others.
const FEWEST_QUIET_ROUNDS: usize = 2;
const FEWEST_QUIET_SAMPLES: u64 = 24;
/// Share of the samples that began on a quiet core which must end on one. Where
/// fewer do, a sample lasts as long as quiet does, and what was quiet on both
/// sides of it may have been busy in between.
const LEAST_QUIET_ENDS: f64 = 0.5;

/// Samples longer than this may well span busy stretches between quiet ends.
const LONG_SAMPLE_NANOSECONDS: f64 = 100_000.0;
/// Share of quiet time above which hardly any does, and how much likelier than by
/// chance a sample must end quiet that began so, from 0 to 1.
const MOSTLY_QUIET: f64 = 0.97;
const LEAST_TIE: f64 = 0.5;

/// What the rounds so far say of one workload.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct PointSamples {
    rounds: Vec<Round>,
    /// Of calls that draw, the samples of each round: what a draw costs, and how calls
    /// differ, is known the better the more there are.
    drawn: Vec<Vec<Sample>>,
    /// The most calls in a sample; each round finds how many.
    pub calls: Option<u64>,
    /// Samples from a quiet core, others, and, of rounds that have some, all
    /// that began on one.
    quiet: u64,
    loud: u64,
    began_quiet: u64,
    /// Quiet samples that were wanted.
    wanted: u64,
    rejected: u64,
    /// What one attempt more costs, and how many are expected.
    per_attempt: Option<f64>,
    expected_attempts: f64,
    /// Nanoseconds watched, and quiet.
    watched: u64,
    quiet_time: u64,
}

impl PointSamples {
    /// Forgets all but how many calls make a sample.
    pub fn forget_rounds(&mut self) {
        *self = Self { calls: self.calls, ..Self::default() };
    }

    /// How many rounds there are.
    pub fn rounds(&self) -> u32 {
        self.rounds.len() as u32
    }

    /// The cost of a call where it is an upper bound: the median over rounds of
    /// their low quantiles. Contention only adds, so a low quantile is nearest to
    /// the truth; but processes differ, and the least of many may lie below it.
    pub fn bound(&self) -> Option<f64> {
        let low = self.of_all_positions(|round| round.low_quantile);
        median_of(&low.into_iter().flatten().collect::<Vec<f64>>())
    }

    /// The smallest sample that counts, in cycles per call.
    pub fn minimum(&self) -> Option<f64> {
        self.rounds.iter().map(|round| round.least).min_by(f64::total_cmp)
    }

    /// How many samples count, and how many do not.
    pub fn samples(&self) -> (u64, u64) {
        if self.is_bound() {
            (self.quiet + self.loud, self.rejected)
        } else {
            (self.quiet, self.rejected + self.loud)
        }
    }

    /// Whether there is too little from a quiet core for more than an upper
    /// bound.
    pub fn is_bound(&self) -> bool {
        let rounds = self.rounds.iter().filter(|round| round.quiet.is_some()).count();
        let enough = FEWEST_QUIET_SAMPLES.min(self.wanted);
        let few = self.quiet < enough && self.loud > self.quiet;
        let fickle = (self.quiet as f64) < LEAST_QUIET_ENDS * self.began_quiet as f64;
        let quiet_rounds_are_few = rounds < FEWEST_QUIET_ROUNDS.min(self.rounds.len()).max(1);
        quiet_rounds_are_few || few || fickle || self.spans_busy_stretches()
    }

    /// Whether samples are so long that a quiet end says nothing of what was in
    /// between: they end quiet about as often as the core is quiet at all.
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

    /// What one attempt more costs in calls that draw until something fits, in cycles, and
    /// how many attempts are expected.
    pub fn per_attempt(&self) -> Option<(f64, f64)> {
        self.per_attempt.map(|cycles| (cycles, self.expected_attempts))
    }

    /// Whether calls draw, and nobody knows how often: then chance has its part in every
    /// round, and only the mean of all is what calls cost in the long run.
    pub fn has_hidden_draws(&self) -> bool {
        self.expected_attempts != 0.0 && self.drawn.iter().flatten().all(|it| it.attempts.is_none())
    }

    /// What these shares of all calls cost at most, in cycles, where they draw and nobody
    /// knows how often: of the calls that count, each of which is a sample.
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

    /// Takes every sample to what it would have cost at the number of attempts expected,
    /// by what an attempt costs in all rounds.
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

    /// What a call cost in each round on a quiet core, in cycles: the mean
    /// around the mode of its samples, or their low quantile for calls too long to escape
    /// preemption. `None` for a round beside a neighbour.
    pub fn quiet_costs(&self, long: bool) -> impl Iterator<Item = Option<f64>> + '_ {
        self.rounds.iter().map(move |round| round.quiet.map(|centre| centre.cost(long)))
    }

    /// The same whatever the neighbour did.
    pub fn all_costs(&self, long: bool) -> impl Iterator<Item = f64> + '_ {
        self.rounds.iter().map(move |round| round.all.cost(long))
    }

    /// A value of each round that counts: those with a quiet core, or, for an
    /// upper bound, all of them.
    pub fn values(&self, value: fn(&Centre) -> f64) -> Vec<f64> {
        self.by_round(value).into_iter().flatten().collect()
    }

    /// The same with their positions, where all of these rounds were placed.
    pub fn placed(&self, value: fn(&Centre) -> f64) -> Option<Vec<(u8, f64)>> {
        let values = self.by_round(value).into_iter();
        let counting = self.positions().zip(values).filter_map(|(at, value)| Some((at, value?)));
        counting.map(|(position, value)| Some((position?, value))).collect()
    }

    /// A value of each round that counts, with a place for every round, as if each had been
    /// measured at all positions; as they are, where not all were placed, and where one round says
    /// little of a position: where calls draw nobody knows how often, or are too long to escape
    /// preemption, which adds more than a position does.
    pub fn of_all_positions(&self, value: fn(&Centre) -> f64) -> Vec<Option<f64>> {
        let by_round = self.by_round(value);
        let says_little = self.has_hidden_draws() || self.is_long();
        let placed = self.placed(value).filter(|_| !says_little);
        let Some(moved) = placed.and_then(|placed| as_of_all(&placed)) else { return by_round };
        let mut moved = moved.into_iter();
        by_round.into_iter().map(|value| value.and_then(|_| moved.next())).collect()
    }

    /// What a call costs by position, where rounds were placed at several.
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

    /// Where the library of each round lay.
    pub fn positions(&self) -> impl Iterator<Item = Option<u8>> + '_ {
        self.rounds.iter().map(|round| round.position)
    }

    /// The same with a place for every round.
    pub fn by_round(&self, value: fn(&Centre) -> f64) -> Vec<Option<f64>> {
        let is_bound = self.is_bound();
        let centre = |round: &Round| if is_bound { Some(round.all) } else { round.quiet };
        self.rounds.iter().map(|round| centre(round).as_ref().map(value)).collect()
    }
}

/// Adds a round of a row, with samples for each length, to the row's cells.
/// `None` where the calibration of its worker is not among `calibrations`.
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

/// The same without levelling draws, which is done once for all rounds that are known.
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
        let round = Round::of(&taken, samples.expected_attempts, wanted);
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

/// The cells of a row, from its raw samples by length. `None` as in [`add_round`].
pub fn cells<'a>(
    by_length: impl IntoIterator<Item = &'a RawRounds>,
    calibrations: &[Calibration],
    gate: QuietCriterion,
) -> Option<Vec<PointSamples>> {
    let mut lengths: Vec<_> = by_length.into_iter().map(RawRounds::iter).collect();
    let mut cells = vec![PointSamples::default(); lengths.len()];
    loop {
        let round: Vec<RawRound> = lengths.iter_mut().filter_map(Iterator::next).collect();
        if round.is_empty() {
            cells.iter_mut().for_each(PointSamples::level_draws);
            return Some(cells);
        }
        add_unlevelled(&mut cells, calibrations, gate, &round)?;
    }
}

/// The worker's calibration, with the overhead that goes with the round.
fn calibration_of(round: &RawRound, calibrations: &[Calibration]) -> Option<Calibration> {
    let overhead_ticks = round.overhead_ticks;
    Some(Calibration { overhead_ticks, ..calibrations.get(round.calibration)?.clone() })
}
