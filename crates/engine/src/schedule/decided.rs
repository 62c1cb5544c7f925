//! Two sides against each other: rounds in which both are measured next to each other, until each
//! pair of rows can tell, and all of them together.

use super::gated::{Gated, Job};
use super::pair::{PairState, same_batches};
use super::sample_file::SampleFile;
use super::{Design, Round, RowState, Rows, Seen, Time};
use crate::plan::Row;
use crate::plan::library::LibrarySpec;
use crate::workers::Taken;
use crate::{Measured, Plan};
use cpb_figures::{PointSamples, QuietCriterion, cells};
use cpb_model::{RawRounds, Record};
use cpb_stats::looks::LOOKS;
use cpb_stats::verdicts::{self, words};
use cpb_stats::{Family, Finding, Question, Verdicts};
use std::time::Duration;

/// How long a job may take at most: what disturbs both sides alike should do so at the same time.
pub(crate) const LONGEST_PATIENCE: Duration = Duration::from_secs(1);
/// What each interval, at all looks, and all differences together are trusted
/// with.
const CONFIDENCE: f64 = 0.95;

/// Everything [`crate::measure_pairs`] needs to know.
#[derive(Debug, Clone)]
pub struct Pairing {
    /// What to measure. Its rows come in pairs of the same workloads, the
    /// baseline's and the candidate's; its rounds do not count here.
    pub plan: Plan,
    /// Baseline and candidate of each pair; they may be the same.
    pub sides: Vec<[LibrarySpec; 2]>,
    /// What is asked of each pair.
    pub question: Question,
    /// Sides whose costs differ by less than this, relatively, are called
    /// equal.
    pub precision: f64,
}

impl Pairing {
    /// The libraries of all sides, each pair's once: those of one pair have processes of their own,
    /// though they may be the same.
    pub(crate) fn libraries(&self) -> Vec<LibrarySpec> {
        self.distinct().flatten().cloned().collect()
    }

    /// The place of a row's library among these.
    pub(crate) fn library(&self, row: usize) -> Option<usize> {
        let place = self.distinct().position(|sides| sides == &self.sides[row / 2])?;
        Some(2 * place + row % 2)
    }

    fn distinct(&self) -> impl Iterator<Item = &[LibrarySpec; 2]> {
        let is_first = |(index, sides): &(usize, &_)| !self.sides[..*index].contains(sides);
        self.sides.iter().enumerate().filter(is_first).map(|(_, sides)| sides)
    }
}

/// What came of a pair of rows, which are those of the same place among the records.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// The cost of both sides in each round, in cycles per call, by length.
    pub rounds: Vec<Vec<[f64; 2]>>,
    /// What they say over all lengths, and of each; nothing where a side failed.
    pub findings: verdicts::Line,
    /// Whether they differ wherever their libraries lie.
    pub at_all_positions: bool,
    /// Whether that is of a quiet core. Where one hardly ever was, it is of all
    /// rounds, which a neighbour may have slowed unevenly.
    pub is_quiet: bool,
}

/// What [`crate::measure_pairs`] brings.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// A pair for every two rows of the plan, in its order.
    pub pairs: Vec<Pair>,
    /// What all pairs say together that did not fail.
    pub all: Option<Finding>,
    /// Rounds that were taken.
    pub rounds: usize,
    /// What each side cost, and what it was measured with; where a side failed, why.
    pub measured: Measured,
}

pub(crate) struct UntilDecided<'a> {
    gated: Gated<'a>,
    pairs: Vec<PairState>,
    family: Family,
    random: fastrand::Rng,
    /// What told quiet samples of all rounds until now.
    gate: QuietCriterion,
    /// Rounds that are complete.
    rounds: usize,
    /// The look that comes next, and the pairs that are measured until then.
    look: usize,
    wanted: Vec<usize>,
    verdicts: Verdicts,
}

impl<'a> UntilDecided<'a> {
    /// Of pairs of rows, of which none has been measured.
    pub(crate) fn new(pairing: &Pairing, gated: Gated<'a>, gate: QuietCriterion) -> Self {
        let Plan { rows: planned, seed, .. } = gated.plan;
        let pairs = planned.as_chunks::<2>().0;
        let lengths = pairs.iter().map(|[row, _]| row.lengths.len());
        let &Pairing { question, precision, .. } = pairing;
        let family = Family {
            question,
            precision,
            confidence: CONFIDENCE,
            words: match question {
                Question::Difference => words(lengths),
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

    /// Looks at all rounds so far: what they say, and which pairs need more.
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

    /// What both sides of a pair have, by length; `None` where one failed.
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

    /// Gives both sides of a pair the same calls in a batch from now on, as the last round of each
    /// has it. The first process of each found its own, and one that was interrupted as it did
    /// finds few; a call of a short batch costs some percent more, in every round, and no order
    /// of sides averages that out.
    fn agree_on_batches(&mut self, pair: usize, costs: [Vec<f64>; 2]) {
        let [a, b] = rows_of(pair);
        for (length, (&cost_a, &cost_b)) in costs[0].iter().zip(&costs[1]).enumerate() {
            let own = [self.gated.calls(a)[length], self.gated.calls(b)[length]];
            let agreed = same_batches(own, (cost_a, cost_b));
            (self.gated.calls(a)[length], self.gated.calls(b)[length]) = agreed.into();
        }
    }

    /// What came of all pairs, of which both sides are `measured`; and the raw samples.
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

    /// The records of a pair. What was measured of one side says nothing where the other failed.
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

    /// Pairs in random order, their sides next to each other in random order, until the next look.
    /// Where time is up, or Ctrl-C was pressed, that comes early, and is the last one.
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
            // What was quiet until now is judged by another measure from now on.
            self.gate = seen.gate;
            self.gated.forget_rounds();
            rows.states.iter_mut().for_each(|state| state.rounds = 0);
            self.pairs.iter_mut().for_each(|pair| pair.numbers.clear());
        }
        let (mut pair, mut costs) = (0, [const { Vec::new() }; 2]);
        for (row, taken) in unit {
            pair = row / 2;
            costs[row % 2] = last_costs(&taken, seen);
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

/// The rows of a pair: the baseline's and the candidate's.
fn rows_of(pair: usize) -> [usize; 2] {
    [2 * pair, 2 * pair + 1]
}

fn has_failed(rows: &Rows, pair: usize) -> bool {
    rows_of(pair).iter().any(|&row| rows.has_failed(row))
}

/// What calls of each length cost in this round, whatever neighbours did.
fn last_costs(taken: &Taken, seen: Seen<'_>) -> Vec<f64> {
    let rounds = taken.clone().raw(seen.calibrations).into_iter();
    let rounds: Vec<RawRounds> = rounds.map(|raw| [raw].into_iter().collect()).collect();
    let cells = cells(&rounds, seen.calibrations, seen.gate).unwrap_or_default();
    cells.iter().map(|cell| cell.all_costs(false).last().unwrap_or_default()).collect()
}
