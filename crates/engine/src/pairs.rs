//! Two sides against each other: rounds in which both are measured next to
//! each other, until each pair of rows can tell.

use crate::crew::{Crew, Losses, Taken};
use crate::host::stolen_and_total;
use crate::library::LibrarySpec;
use crate::machine::ThisMachine;
use crate::plan::{Plan, Row};
use crate::protocol::Job;
use crate::session::{Progress, steal_between};
use crate::summary::{self, Cell};
use crate::verification;
use cpb_model::{ClockSummary, Failure, LibraryId, Record, Steal, Verification};
use cpb_stats::looks::{LOOKS, confidence_of_a_look, is_settled};
use cpb_stats::{Comparison, Verdict, geometric_mean};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// How long a job may take, waiting for quiet included.
const PATIENCE: Duration = Duration::from_secs(1);
/// Rounds with both sides on a quiet core beside which the others do not count.
const FEWEST_QUIET_ROUNDS: usize = 10;
/// What all looks at a pair together are trusted with.
const CONFIDENCE: f64 = 0.95;

/// Everything [`measure_pairs`] needs to know.
#[derive(Debug, Clone)]
pub struct Pairing {
    /// What to measure. Its rows come in pairs of the same workloads, the
    /// baseline's and the candidate's; its rounds do not count here.
    pub plan: Plan,
    /// Baseline and candidate; they may be the same.
    pub sides: [LibrarySpec; 2],
    /// Sides whose costs differ by less than this, relatively, are called
    /// equal.
    pub precision: f64,
    /// No round starts after this, once there was a first look.
    pub budget: Duration,
}

/// What came of a pair of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// What each side cost; where a side failed, why.
    pub records: [Record; 2],
    /// The cost of both sides in each round, in cycles per call, by length.
    pub rounds: Vec<Vec<[f64; 2]>>,
    /// Over all lengths: the ratio of the geometric means of their costs.
    /// Absent where a side failed.
    pub comparison: Option<Comparison>,
    /// By length; these hold together with the same confidence. Absent where
    /// there are too few rounds for that.
    pub by_length: Vec<Option<Comparison>>,
}

/// What [`measure_pairs`] brings.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// A pair for every two rows of the plan, in its order.
    pub pairs: Vec<Pair>,
    /// The clock; absent where no worker got as far as calibrating it.
    pub clock: Option<ClockSummary>,
    /// The libraries, as their workers found them.
    pub libraries: Vec<LibraryId>,
    /// The CPUs that samples were taken on.
    pub cpus: Vec<usize>,
    /// Time the hypervisor took from the CPUs measured on.
    pub steal: Option<Steal>,
    /// Rounds that were taken.
    pub rounds: usize,
    /// Whether `stop` was set before all was done. Pairs without any round then
    /// have a failure.
    pub interrupted: bool,
}

impl Pair {
    /// The verdict over all lengths.
    #[must_use]
    pub fn verdict(&self, precision: f64) -> Verdict {
        self.comparison.map_or(Verdict::CannotTell, |comparison| comparison.verdict(precision))
    }

    /// The cost of both sides in each round: the geometric mean over lengths.
    #[must_use]
    pub fn costs(&self) -> Vec<[f64; 2]> {
        costs(&self.rounds)
    }
}

/// The ratio of the geometric mean over `pairs`, from the rounds in which all
/// of them were measured. `None` where there are no such rounds, or too few.
#[must_use]
pub fn in_sum<'a>(pairs: impl IntoIterator<Item = &'a Pair>) -> Option<Comparison> {
    let costs: Vec<Vec<[f64; 2]>> = pairs.into_iter().map(Pair::costs).collect();
    let common = costs.iter().map(Vec::len).min()?;
    let rounds: Vec<Vec<[f64; 2]>> = costs.iter().map(|costs| costs[..common].to_vec()).collect();
    Comparison::paired(&self::costs(&rounds), confidence_of_a_look(CONFIDENCE))
}

/// Measures both sides of every pair, telling `progress` how it goes. Once
/// `stop` is set no further pair begins.
pub fn measure_pairs(
    pairing: &Pairing,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Compared {
    let verified = verification::verify(&pairing.plan, stop, &mut |done, expected| {
        progress(Progress::Verify { done, expected });
    });
    let mut states = Vec::with_capacity(pairing.plan.rows.len() / 2);
    let mut verdicts = verified.rows.into_iter();
    for rows in pairing.plan.rows.as_chunks().0 {
        let sides = rows.each_ref().map(|row: &Row| {
            let (verification, failure) = match verdicts.next() {
                Some(Ok(verification)) => (Some(verification), None),
                Some(Err(failure)) => (None, Some(failure)),
                None => (None, Some(verification::not_run())),
            };
            if let Some(failure) = failure.as_ref().filter(|it| **it != verification::interrupted())
            {
                progress(Progress::Failed { row, failure });
            }
            Side { row, cells: vec![Cell::default(); row.lengths.len()], verification, failure }
        });
        states.push(State { sides, losses: Losses::default(), looks: Looks::default() });
    }
    let mut machine = ThisMachine::new();
    let contest = Contest {
        pairing,
        stop,
        interrupted: stop.load(Ordering::Relaxed),
        states,
        crew: Crew::new(&pairing.plan, &pairing.sides, &mut machine),
        random: fastrand::Rng::with_seed(pairing.plan.seed),
        done: 0,
    };
    contest.run(verified.libraries, progress)
}

struct Contest<'a> {
    pairing: &'a Pairing,
    stop: &'a AtomicBool,
    interrupted: bool,
    states: Vec<State<'a>>,
    /// A library for each side.
    crew: Crew<'a>,
    random: fastrand::Rng,
    done: u64,
}

struct State<'a> {
    sides: [Side<'a>; 2],
    losses: Losses,
    looks: Looks,
}

struct Side<'a> {
    row: &'a Row,
    /// By length.
    cells: Vec<Cell>,
    verification: Option<Verification>,
    failure: Option<Failure>,
}

/// What the looks at a pair showed.
#[derive(Default)]
struct Looks {
    comparison: Option<Comparison>,
    by_length: Vec<Option<Comparison>>,
    is_settled: bool,
}

impl Contest<'_> {
    fn run(
        mut self,
        libraries: Vec<LibraryId>,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Compared {
        let start = Instant::now();
        let stolen_before = stolen_and_total(&self.pairing.plan.cpus);
        let mut rounds = 0;
        for look in LOOKS {
            while rounds < look && !(rounds >= LOOKS[0] && start.elapsed() >= self.pairing.budget) {
                self.round(look - rounds, progress);
                if self.interrupted {
                    break;
                }
                rounds += 1;
            }
            // Where time is up, or Ctrl-C was pressed, this look comes early, and is the last one.
            self.look();
            if rounds < look || self.undecided().is_empty() {
                break;
            }
        }
        let steal = stolen_before.zip(stolen_and_total(&self.pairing.plan.cpus));
        let steal = steal.and_then(steal_between);
        let seed = self.pairing.plan.seed;
        Compared {
            pairs: self.states.into_iter().map(|it| it.finish(seed, self.interrupted)).collect(),
            cpus: self.crew.cpus(),
            clock: self.crew.clock(),
            libraries,
            steal,
            rounds,
            interrupted: self.interrupted,
        }
    }

    fn undecided(&self) -> Vec<usize> {
        let is_undecided = |state: &State<'_>| state.failure().is_none() && !state.looks.is_settled;
        (0..self.states.len()).filter(|&index| is_undecided(&self.states[index])).collect()
    }

    /// Measures every undecided pair once, each side in a fresh process: pairs
    /// in random order, sides next to each other in random order.
    fn round(&mut self, until_look: usize, progress: &mut dyn FnMut(Progress<'_>)) {
        let mut undecided = self.undecided();
        self.random.shuffle(&mut undecided);
        let jobs = 2 * undecided.len() as u64;
        let expected = self.done + jobs * until_look as u64;
        for pair in undecided {
            if self.stop.load(Ordering::Relaxed) {
                self.interrupted = true;
                break;
            }
            self.visit(pair, expected, progress);
        }
        self.crew.dismiss();
    }

    /// Measures both sides of a pair, in random order. What was taken counts
    /// only where both were measured.
    fn visit(&mut self, pair: usize, expected: u64, progress: &mut dyn FnMut(Progress<'_>)) {
        let first = usize::from(self.random.bool());
        let mut taken = [None, None];
        for side in [first, 1 - first] {
            match self.job(pair, side, expected, progress) {
                Ok(samples) => taken[side] = Some(samples),
                Err(failure) => {
                    let state = &mut self.states[pair];
                    let Side { row, cells, failure: kept, .. } = &mut state.sides[side];
                    let measured = cells.first().map_or(0, Cell::rounds);
                    if let Some(failure) = state.losses.count(failure, measured) {
                        progress(Progress::Failed { row, failure: &failure });
                        *kept = Some(failure);
                    }
                    return;
                }
            }
        }
        for (side, samples) in self.states[pair].sides.iter_mut().zip(taken) {
            if let Some(samples) = samples {
                let round = self.crew.raw(samples);
                // The calibrations are the crew's own: it has them all.
                let gate = self.crew.gate();
                summary::add_round(&mut side.cells, self.crew.calibrations(), gate, &round);
            }
        }
    }

    fn job(
        &mut self,
        pair: usize,
        side: usize,
        expected: u64,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<Taken, Failure> {
        let Side { row, cells, .. } = &self.states[pair].sides[side];
        progress(Progress::Job { row, done: self.done, expected });
        self.done += 1;
        let sampling = &self.pairing.plan.sampling;
        let calls = cells.iter().map(|cell| cell.calls).collect();
        let job = Job::new(row, sampling, calls, sampling.samples);
        self.crew.measure(side, &job, PATIENCE, progress)
    }

    fn look(&mut self) {
        let confidence = confidence_of_a_look(CONFIDENCE);
        for index in self.undecided() {
            let state = &mut self.states[index];
            let rounds = state.rounds();
            let comparison = Comparison::paired(&costs(&rounds), confidence);
            let each = 1.0 - (1.0 - confidence) / rounds.len().max(1) as f64;
            state.looks = Looks {
                comparison,
                by_length: rounds.iter().map(|r| Comparison::paired(r, each)).collect(),
                is_settled: comparison.is_some_and(|it| is_settled(&it, self.pairing.precision)),
            };
        }
    }
}

impl State<'_> {
    fn failure(&self) -> Option<&Failure> {
        self.sides.iter().find_map(|side| side.failure.as_ref())
    }

    /// The cost of both sides in each round that counts, by length: of those on
    /// a quiet core, where they are enough, and of all otherwise.
    fn rounds(&self) -> Vec<Vec<[f64; 2]>> {
        let [baseline, candidate] = &self.sides;
        let pairs = baseline.cells.iter().zip(&candidate.cells);
        let costs: Vec<Vec<([f64; 2], Option<[f64; 2]>)>> = pairs
            .map(|(baseline, candidate)| {
                let long = summary::are_long(baseline) || summary::are_long(candidate);
                let all = |cell| summary::all_costs(cell, long);
                let quiet = |cell| summary::quiet_costs(cell, long);
                let quiet = quiet(baseline).zip(quiet(candidate));
                (all(baseline).zip(all(candidate)))
                    .zip(quiet)
                    .map(|((a, b), quiet)| ([a, b], quiet.0.zip(quiet.1).map(|(a, b)| [a, b])))
                    .collect()
            })
            .collect();
        let rounds = costs.iter().map(Vec::len).min().unwrap_or(0);
        let is_quiet = |&round: &usize| costs.iter().all(|costs| costs[round].1.is_some());
        let quiet: Vec<usize> = (0..rounds).filter(is_quiet).collect();
        if quiet.len() < FEWEST_QUIET_ROUNDS {
            let all = |costs: Vec<([f64; 2], Option<[f64; 2]>)>| {
                costs.into_iter().map(|(all, _)| all).collect()
            };
            return costs.into_iter().map(all).collect();
        }
        let of_quiet = |costs: &Vec<([f64; 2], Option<[f64; 2]>)>| {
            quiet.iter().filter_map(|&round| costs[round].1).collect()
        };
        costs.iter().map(of_quiet).collect()
    }

    fn finish(mut self, seed: u64, interrupted: bool) -> Pair {
        let has_rounds = self.rounds().iter().all(|rounds| !rounds.is_empty());
        if !has_rounds && self.failure().is_none() {
            let interrupted = interrupted.then(verification::interrupted);
            let failure = self.losses.failure().or(interrupted);
            self.sides.iter_mut().for_each(|side| side.failure.clone_from(&failure));
        }
        let has_failed = self.failure().is_some();
        let rounds = if has_failed { Vec::new() } else { self.rounds() };
        let records = self.sides.map(|side| {
            let row = side.row;
            let cells = if has_failed { &[] } else { side.cells.as_slice() };
            Record {
                subject: row.subject.clone(),
                output_bytes: row.output_bytes,
                contract: row.contract,
                method: row.method(),
                verification: side.verification,
                points: summary::points(row, cells, seed),
                line: summary::line(row, cells, seed),
                precise: None,
                failure: side.failure,
            }
        });
        let Looks { comparison, by_length, .. } = self.looks;
        Pair { records, rounds, comparison: comparison.filter(|_| !has_failed), by_length }
    }
}

/// The geometric mean over workloads of each round's costs.
fn costs(rounds: &[Vec<[f64; 2]>]) -> Vec<[f64; 2]> {
    let count = rounds.iter().map(Vec::len).min().unwrap_or(0);
    let mean = |round: usize, side: usize| {
        let costs: Vec<f64> = rounds.iter().map(|rounds| rounds[round][side]).collect();
        // Costs that are not positive have no such mean, and no comparison.
        geometric_mean(&costs).unwrap_or(f64::NAN)
    };
    (0..count).map(|round| [mean(round, 0), mean(round, 1)]).collect()
}
