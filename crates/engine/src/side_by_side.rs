//! Two sides against each other: rounds in which both are measured next to
//! each other, until each pair of rows can tell, and all of them together.

mod state;

use self::state::{Side, State};
use crate::plan::library::LibrarySpec;
use crate::plan::{Plan, Row};
use crate::progress::Progress;
use crate::selftest::rounds::SelfCheck;
use crate::session::{SHARE_FOR_VERIFYING, steal_between};
use crate::start::Start;
use crate::verification::{self, Verified};
use crate::workers::machine::machine;
use crate::workers::protocol::Job;
use crate::workers::{Losses, Taken, Workers};
use cpb_figures::{Cell, Gate, add_round};
use cpb_model::{ClockSummary, Failure, LibraryId, Record, Steal};
use cpb_stats::looks::LOOKS;
use cpb_stats::verdicts::{self, words};
use cpb_stats::{Family, Finding, Rounds, Verdicts};
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// How long a job may take in any case, and at the most: what disturbs both sides
/// alike should do so at the same time.
const SHORTEST_PATIENCE: Duration = Duration::from_millis(20);
const LONGEST_PATIENCE: Duration = Duration::from_secs(1);
/// What each interval, at all looks, and all differences together are trusted
/// with.
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
}

/// What came of a pair of rows.
#[derive(Debug, Clone, PartialEq)]
pub struct Pair {
    /// What each side cost; where a side failed, why.
    pub records: [Record; 2],
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

/// What [`measure_pairs`] brings.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// A pair for every two rows of the plan, in its order.
    pub pairs: Vec<Pair>,
    /// What all pairs say together that did not fail.
    pub all: Option<Finding>,
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

/// Measures both sides of every pair, telling `progress` how it goes. Once
/// `stop` is set no further pair begins.
pub fn measure_pairs(
    pairing: &Pairing,
    stop: &AtomicBool,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Compared {
    let (start, sampling) = (Start::now(), &pairing.plan.sampling);
    let for_verifying = start.bounds(sampling, sampling.budget / SHARE_FOR_VERIFYING);
    let verified =
        verification::verify(&pairing.plan, for_verifying, stop, &mut |done, expected| {
            progress(Progress::Verify { done, expected });
        });
    let bounds = start.bounds(sampling, sampling.budget);
    let mut machine = machine(bounds, &verified.libraries);
    let (libraries, check) = SelfCheck::beside(&pairing.sides);
    let workers = Workers::new(&pairing.plan, &libraries, machine.as_mut());
    let gone = if sampling.budget_is_maximum { start.elapsed() } else { Duration::ZERO };
    let budget = sampling.budget.saturating_sub(gone);
    measure_verified(pairing, stop, verified, workers, Some(check), budget, progress)
}

/// The same once all rows are verified, by workers that have both sides first, in what is
/// left of the time.
pub(crate) fn measure_verified<'a>(
    pairing: &'a Pairing,
    stop: &'a AtomicBool,
    verified: Verified,
    workers: Workers<'a>,
    check: Option<SelfCheck>,
    budget: Duration,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Compared {
    let mut states = Vec::with_capacity(pairing.plan.rows.len() / 2);
    let mut verified_rows = verified.rows.into_iter();
    for rows in pairing.plan.rows.as_chunks().0 {
        let sides = rows.each_ref().map(|row: &Row| {
            let (verification, failure) = match verified_rows.next() {
                Some(Ok(verification)) => (Some(verification), None),
                Some(Err(failure)) => (None, Some(failure)),
                None => (None, Some(verification::not_run())),
            };
            let is_told = |it: &&Failure| {
                **it != verification::interrupted() && **it != verification::no_time()
            };
            if let Some(failure) = failure.as_ref().filter(is_told) {
                progress(Progress::Failed { row, failure });
            }
            Side { row, cells: vec![Cell::default(); row.lengths.len()], verification, failure }
        });
        states.push(State {
            sides,
            losses: Losses::default(),
            numbers: Vec::new(),
            counted: Rounds::default(),
            is_quiet: true,
        });
    }
    let contest = Contest {
        pairing,
        stop,
        interrupted: stop.load(Ordering::Relaxed),
        states,
        gate: workers.gate(),
        workers,
        check,
        random: fastrand::Rng::with_seed(pairing.plan.seed),
        done: 0,
        rounds: 0,
        end: Duration::ZERO,
    };
    contest.run(verified.libraries, budget, progress)
}

struct Contest<'a> {
    pairing: &'a Pairing,
    stop: &'a AtomicBool,
    interrupted: bool,
    states: Vec<State<'a>>,
    /// A library for each side, and what `check` needs.
    workers: Workers<'a>,
    check: Option<SelfCheck>,
    random: fastrand::Rng,
    done: u64,
    /// Rounds that are complete.
    rounds: usize,
    /// What told quiet samples of all rounds until now.
    gate: Gate,
    /// When time is up.
    end: Duration,
}

impl Contest<'_> {
    fn run(
        mut self,
        libraries: Vec<LibraryId>,
        budget: Duration,
        progress: &mut dyn FnMut(Progress<'_>),
    ) -> Compared {
        self.end = self.workers.now() + budget;
        if self.pairing.plan.sampling.budget_is_maximum {
            self.workers.end_at(self.end);
        }
        let stolen_before = self.workers.stolen_and_total();
        let family = self.family();
        let fewest = family.fewest_rounds();
        let mut verdicts = self.look(&family, false);
        for look in LOOKS {
            let wanted = verdicts.undecided(|pair| self.states[pair].failure().is_some());
            if wanted.is_empty() {
                break;
            }
            while self.rounds < look && !self.is_time_up(fewest) && !self.interrupted {
                self.round(wanted.clone(), look - self.rounds, progress);
            }
            // Where time is up, or Ctrl-C was pressed, this look comes early, and is the last one.
            let is_last = self.rounds < look || look == LOOKS[LOOKS.len() - 1];
            verdicts = self.look(&family, is_last);
            if is_last {
                break;
            }
        }
        let steal = stolen_before.zip(self.workers.stolen_and_total());
        let steal = steal.and_then(steal_between);
        let (seed, interrupted) = (self.pairing.plan.seed, self.interrupted);
        let pairs = self.states.into_iter().zip(verdicts.lines);
        let cpus = self.workers.cpus();
        let mut clock = self.workers.clock();
        if let Some((clock, check)) = clock.as_mut().zip(self.check) {
            clock.known_loops = check.known_loops(seed, clock.quiet);
        }
        Compared {
            pairs: pairs.map(|(state, line)| state.finish(line, seed, interrupted)).collect(),
            all: verdicts.all,
            cpus,
            clock,
            libraries,
            steal,
            rounds: self.rounds,
            interrupted,
        }
    }

    fn family(&self) -> Family {
        let lengths = self.states.iter().map(|state| state.sides[0].row.lengths.len());
        Family {
            precision: self.pairing.precision,
            confidence: CONFIDENCE,
            words: words(lengths),
            looks: LOOKS.len(),
        }
    }

    fn look(&mut self, family: &Family, is_last: bool) -> Verdicts {
        let mut lines = Vec::with_capacity(self.states.len());
        for state in &mut self.states {
            (state.counted, state.is_quiet) = state.rounds(is_last);
            lines.push(state.failure().is_none().then(|| state.counted.clone()));
        }
        Verdicts::look(family, &lines)
    }

    /// Measures every pair that is `wanted` once, each side in a fresh process:
    /// pairs in random order, sides next to each other in random order.
    fn round(
        &mut self,
        mut wanted: Vec<usize>,
        until_look: usize,
        progress: &mut dyn FnMut(Progress<'_>),
    ) {
        wanted.retain(|&pair| self.states[pair].failure().is_none());
        self.random.shuffle(&mut wanted);
        let jobs = 2 * wanted.len() as u64;
        let expected = self.done + jobs * until_look as u64;
        for pair in wanted {
            if self.stop.load(Ordering::Relaxed) {
                self.interrupted = true;
            }
            if self.interrupted || self.workers.is_over() {
                break;
            }
            self.visit(pair, expected, progress);
        }
        let is_whole = !self.interrupted && !self.workers.is_over();
        if let Some(check) = self.check.as_mut().filter(|_| is_whole) {
            check.round(&self.pairing.plan, &mut self.workers);
        }
        self.workers.end_round();
        self.rounds += usize::from(is_whole);
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
        let gate = self.workers.gate();
        if !gate.judges_like(self.gate) {
            // What was quiet until now is judged by another measure from now on.
            self.states.iter_mut().for_each(State::forget_rounds);
            self.gate = gate;
        }
        let state = &mut self.states[pair];
        for (side, samples) in state.sides.iter_mut().zip(taken) {
            if let Some(samples) = samples {
                let round = self.workers.raw(samples);
                // The calibrations are the workers' own: all are there.
                add_round(&mut side.cells, self.workers.calibrations(), gate, &round);
            }
        }
        state.numbers.push(self.rounds);
        state.agree_on_batches();
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
        let round = u32::try_from(self.rounds).unwrap_or(u32::MAX);
        let job = Job::new(row, sampling, calls, sampling.samples, round);
        let patience = self.patience();
        self.workers.measure(side, &job, patience, progress)
    }

    /// Whether no round begins any more: before there are enough for a difference to be
    /// told, only where the time is a maximum.
    fn is_time_up(&self, fewest: usize) -> bool {
        self.workers.is_over() || self.rounds >= fewest && self.workers.now() >= self.end
    }

    /// How long a job may take, waiting for quiet included: what is left of the
    /// time, shared by the jobs before the first look.
    fn patience(&self) -> Duration {
        let rounds = LOOKS[0].saturating_sub(self.rounds).max(1);
        let jobs = u32::try_from(2 * rounds * self.states.len()).unwrap_or(u32::MAX);
        let share = self.end.saturating_sub(self.workers.now()) / jobs.max(1);
        share.clamp(SHORTEST_PATIENCE, LONGEST_PATIENCE)
    }
}
