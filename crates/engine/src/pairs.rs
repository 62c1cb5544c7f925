//! Two sides against each other: rounds in which both are measured next to
//! each other, until each pair of rows can tell.

use crate::host::stolen_and_total;
use crate::library::LibrarySpec;
use crate::plan::{Plan, Row};
use crate::process::Worker;
use crate::protocol::{Calibrate, Job};
use crate::session::{ATTEMPTS, Progress, steal_between};
use crate::summary::{self, Cell, ClockWatch};
use crate::verification;
use cpb_model::{
    Calibration, ClockSummary, Failure, FailureKind, LibraryId, Record, Samples, Steal,
    Verification,
};
use cpb_stats::looks::{LOOKS, confidence_of_a_look, is_settled};
use cpb_stats::{Comparison, Verdict, geometric_mean};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

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
    /// Time the hypervisor took from the CPU measured on.
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
        states.push(State { sides, looks: Looks::default() });
    }
    let contest = Contest {
        pairing,
        stop,
        interrupted: stop.load(Ordering::Relaxed),
        states,
        workers: [None, None],
        calibrations: Vec::new(),
        watch: ClockWatch::default(),
        quiet_probe: None,
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
    /// A worker for each side, and which of the calibrations is its.
    workers: [Option<(Worker, usize)>; 2],
    calibrations: Vec<Calibration>,
    watch: ClockWatch,
    quiet_probe: Option<f64>,
    random: fastrand::Rng,
    done: u64,
}

struct State<'a> {
    sides: [Side<'a>; 2],
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
        let stolen_before = stolen_and_total(self.pairing.plan.cpu);
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
        let steal = stolen_before.zip(stolen_and_total(self.pairing.plan.cpu));
        let steal = steal.and_then(steal_between);
        let seed = self.pairing.plan.seed;
        Compared {
            pairs: self.states.into_iter().map(|it| it.finish(seed, self.interrupted)).collect(),
            clock: summary::clock(self.calibrations, &self.watch),
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
            let first = usize::from(self.random.bool());
            for side in [first, 1 - first] {
                self.job(pair, side, expected, progress);
                if self.states[pair].failure().is_some() {
                    break;
                }
            }
        }
        self.workers = [None, None];
    }

    fn job(
        &mut self,
        pair: usize,
        side: usize,
        expected: u64,
        progress: &mut dyn FnMut(Progress<'_>),
    ) {
        let Side { row, cells, .. } = &self.states[pair].sides[side];
        let row = *row;
        progress(Progress::Job { row, done: self.done, expected });
        self.done += 1;
        let sampling = &self.pairing.plan.sampling;
        let calls = cells.iter().map(|cell| cell.calls).collect();
        let job = Job::new(row, sampling, calls, sampling.samples);
        match self.attempts(side, &job, progress) {
            Ok((calibration, samples)) => {
                let so_far = &self.calibrations;
                let calibration = summary::with_common_overhead(&so_far[calibration], so_far);
                let cells = &mut self.states[pair].sides[side].cells;
                summary::add_round(cells, &calibration, samples, None, &mut self.watch);
            }
            Err(failure) => {
                progress(Progress::Failed { row, failure: &failure });
                self.states[pair].sides[side].failure = Some(failure);
            }
        }
    }

    /// The samples of a job, with the calibration of the worker that took them.
    fn attempts(
        &mut self,
        side: usize,
        job: &Job,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<(usize, Vec<Samples>), Failure> {
        let mut attempt = 1;
        loop {
            let outcome = self.worker(side, progress).and_then(|(worker, calibration)| {
                worker.measure(job.clone()).map(|samples| (*calibration, samples))
            });
            let Err(failure) = outcome else { return outcome };
            let is_disturbed = failure.kind == FailureKind::NotMeasured;
            let is_gone = |(worker, _): &(Worker, usize)| worker.is_gone();
            if is_disturbed || self.workers[side].as_ref().is_some_and(is_gone) {
                self.workers[side] = None;
            }
            if !is_disturbed || attempt == ATTEMPTS {
                return Err(failure);
            }
            attempt += 1;
        }
    }

    fn worker(
        &mut self,
        side: usize,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Result<&mut (Worker, usize), Failure> {
        if self.workers[side].is_none() {
            let Pairing { plan, sides, .. } = self.pairing;
            let (mut worker, _, _) = Worker::start(&sides[side], false, plan.sampling.timeout)?;
            let (calibration, quiet_probe) = worker.calibrate(Calibrate {
                clock: plan.clock.clone(),
                cpu: plan.cpu,
                quiet_probe: self.quiet_probe,
            })?;
            self.quiet_probe = quiet_probe;
            if self.calibrations.is_empty() {
                progress(Progress::Clock(&calibration));
            }
            self.calibrations.push(calibration);
            self.workers[side] = Some((worker, self.calibrations.len() - 1));
        }
        self.workers[side].as_mut().ok_or_else(verification::not_run)
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

    /// The cost of both sides in each round, by length.
    fn rounds(&self) -> Vec<Vec<[f64; 2]>> {
        let [baseline, candidate] = &self.sides;
        let pairs = baseline.cells.iter().zip(&candidate.cells);
        pairs
            .map(|(baseline, candidate)| {
                let long = summary::are_long(baseline) || summary::are_long(candidate);
                let costs = |cell| summary::round_costs(cell, long);
                costs(baseline).zip(costs(candidate)).map(|(a, b)| [a, b]).collect()
            })
            .collect()
    }

    fn finish(mut self, seed: u64, interrupted: bool) -> Pair {
        let has_rounds = self.rounds().iter().all(|rounds| !rounds.is_empty());
        if interrupted && !has_rounds && self.failure().is_none() {
            self.sides.iter_mut().for_each(|side| side.failure = Some(verification::interrupted()));
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
