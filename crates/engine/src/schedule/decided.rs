//! Compares two sides: measures both next to each other in rounds, until each pair of rows and all
//! pairs together are decided.

use super::gated::{Gated, Job};
use super::pair::{PairState, same_batches};
use super::sample_file::SampleFile;
use crate::measured::Measured;
use crate::plan::Plan;
use crate::plan::Row;
use crate::plan::library::LibrarySpec;
use crate::schedule::design::{Design, Round, Time};
use crate::schedule::rows::{RowState, Rows, Seen};
use crate::workers::Taken;
use cpb_figures::{PointSamples, QuietCriterion, cells};
use cpb_model::{RawRounds, Record, Workload};
use cpb_stats::looks::LOOKS;
use cpb_stats::verdicts::{self, verdict_count};
use cpb_stats::{Family, Finding, Question, Verdicts};
use std::time::Duration;

/// The limit of a single job, short so that disturbances hit both sides at about the same time.
pub(crate) const LONGEST_PATIENCE: Duration = Duration::from_secs(1);
/// The confidence of all intervals, at all looks, and all differences together.
const CONFIDENCE: f64 = 0.95;

/// Specifies a comparison by [`crate::measure_pairs`].
#[derive(Debug, Clone)]
pub struct Pairing {
    /// What to measure. Rows come in pairs of equal work, baseline first; its number of rounds is
    /// ignored.
    pub plan: Plan,
    /// Baseline and candidate of each pair; they may be equal.
    pub sides: Vec<[LibrarySpec; 2]>,
    /// The question that each pair answers.
    pub question: Question,
    /// The margin: sides whose costs differ by less, relatively, count as equal.
    pub precision: f64,
}

impl Pairing {
    /// Returns the libraries of all sides, those of each distinct pair once. The sides of a pair
    /// have separate processes even if they are equal.
    pub(crate) fn libraries(&self) -> Vec<LibrarySpec> {
        self.distinct().flatten().cloned().collect()
    }

    /// Returns the index of a row's library among these.
    pub(crate) fn library(&self, row: usize) -> Option<usize> {
        let place = self.distinct().position(|sides| sides == &self.sides[row / 2])?;
        Some(2 * place + row % 2)
    }

    fn distinct(&self) -> impl Iterator<Item = &[LibrarySpec; 2]> {
        let is_first = |(index, sides): &(usize, &_)| !self.sides[..*index].contains(sides);
        self.sides.iter().enumerate().filter(is_first).map(|(_, sides)| sides)
    }
}

/// The result of a pair of rows, which have the same positions among the records.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The cost of both sides in each round, in cycles per call, by length.
    pub rounds: Vec<Vec<[f64; 2]>>,
    /// The findings over all lengths and for each; empty if a side failed.
    pub findings: verdicts::Line,
    /// Whether the sides differ at every position of their libraries.
    pub at_all_positions: bool,
    /// Whether the rounds are on a quiet core. If the core hardly ever was quiet, all rounds count,
    /// and a neighbour may have slowed them unevenly.
    pub is_quiet: bool,
}

/// The result of [`crate::measure_pairs`].
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// The pairs, one for every two rows of the plan.
    pub pairs: Vec<Pair>,
    /// The finding over all pairs that did not fail.
    pub all: Option<Finding>,
    /// Rounds measured.
    pub rounds: usize,
    /// The cost of each side, or why it failed, and the circumstances.
    pub measured: Measured,
}

pub(crate) struct UntilDecided<'a> {
    gated: Gated<'a>,
    pairs: Vec<PairState>,
    family: Family,
    random: fastrand::Rng,
    /// The criterion by which all rounds so far were judged.
    gate: QuietCriterion,
    /// Complete rounds.
    rounds: usize,
    /// The next look, and the pairs that are measured until then.
    look: usize,
    wanted: Vec<usize>,
    verdicts: Verdicts,
}

impl<'a> UntilDecided<'a> {
    /// Creates the design for pairs of which none has been measured.
    pub(crate) fn new(pairing: &Pairing, gated: Gated<'a>, gate: QuietCriterion) -> Self {
        let Plan { rows: planned, seed, .. } = gated.plan;
        let pairs = planned.as_chunks::<2>().0;
        let lengths = pairs.iter().map(|[row, _]| row.lengths.len());
        let &Pairing { question, precision, .. } = pairing;
        let family = Family {
            question,
            precision,
            confidence: CONFIDENCE,
            verdicts: match question {
                Question::Difference => verdict_count(lengths),
                Question::CostsMore => lengths.sum(),
            },
            looks: LOOKS.len(),
        };
        let random = fastrand::Rng::with_seed(*seed);
        let lines = pairs.iter().map(|_| verdicts::Line::default()).collect();
        let verdicts = Verdicts { lines, all: None };
        let wanted = (0..pairs.len()).collect();
        let pairs = pairs.iter().map(|_| PairState::default()).collect();
        Self { gated, pairs, family, random, gate, rounds: 0, look: 0, wanted, verdicts }
    }

    /// Evaluates all rounds so far, and selects the pairs that need more.
    fn look(&mut self, rows: &mut Rows, seen: Seen<'_>, is_last: bool) {
        let mut lines = Vec::with_capacity(self.pairs.len());
        for pair in 0..self.pairs.len() {
            let line = self.cells(rows, pair, seen).map(|cells| {
                let state = &mut self.pairs[pair];
                state.count(&cells, is_last);
                state.counted.clone()
            });
            lines.push(line);
        }
        self.verdicts = Verdicts::look(&self.family, &lines);
        self.wanted = self.verdicts.undecided(&self.family, |pair| has_failed(rows, pair));
    }

    /// Returns the samples of both sides of a pair, by length; `None` if one failed.
    fn cells(
        &self,
        rows: &mut Rows,
        pair: usize,
        seen: Seen<'_>,
    ) -> Option<[Vec<PointSamples>; 2]> {
        if has_failed(rows, pair) {
            return None;
        }
        let mut of_row = |row: usize| {
            let mut cells = self.gated.cells(row, seen).map_err(|it| rows.fail(row, it)).ok()?;
            cells.resize(self.row(row).lengths.len(), PointSamples::default());
            Some(cells)
        };
        let [baseline, candidate] = rows_of(pair).map(&mut of_row);
        Some([baseline?, candidate?])
    }

    /// Gives both sides of a pair the same number of calls per batch, taken from the last round of
    /// each. Each side's first process chose its own, and one that was interrupted meanwhile chose
    /// few; a call in a short batch costs some percent more in every round, which no order of sides
    /// averages out.
    fn agree_on_batches(&mut self, pair: usize, costs: [Vec<f64>; 2]) {
        let rows = rows_of(pair);
        let [a, b] = rows.map(|row| self.gated.last_calls(row));
        let costs = costs[0].iter().copied().zip(costs[1].iter().copied());
        let agreed =
            a.iter().zip(b).zip(costs).map(|((&a, &b), costs)| same_batches([a, b], costs));
        let (a, b) = agreed.map(<(_, _)>::from).unzip();
        self.gated.fix_calls(rows[0], a);
        self.gated.fix_calls(rows[1], b);
    }

    /// Returns the results of all pairs, whose sides are in `measured`, and the raw samples.
    pub(crate) fn compared(self, measured: Measured) -> (Compared, SampleFile) {
        let sides = measured.records.as_chunks::<2>().0.iter();
        let all = self.pairs.into_iter().zip(self.verdicts.lines).zip(sides);
        let pairs = all.map(|((state, findings), sides)| Pair {
            at_all_positions: state.counted.differ_at_all_positions(),
            is_quiet: state.is_quiet,
            rounds: match sides.iter().any(|side| side.failure.is_some()) {
                true => Vec::new(),
                false => state.counted.by_length,
            },
            findings,
        });
        let (pairs, all, rounds) = (pairs.collect(), self.verdicts.all, self.rounds);
        (Compared { pairs, all, rounds, measured }, self.gated.samples)
    }

    /// Returns the records of a pair. If one side failed, measurements of the other are dropped.
    fn records(&self, pair: usize, rows: &mut Rows, seen: Seen<'_>) -> [Record; 2] {
        let of_pair = rows_of(pair);
        let has_rounds = self.pairs[pair].counted.by_length.iter().all(|it| !it.is_empty());
        if !has_rounds && !has_failed(rows, pair) {
            let failure = rows.why_nothing(&of_pair);
            of_pair.iter().for_each(|&row| rows.states[row].failure = Some(failure.clone()));
        }
        let has_failed = has_failed(rows, pair);
        of_pair.map(|row| {
            let state = &rows.states[row];
            let figures = match &state.failure {
                Some(failure) => Err(failure.clone()),
                None if has_failed => Ok((Vec::new(), None)),
                None => self.gated.figures(row, seen),
            };
            self.gated.record(row, state, figures)
        })
    }
}

impl Design for UntilDecided<'_> {
    type Job = Job;
    type Taken = Taken;

    fn row(&self, row: usize) -> &Row {
        &self.gated.plan.rows[row]
    }

    /// Returns the pairs in random order, with their sides next to each other in random order,
    /// until the next look. If time is up or the run is interrupted, that look is early, and the
    /// last.
    fn round(&mut self, rows: &mut Rows, seen: Seen<'_>, time: Time) -> Option<Round> {
        while let Some(&until) = LOOKS.get(self.look)
            && !self.wanted.is_empty()
        {
            let is_enough = self.rounds >= self.family.fewest_rounds() && time == Time::Late;
            let is_over = time == Time::Over || is_enough;
            let mut wanted = self.wanted.clone();
            wanted.retain(|&pair| !has_failed(rows, pair));
            if self.rounds < until && !wanted.is_empty() && !is_over {
                self.random.shuffle(&mut wanted);
                let unit = |pair: usize| {
                    let [a, b] = rows_of(pair);
                    if self.random.bool() { vec![b, a] } else { vec![a, b] }
                };
                let units = wanted.into_iter().map(unit).collect();
                let to_come = (until - self.rounds - 1) as u64;
                let sure = LOOKS[0].saturating_sub(self.rounds + 1) as u64;
                return Some(Round { number: self.rounds as u32, units, to_come, sure });
            }
            self.look += 1;
            let is_last = self.rounds < until && is_over || self.look == LOOKS.len();
            self.look(rows, seen, is_last);
            if is_last {
                self.look = LOOKS.len();
            }
        }
        None
    }

    fn job(&self, row: usize, round: u32) -> Job {
        self.gated.job(row, self.gated.plan.sampling.samples, round)
    }

    fn take(&mut self, rows: &mut Rows, unit: Vec<(usize, Taken)>, seen: Seen<'_>) {
        if !seen.gate.judges_like(self.gate) {
            // The criterion changed, so earlier rounds would be judged by another one.
            self.gate = seen.gate;
            self.gated.forget_rounds();
            rows.states.iter_mut().for_each(|state| state.rounds = 0);
            self.pairs.iter_mut().for_each(|pair| pair.numbers.clear());
        }
        let (mut pair, mut costs) = (0, [const { Vec::new() }; 2]);
        for (row, taken) in unit {
            pair = row / 2;
            costs[row % 2] = last_costs(&self.row(row).workload, &taken, seen);
            self.gated.keep(row, taken, seen);
            rows.states[row].rounds += 1;
        }
        self.pairs[pair].numbers.push(self.rounds);
        self.agree_on_batches(pair, costs);
    }

    fn end_round(&mut self, _rows: &mut Rows, _seen: Seen<'_>, is_over: bool) {
        self.rounds += usize::from(!is_over);
    }

    fn finish(&mut self, rows: &mut Rows, seen: Seen<'_>) -> Vec<Record> {
        (0..self.pairs.len()).flat_map(|pair| self.records(pair, rows, seen)).collect()
    }

    fn known_loop(&self, row: &Row, calls: Option<u64>) -> Option<Job> {
        self.gated.known_loop(row, calls)
    }

    fn add_known_loop(&self, so_far: &mut PointSamples, taken: Taken, seen: Seen<'_>) {
        Gated::add_known_loop(so_far, taken, seen);
    }

    fn snapshot(&self, rows: &Rows, seen: Seen<'_>) -> Vec<Record> {
        let record = |(row, state): (usize, &RowState)| {
            let figures = match &state.failure {
                Some(failure) => Err(failure.clone()),
                None => self.gated.figures(row, seen),
            };
            self.gated.record(row, state, figures)
        };
        rows.states.iter().enumerate().map(record).collect()
    }
}

/// Returns the rows of a pair, baseline first.
fn rows_of(pair: usize) -> [usize; 2] {
    [2 * pair, 2 * pair + 1]
}

fn has_failed(rows: &Rows, pair: usize) -> bool {
    rows_of(pair).iter().any(|&row| rows.has_failed(row))
}

/// Returns the cost per call at each length in this round, whatever neighbours did.
fn last_costs(workload: &Workload, taken: &Taken, seen: Seen<'_>) -> Vec<f64> {
    let rounds = taken.clone().raw(seen.calibrations).into_iter();
    let rounds: Vec<RawRounds> = rounds.map(|raw| [raw].into_iter().collect()).collect();
    let cells = cells(workload, &rounds, seen.calibrations, seen.gate).unwrap_or_default();
    cells.iter().map(|cell| cell.all_costs(false).last().unwrap_or_default()).collect()
}
